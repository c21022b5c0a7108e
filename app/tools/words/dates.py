"""Dates for the ear: "the twelfth of March, twenty twenty seven"."""

from __future__ import annotations

from datetime import date

from app.tools.words.numbers import ordinal
from app.tools.words.numbers import year as spoken_year

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


def weekday(day: date) -> str:
    """ "Friday"."""
    return WEEKDAYS[day.weekday()]


def month(day: date) -> str:
    """ "March"."""
    return MONTHS[day.month - 1]


def spoken_date(day: date, year: bool = True) -> str:
    """ "the twelfth of March, twenty twenty seven", or without the year."""
    words = f"the {ordinal(day.day)} of {month(day)}"
    return f"{words}, {spoken_year(day.year)}" if year else words
