"""The forms in which numbers, times, durations and dates turn up in a question.

In words, as people say and type them, and in digits, as people type them and speech recognisers write them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from app.tools.words.clock import spoken_time
from app.tools.words.dates import MONTHS, WEEKDAYS
from app.tools.words.lists import counted
from app.tools.words.numbers import ONES, TENS, cardinal, decimal, ordinal
from app.tools.words.numbers import year as spoken_year
from app.tools.words.reading import nth, number, year_number

T = TypeVar("T")

_NUMBER_WORDS = {*ONES, *TENS[1:], "hundred", "thousand", "and"}
_LONGEST_NUMBER = 8


@dataclass(frozen=True)
class Form:
    """A value as it is `asked`, in the plain `words` of a spoken answer, and as the JSON `value` of an argument."""

    asked: str
    words: str
    value: Any


def pick(items: Sequence[T], rng: np.random.Generator) -> T:
    """One of `items`, all equally likely."""
    return items[int(rng.integers(len(items)))]


def with_digits(text: str) -> str:
    """The same text with its whole numbers in digits: "ten minutes and five seconds" is "10 minutes and 5 seconds"."""
    words, out, at = text.split(), list[str](), 0
    while at < len(words):
        for end in range(min(at + _LONGEST_NUMBER, len(words)), at, -1):
            if written := _digits(words[at:end]):
                out.append(written)
                at = end
                break
        else:
            out.append(words[at])
            at += 1
    return " ".join(out)


def _digits(words: Sequence[str]) -> str:
    """A number, an ordinal of several words or a year in digits; empty when the words are something else."""
    text = " ".join(words)
    if len(words) > 1 and all(word in _NUMBER_WORDS for word in words[:-1]) and (count := nth(text)):
        return _nth(count)
    rest = words[1:] if words[0] == "a" and words[1:2] in (["hundred"], ["thousand"]) else words
    if "and" in (words[0], words[-1]) or not all(word in _NUMBER_WORDS for word in rest):
        return ""
    value = number(text)
    if value is None and (said := year_number(text)) and 1900 <= said < 2100:
        value = said
    return str(value) if isinstance(value, int) else ""


def _form(options: Sequence[tuple[str, str]], value: Any, digits: float, rng: np.random.Generator) -> Form:
    """One of several (words, digits), the digits with the probability `digits`."""
    words, written = pick(options, rng)
    return Form(written if rng.random() < digits else words, words, value)


def whole_number(value: int, digits: float, rng: np.random.Generator) -> Form:
    """196 is "one hundred and ninety six", "one hundred ninety six", "196"."""
    words = cardinal(value)
    written = f"{value:,}" if rng.random() < 0.5 else str(value)
    return _form([(words, written), (words.replace(" and ", " "), written)], value, digits, rng)


def decimal_number(digits: float, rng: np.random.Generator) -> Form:
    """A number with one or two places, halves and quarters by name too."""
    whole, kind = int(rng.integers(0, 60) if rng.random() < 0.5 else rng.integers(0, 10)), rng.random()
    if kind < 0.25:
        name, part = pick([("a half", Fraction(1, 2)), ("a quarter", Fraction(1, 4))], rng)
        value = whole + part
        return _form(
            [(f"{cardinal(whole)} and {name}" if whole else name, str(float(value)))], float(value), digits, rng
        )
    places = 1 if kind < 0.75 else 2
    value = whole + Fraction(int(rng.integers(1, 10**places)), 10**places)
    return _form([(decimal(value), str(float(value)))], float(value), digits, rng)


def _parts_of_day(hour: int) -> list[str]:
    parts = ["in the morning"] if hour < 12 else []
    parts += ["in the afternoon"] if 12 <= hour < 18 else []
    parts += ["in the evening"] if 17 <= hour < 22 else []
    return parts + (["at night"] if hour >= 20 else [])


def _faces(hour: int, minute: int) -> list[tuple[str, str]]:
    """What the hands of a clock show, in words and digits, without the part of the day."""
    named, following = cardinal((hour - 1) % 12 + 1), cardinal(hour % 12 + 1)
    shown = f"{(hour - 1) % 12 + 1}:{minute:02d}"
    if not minute:
        return [(named, with_digits(named)), (named, shown), (f"{named} o'clock", f"{with_digits(named)} o'clock")]
    faces = [(f"{named} {'oh ' if minute < 10 else ''}{cardinal(minute)}", shown)]
    if minute % 5 == 0:
        # "Ten to twelve am" could be either of two times.
        to, of = (f"{_fives(60 - minute)} to", following) if minute > 30 else (f"{_fives(minute)} past", named)
        if minute <= 30 or (hour + 1) % 12:
            faces += [(f"{to} {of}", with_digits(f"{to} {of}"))] * 2
    return faces


def _fives(minutes: int) -> str:
    return {15: "quarter", 30: "half"}.get(minutes) or cardinal(minutes)


def clock_time(minutes: int, digits: float, rng: np.random.Generator) -> Form:
    """A time of day (minutes from midnight) that needs no further question; the value is "HH:MM"."""
    hour, minute = divmod(minutes, 60)
    value = f"{hour:02d}:{minute:02d}"
    said = spoken_time(time(hour, minute))
    options = [(said, with_digits(said))]
    if minutes == 0:
        options = [("midnight", "midnight")] * 3
    elif minutes == 720:
        options = [("noon", "noon"), ("midday", "midday"), ("twelve noon", "12 noon")]
    half = "am" if hour < 12 else "pm"
    written_half = pick([half, f"{half[0]}.m.", half.upper()], rng)
    for face, shown in _faces(hour, minute):
        options.append((f"{face} {half}", f"{shown} {written_half}"))
        options += [(f"{face} {part}", f"{shown} {part}") for part in _parts_of_day(hour) if hour % 12]
    if hour > 12:
        late = cardinal(minute) if minute > 9 else f"oh {cardinal(minute)}" if minute else "hundred"
        options.append((f"{cardinal(hour)} {late}", value))
    return _form(options, value, digits, rng)


def bare_time(evening: bool, digits: float, rng: np.random.Generator) -> Form:
    """A time from one to eleven that may be in the morning or, as its value has it `evening`, twelve hours later."""
    hour, minute = int(rng.integers(1, 12)), 5 * int(rng.integers(12)) if rng.random() < 0.5 else 0
    value = f"{hour + 12 * evening:02d}:{minute:02d}"
    # Five to twelve would not be between one and eleven.
    return _form(_faces(hour, minute), value, digits, rng)


def _one(count: int, unit: str) -> str:
    return f"{'an' if unit == 'hour' else 'a'} {unit}" if count == 1 else counted(count, unit)


def _two_units(large: int, small: int, unit: str, rest: str) -> list[str]:
    said = [
        f"{many} {link}{counted(small, rest)}"
        for many in {_one(large, unit), counted(large, unit)}
        for link in ("and ", "")
    ]
    if small == 30:
        said += [f"{cardinal(large)} and a half {unit}s"] * 2
        said += [f"{_one(1, unit)} and a half"] * 3 * (large == 1)
    if small == 15 and unit == "hour" and large == 1:
        said.append("an hour and a quarter")
    return said


def duration(digits: float, rng: np.random.Generator) -> Form:
    """A length of time from seconds to hours; the value is its seconds."""
    kind = rng.random()
    hours, minutes, seconds = 0, 0, 0
    if kind < 0.2:
        hours = int(rng.integers(1, 13))
    elif kind < 0.5:
        hours, minutes = int(rng.integers(1, 7)), pick([5, 10, 15, 20, 30, 30, 40, 45, int(rng.integers(1, 60))], rng)
    elif kind < 0.75:
        minutes, seconds = int(rng.integers(1, 31)), pick([10, 15, 20, 30, 30, 40, 45], rng)
    elif kind < 0.95:
        minutes = pick([1, 2, 15, 30, 45, int(rng.integers(1, 100))], rng)
    else:
        seconds = int(rng.integers(5, 100))
    named = {(0, 15): "a quarter of an hour", (0, 30): "half an hour", (0, 45): "three quarters of an hour"}
    if hours and minutes:
        said = _two_units(hours, minutes, "hour", "minute")
    elif minutes and seconds:
        said = _two_units(minutes, seconds, "minute", "second")
    else:
        count, unit = next((n, u) for n, u in ((hours, "hour"), (minutes, "minute"), (seconds, "second")) if n)
        said = [counted(count, unit), _one(count, unit)]
        said += [f"a couple of {unit}s"] * (count == 2) + [named.get((hours, minutes), said[0])] * 2
    return _form([(form, with_digits(form)) for form in said], hours * 3600 + minutes * 60 + seconds, digits, rng)


def _nth(day: int) -> str:
    return f"{day}{'th' if 10 < day < 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"


def calendar_day(digits: float, rng: np.random.Generator, year: bool = False) -> Form:
    """A day of the year such as "the fourth of July" or "July 4th", with a year from 1930 to 2029 if asked for."""
    day = date(1930, 1, 1) + timedelta(days=int(rng.integers(100 * 365)))
    month, nth, short = MONTHS[day.month - 1], ordinal(day.day), _nth(day.day)
    options = [
        (f"the {nth} of {month}", f"the {short} of {month}"),
        (f"{month} {nth}", f"{month} {short}"),
        (f"{month} {nth}", f"{month} {day.day}"),
        (f"{month} the {nth}", f"{day.day} {month}"),
    ]
    if year:
        options = [(f"{words} {spoken_year(day.year)}", f"{written} {day.year}") for words, written in options]
    form = _form(options, None, digits, rng)
    return Form(form.asked, form.words, form.asked)


def distant_day(digits: float, rng: np.random.Generator) -> Form:
    """A day counted from today or from a weekday, such as "three weeks from tomorrow"."""
    count, unit = int(rng.integers(1, 100)), pick(["day", "week", "month"], rng)
    base = pick(["now", "today", "tomorrow", pick(WEEKDAYS, rng)], rng)
    if unit == "month":
        count, base = 1 + count % 11, pick(["now", "today"], rng)
    said = f"{_one(count, unit)} from {base}"
    form = _form([(said, with_digits(said))], None, digits, rng)
    return Form(form.asked, form.words, form.asked)


def signs(text: str, rng: np.random.Generator) -> str:
    """A question with numbers in digits, as recognisers set it: "15%", "12 + 7", "a 20-minute timer", "3d20"."""
    changes = (
        (r"(\d) percent", r"\1%", 0.6),
        (r"(\d) plus (\d)", r"\1 + \2", 0.4),
        (r"(\d) minus (\d)", r"\1 - \2", 0.3),
        (r"(\d) times (\d)", r"\1 x \2", 0.3),
        (r"(\d) degrees (?:C\b|Celsius)", r"\1°C", 0.2),
        (r"(\d) degrees (?:F\b|Fahrenheit)", r"\1°F", 0.2),
        (r"\b(\d+) (minute|second|hour|sided)\b", r"\1-\2", 0.5),
        (r"\bd (\d)", r"d\1", 0.6),
        (r"\b(\d+) d(\d)", r"\1d\2", 0.5),
    )
    for pattern, replacement, share in changes:
        if rng.random() < share:
            text = re.sub(pattern, replacement, text)
    return text
