"""What was heard without what the ears only guess, and the way back to it."""

from __future__ import annotations

import re

from app.tools.words.dates import MONTHS
from app.tools.words.numbers import ONES

#: Not the points and commas within numbers, nor within anything else but "p.m.".
_MARKS = re.compile(r"(?<=\b[ap])\.(?=m\b)|[.,!?]+(?=\s|$)", re.IGNORECASE)
#: Dice, which are asked for as "a d twenty".
_DICE = re.compile(r"\b(d)-?(?=\d)", re.IGNORECASE)
#: Units that are one word, and may be heard as two.
_SPOONS = re.compile(r"\b(tea|table) (?=spoon)", re.IGNORECASE)
_HOURS = rf"(?:{'|'.join(ONES[1:13])}|\d\d?)"
#: "Past" between the minutes and the hour.
_PAST = re.compile(
    rf"\b(half|quarter|minutes?|{'|'.join(ONES[1:])}|twenty|\d\d?) (?:pass|passed|paste) ({_HOURS}|noon|midnight)\b",
    re.IGNORECASE,
)
#: What dice are to the ears behind a number.
_DIES = re.compile(rf"\b({'|'.join(ONES[2:13])}|\d+) (?:dies|dyes)\b", re.IGNORECASE)
#: "Reminders" where no verb can stand.
_REMINDERS = re.compile(r"\b(my|our|the|any|today's|tomorrow's) remind us\b", re.IGNORECASE)
#: Days of a month, which are said as ordinals.
_DAY = re.compile(rf"\b({'|'.join(MONTHS)})( the)? (\d\d?)(?![\w:.])")


def as_said(text: str) -> str:
    """`text` in the words that were said, where the ears write others, and without the marks that they guess: "p.m." is
    "pm", "D20" is "D 20", "May 5" is "May 5th", "table spoons" are "tablespoons", "two dies" are "two dice", "my remind
    us" are "my reminders".

    Who types leaves the last mark out, or means all of them: marks stay in a text that ends in none.
    """
    if text.rstrip().endswith((".", "!", "?")):
        text = _MARKS.sub("", text)
    text = _DIES.sub(r"\1 dice", _SPOONS.sub(r"\1", _DICE.sub(r"\1 ", text)))
    text = _REMINDERS.sub(r"\1 reminders", _PAST.sub(r"\1 past \2", text))
    return _DAY.sub(lambda day: f"{day[1]}{day[2] or ''} {day[3]}{_ending(int(day[3]))}", text)


def _ending(day: int) -> str:
    return "th" if 10 < day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def with_marks(words: str, text: str) -> str:
    """`words` of `as_said(text)` as they stand in `text`; as they are where they do not stand there."""
    places = (re.escape(sign) for sign in words)
    found = re.search("[.,!?]*".join(places), text)
    return found[0] if found else words
