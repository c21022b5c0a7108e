"""What a model is asked to judge it, and when its answer counts as right."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import soundfile as sf
import soxr
from numpy.typing import NDArray

from app.measure import words
from app.omni.turn import INPUT_RATE
from app.tools.call import CallError, IncompleteCall, parse_calls
from app.tools.registry import Registry, load_descriptions
from app.tools.tool import Arguments, Result, Tool
from app.training.corpus import DATA, Intent, load_intents, out_of_domain
from app.training.sayings import held_out, tool_sayings
from app.training.tool_corpus import ToolDraw, ToolIntent, load_tools

#: Lists the ids of what a model knows, one a line before a tab.
INTENTS_FILE = "intents.tsv"
#: Sentences that are read aloud to judge it: everyday ones, written apart from the corpus, one a line.
EVERYDAY = DATA.parent / "everyday.txt"


def read_intents(folder: Path) -> dict[str, str]:
    """What the model in `folder` has learnt: answers, or tools, by id."""
    lines = (folder / INTENTS_FILE).read_text(encoding="utf-8").splitlines()
    return {name: answer for name, _, answer in (line.partition("\t") for line in lines)}


@dataclass(frozen=True)
class Asked:
    """A question after earlier `turns`, and what is right: one of `answers` or else a call of `tool` with `arguments`.

    `best` are those of the right answers that suit the question best.
    """

    intent: str
    wording: str
    turns: tuple[tuple[str, str], ...] = ()
    answers: tuple[str, ...] = ()
    best: tuple[str, ...] = ()
    tool: str | None = None
    arguments: Mapping[str, Any] | None = None

    def judge(self, reply: str, call: str | None) -> dict[str, bool]:
        """What was right about the words of a reply, or about the `call` that was written instead."""
        if self.tool is not None:
            name, exact = _compared(call, self)
            return {"right": exact, "right_tool": name}
        said = words(reply) if call is None else ["a", "call"]
        found = {"right": said in map(words, self.answers)}
        return found | {"best_answer": said in map(words, self.best)} if self.best else found


def _no_result(arguments: Arguments) -> Result:
    return Result({})


@cache
def _registry() -> Registry:
    return Registry(Tool(entry, _no_result) for entry in load_descriptions().values())


def _compared(text: str | None, asked: Asked) -> tuple[bool, bool]:
    """Whether the right tool was called, and with the right arguments, however words are spelt and numbers set."""
    if text is None:
        return False, False
    try:
        calls = parse_calls(text, _registry())
    except IncompleteCall as error:
        return error.call.name == asked.tool, False
    except CallError as error:
        return error.tool == asked.tool, False
    call, expected = calls[0], asked.arguments or {}
    same = len(calls) == 1 and call.name == asked.tool and call.arguments.keys() == expected.keys()
    return call.name == asked.tool, same and all(_same(call.arguments[key], value) for key, value in expected.items())


def _same(one: object, other: object) -> bool:
    if isinstance(one, str) and isinstance(other, str) and ":" not in other:
        return words(one) == words(other)
    return one == other


class Development:
    """The development set, as far as the model in `folder` knows what is asked."""

    def __init__(self, folder: Path) -> None:
        known = read_intents(folder)
        self.intents = [intent for intent in load_intents() if intent.id in known]
        self.tools = [tool for tool in load_tools() if tool.id in known]
        self._owner = {q: i for i in self.intents if not i.context for q in (*i.train_questions, *i.dev_questions)}
        self._honest = tuple(a for i in self.intents if i.domain == "fallback" for a in i.answers)
        self.sentences = [words(intent.spoken_answer) for intent in self.intents]

    def _of_intent(self, intent: Intent, wording: str) -> Asked:
        turns = []
        for turn in intent.context:
            # The answer that the model has learnt itself.
            owner = self._owner.get(turn.question)
            turns.append((turn.question, owner.spoken_answer if owner else turn.answer))
        return Asked(intent.id, wording, tuple(turns), intent.answers)

    @staticmethod
    def _of_tool(tool: ToolIntent, draw: ToolDraw) -> Asked:
        return Asked(tool.id, draw.question, draw.context, draw.answers, (), draw.tool, draw.arguments)

    def questions(self) -> list[Asked]:
        """One held-out wording of every intent."""
        return [self._of_intent(intent, intent.dev_questions[0]) for intent in self.intents]

    def calls(self) -> list[Asked]:
        """Held-out wordings of everything that takes a call, with values that training never saw."""
        return [self._of_tool(tool, draw) for tool in self.tools for draw in tool.development() if draw.tool]

    def follow_ups(self) -> list[Asked]:
        """Those of both, and of answers with values, that mean something only after an earlier turn."""
        composed = (self._of_tool(tool, draw) for tool in self.tools for draw in tool.development())
        return [asked for asked in chain(self.questions(), composed) if asked.turns]

    def out_of_domain(self) -> list[Asked]:
        """Held-out questions that nothing in the corpus answers: any honest answer is right."""
        by_id = {intent.id: intent for intent in self.intents}
        return [
            Asked(name, question, (), self._honest, by_id[name].answers if name in by_id else ())
            for name, question in out_of_domain()
        ]

    @staticmethod
    def results() -> list[str]:
        """Sentences that tools come back with and that training never heard."""
        return [sentence for sentence in dict.fromkeys(tool_sayings()) if held_out(sentence)]

    @staticmethod
    def reading() -> list[str]:
        """Everyday sentences that training never saw."""
        return [line for line in EVERYDAY.read_text(encoding="utf-8").splitlines() if line]

    def spoken(self, folder: Path, calls: bool) -> Iterator[tuple[Asked, NDArray[np.float32]]]:
        """The synthesised development questions in `folder` at 16 kHz: of the intents, or of `calls`."""
        found: Sequence[Asked]
        if calls:
            found = self.calls()
        else:
            found = [self._of_intent(intent, question) for intent in self.intents for question in intent.dev_questions]
        asked = {(one.intent, one.wording): one for one in found}
        for path in sorted(folder.glob("*.json")):
            row = json.loads(path.read_text(encoding="utf-8"))
            if one := asked.get((row["intent"], row["text"])):
                audio, rate = sf.read(path.with_suffix(".flac"), dtype="float32")
                yield one, soxr.resample(audio, rate, INPUT_RATE)
