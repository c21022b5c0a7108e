"""Times of day for the ear: "five past three in the afternoon"."""

from __future__ import annotations

from datetime import datetime, time

from app.tools.words.numbers import cardinal


def spoken_time(moment: time | datetime) -> str:
    """The minute in which `moment` lies, such as "half past six in the morning", "noon" or "ten to midnight"."""
    hour, minute = moment.hour, moment.minute
    if not minute:
        return "noon" if hour == 12 else _hour(hour, hour)
    if minute == 30:
        return f"half past {_hour(hour, hour)}"
    if minute < 30:
        return f"{_minutes(minute)} past {_hour(hour, hour)}"
    return f"{_minutes(60 - minute)} to {_hour((hour + 1) % 24, hour)}"


def part_of_day(hour: int) -> str:
    """ "in the morning", "in the afternoon", "in the evening" or "at night", for an hour from 0 to 23."""
    if hour < 12:
        return "in the morning"
    if hour < 18:
        return "in the afternoon"
    return "in the evening" if hour < 21 else "at night"


def _hour(named: int, now: int) -> str:
    """The hour that is named, with the part of the day in which it is now `now`."""
    if named == 0:
        return "midnight"
    if named == 12 and now != 12:
        return "noon"
    return f"{cardinal((named - 1) % 12 + 1)} {part_of_day(now)}"


def _minutes(count: int) -> str:
    if count == 15:
        return "quarter"
    if count % 5 == 0:
        return cardinal(count)
    return f"{cardinal(count)} {'minute' if count == 1 else 'minutes'}"
