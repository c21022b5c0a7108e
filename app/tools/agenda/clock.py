"""The two clocks of the agenda: the wall clock in the zone of this computer, and one that only ever counts on."""

from __future__ import annotations

import time
import uuid
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Protocol

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Clock(Protocol):
    """What time it is. Tests move it as they like."""

    @property
    def session(self) -> str:
        """`elapsed` of two readings can be compared where this is the same."""

    def now(self) -> datetime:
        """The wall clock: aware, in a zone that knows its changes between summer and winter."""

    def elapsed(self) -> float:
        """Seconds since an unknown moment. Sleep of the computer counts; putting the wall clock does not."""


class SystemZone(tzinfo):
    """The zone of this computer as the system keeps it, also for other days than today, and after it was changed.

    `zoneinfo` cannot say which zone that is, and on Windows has no data.
    """

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        if moment is None:
            return None
        return moment.replace(tzinfo=None).astimezone().utcoffset()

    def dst(self, moment: datetime | None) -> timedelta | None:
        return None

    def tzname(self, moment: datetime | None) -> str | None:
        return None if moment is None else moment.replace(tzinfo=None).astimezone().tzname()

    def fromutc(self, moment: datetime) -> datetime:
        there = moment.replace(tzinfo=UTC).astimezone()
        local = there.replace(tzinfo=self, fold=0)
        # The hour that winter repeats: the second time has the later offset.
        return local if local.utcoffset() == there.utcoffset() else local.replace(fold=1)


class SystemClock:
    """The clocks of this computer."""

    def __init__(self) -> None:
        self._zone = SystemZone()
        self.session = _session()

    def now(self) -> datetime:
        return datetime.now(UTC).astimezone(self._zone)

    def elapsed(self) -> float:
        # Plain `monotonic` stands still while Linux or macOS sleeps.
        for name in ("CLOCK_BOOTTIME", "CLOCK_MONOTONIC_RAW"):
            number = getattr(time, name, None)
            if number is not None:
                return time.clock_gettime(number)
        return time.monotonic()


def _session() -> str:
    """One name from start to shutdown where the system has one, otherwise one for this process."""
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return uuid.uuid4().hex
