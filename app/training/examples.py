"""Training examples: a question, typed or heard, and its spoken answer or the call of a tool.

What the ears would make of a question is computed from its text (see `app.speech.starter_encoder`) and roughened, so
that every wording of the corpus is heard; real transcripts of synthesised questions are mixed in where there are any.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from app.speech.starter_encoder import NOTHING_HEARD, feature_rows
from app.training.corpus import Intent
from app.training.tokenizer import CONTROL_TOKENS
from app.training.tool_corpus import ToolDraw, ToolIntent

FILLERS = ("um", "uh", "hey", "so", "okay", "well", "please", "hey Banter", "oh")
#: Shares of the examples; the rest are questions that have an answer.
TOOL_SHARE, FALLBACK_SHARE = 0.2, 0.13
#: Share of the questions that come after at least one, two, three earlier exchanges which do not matter; half of that
#: when they are to be short.
EARLIER = (0.4, 0.06, 0.015)
#: Share of turns in which nothing could be read.
UNHEARD_SHARE = 0.005
UNHEARD_INTENT = "fallback.unintelligible"
#: Share of questions that are heard; both kinds teach the same pieces, the heard ones the projector too.
HEARD_SHARE = 0.35
#: How often a piece of a heard question is lost, and how often it is another one.
_LOST, _WRONG = 0.015, 0.015
EOS = 2


@dataclass(frozen=True)
class Example:
    """One sequence. `text` holds prompt, answer, end and line break; the answer starts at `start`.

    `sentence` is the question, whose meaning is the last row of the run of audio markers; `pieces` [N, 384] of a heard
    one come before it. `composed` answers hold values of the question, so that knowing their beginning is not enough.
    """

    text: list[int]
    start: int
    answer: list[int]
    sentence: str
    pieces: Tensor | None = None
    composed: bool = False

    def features(self, meaning: Tensor) -> Tensor:
        """Rows [N + 1, 768] for the audio markers, given the vector [384] of the sentence."""
        return feature_rows(meaning.new_zeros(0, len(meaning)) if self.pieces is None else self.pieces, meaning)


class Question(NamedTuple):
    """A question as it arrives: the words, and the rows [N, 384] of its pieces if it is heard and not typed."""

    text: str
    pieces: Tensor | None = None


@dataclass
class Sources:
    """Everything examples are drawn from. `codes[intent id or saying]` int64 [8, T]; `sayings` are sentences to
    read aloud; `heard[wording]` lists real transcripts; `ear_table` [vocabulary, 384] holds the ears' feature rows."""

    intents: list[Intent]
    tokenizer: Tokenizer
    ear_table: Tensor
    codes: dict[str, Tensor] = field(default_factory=dict)
    heard: dict[str, list[str]] = field(default_factory=dict)
    tools: Sequence[ToolIntent] = ()
    sayings: Sequence[str] = ()

    def __post_init__(self) -> None:
        self.by_id = {intent.id: intent for intent in self.intents}
        self.free = [intent for intent in self.intents if not intent.context]
        self.owner = {q: i for i in self.free for q in (*i.train_questions, *i.dev_questions)}
        weights = np.array([len(intent.train_questions) ** 0.5 for intent in self.intents])
        fallback = np.array([intent.domain == "fallback" for intent in self.intents])
        rest = 1 - FALLBACK_SHARE - TOOL_SHARE
        weights *= np.where(fallback, FALLBACK_SHARE / weights[fallback].sum(), rest / weights[~fallback].sum())
        self._cumulated = np.cumsum(weights / weights.sum())
        tool_weights = np.array([len(tool.train_questions) ** 0.5 for tool in self.tools])
        self._tools_cumulated = np.cumsum(tool_weights / tool_weights.sum()) if self.tools else tool_weights
        self.free_tools = [tool for tool in self.tools if not tool.turns]
        self.known: list[Intent | ToolIntent] = [*self.intents, *(tool for tool in self.tools if is_known(tool))]
        self.wordings = [(i, q) for i in self.intents for q in i.train_questions if q in self.heard]

    def any_intent(self, rng: np.random.Generator) -> Intent:
        """One of the intents by their shares."""
        return self.intents[int(np.searchsorted(self._cumulated, rng.random()))]

    def any_tool(self, rng: np.random.Generator) -> ToolIntent:
        """One of the tool intents, those with more wordings more often."""
        return self.tools[int(np.searchsorted(self._tools_cumulated, rng.random()))]

    def ids(self, text: str) -> list[int]:
        """The pieces of a text."""
        return self.tokenizer.encode(text, add_special_tokens=False).ids


def block(role: str, content: str) -> str:
    """One chat block of the template."""
    return f"<|im_start|>{role}\n{content}<|im_end|>\n"


AUDIO = "<|audio_pad|>"
OPENING = "<|im_start|>assistant\n"
EMPTY_THOUGHT = "<think>\n\n</think>\n\n"


def vary(text: str, rng: np.random.Generator, lose: bool = True) -> str:
    """The same words as people type or say them: case, punctuation, fillers, a lost word unless none may be lost."""
    if lose and rng.random() < 0.3:
        words = text.split()
        kept = [w for w in words if rng.random() > 0.12]
        text = " ".join(kept if len(kept) >= 2 else words)
    if rng.random() < 0.08:
        text = f"{rng.choice(FILLERS)} {text}"
    form = rng.random()
    if form < 0.35:
        return text
    # Not the points and commas of numbers.
    bare = re.sub(r"[.,!?](?!\d)", "", text)
    if form < 0.6:
        return bare.lower()
    if form < 0.75:
        return text.rstrip(".!?")
    return bare[:1].upper() + bare[1:] + str(rng.choice(["?", ".", ""]))


def heard_form(text: str, rng: np.random.Generator) -> str:
    """The words as Whisper writes them: a capital first and an end mark, mostly."""
    text = text[:1].upper() + text[1:]
    if text[-1:] not in ".?!":
        text += str(rng.choice([".", "?"]))
    return text


def _misheard(text: str, sources: Sources, rng: np.random.Generator, values: Sequence[str] = ()) -> list[int]:
    encoded = sources.tokenizer.encode(text, add_special_tokens=False)
    ids = np.array(encoded.ids, int)
    luck = rng.random(len(ids))
    if values and encoded.ids:
        luck[_covered(text, encoded.offsets, values)] = 1
    wrong = (luck >= _LOST) & (luck < _LOST + _WRONG)
    ids[wrong] = rng.integers(len(CONTROL_TOKENS), sources.tokenizer.get_vocab_size(), wrong.sum())
    return [int(piece) for piece in (ids[luck >= _LOST] if (luck >= _LOST).any() else ids)]


def misheard(text: str, sources: Sources, rng: np.random.Generator, values: Sequence[str] = ()) -> str:
    """The words as the ears might read them: some pieces lost or wrong, but none of `values`."""
    return str(sources.tokenizer.decode(_misheard(text, sources, rng, values)))


def imagined(text: str, sources: Sources, rng: np.random.Generator, values: Sequence[str] = ()) -> Question:
    """A question as the ears might read it; see `misheard`."""
    ids = _misheard(text, sources, rng, values)
    return _rows(ids, str(sources.tokenizer.decode(ids)), sources)


def _rows(ids: list[int], text: str, sources: Sources) -> Question:
    pieces = sources.ear_table[torch.tensor(ids or [NOTHING_HEARD])]
    return Question(text, pieces + 0.05 * pieces.std() * torch.randn(pieces.shape))


def _covered(text: str, offsets: Sequence[tuple[int, int]], values: Sequence[str]) -> np.ndarray:
    """Which pieces, given by their `offsets`, are part of one of the values."""
    inside = np.zeros(len(text) + 1, bool)
    for value in values:
        at = text.lower().find(value.lower())
        if at >= 0:
            inside[at : at + len(value)] = True
    return np.array([inside[first:last].any() for first, last in offsets])


def _earlier_turn(sources: Sources, rng: np.random.Generator) -> tuple[str, str]:
    """Any question without context and what was answered."""
    if sources.free_tools and rng.random() < TOOL_SHARE:
        tool = sources.free_tools[rng.integers(len(sources.free_tools))]
        return vary(tool.draw(rng).question, rng), tool.earlier()
    other = sources.free[rng.integers(len(sources.free))]
    return vary(other.train_questions[rng.integers(len(other.train_questions))], rng), other.spoken_answer


def as_text(turns: Sequence[tuple[str, str]]) -> str:
    """Earlier questions and answers as template text."""
    return "".join(block("user", q) + block("assistant", EMPTY_THOUGHT + a) for q, a in turns)


def history_of(intent: Intent, sources: Sources, rng: np.random.Generator, short: bool = False) -> str:
    """Earlier turns as template text: the intent's context, or now and then (less when `short`) an unrelated one."""
    turns: list[tuple[str, str]] = []
    for turn in intent.context:
        owner = sources.owner.get(turn.question)
        question = turn.question
        if owner is not None and rng.random() < 0.5:
            question = vary(owner.train_questions[rng.integers(len(owner.train_questions))], rng)
        turns.append((question, owner.spoken_answer if owner is not None and rng.random() < 0.6 else turn.answer))
    if not intent.context:
        turns = _unrelated(sources, rng, short)
    return as_text(turns)


def _unrelated(sources: Sources, rng: np.random.Generator, short: bool) -> list[tuple[str, str]]:
    draw = rng.random() * (2 if short else 1)
    return [_earlier_turn(sources, rng) for _ in range(sum(draw < share for share in EARLIER))]


def assemble(
    sources: Sources, history: str, question: Question, answer: str | Sequence[str], composed: bool = False
) -> Example:
    """Put one sequence together. An `answer` in parts is cut into pieces part by part."""
    content = f"{question.text}\n\n{AUDIO}" if question.pieces is None else AUDIO * (len(question.pieces) + 1)
    prompt = sources.ids(history + block("user", content) + OPENING + EMPTY_THOUGHT)
    parts = (answer,) if isinstance(answer, str) else answer
    written = [piece for part in parts for piece in sources.ids(part)]
    text = [*prompt, *written, EOS, *sources.ids("\n")]
    return Example(text, len(prompt), written, question.text, question.pieces, composed)


def draw_asked(question: str, sources: Sources, rng: np.random.Generator, values: Sequence[str] = ()) -> Question:
    """A question as somebody typed it, or as the ears would read it without losing any of its values."""
    if rng.random() < HEARD_SHARE:
        return imagined(heard_form(question, rng), sources, rng, values)
    return Question(question)


def draw_question(sources: Sources, rng: np.random.Generator, real: float) -> tuple[Intent, Question]:
    """An intent and the question as it is asked; a `real` share of them as the ears did read it."""
    if real and sources.wordings and rng.random() < real:
        intent, question = sources.wordings[rng.integers(len(sources.wordings))]
        options = sources.heard[question]
        heard = options[rng.integers(len(options))]
        return intent, _rows(sources.ids(heard), heard, sources)
    if rng.random() < UNHEARD_SHARE:
        return sources.by_id[UNHEARD_INTENT], _rows([], "", sources)
    intent = sources.any_intent(rng)
    question = intent.train_questions[rng.integers(len(intent.train_questions))]
    return intent, draw_asked(vary(question, rng), sources, rng)


def draw_tool(sources: Sources, rng: np.random.Generator) -> Example:
    """One random question for a tool, or about one."""
    draw = sources.any_tool(rng).draw(rng)
    asked = vary(draw.question, rng, lose=False)
    if asked == asked.lower() != draw.question:
        draw = draw.in_lower_case()
    turns = [(vary(q, rng, lose=False), a) for q, a in draw.context] or _unrelated(sources, rng, rng.random() < 0.8)
    return tool_example(sources, draw, turns, draw_asked(asked, sources, rng, draw.values))


def tool_example(sources: Sources, draw: ToolDraw, turns: Sequence[tuple[str, str]], asked: Question) -> Example:
    """The sequence of a tool question, asked after earlier turns."""
    return assemble(sources, as_text(turns), asked, draw.answer, composed=True)


def known_question(intent: Intent | ToolIntent) -> str:
    """The wording in whose stead all others of an intent reach the Thinker."""
    return intent.train_questions[0]


def known_turns(intent: Intent | ToolIntent, sources: Sources) -> list[tuple[str, str]]:
    """The earlier turns of an intent in the same way."""
    if isinstance(intent, ToolIntent):
        return [(questions[0], min(answers, key=len)) for questions, answers in intent.turns]
    turns = []
    for turn in intent.context:
        owner = sources.owner.get(turn.question)
        known = (turn.question, turn.answer) if owner is None else (known_question(owner), owner.spoken_answer)
        turns.append(known)
    return turns


def is_known(tool: ToolIntent) -> bool:
    """Whether the intent of a tool has but one call, or answer, so that it can be known by heart."""
    return not tool.row.get("slots")


def known_example(intent: Intent | ToolIntent, sources: Sources) -> Example:
    """The one sequence by which an intent is answered."""
    history = as_text(known_turns(intent, sources))
    rng = np.random.default_rng(0)
    answer = intent.draw(rng).answer if isinstance(intent, ToolIntent) else intent.spoken_answer
    return assemble(sources, history, Question(known_question(intent)), answer)


def draw_text(sources: Sources, rng: np.random.Generator, real: float = 0.0) -> Example:
    """One random example without speech."""
    if sources.tools and rng.random() < TOOL_SHARE:
        return draw_tool(sources, rng)
    intent, asked = draw_question(sources, rng, real)
    # Short prompts are several times cheaper: earlier turns are learnt from some of the examples.
    history = history_of(intent, sources, rng, rng.random() < 0.8)
    return assemble(sources, history, asked, intent.spoken_answer)
