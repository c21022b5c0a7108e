"""What the agenda keeps, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time
from enum import StrEnum


class Kind(StrEnum):
    """What an entry was set as."""

    TIMER = "timer"
    ALARM = "alarm"
    REMINDER = "reminder"


class Repeat(StrEnum):
    """The days on which an alarm rings again; NEVER rings once."""

    NEVER = ""
    DAILY = "daily"
    WEEKDAYS = "weekdays"
    WEEKENDS = "weekends"


@dataclass(frozen=True)
class WallTime:
    """A day and a time of day, as the wall clock of this computer will show them, in whatever zone."""

    day: date
    time: time


@dataclass(frozen=True)
class Entry:
    """Something that will ring. `due` is aware, in the clock's zone.

    `label`: what a timer is for, "" without; the task of a reminder. `seconds`: what a timer was set to. `time`: the
    time of day that was asked for, None where it was "in ten minutes". `snoozed`: it has rung already and was put off.
    """

    id: int
    kind: Kind
    label: str
    due: datetime
    seconds: int | None = None
    time: time | None = None
    repeat: Repeat = Repeat.NEVER
    snoozed: bool = False


@dataclass(frozen=True)
class Ringing:
    """Something that rings, until it is dismissed or snoozed. `due` is aware, in the clock's zone.

    `missed`: nobody was there when it was due, because Banter was closed or the computer off or asleep. `times` is
    how often it was due since it was last dismissed: more than 1 only for an alarm that repeats.
    """

    id: int
    kind: Kind
    label: str
    due: datetime
    seconds: int | None = None
    time: time | None = None
    missed: bool = False
    times: int = 1
