"""When a sample of a device stream was heard: a steady line through the device's jumpy time stamps."""

from __future__ import annotations

from typing import Any

import numpy as np

_NOTES = 64
# Devices with large buffers are called seldom: their old notes would hide that samples were lost.
_RECENT_S = 1.0
_LEAST_NOTES = 3
_MOST_LATENCY_S = 2.0


class SampleClock:
    """Maps the samples of one stream, counted from 0, to seconds of the monotonic clock.

    A device callback writes, any thread reads. The median of the last second's notes is used, so that a callback that
    came late for once does not count.
    """

    def __init__(self, rate: int) -> None:
        """`rate` in Hz."""
        self._rate = rate
        self._starts = np.zeros(_NOTES)
        self._positions = np.zeros(_NOTES)
        self._count = 0

    def note(self, position: int, at: float) -> None:
        """Sample `position` passes the converter at time `at`."""
        self._starts[self._count % _NOTES] = at - position / self._rate
        self._positions[self._count % _NOTES] = position
        self._count += 1

    def start(self) -> float | None:
        """When sample 0 passed, or would have passed at today's pace; None before the first note."""
        count = min(self._count, _NOTES)
        if not count:
            return None
        positions = self._positions[:count]
        oldest = positions.max() - _RECENT_S * self._rate
        recent = self._starts[:count][positions >= oldest]
        if len(recent) < _LEAST_NOTES:
            recent = self._starts[:count][np.argsort(positions)[-_LEAST_NOTES:]]
        return float(np.median(recent))


def stamp(now: float, when: Any, *, output: bool, latency: float) -> float:
    """When the first sample of a PortAudio callback passes the converter, in seconds of the clock of `now`.

    `when` is the callback's time record, of which only differences are used: its own clock differs from system
    to system. Where it holds nothing sensible the stream's `latency` in seconds takes its place.
    """
    away = when.outputBufferDacTime - when.currentTime if output else when.currentTime - when.inputBufferAdcTime
    if not 0.0 < away < _MOST_LATENCY_S or not when.currentTime:
        away = latency
    return now + away if output else now - away
