"""Training examples for the Thinker and the Talker: a question, typed or heard, and its spoken answer.

What the ears would make of a question is computed from its text (see `app.speech.starter_encoder`) and roughened, so
that every wording of the corpus is heard; real encodings of synthesised questions are mixed in where there are any.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from app.training.corpus import Intent, unknown_questions

FILLERS = ("um", "uh", "hey", "so", "okay", "well", "please", "hey Banter", "oh")
UNKNOWN_SHARE = 0.08
UNKNOWN_INTENT = "fallback.hard_knowledge"
#: Share of turns in which nothing could be read.
UNHEARD_SHARE = 0.01
UNHEARD_INTENT = "fallback.unintelligible"
EOS, AUDIO_PAD = 2, 16


@dataclass(frozen=True)
class Example:
    """One sequence. `text` holds prompt, answer, end and line break; the answer starts at `start`.

    `features` [N, 384] replace the run of audio markers; `codes` int64 [8, T] is the speech of the answer.
    """

    text: list[int]
    start: int
    answer: list[int]
    features: Tensor | None = None
    codes: Tensor | None = None
    voice: int = 0


@dataclass
class Sources:
    """Everything examples are drawn from. `codes[intent id]` maps voice number → codes; `heard[wording]` lists real
    feature rows."""

    intents: list[Intent]
    tokenizer: Tokenizer
    ears: Tokenizer
    ear_rows: dict[int, int]
    ear_table: Tensor
    codes: dict[str, dict[int, Tensor]] = field(default_factory=dict)
    heard: dict[str, list[Tensor]] = field(default_factory=dict)
    default_share: float = 0.0

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
    return " " + text


def imagined_features(text: str, sources: Sources, rng: np.random.Generator) -> Tensor:
    """Feature rows [N ≥ 1, 384] of a question that was never spoken, with the errors of a real hearing."""
    pieces = sources.ears.encode(heard_form(text, rng), add_special_tokens=False).ids
    rows = [sources.ear_rows[p] for p in pieces if p in sources.ear_rows and rng.random() > 0.03]
    if not rows:
        return sources.ear_table[-1:]
    table = sources.ear_table
    features = table[rows]
    others = table[torch.from_numpy(rng.integers(0, 6_000, len(rows)))]
    share = torch.from_numpy(np.where(rng.random(len(rows)) < 0.25, rng.uniform(0.3, 1.0, len(rows)), 1.0)).float()
    share[torch.from_numpy(rng.random(len(rows)) < 0.04)] = 0.0
    features = share[:, None] * features + (1 - share[:, None]) * others
    return features + 0.1 * features.std() * torch.randn(features.shape)


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


def assemble(
    sources: Sources, history: str, question: str | Tensor, answer: str, codes: Tensor | None, voice: int
) -> Example:
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
    return Example(text, len(prompt), spoken, features, codes, voice)


def draw(sources: Sources, rng: np.random.Generator, *, speak: bool, real: float = 0.0) -> Example:
    """One random training example; `speak` asks for one with codes, `real` is the share of real hearings."""
    if real and sources.wordings and rng.random() < real:
        intent, question = sources.wordings[rng.integers(len(sources.wordings))]
        options = sources.heard[question]
        asked: str | Tensor = options[rng.integers(len(options))]
    else:
        intent = sources.intents[rng.choice(len(sources.intents), p=sources.weights)]
        question = intent.train_questions[rng.integers(len(intent.train_questions))]
        if rng.random() < UNKNOWN_SHARE:
            intent = sources.by_id[UNKNOWN_INTENT]
            question = sources.unknown[rng.integers(len(sources.unknown))]
        question = vary(question, rng)
        asked = imagined_features(question, sources, rng) if rng.random() < 0.5 else question
        if rng.random() < UNHEARD_SHARE:
            intent, asked = sources.by_id[UNHEARD_INTENT], sources.ear_table[-1:]
    codes, voice = None, 0
    if speak:
        spoken = sources.codes.get(intent.id, {})
        if spoken:
            voices = list(spoken)
            # The default voice is what most people hear: it gets a share of its own.
            if 0 in voices and rng.random() < sources.default_share:
                voices = [0]
            voice = int(rng.choice(voices))
            codes = spoken[voice]
    # The Talker hardly needs the history: mostly leaving it out makes its sequences much shorter.
    remembered = not speak or rng.random() < 0.15
    history = history_of(intent, sources, rng, speak) if remembered else ""
    return assemble(sources, history, asked, intent.spoken_answer, codes, voice)
