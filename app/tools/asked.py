"""The answer to a question that Banter asked back, as arguments of the tool that it is for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import time
from fractions import Fraction
from typing import Any

from app.tools.tool import Description
from app.tools.units import UNITS
from app.tools.words import said
from app.tools.words.clock import spoken_time
from app.tools.words.reading import words_of


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_ASKING = _set("what what's who who's whom whose where where's when why how how's which is are am was were do")
_ASKING |= _set("does did can could would will should")
_REQUESTS = ("set a", "set an", "set the", "start a", "tell me", "cancel the", "remind me", "take a note", "read my")
_OPENINGS = ("um", "uh", "well", "it's", "it is", "it was", "i mean", "i said", "call it", "make it", "let's say",
             "say", "that's", "that is", "to", "the one", "remind me to", "that")  # fmt: skip
_SYNONYMS = {
    "plus": ("add", "added to", "and"),
    "minus": ("subtract", "less", "take away"),
    "times": ("multiply", "multiplied by", "multiply them"),
    "divided_by": ("divide", "divided", "over"),
    "next": ("skip", "skip it", "next one"),
    "previous": ("back", "last one", "go back"),
    "pause": ("stop",),
    "play": ("resume", "continue"),
    "latest": ("last", "newest", "just the latest", "last one"),
    "all": ("everything", "every one", "all of them"),
    "daily": ("every day", "each day"),
    "weekdays": ("on weekdays", "working days", "workdays"),
    "weekends": ("on weekends", "at weekends", "at the weekend"),
    "up": ("louder", "higher"),
    "down": ("quieter", "softer", "lower"),
    "celsius": ("centigrade", "degrees celsius"),
    "fahrenheit": ("degrees fahrenheit",),
}
_OPERATIONS = ("plus", "minus", "times", "divided_by", "percent_of", "percent_off")


class HalfOfDayError(Exception):
    """A time that may be in either half of the day. `question` is a sentence that asks for it."""

    def __init__(self, at: time) -> None:
        self.at = at
        half = spoken_time(at).partition(" in the ")[0].partition(" at night")[0]
        self.question = f"Is that {half} in the morning or in the evening?"
        super().__init__(self.question)


def is_new_request(text: str) -> bool:
    """Whether `text` asks for something instead of answering."""
    words = words_of(text.replace("’", "'"))
    if not words:
        return False
    return text.rstrip().endswith("?") or words[0] in _ASKING or " ".join(words).startswith(_REQUESTS)


def read_answer(tool: Description, argument: str, text: str, known: Mapping[str, Any]) -> dict[str, Any]:
    """What `text`, the answer to the question for `argument`, says: arguments by name, empty where it says nothing.

    `known` are those that are there. More than the one that was asked for may come: "tomorrow at five" is a time and a
    day. Raises HalfOfDayError.
    """
    properties: Mapping[str, Any] = tool.parameters.get("properties", {})
    schema = properties.get(argument, {})
    if argument in ("time", "day", "in_seconds"):
        return _moment(text, properties, known)
    if argument == "seconds":
        seconds = said.seconds_in(text)
        return {} if seconds is None else {argument: seconds}
    if schema.get("type") == "boolean":
        answer = said.yes_or_no(text)
        if answer is None and words_of(text) and set(words_of(text)) & {"all", "both", "every", "everything"}:
            answer = True
        return {} if answer is None else {argument: answer}
    if schema.get("type") in ("integer", "number"):
        return _numbers(text, argument, properties, known)
    if "enum" in schema:
        value = _choice(text, schema["enum"])
        return {} if value is None else {argument: value}
    words = _free(text, schema)
    if argument not in ("task", "text"):
        words = words.removeprefix("the ").removesuffix(" one").removesuffix(" timer")
    return {argument: words} if words else {}


def operation_between(left: str, right: str, text: str) -> str | None:
    """What "calculate" is to do with two numbers, if nothing but that stands between them in `text`."""
    match = re.search(f"{re.escape(left)}(.+?){re.escape(right)}", text) if left and right else None
    between = " ".join(words_of(match[1].replace("%", " percent "))) if match else ""
    # "Multiply four and five": what stands there says nothing.
    return next((value for value in _OPERATIONS if between != "and" and between in _names(value)), None)


def _moment(text: str, properties: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    first = words_of(text)[:1]
    if "in_seconds" in properties and not {"time", "day"} & known.keys():
        words = words_of(text)
        seconds = said.seconds_in(text)
        if seconds is not None and (
            first == ["in"] or any(word.startswith(("minute", "hour", "sec")) for word in words)
        ):
            return {"in_seconds": seconds}
    day = said.day_in(text)
    if day is not None and "day" in properties:
        found["day"] = day
    clock = said.time_in(text) if "time" in properties else None
    if clock is not None:
        if clock.half:
            raise HalfOfDayError(clock.time)
        found["time"] = f"{clock.time:%H:%M}"
    return found


def _numbers(text: str, argument: str, properties: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """The number that was asked for, and with it others that are still missing, in their order."""
    names = [argument, *(n for n in properties if n != argument and n not in known and _is_number(properties[n]))]
    found = said.numbers_in(text)
    if len(found) == 2 and properties.keys() >= {"low", "high"}:
        found.sort()
    return {name: _as_json(value) for name, value in zip(names, found, strict=False)}


def _is_number(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") in ("integer", "number")


def _as_json(value: int | Fraction) -> int | float:
    return value if isinstance(value, int) else float(value)


def _choice(text: str, values: list[str]) -> str | None:
    """The one of `values` that is named in `text`, the longest name first."""
    spoken = f" {' '.join(words_of(text))} "
    names = [(name, value) for value in values for name in _names(value)]
    for name, value in sorted(names, key=lambda pair: -len(pair[0])):
        if f" {name} " in spoken:
            return value
    return None


def _names(value: str) -> tuple[str, ...]:
    unit = UNITS.get(value)
    of_unit = (
        () if unit is None else (unit.singular.lower(), unit.plural.lower(), unit.plural.lower().replace("re", "er"))
    )
    return (value.replace("_", " "), value.replace("_", " ").removesuffix("s"), *of_unit, *_SYNONYMS.get(value, ()))


def _free(text: str, schema: Mapping[str, Any]) -> str:
    """What was said, without what leads up to it."""
    words = " ".join(text.split()).strip(" .,!")
    again = True
    while again:
        again = False
        for opening in _OPENINGS:
            if words.lower().startswith(f"{opening} "):
                words, again = words[len(opening) :].strip(" ,"), True
    words = words.removesuffix(" please").strip(" ,")
    return words if schema.get("minLength", 0) <= len(words) <= schema.get("maxLength", 10_000) else ""
