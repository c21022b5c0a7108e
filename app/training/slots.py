"""Values for the slots of tool questions, far more than the corpus lists, so that the Thinker learns to copy them.

Numbers, times and dates are drawn from everything that can be said; names, words, tasks and notes are put together from
lists, from words of the corpus, and now and then from syllables. An eighth of these is held out for development.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from app.tools.words.dates import WEEKDAYS
from app.tools.words.numbers import ONES, cardinal
from app.training.corpus import load_intents
from app.training.spoken_forms import (
    Form,
    bare_time,
    calendar_day,
    clock_time,
    decimal_number,
    distant_day,
    duration,
    pick,
    whole_number,
    with_digits,
)

VALUES = Path(__file__).parent / "data" / "slot_values.json"
#: Share of values that come from the corpus' own list where others can be drawn.
LISTED = 0.3
HELD_OUT = 32  # of 256
MONEY = 0.25
_ONSETS = (
    "b",
    "br",
    "c",
    "d",
    "dr",
    "f",
    "g",
    "gr",
    "h",
    "j",
    "k",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
    "z",
)
_ENDS = ("a", "an", "el", "en", "er", "ia", "in", "is", "o", "on", "or", "ra", "um", "y")

Rng = np.random.Generator


@cache
def _lists() -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads(VALUES.read_text(encoding="utf-8"))
    return found


@cache
def corpus_words() -> tuple[str, ...]:
    """Lower-case words of four letters and more in the corpus' answers."""
    answers = (answer for intent in load_intents() for answer in intent.answers)
    return tuple(sorted({word for answer in answers for word in re.findall(r"(?<![\w'])[a-z]{4,}(?![\w'])", answer)}))


@cache
def corpus_clauses() -> tuple[str, ...]:
    """Statements of three to nine words in the corpus' answers, without their end marks."""
    sentences = [s for i in load_intents() for a in i.answers for s in re.split(r"(?<=[.?!]) |, ", a)]
    plain = (s.rstrip(".!,") for s in sentences if "?" not in s and re.fullmatch(r"[A-Za-z' -]+[.!,]?", s))
    clauses = (s if re.match(r"I\b|[A-Z]\w* [A-Z]", s) else s[0].lower() + s[1:] for s in plain)
    return tuple(sorted({clause for clause in clauses if 3 <= len(clause.split()) <= 9}))


def held_out(value: str) -> bool:
    """Whether a drawn value is kept for development."""
    return hashlib.sha256(value.lower().encode()).digest()[0] < HELD_OUT


def invented_name(rng: Rng) -> str:
    """A name nobody has, such as "Dralostia"."""
    middle = "".join(pick(_ONSETS, rng) + pick("aeiou", rng) for _ in range(int(rng.integers(1, 3))))
    return (middle + pick(_ONSETS, rng) + pick(_ENDS, rng)).capitalize()


def _filled(pattern: str, rng: Rng) -> str:
    """A pattern of `slot_values.json` with all of its places filled in."""

    def part(match: re.Match[str]) -> str:
        if match[1] == "digits":
            return " ".join(pick(ONES[:10], rng) for _ in range(int(rng.integers(3, 5))))
        if match[1] == "count":
            return cardinal(int(rng.integers(2, 60)))
        if match[1] == "day":
            return pick(WEEKDAYS, rng)
        return pick(_lists()[match[1]], rng)

    while "{" in pattern:
        pattern = re.sub(r"\{(\w+)\}", part, pattern)
    return pattern


def _some_words(most: int, rng: Rng) -> str:
    return " ".join(pick(corpus_words(), rng) for _ in range(int(rng.integers(1, most + 1))))


def _thing(rng: Rng) -> str:
    kind = rng.random()
    if kind < 0.15:
        return _some_words(2, rng)
    return _filled("{adjective} {noun}" if kind < 0.6 else "{noun}", rng)


def _task(rng: Rng) -> str:
    kind = rng.random()
    if kind < 0.25:
        return _filled(pick(_lists()["person_task"], rng), rng)
    return f"{pick(_lists()['verb'], rng)} {pick(['the', 'my', 'a', 'the', 'some'], rng)} {_thing(rng)}"


def _text(rng: Rng) -> str:
    kind = rng.random()
    if kind < 0.35:
        return pick(corpus_clauses(), rng)
    if kind < 0.6:
        return _filled(pick(_lists()["fact"], rng), rng)
    if kind < 0.9:
        return f"{pick(['the', 'my', 'our'], rng)} {_thing(rng)} {_filled(pick(_lists()['predicate'], rng), rng)}"
    return _some_words(6, rng)


def _item(rng: Rng) -> str:
    return pick([_thing(rng), f"{_thing(rng)} and {_thing(rng)}", f"a {_thing(rng)} for {_filled('{name}', rng)}"], rng)


def _topic(rng: Rng) -> str:
    return pick([f"the {_thing(rng)}", f"my {_thing(rng)}", _thing(rng), _filled("{name}", rng)], rng)


def _name(kind: str) -> Callable[[Rng], str]:
    return lambda rng: invented_name(rng) if rng.random() < 0.15 else pick(_lists()[kind], rng)


#: Slots whose values are copied from the question.
COPIED: Mapping[str, Callable[[Rng], str]] = {
    "city": _name("city"),
    "app": _name("app"),
    "voice": _name("name"),
    "word": lambda rng: pick(corpus_words() if rng.random() < 0.4 else _lists()["word"], rng),
    "label": lambda rng: _thing(rng) if rng.random() < 0.3 else pick(_lists()["label"], rng),
    "task": _task,
    "text": _text,
    "item": _item,
    "topic": _topic,
}


def _copied(value: str, digits: float, rng: Rng) -> Form:
    asked = with_digits(value) if rng.random() < digits else value
    return Form(asked, value, asked)


def _new_value(draw: Callable[[Rng], str], wanted: bool, rng: Rng) -> str:
    """A drawn value that is held out, or is not."""
    while held_out(value := draw(rng)) is not wanted:
        pass
    return value


def _in_range(name: str, low: int, high: int, digits: float, rng: Rng) -> Form:
    form = whole_number(int(rng.integers(low, high + 1)), digits, rng)
    if name != "base" or rng.random() >= MONEY:
        return form
    money = f"{form.asked} dollars" if form.asked == form.words else f"${form.asked}"
    return Form(money, f"{form.words} dollars", form.value)


def draw_slot(name: str, row: Mapping[str, Any], digits: float, development: bool, rng: Rng) -> Form:
    """One value of the slot `name` of a row of `tools.jsonl`, in digits with the probability `digits`.

    With `development`, names and texts are such as training never sees.
    """
    values = row["slots"][name]
    if isinstance(values, dict):
        low, high = values["range"]
        return _in_range(name, low, high, digits, rng)
    typed = row.get("slot_values", {}).get(name, values)
    if name == "bare":
        return bare_time(typed[0] >= "12", digits, rng)
    if name in COPIED:
        if not development and rng.random() < LISTED:
            return _copied(pick(values, rng), digits, rng)
        return _copied(_new_value(COPIED[name], development, rng), digits, rng)
    if name == "sides":
        return whole_number(int(rng.integers(3, 101)) if rng.random() < 0.5 else pick(typed, rng), digits, rng)
    if name == "time":
        minutes = int(rng.integers(288)) * 5 if rng.random() < 0.6 else int(rng.integers(1440))
        return clock_time(minutes, digits, rng)
    drawn = {
        "duration": duration,
        "dec": decimal_number,
        "date": calendar_day,
        "rel": distant_day,
        "past": lambda d, r: calendar_day(d, r, year=True),
    }.get(name)
    if drawn and rng.random() >= LISTED:
        return drawn(digits, rng)
    at = int(rng.integers(len(values)))
    asked = with_digits(values[at]) if rng.random() < digits else values[at]
    return Form(asked, values[at], asked if typed is values else typed[at])
