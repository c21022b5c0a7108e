"""The year that a phrase names."""

from __future__ import annotations

import re
from datetime import date

from app.tools.words.reading import year_number

SIGNS = {"next": 1, "last": -1, "this": 0}


def said_year(text: str, today: date) -> int | None:
    """The year of "next year", "in twenty thirty" or "2028", from 1 to 9999; None for anything else."""
    text = text.removeprefix("in ").removeprefix("of ")
    if match := re.fullmatch(r"(this|next|last) year", text):
        return today.year + SIGNS[match[1]]
    return year_number(text)
