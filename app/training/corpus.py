"""The dialogue corpus: intents, which of them this starter learns, and the development split.

The files in `data/dialogues` are described in `data/dialogues/SCHEMA.md`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path

DATA = Path(__file__).parent / "data" / "dialogues"
FILES = ("smalltalk", "control", "fallback", "knowledge_science", "knowledge_world", "advice")
#: Domains that are learnt whole; of the others the shortest answers come first.
CORE_DOMAINS = ("smalltalk", "control", "fallback")
KNOWLEDGE_INTENTS = 310
#: Paraphrases of every intent that training never sees.
DEV_PER_INTENT = 2


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


def load_intents(folder: Path = DATA) -> list[Intent]:
    """All intents without slots, wordings of `more/` joined in, split into training and development.

    The split depends on the wording alone, so it stays the same when the corpus grows.
    """
    extra: dict[str, list[str]] = {}
    for path in sorted((folder / "more").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            extra.setdefault(row["id"], []).extend(row["questions"])
    intents = []
    for name in FILES:
        for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            questions = list(dict.fromkeys(row["questions"] + extra.get(row["id"], [])))
            # Held-out wordings come from the main file: every intent has eight or more there.
            held_out = sorted(row["questions"], key=_rank)[:DEV_PER_INTENT]
            intents.append(
                Intent(
                    id=row["id"],
                    domain=row["domain"],
                    train_questions=tuple(q for q in questions if q not in held_out),
                    dev_questions=tuple(held_out),
                    answers=tuple(row["answers"]),
                    context=tuple(Turn(t["q"], t["a"]) for t in row.get("context", ())),
                )
            )
    return intents


def unknown_questions(folder: Path = DATA) -> list[str]:
    """Context-free training questions whose intents this version does not learn, tools included (slots left out).

    They teach it to say that it does not know.
    """
    known = {intent.id for intent in starter_intents(folder)}
    rows = [i for i in load_intents(folder) if i.id not in known and not i.context]
    questions = [q for intent in rows for q in intent.train_questions]
    for line in (folder / "tools.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if not row.get("context"):
            questions += [q for q in row["questions"] if "{" not in q]
    return questions


def starter_intents(folder: Path = DATA) -> list[Intent]:
    """The intents of this version of the starter, in a stable order."""
    intents = load_intents(folder)
    core = [intent for intent in intents if intent.domain in CORE_DOMAINS]
    rest = [intent for intent in intents if intent.domain not in CORE_DOMAINS]
    rest.sort(key=lambda intent: (len(intent.spoken_answer), intent.id))
    return core + rest[:KNOWLEDGE_INTENTS]
