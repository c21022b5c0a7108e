"""The dialogue corpus: intents with fixed answers, and the development split.

The files in `data/dialogues` are described in `data/dialogues/SCHEMA.md`; questions with slots are in `tool_corpus`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data" / "dialogues"
FILES = ("smalltalk", "control", "fallback", "knowledge_science", "knowledge_world", "advice", "tools")
#: Paraphrases of every intent that training never sees; one where there are few.
DEV_PER_INTENT, FEW = 2, 8
#: Questions outside of everything the model knows, for its honesty; never part of the training.
OUT_OF_DOMAIN = "held_out_unknown.jsonl"


@dataclass(frozen=True)
class Turn:
    """One earlier exchange that a question may depend on."""

    question: str
    answer: str


@dataclass(frozen=True)
class Intent:
    """A group of spoken questions with the same spoken answers."""

    id: str
    domain: str
    train_questions: tuple[str, ...]
    dev_questions: tuple[str, ...]
    answers: tuple[str, ...]
    context: tuple[Turn, ...] = field(default=())

    @property
    def spoken_answer(self) -> str:
        """The answer the starter learns: the shortest, since every frame costs training time.

        Answers that send the user to the Models window wait until there is one.
        """
        here = [answer for answer in self.answers if "Models window" not in answer]
        return min(here or self.answers, key=len)


def _rank(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def more_wordings(folder: Path = DATA) -> dict[str, list[str]]:
    """The further questions of `more/`, by intent."""
    found: dict[str, list[str]] = {}
    for path in sorted((folder / "more").glob("*.jsonl")):
        if path.name != OUT_OF_DOMAIN:
            for row in _rows(path):
                found.setdefault(row["id"], []).extend(row["questions"])
    return found


def split_questions(main: Sequence[str], more: Sequence[str] = ()) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Questions to train with, and those held out, which come from the main file.

    The split depends on the wording alone, so it stays the same when the corpus grows.
    """
    held_out = sorted(main, key=_rank)[: DEV_PER_INTENT if len(main) >= FEW else 1]
    held = {question.lower() for question in held_out}
    return tuple(q for q in dict.fromkeys((*main, *more)) if q.lower() not in held), tuple(held_out)


def _intent(row: Mapping[str, Any], more: Sequence[str]) -> Intent:
    train, dev = split_questions(row["questions"], more)
    turns = tuple(Turn(t["q"], t["a"]) for t in row.get("context", ()))
    return Intent(row["id"], row["domain"], train, dev, tuple(row["answers"]), turns)


def load_intents(folder: Path = DATA) -> list[Intent]:
    """All intents without slots that only speak, wordings of `more/` joined in, in a stable order."""
    more = more_wordings(folder)
    rows = (row for name in FILES for row in _rows(folder / f"{name}.jsonl"))
    return [_intent(row, more.get(row["id"], ())) for row in rows if not row.get("tool") and not row.get("slots")]


def out_of_domain(folder: Path = DATA) -> list[tuple[str, str]]:
    """Held-out questions that the model cannot know, with the id of the honest answer that suits best."""
    paths = [path for path in (folder / OUT_OF_DOMAIN, folder / "more" / OUT_OF_DOMAIN) if path.exists()]
    return [(row["id"], question) for path in paths for row in _rows(path) for question in row["questions"]]
