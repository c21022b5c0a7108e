"""The time of day, today's date and the weekday of any date."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from app.tools.dates.phrases import find_date
from app.tools.tool import Arguments, Result, Run
from app.tools.words.clock import spoken_time
from app.tools.words.dates import month, spoken_date, weekday
from app.tools.words.numbers import year

# The local time, aware of its zone.
Clock = Callable[[], datetime]
# A date within a year from today is clear without its year.
_CLEAR_DAYS = 366


def current_time(clock: Clock) -> Run:
    """The tool: `time` as HH:MM and in words."""

    def run(arguments: Arguments) -> Result:
        now = clock()
        return Result({"time": f"{now:%H:%M}", "spoken_time": spoken_time(now)}, f"{now:%H:%M}")

    return run


def current_date(clock: Clock) -> Run:
    """The tool: today's `date`, `weekday`, month and year."""

    def run(arguments: Arguments) -> Result:
        today = clock().date()
        data = {
            "date": today.isoformat(),
            "weekday": weekday(today),
            "spoken_date": spoken_date(today),
            "spoken_month": month(today),
            "spoken_year": year(today.year),
        }
        return Result(data, f"{weekday(today)}, {today.day} {month(today)} {today.year}")

    return run


def day_of_week_for(clock: Clock) -> Run:
    """The tool: the `date` that `date_phrase` means, and its `weekday`."""

    def run(arguments: Arguments) -> Result:
        today = clock().date()
        day = find_date(arguments["date_phrase"], today)
        data = {
            "date_phrase": arguments["date_phrase"],
            "date": day.isoformat(),
            "weekday": weekday(day),
            "spoken_date": spoken_date(day, year=abs((day - today).days) > _CLEAR_DAYS),
        }
        return Result(data, f"{weekday(day)}, {day.day} {month(day)} {day.year}")

    return run
