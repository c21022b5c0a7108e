"""The virtual clock: what is to happen, in the order of its time."""

from __future__ import annotations

import heapq
from collections.abc import Callable

Act = Callable[[], None]


class Timeline:
    """Runs functions at their time; between them no time passes. Those of one time run in the order of `at`."""

    def __init__(self) -> None:
        self._now = 0.0
        self._count = 0
        self._ahead: list[tuple[float, int, Act]] = []

    def now(self) -> float:
        """Seconds since the start."""
        return self._now

    def at(self, time: float, act: Act) -> None:
        """Run `act` at `time` in seconds, or now when that has passed."""
        heapq.heappush(self._ahead, (max(time, self._now), self._count, act))
        self._count += 1

    def run(self, over: Callable[[], bool]) -> None:
        """Let time pass until `over()` is true or nothing is left to happen."""
        while self._ahead and not over():
            self._now, _, act = heapq.heappop(self._ahead)
            act()
