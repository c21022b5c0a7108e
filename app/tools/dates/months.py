"""Dates by month: "the fourth of July", "the last day of next month", "the first Monday in September"."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta

from app.tools.dates.spans import Span, moved
from app.tools.dates.years import SIGNS, said_year
from app.tools.tool import ToolFailure
from app.tools.words.dates import MONTHS, WEEKDAYS
from app.tools.words.numbers import ordinal, year
from app.tools.words.reading import nth, number

MONTH_NAMES = [name.lower() for name in MONTHS]
WEEKDAY_NAMES = [name.lower() for name in WEEKDAYS]
_WEEKDAY = "|".join(WEEKDAY_NAMES)
# A leap day comes within eight years, and a fifth Monday of February within forty.
_YEARS = 40

# The day of a month, given any day of it; None where the month has no such day.
_InMonth = Callable[[date], date | None]


def nth_weekday(year: int, month: int, weekday: int, nth: int) -> date:
    """The `nth` such weekday of a month, Monday being 0; from the end for -1. ValueError when there is none."""
    if nth < 0:
        last = month_end(year, month)
        return last - timedelta(days=(last.weekday() - weekday) % 7 - 7 * (nth + 1))
    first = date(year, month, 1)
    return date(year, month, 1 + (weekday - first.weekday()) % 7 + 7 * (nth - 1))


def month_end(year: int, month: int) -> date:
    """The last day of a month."""
    return date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1) if year < 9999 or month < 12 else date.max


def month_date(text: str, today: date) -> date | None:
    """The date that `text` names by its month, the next one unless it names the year; None for anything else.

    ToolFailure for a date that does not exist.
    """
    ways = (_month_and_day, _nth_weekday, _edge, _day_alone, _weekday_and_date)
    return next((found for way in ways if (found := way(text, today))), None)


def _month_and_day(text: str, today: date) -> date | None:
    """fourth of july 2028, july fourth, july 4, 4 july"""
    month = next((word for word in text.split() if word in MONTH_NAMES), None)
    if month is None:
        return None
    before, _, after = (part.strip() for part in f" {text} ".partition(f" {month} "))
    if before:
        day = _day_number(before.removesuffix(" of").removesuffix(" day"))
        return _in_named_month(month, after, today, _on_day(day), f"{ordinal(day)}") if day else None
    words = after.split()
    # "March twenty first twenty ten" is broken where both halves make sense, the longer day first.
    for split in range(len(words), 0, -1):
        day, late = _day_number(" ".join(words[:split])), " ".join(words[split:])
        if day and (not late or (said_year(late, today) and not late.startswith(("hundred", "thousand")))):
            return _in_named_month(month, late, today, _on_day(day), ordinal(day))
    return None


def _nth_weekday(text: str, today: date) -> date | None:
    """first monday of september, last friday of next month"""
    match = re.fullmatch(rf"(\S+) ({_WEEKDAY}) (?:of|in) (.+)", text)
    count = -1 if match and match[1] == "last" else nth(match[1]) if match else None
    if not match or count is None or count > 5:
        return None
    weekday = WEEKDAY_NAMES.index(match[2])

    def in_month(first: date) -> date | None:
        try:
            return nth_weekday(first.year, first.month, weekday, count)
        except ValueError:
            return None

    return _in_month(match[3], today, in_month, f"{match[1]} {match[2].capitalize()}")


def _edge(text: str, today: date) -> date | None:
    """last day of february, end of next month, first day of next year, fifteenth of this month"""
    text = re.sub(r"^end (?=of )", "last day ", re.sub(r"^(beginning|start) (?=of )", "first day ", text))
    match = re.fullmatch(r"(?P<which>.+?)(?: day)? of (?:(?P<turn>this|next|last) )?year", text)
    if match and match["which"] in ("first", "last"):
        at = today.year + SIGNS[match["turn"] or "this"]
        return date(at, 1, 1) if match["which"] == "first" else date(at, 12, 31)
    if match := re.fullmatch(r"last day (?:of |in )?(.+)", text):
        return _in_month(match[1], today, lambda first: month_end(first.year, first.month), "last day")
    match = re.fullmatch(r"(?P<which>.+?)(?: day)? (?:of|in) (?P<month>.+)", text)
    day = _day_number(match["which"]) if match else None
    return _in_month(match["month"], today, _on_day(day), ordinal(day)) if match and day else None


def _day_alone(text: str, today: date) -> date | None:
    """fourth, twenty first"""
    day = nth(text)
    return _in_month("month", today, _on_day(day), text) if day and day <= 31 else None


def _weekday_and_date(text: str, today: date) -> date | None:
    """friday the thirteenth; monday the fourth of july, where the weekday says nothing new"""
    match = re.fullmatch(rf"(?:(?:next|this) )?({_WEEKDAY}) (.+)", text)
    if not match:
        return None
    day, weekday = nth(match[2]), WEEKDAY_NAMES.index(match[1])
    if day is None or day > 31:
        return _month_and_day(match[2], today)
    for ahead in range(12 * _YEARS):
        found = _on_day(day)(moved(today.replace(day=1), Span(ahead, 0)))
        if found and found >= today and found.weekday() == weekday:
            return found
    return None


def _in_month(words: str, today: date, in_month: _InMonth, said: str) -> date | None:
    """The day of "september 2028", of "next month", or of the next month that has it still to come ("the month")."""
    this = today.replace(day=1)
    if match := re.fullmatch(r"(this|next|last) month", words):
        found = in_month(moved(this, Span(1, 0), SIGNS[match[1]]))
        if found is None:
            raise ToolFailure(f"There is no {said} in that month.")
        return found
    if words == "month":
        months = (in_month(moved(this, Span(ahead, 0))) for ahead in range(12))
        return next((found for found in months if found and found >= today), None)
    name, _, late = words.partition(" ")
    return _in_named_month(name, late, today, in_month, said) if name in MONTH_NAMES else None


def _in_named_month(name: str, year_words: str, today: date, in_month: _InMonth, said: str) -> date | None:
    month, label = MONTH_NAMES.index(name) + 1, name.capitalize()
    if year_words:
        at = said_year(year_words, today)
        if at is None:
            return None
        found = in_month(date(at, month, 1))
        if found is None:
            raise ToolFailure(f"There is no {said} of {label} in {year(at)}.")
        return found
    for at in range(today.year, today.year + _YEARS):
        found = in_month(date(at, month, 1))
        if found and found >= today:
            return found
    raise ToolFailure(f"There is no {said} of {label}.")


def _on_day(day: int) -> _InMonth:
    def in_month(first: date) -> date | None:
        return first.replace(day=day) if day <= monthrange(first.year, first.month)[1] else None

    return in_month


def _day_number(words: str) -> int | None:
    said = nth(words) or number(words)
    return said if isinstance(said, int) and 1 <= said <= 31 else None
