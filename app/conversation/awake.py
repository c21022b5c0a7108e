"""A clock that stands still while the computer sleeps."""

from __future__ import annotations

from collections.abc import Callable

# Somebody looks once a second at least.
ASLEEP_S = 2.0


class AwakeClock:
    """Seconds of `clock` without the gaps in which nobody could look at it, as when the lid was shut.

    Otherwise a model that slept along would be said to be silent, and the rest of an answer be dropped.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` gives seconds that never run backwards."""
        self._clock = clock
        self._before = clock()
        self._slept = 0.0

    def __call__(self) -> float:
        now = self._clock()
        if now - self._before > ASLEEP_S:
            self._slept += now - self._before
        self._before = now
        return now - self._slept
