"""The date that a phrase means. Where several are meant, the next one that comes."""

from __future__ import annotations

import re
from datetime import date, timedelta

from app.tools.dates.holidays import holiday_date
from app.tools.dates.months import MONTH_NAMES, WEEKDAY_NAMES, month_date
from app.tools.dates.spans import moved, span
from app.tools.dates.years import SIGNS
from app.tools.tool import MissingArgument, ToolFailure
from app.tools.words.plain import plain
from app.tools.words.reading import words_of

ARGUMENT = "date_phrase"
_WEEKDAY = "|".join(WEEKDAY_NAMES)
_WHOLE = {name[:3]: name for name in (*MONTH_NAMES, *WEEKDAY_NAMES)} | {"sept": "september"}
_SAID_NOTHING = {"the", "um", "uh", "er", "please"}
_NEAR = {
    "today": 0,
    "now": 0,
    "tonight": 0,
    "tomorrow": 1,
    "yesterday": -1,
    "day after tomorrow": 2,
    "day before yesterday": -2,
}


def find_date(phrase: str, today: date) -> date:
    """The date that `phrase` means on the day `today`.

    ToolFailure when it is none or lies beyond the calendar; MissingArgument when only the user can know it, or when
    only a month was said.
    """
    text = _tidied(phrase)
    if re.search(r"\b(my|our|his|her|their)\b|birthday|anniversary", text):
        theirs = plain(re.sub(r"\b(my|our)\b", "your", " ".join(words_of(phrase))))
        raise MissingArgument(ARGUMENT, f"I don't know that one. Which date is {theirs}?")
    if text.removeprefix("in ") in MONTH_NAMES:
        raise MissingArgument(ARGUMENT, f"Which day of {text.removeprefix('in ').capitalize()} do you mean?")
    try:
        found = _read(text, today)
    except (OverflowError, ValueError) as error:
        raise ToolFailure("That is too far away for my calendar.") from error
    if found is None:
        raise ToolFailure()
    return found


def _tidied(phrase: str) -> str:
    """Lower case, without articles and fillers, and with whole names of months and days."""
    bare = re.sub(r"(?<=\d)-(?=\d)", " ", re.sub("['’]", "", phrase))
    words = [_WHOLE.get(word, word) for word in words_of(bare) if word not in _SAID_NOTHING]
    while words and words[0] in ("on", "for", "date", "of"):
        words.pop(0)
    return " ".join(words)


def _read(text: str, today: date) -> date | None:
    """None when `text` is no date. OverflowError and ValueError beyond the calendar."""
    ways = (_near, _written, _weekday, month_date, holiday_date, _distant)
    return next((found for way in ways if (found := way(text, today))), None)


def _near(text: str, today: date) -> date | None:
    """today, day after tomorrow, next week"""
    if text in _NEAR:
        return today + timedelta(days=_NEAR[text])
    match = re.fullmatch(r"(?:this time )?(next|last) (week|month|year)", text)
    step = span(f"a {match[2]}") if match else None
    return moved(today, step, SIGNS[match[1]]) if match and step else None


def _written(text: str, today: date) -> date | None:
    """2027 07 04, which is left of the form with hyphens"""
    match = re.fullmatch(r"(\d{4}) (\d{1,2}) (\d{1,2})", text, re.ASCII)
    if not match:
        return None
    try:
        return date(*(int(part) for part in match.groups()))
    except ValueError:
        raise ToolFailure() from None


def _weekday(text: str, today: date) -> date | None:
    """friday, next friday, last friday, friday after next, friday of next week, friday week"""
    match = re.fullmatch(
        rf"(?:(?P<which>this coming|this|next|last|coming) )?(?P<day>{_WEEKDAY})"
        r"(?P<later> after next| week)?(?: (?:of |in )?(?P<week>this|next|last) week)?",
        text,
    ) or re.fullmatch(rf"(?P<which>)(?P<later>)(?P<week>this|next|last) week (?:on )?(?P<day>{_WEEKDAY})", text)
    if not match:
        return None
    weekday = WEEKDAY_NAMES.index(match["day"])
    if match["week"]:
        monday = today - timedelta(days=today.weekday())
        return monday + timedelta(days=weekday + 7 * SIGNS[match["week"]])
    ahead = (weekday - today.weekday()) % 7
    if match["which"] == "last":
        return today + timedelta(days=ahead - 7)
    # "this Friday" may be today, any other is yet to come.
    if not ahead and match["which"] != "this":
        ahead = 7
    return today + timedelta(days=ahead + (7 if match["later"] else 0))


def _distant(text: str, today: date) -> date | None:
    """in ten days, three weeks from monday, a week tomorrow, two days before christmas, a year ago"""
    text = re.sub(r"(day|week|fortnight|month|year)s? time$", r"\1", text)
    if match := re.fullmatch(r"in (.+)|(.+) ago", text):
        distance = span(match[1] or match[2])
        return moved(today, distance, 1 if match[1] else -1) if distance else None
    if match := re.fullmatch(r"(today|tomorrow) week", text):
        return today + timedelta(days=7 + _NEAR[match[1]])
    for match in re.finditer(rf" (from|after|before|on) | (?=(?:today|tomorrow|{_WEEKDAY})$)", text):
        words = text[: match.start()]
        distance = span(f"a {words}" if words in ("day", "week", "month", "year") else words)
        base = _read(text[match.end() :], today) if distance else None
        if distance and base:
            return moved(base, distance, -1 if match[1] == "before" else 1)
    return None
