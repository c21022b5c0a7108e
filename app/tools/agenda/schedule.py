"""Which day is meant, and when a time of day really is. No clock in here: every function is told what time it is."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo

from app.tools.agenda.records import Repeat, WallTime

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
DAY = timedelta(days=1)
# More is not counted of what an alarm that repeats has missed.
COUNT_MOST = timedelta(days=366)


class PassedError(ValueError):
    """That time of today has gone by."""


def instant(wall: WallTime, zone: tzinfo) -> datetime:
    """When the clock of `zone` shows `wall`, in UTC.

    A time that summer skips comes as much later as the clock was put forward; of one that winter repeats the first
    counts.
    """
    return datetime.combine(wall.day, wall.time, zone).astimezone(UTC)


def resolve(now: datetime, at: time, day: str | None = None, repeat: Repeat = Repeat.NEVER) -> WallTime:
    """The next time that `at` comes round on `day`: "today", "tomorrow", a weekday, or None for whichever is next.

    A weekday is today where that time is still to come, otherwise in a week. With `repeat` it is the first of its days
    from there on. Raises PassedError for "today" when `at` has gone by.
    """
    today = now.date()
    ahead = instant(WallTime(today, at), _zone(now)) > now.astimezone(UTC)
    if day == "today":
        if not ahead:
            raise PassedError
        first = today
    elif day == "tomorrow":
        first = today + DAY
    elif day is None:
        first = today if ahead else today + DAY
    else:
        distance = (WEEKDAYS.index(day) - today.weekday()) % 7
        first = today + DAY * (distance if distance or ahead else 7)
    while not rings_on(first, repeat):
        first += DAY
    return WallTime(first, at)


def rings_on(day: date, repeat: Repeat) -> bool:
    """Whether an alarm that repeats so rings on `day`."""
    match repeat:
        case Repeat.WEEKDAYS:
            return day.weekday() < 5
        case Repeat.WEEKENDS:
            return day.weekday() >= 5
        case _:
            return True


def following(day: date, repeat: Repeat) -> date:
    """The next day after `day` on which it rings. ValueError where it does not repeat."""
    if repeat is Repeat.NEVER:
        raise ValueError("it rings once")
    day += DAY
    while not rings_on(day, repeat):
        day += DAY
    return day


def gone_by(wall: WallTime, repeat: Repeat, now: datetime) -> tuple[WallTime, int, WallTime]:
    """What an alarm that repeats and is due from `wall` on has rung until `now`: the last time, how often, the next."""
    zone, moment = _zone(now), now.astimezone(UTC)
    if now.date() - wall.day > COUNT_MOST:
        wall = WallTime(following(now.date() - COUNT_MOST, repeat), wall.time)
    count, last, coming = 0, wall, wall
    while instant(coming, zone) <= moment:
        count, last = count + 1, coming
        coming = WallTime(following(coming.day, repeat), wall.time)
    return last, count, coming


def _zone(now: datetime) -> tzinfo:
    if now.tzinfo is None:
        raise ValueError("the time must be aware")
    return now.tzinfo
