"""Training examples: a question, typed or heard, and its spoken answer.

What the ears would make of a question is computed from its text (see `app.speech.starter_encoder`) and roughened, so
that every wording of the corpus is heard; real transcripts of synthesised questions are mixed in where there are any.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from app.speech.starter_encoder import NOTHING_HEARD
from app.training.corpus import Intent, unknown_questions
from app.training.tokenizer import CONTROL_TOKENS

FILLERS = ("um", "uh", "hey", "so", "okay", "well", "please", "hey Banter", "oh")
UNKNOWN_SHARE = 0.08
UNKNOWN_INTENT = "fallback.hard_knowledge"
#: Share of turns in which nothing could be read.
UNHEARD_SHARE = 0.005
UNHEARD_INTENT = "fallback.unintelligible"
#: Share of questions that are heard; both kinds teach the same pieces, the heard ones the projector too.
HEARD_SHARE = 0.35
EOS = 2


@dataclass(frozen=True)
class Example:
    """One sequence. `text` holds prompt, answer, end and line break; the answer starts at `start`.

    `features` [N, 384] replace the run of audio markers.
    """

    text: list[int]
    start: int
    answer: list[int]
    features: Tensor | None = None


@dataclass
class Sources:
    """Everything examples are drawn from. `codes[intent id]` int64 [8, T]; `heard[wording]` lists real transcripts;
    `ear_table` [vocabulary, 384] holds the ears' feature rows."""

    intents: list[Intent]
    tokenizer: Tokenizer
    ear_table: Tensor
    codes: dict[str, Tensor] = field(default_factory=dict)
    heard: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.unknown = unknown_questions()
        self.by_id = {intent.id: intent for intent in self.intents}
        self.answer_of = {
            q: intent.spoken_answer
            for intent in self.intents
            if not intent.context
            for q in (*intent.train_questions, *intent.dev_questions)
        }
        weights = np.array([len(intent.train_questions) ** 0.5 for intent in self.intents])
        weights[[intent.domain == "fallback" for intent in self.intents]] *= 2
        self.weights = weights / weights.sum()
        self.free = [intent for intent in self.intents if not intent.context]
        self.wordings = [(i, q) for i in self.intents for q in i.train_questions if q in self.heard]

    def all_questions(self) -> list[str]:
        """Every plain wording that training may ask."""
        asked = [q for intent in self.intents for q in intent.train_questions]
        return list(dict.fromkeys([*asked, *self.unknown, ""]))

    def ids(self, text: str) -> list[int]:
        return self.tokenizer.encode(text, add_special_tokens=False).ids


def block(role: str, content: str) -> str:
    """One chat block of the template."""
    return f"<|im_start|>{role}\n{content}<|im_end|>\n"


OPENING = "<|im_start|>assistant\n"
EMPTY_THOUGHT = "<think>\n\n</think>\n\n"


def vary(text: str, rng: np.random.Generator) -> str:
    """The same words as people type or say them: case, punctuation, fillers, a lost word."""
    if rng.random() < 0.3:
        words = text.split()
        kept = [w for w in words if rng.random() > 0.12]
        text = " ".join(kept if len(kept) >= 2 else words)
    if rng.random() < 0.08:
        text = f"{rng.choice(FILLERS)} {text}"
    form = rng.random()
    if form < 0.35:
        return text
    bare = re.sub(r"[.,!?]", "", text)
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


def imagined_features(text: str, sources: Sources, rng: np.random.Generator) -> Tensor:
    """Feature rows [N ≥ 1, 384] of a transcript, with some pieces lost or wrong as in a real hearing."""
    ids = np.array([i for i in sources.ids(text) if rng.random() > 0.015] or [NOTHING_HEARD])
    wrong = rng.random(len(ids)) < 0.015
    ids[wrong] = rng.integers(len(CONTROL_TOKENS), len(sources.ear_table), wrong.sum())
    features = sources.ear_table[torch.from_numpy(ids)]
    return features + 0.05 * features.std() * torch.randn(features.shape)


def history_of(intent: Intent, sources: Sources, rng: np.random.Generator, short: bool = False) -> str:
    """Earlier turns as template text: the intent's context, or now and then (less when `short`) an unrelated one."""
    turns: list[tuple[str, str]] = []
    if intent.context:
        for turn in intent.context:
            spoken = sources.answer_of.get(turn.question, turn.answer)
            turns.append((turn.question, spoken if rng.random() < 0.6 else turn.answer))
    else:
        draw = rng.random() * (4 if short else 1)
        for _ in range(2 if draw < 0.05 else 1 if draw < 0.2 else 0):
            other = sources.free[rng.integers(len(sources.free))]
            question = other.train_questions[rng.integers(len(other.train_questions))]
            turns.append((vary(question, rng), other.spoken_answer))
    return "".join(block("user", q) + block("assistant", EMPTY_THOUGHT + a) for q, a in turns)


def assemble(sources: Sources, history: str, question: str | Tensor, answer: str) -> Example:
    """Put one sequence together; `question` is text, or feature rows for a spoken one."""
    features = None
    if isinstance(question, Tensor):
        features = question
        content = "<|audio_pad|>" * len(features)
    else:
        content = question
    prompt = sources.ids(history + block("user", content) + OPENING + EMPTY_THOUGHT)
    spoken = sources.ids(answer)
    text = [*prompt, *spoken, EOS, *sources.ids("\n")]
    return Example(text, len(prompt), spoken, features)


def draw_asked(question: str, sources: Sources, rng: np.random.Generator) -> str | Tensor:
    """A plain wording as somebody types it, or the rows the ears would make of it."""
    asked = vary(question, rng)
    return imagined_features(heard_form(asked, rng), sources, rng) if rng.random() < HEARD_SHARE else asked


def draw_question(sources: Sources, rng: np.random.Generator, real: float) -> tuple[Intent, str, str | Tensor]:
    """An intent, one of its plain wordings ("" where nothing was heard), and the question as it is asked."""
    if real and sources.wordings and rng.random() < real:
        intent, question = sources.wordings[rng.integers(len(sources.wordings))]
        options = sources.heard[question]
        return intent, question, imagined_features(options[rng.integers(len(options))], sources, rng)
    if rng.random() < UNHEARD_SHARE:
        return sources.by_id[UNHEARD_INTENT], "", sources.ear_table[NOTHING_HEARD][None]
    intent = sources.intents[rng.choice(len(sources.intents), p=sources.weights)]
    question = intent.train_questions[rng.integers(len(intent.train_questions))]
    if rng.random() < UNKNOWN_SHARE:
        intent = sources.by_id[UNKNOWN_INTENT]
        question = sources.unknown[rng.integers(len(sources.unknown))]
    return intent, question, draw_asked(question, sources, rng)


def draw_text(sources: Sources, rng: np.random.Generator, real: float = 0.0) -> tuple[Example, str]:
    """One random example without speech, and the plain wording of its question."""
    intent, wording, asked = draw_question(sources, rng, real)
    # Short prompts are several times cheaper: earlier turns are learnt from a few examples.
    history = history_of(intent, sources, rng, rng.random() < 0.8)
    return assemble(sources, history, asked, intent.spoken_answer), wording
