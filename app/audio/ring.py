"""A ring buffer between a PortAudio callback and an ordinary thread."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Ring:
    """Float32 samples from one producer thread to one consumer thread, without locks.

    Positions count samples since the start and never wrap. Only the producer changes `written`, only the
    consumer changes `consumed`, and each is stored after the samples are in place; storing an attribute is
    atomic under the interpreter lock, so the other side sees either the old or the new position and never
    half-written samples. No audio memory is allocated after construction.
    """

    def __init__(self, capacity: int) -> None:
        """Make room for `capacity` samples (at least 1)."""
        if capacity < 1:
            raise ValueError("A ring needs room for at least one sample.")
        self._data = np.zeros(capacity, np.float32)
        self.capacity = capacity
        self.written = 0
        self.consumed = 0

    @property
    def readable(self) -> int:
        """Samples waiting for the consumer."""
        return self.written - self.consumed

    @property
    def writable(self) -> int:
        """Samples for which there is room."""
        return self.capacity - (self.written - self.consumed)

    def write(self, samples: NDArray[np.float32]) -> int:
        """Producer: append float32 [N]; returns how many fitted (the rest is not taken)."""
        count = min(len(samples), self.writable)
        at = self.written % self.capacity
        head = min(count, self.capacity - at)
        self._data[at : at + head] = samples[:head]
        if count > head:
            self._data[: count - head] = samples[head:count]
        self.written += count
        return count

    def read_into(self, out: NDArray[np.float32]) -> int:
        """Consumer: fill the start of float32 `out`; returns how many samples there were, the rest is
        untouched.
        """
        count = min(len(out), self.readable)
        at = self.consumed % self.capacity
        head = min(count, self.capacity - at)
        out[:head] = self._data[at : at + head]
        if count > head:
            out[head:count] = self._data[: count - head]
        self.consumed += count
        return count

    def skip_to(self, position: int) -> None:
        """Consumer: throw away everything before `position` (clipped to what has been written)."""
        self.consumed = max(self.consumed, min(position, self.written))
