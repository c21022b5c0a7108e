"""Spans of days, weeks, months and years in words, and dates so far from others."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction

from app.tools.words.reading import number

_DAYS = {"day": 1, "week": 7, "fortnight": 14}
_MONTHS = {"month": 1, "year": 12, "decade": 120, "century": 1200, "centurie": 1200}
_PART = re.compile(
    rf"(?P<count>.+?) (?P<unit>{'|'.join([*_DAYS, *_MONTHS])})s?(?: and (?P<more>a half|a quarter))?(?= |$)"
)
_MORE = {"a half": Fraction(1, 2), "a quarter": Fraction(1, 4)}


@dataclass(frozen=True)
class Span:
    """So many months and days; months first, as people count."""

    months: int
    days: int


def span(text: str) -> Span | None:
    """What "ten days", "a year and a half" or "two weeks and three days" say; None for anything else."""
    months = days = 0
    rest = text.replace("half a year", "six months")
    while rest:
        match = _PART.match(rest)
        count = 1 if match and match["count"] in ("a", "an") else number(match["count"]) if match else None
        if match is None or count is None or count < 0:
            return None
        unit = match["unit"]
        many = (count + _MORE.get(match["more"], Fraction(0))) * (_DAYS[unit] if unit in _DAYS else _MONTHS[unit])
        if many.denominator != 1:
            return None
        if unit in _DAYS:
            days += int(many)
        else:
            months += int(many)
        rest = rest[match.end() :].removeprefix(" and").strip()
    return Span(months, days) if text else None


def moved(day: date, by: Span, sign: int = 1) -> date:
    """`day` with the span added, or taken away for -1. OverflowError beyond the calendar.

    A month after the thirty first of January is the last day of February.
    """
    month = day.year * 12 + day.month - 1 + sign * by.months
    year, month = month // 12, month % 12 + 1
    if not 1 <= year <= 9999:
        raise OverflowError("beyond the calendar")
    return date(year, month, min(day.day, monthrange(year, month)[1])) + timedelta(days=sign * by.days)
