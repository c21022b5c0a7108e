"""When a sample of a device stream was heard: a steady line through the device's jumpy time stamps."""

from __future__ import annotations

from typing import Any

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
        # Plain lists: for so few numbers they are quicker than arrays, and each is replaced in one step.
        self._starts = [0.0] * _NOTES
        self._positions = [0] * _NOTES
        self._count = 0
        self._known: tuple[int, float] = (0, 0.0)

    def note(self, position: int, at: float) -> None:
        """Sample `position` passes the converter at time `at`."""
        self._starts[self._count % _NOTES] = at - position / self._rate
        self._positions[self._count % _NOTES] = position
        self._count += 1

    def start(self) -> float | None:
        """When sample 0 passed, or would have passed at today's pace; None before the first note."""
        noted = self._count
        if not noted:
            return None
        if self._known[0] != noted:
            self._known = (noted, self._median(min(noted, _NOTES)))
        return self._known[1]

    def _median(self, count: int) -> float:
        positions = self._positions[:count]
        oldest = max(positions) - _RECENT_S * self._rate
        recent = [start for start, at in zip(self._starts, positions, strict=False) if at >= oldest]
        if len(recent) < _LEAST_NOTES:
            last = sorted(zip(positions, self._starts, strict=False))[-_LEAST_NOTES:]
            recent = [start for _, start in last]
        recent.sort()
        middle = len(recent) // 2
        return recent[middle] if len(recent) % 2 else (recent[middle - 1] + recent[middle]) / 2


def stamp(now: float, when: Any, *, output: bool, latency: float, least: float = 0.0) -> float:
    """When the first sample of a PortAudio callback passes the converter, in seconds of the clock of `now`.

    `when` is the callback's time record, of which only differences are used: its own clock differs from system
    to system. Where it holds nothing sensible the stream's `latency` in seconds takes its place. It is `least` seconds
    away, as the first sample of an input is by the length of the block.
    """
    away = when.outputBufferDacTime - when.currentTime if output else when.currentTime - when.inputBufferAdcTime
    if not 0.0 < away < _MOST_LATENCY_S or not when.currentTime:
        away = latency
    away = max(away, least)
    return now + away if output else now - away
