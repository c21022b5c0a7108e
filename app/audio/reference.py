"""What the loudspeaker was given, kept for the echo canceller."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.audio.clock import SampleClock
from app.audio.resample import Resampler

Samples = NDArray[np.float32]

_KEEP_S = 2.0


class Reference:
    """The last two seconds of one output stream, silence included, with the time at which they are heard.

    The device callback writes; `ReferenceReader` reads on another thread. Nothing blocks: what is not read in
    time is overwritten.
    """

    def __init__(self, rate: int) -> None:
        """`rate` of the device in Hz."""
        self.rate = rate
        self.clock = SampleClock(rate)
        self.written = 0
        # When the last sound, as against silence, has been heard or will have been.
        self.sounds_until = -math.inf
        self._data = np.zeros(int(rate * _KEEP_S), np.float32)
        self._paused = False

    def write(self, samples: Samples, at: float) -> None:
        """The device was given float32 [N], heard from time `at` (monotonic clock, seconds) on."""
        size = len(self._data)
        if self._paused:
            self._paused = False
            self._pass_over(at)
        self.clock.note(self.written, at)
        if samples.any():
            self.sounds_until = at + len(samples) / self.rate
        samples = samples[-size:]
        start = self.written % size
        head = min(len(samples), size - start)
        self._data[start : start + head] = samples[:head]
        self._data[: len(samples) - head] = samples[head:]
        self.written += len(samples)

    def pause(self) -> None:
        """The stream has stopped for a while: until it is written to again, it is silent."""
        self._paused = True

    def _pass_over(self, until: float) -> None:
        """Count the silence that was not written, as if it had been, up to time `until`."""
        start = self.clock.start()
        if start is not None:
            silence = max(0, round((until - start) * self.rate) - self.written)
            size = len(self._data)
            self._data[np.arange(self.written, self.written + min(silence, size)) % size] = 0.0
            self.written += silence
        # A stream that has started afresh may be otherwise late than before.
        clock = SampleClock(self.rate)
        clock.note(self.written, until)
        self.clock = clock

    def since(self, position: int) -> tuple[int, Samples]:
        """The samples from `position` on, and the position of the first: a later one where some are gone."""
        size = len(self._data)
        end = self.written
        # The oldest quarter may be overwritten while it is being copied.
        start = max(position, end - size * 3 // 4, 0)
        return start, self._data[np.arange(start, end) % size]


class Taken(NamedTuple):
    """A piece of the reference, and how many samples more were there already; less than none where some of the
    piece was not (zeros take its place). `follows`: on the piece before, without a jump.
    """

    samples: Samples
    ahead: int
    follows: bool


class ReferenceReader:
    """Gives the reference at another rate, by the time at which it is heard."""

    def __init__(self, reference: Reference, rate: int) -> None:
        """Read `reference` at `rate` Hz, from one and a half seconds ago on."""
        self.reference = reference
        self._rate = rate
        self._resampler = Resampler(reference.rate, rate)
        self._read = max(0, reference.written - reference.rate * 3 // 2)
        self._at = round(self._read * rate / reference.rate)
        self._samples = np.zeros(0, np.float32)
        self._next: int | None = None

    def take(self, count: int, at: float, slack_s: float) -> Taken:
        """float32 [count] heard from time `at` on.

        Calls follow one another without a jump as long as the clocks agree within `slack_s`.
        """
        self._pull()
        start = self.reference.clock.start()
        if start is None:
            return Taken(np.zeros(count, np.float32), 0, False)
        wanted = round((at - start) * self._rate)
        follows = self._next is not None and abs(wanted - self._next) <= slack_s * self._rate
        if self._next is None or not follows:
            self._next = wanted
        self._next += count
        self._forget(self._next - round(1.5 * self._rate))
        return Taken(self.past(count), self._at + len(self._samples) - self._next, follows)

    def past(self, count: int) -> Samples:
        """The float32 [count] before what is taken next; zeros for what is not there."""
        out = np.zeros(count, np.float32)
        start = (self._next or 0) - count
        first, last = max(start, self._at), min(start + count, self._at + len(self._samples))
        if last > first:
            out[first - start : last - start] = self._samples[first - self._at : last - self._at]
        return out

    def move(self, count: int) -> None:
        """Go on `count` samples later than otherwise, or earlier; the times to be asked for move as much."""
        if self._next is not None:
            self._next += count

    def _pull(self) -> None:
        start, fresh = self.reference.since(self._read)
        if start != self._read:
            self._resampler = Resampler(self.reference.rate, self._rate)
            self._samples = np.zeros(0, np.float32)
            self._at = round(start * self._rate / self.reference.rate)
        self._read = start + len(fresh)
        if len(fresh):
            self._samples = np.concatenate((self._samples, self._resampler.push(fresh)))

    def _forget(self, before: int) -> None:
        gone = min(before - self._at, len(self._samples))
        if gone > 0:
            self._samples = self._samples[gone:]
            self._at += gone
