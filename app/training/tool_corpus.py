"""The tool questions of the corpus: templates that become a question, earlier turns, and the call to be written.

A call is written as the shortest JSON that `app.tools.call` reads. What all calls of a tool share is one piece of the
tokenizer, so a call costs little more than its values; a text value begins with a space, so that it is the very pieces
of the question (the parser does not count that space).
"""

from __future__ import annotations

import ast
import hashlib
import json
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from app.omni.chat import CALL_MARKERS
from app.tools.registry import load_descriptions
from app.tools.speak import fill
from app.tools.words.numbers import cardinal
from app.training.corpus import DATA, more_wordings, split_questions
from app.training.slots import COPIED, Form, draw_slot
from app.training.spoken_forms import pick, signs

_SLOT = re.compile(r"\{(\w+)\}")
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
#: Instances of every intent in the development set.
DEVELOPMENT_DRAWS = 2


def arithmetic(text: str) -> int | float:
    """The value of sums and products of numbers, such as "2*3600+5*60". ValueError for anything else."""

    def value(node: ast.AST) -> int | float:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return node.value
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](value(node.left), value(node.right))
        raise ValueError(f"{text!r} is no sum of numbers")

    try:
        return value(ast.parse(text, mode="eval").body)
    except SyntaxError as error:
        raise ValueError(f"{text!r} is no sum of numbers") from error


def call_parts(name: str, arguments: Mapping[str, Any]) -> list[str]:
    """The text of a call in parts: what its calls have in common, and between them the values."""
    schema = load_descriptions()[name].parameters["properties"]
    parts = ['{"name":"' + name + '","arguments":{']
    for number, (key, value) in enumerate(arguments.items()):
        parts[-1] += f'{"," if number else ""}"{key}":'
        written = json.dumps(value)
        if isinstance(value, str) and "enum" not in schema[key]:
            parts[-1] += '"'
            copied = written[1:-1]
            parts += [copied if copied[:1].isdigit() else f" {copied}", '"']
        else:
            parts += [written, ""]
    parts[-1] += "}}"
    return parts


@dataclass(frozen=True)
class ToolDraw:
    """One instance of a tool intent.

    `sense` is its wording with the same values every time; `values` are those in the question, which must not be lost.
    `answer` is what the Thinker writes, in parts that are cut into pieces one by one, every second one a value in a
    call; `arguments` are those of the call, None where it only speaks, which any of `answers` does as well.
    """

    intent: str
    sense: str
    question: str
    context: tuple[tuple[str, str], ...]
    answer: tuple[str, ...]
    answers: tuple[str, ...]
    tool: str | None
    arguments: Mapping[str, Any] | None
    values: tuple[str, ...]

    def in_lower_case(self) -> ToolDraw:
        """The same, typed without capitals: what is copied into the call has none either."""
        answer = tuple(part.lower() if self.tool and n % 2 == 0 else part for n, part in enumerate(self.answer))
        values = tuple(value.lower() for value in self.values)
        return replace(self, question=self.question.lower(), answer=answer, values=values)


@dataclass(frozen=True)
class ToolIntent:
    """A row of `tools.jsonl`. Questions and answers are templates; `turns` are the ways to say its earlier turns."""

    row: Mapping[str, Any]
    train_questions: tuple[str, ...]
    dev_questions: tuple[str, ...]
    turns: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]

    @property
    def id(self) -> str:
        """Dotted name."""
        return str(self.row["id"])

    def draw(self, rng: np.random.Generator, *, development: bool = False, digits: float | None = None) -> ToolDraw:
        """A random instance, or a random one of the development set; `digits`: how likely a number is in digits."""
        questions = self.dev_questions if development else self.train_questions
        share = float(rng.random() < 0.6) if digits is None else digits
        forms = {name: draw_slot(name, self.row, share, development, rng) for name in self.row.get("slots", {})}
        asked = {name: form.asked for name, form in forms.items()}
        said = {name: form.words for name, form in forms.items()}
        template = pick(questions, rng)
        question, sense = _fill(template, asked), self.sense(template)
        context = tuple(
            (_fill(pick(qs[:1] if development else qs, rng), asked), _fill(pick(answers, rng), said))
            for qs, answers in self.turns
        )
        values = tuple(asked.values())
        copied = any(name in self.row.get("slots", {}) for name in COPIED)
        if share and not copied:
            question = signs(question, rng)
        tool = self.row["tool"]
        if tool is None:
            options = tuple(_fill(answer, said) for answer in sorted(self.row["answers"], key=len))
            return ToolDraw(self.id, sense, question, context, options[:1], options, None, None, values)
        order = list(load_descriptions()[tool["name"]].parameters["properties"])
        arguments = {k: _argument(tool["arguments"][k], forms) for k in order if k in tool["arguments"]}
        answer = (CALL_MARKERS[0], *call_parts(tool["name"], arguments), CALL_MARKERS[1])
        return ToolDraw(self.id, sense, question, context, answer, (), tool["name"], arguments, values)

    @property
    def spoken_answer(self) -> str:
        """The shortest answer, a template."""
        return min(self.row["answers"], key=len)

    def sense(self, template: str) -> str:
        """A question with the first value of every slot."""
        slots = self.row.get("slots", {})
        return _fill(template, {k: cardinal(v["range"][0]) if isinstance(v, dict) else v[0] for k, v in slots.items()})

    def earlier(self) -> str:
        """Its spoken answer as it may stand in a conversation: with the result that the tool's description gives."""
        if self.row["tool"] is None:
            return self.sense(self.spoken_answer)
        return fill(self.row["answers"][0], load_descriptions()[self.row["tool"]["name"]].result_example)

    def development(self) -> list[ToolDraw]:
        """The instances that evaluate it, always the same: the first with numbers in words, then in digits."""
        rng = np.random.default_rng(int.from_bytes(hashlib.sha256(self.id.encode()).digest()[:4], "big"))
        return [self.draw(rng, development=True, digits=float(n % 2)) for n in range(DEVELOPMENT_DRAWS)]


def _fill(template: str, values: Mapping[str, str]) -> str:
    return _SLOT.sub(lambda slot: values[slot[1]], template)


def _argument(value: Any, forms: Mapping[str, Form]) -> Any:
    """An argument by the rules of SCHEMA.md."""
    if not isinstance(value, str):
        return value
    if value.startswith("="):
        return arithmetic(_SLOT.sub(lambda slot: str(forms[slot[1]].value), value[1:]))
    if alone := _SLOT.fullmatch(value):
        return forms[alone[1]].value
    return _fill(value, {name: form.asked for name, form in forms.items()})


def _rows(folder: Path) -> Iterator[dict[str, Any]]:
    for line in (folder / "tools.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def _ways(turn: Mapping[str, str], owner: Mapping[str, Any] | None, slots: set[str]) -> tuple[tuple[str, ...], ...]:
    """Questions and answers of an earlier turn; the first question is the one of the corpus."""
    questions, answers = [turn["q"]], [turn["a"]]
    if owner is not None:
        held = split_questions(owner["questions"])[1]
        questions += [q for q in owner["questions"] if set(_SLOT.findall(q)) <= slots and q not in held]
        answers += owner["answers"]
    return tuple(dict.fromkeys(questions)), tuple(dict.fromkeys(answers))


@cache
def load_tools(folder: Path = DATA) -> tuple[ToolIntent, ...]:
    """All rows that call a tool or fill slots into their answer, split into training and development.

    Rows that only speak, without slots, are intents like all others: see `corpus.load_intents`.
    """
    extra = more_wordings(folder)
    rows = list(_rows(folder))
    owners = {question: row for row in rows if not row.get("context") for question in row["questions"]}
    intents = []
    for row in rows:
        if row["tool"] is None and not row.get("slots"):
            continue
        slots = set(row.get("slots", {}))
        turns = [_ways(turn, owners.get(turn["q"]), slots) for turn in row.get("context", ())]
        train, dev = split_questions(row["questions"], extra.get(row["id"], ()))
        intents.append(ToolIntent(row, train, dev, tuple((qs, answers) for qs, answers in turns)))
    return tuple(intents)


def structures(intents: Sequence[ToolIntent]) -> list[str]:
    """What calls have in common, and the values of which there are few: each a piece of its own in the tokenizer."""
    rng = np.random.default_rng(0)
    found: dict[str, None] = {}
    for intent in intents:
        draw = intent.draw(rng)
        if draw.tool is not None:
            found.update(dict.fromkeys(draw.answer[1:-1:2]))
    for description in load_descriptions().values():
        for schema in description.parameters["properties"].values():
            found.update(dict.fromkeys(map(json.dumps, schema.get("enum", ()))))
    return list(found)
