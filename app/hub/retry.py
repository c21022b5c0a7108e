"""When a hub is asked again, and how long that waits."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from random import Random

MOST_WAIT_S = 120.0


class Busy(Exception):
    """It did not work this time; it may after `seconds` where the hub says so, None after a while."""

    def __init__(self, sentence: str, seconds: float | None = None) -> None:
        super().__init__(sentence)
        self.seconds = seconds


@dataclass(frozen=True)
class Patience:
    """How often and how long to try. Times in seconds.

    `tries` in a row without a single new byte end it. A connection that brings less than `least_bytes` in `slow_s` is
    taken for dead and made anew.
    """

    tries: int = 6
    first_wait: float = 1.0
    most_wait: float = 30.0
    connect: float = 15.0
    read: float = 30.0
    slow_s: float = 60.0
    least_bytes: int = 16 << 10

    def wait(self, failures: int, wanted: float | None, chance: Random) -> float:
        """Seconds to wait after so many failures in a row: what the hub wants, or twice as long each time."""
        if wanted is not None:
            return wanted
        most = min(self.first_wait * 2.0 ** (failures - 1), self.most_wait)
        # Spread, so that many computers do not come back all at once.
        return most * chance.uniform(0.7, 1.0)


USUAL = Patience()


def wait_wanted(headers: Mapping[str, str]) -> float | None:
    """The seconds that a `Retry-After` asks for, at most two minutes; None without one."""
    text = headers.get("retry-after", "").strip()
    if not text:
        return None
    try:
        seconds = float(text) if text.isdigit() else parsedate_to_datetime(text).timestamp() - time.time()
    except ValueError:
        return None
    return min(max(seconds, 0.0), MOST_WAIT_S)


def is_passing(status: int) -> bool:
    """Whether it is worth asking again after this HTTP status."""
    return status in (408, 425, 429) or status >= 500
