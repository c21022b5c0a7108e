"""The two clocks of the agenda, moved by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

BERLIN = ZoneInfo("Europe/Berlin")


class VirtualClock:
    """Stands still unless told otherwise. `start` is naive, in `zone`."""

    def __init__(self, start: datetime = datetime(2027, 3, 10, 12, 0), zone: tzinfo = BERLIN) -> None:
        self.zone = zone
        self.session = "first"
        self._wall = start.replace(tzinfo=zone).astimezone(UTC)
        self._elapsed = 1000.0

    def now(self) -> datetime:
        return self._wall.astimezone(self.zone)

    def elapsed(self) -> float:
        return self._elapsed

    def pass_time(self, **duration: float) -> None:
        """Both clocks go on, awake or asleep."""
        step = timedelta(**duration)
        self._wall += step
        self._elapsed += step.total_seconds()

    def put(self, **difference: float) -> None:
        """Somebody puts the wall clock."""
        self._wall += timedelta(**difference)

    def pass_to(self, year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> None:
        """Let time pass until the wall clock shows this."""
        there = datetime(year, month, day, hour, minute, tzinfo=self.zone).astimezone(UTC)
        self.pass_time(seconds=(there - self._wall).total_seconds())

    def restart(self) -> None:
        """The computer is started anew: the elapsed seconds begin again."""
        self.session += "+"
        self._elapsed = 10.0
