"""Streaming conversion between sample rates."""

from __future__ import annotations

import numpy as np
import soxr
from numpy.typing import NDArray

Samples = NDArray[np.float32]


class Resampler:
    """Mono float32 from one rate to another, piece by piece, with no seams (soxr, high quality).

    soxr holds back 10 to 35 ms until `flush`; counted from the first sample, output lies exactly over input.
    """

    def __init__(self, from_rate: int, to_rate: int) -> None:
        """Convert from `from_rate` to `to_rate` Hz; equal rates pass samples through."""
        if from_rate < 1 or to_rate < 1:
            raise ValueError("Sample rates must be positive.")
        self._stream: soxr.ResampleStream | None = None
        if from_rate != to_rate:
            self._stream = soxr.ResampleStream(from_rate, to_rate, 1, dtype="float32", quality="HQ")

    def push(self, samples: Samples) -> Samples:
        """Convert float32 [N]; returns what is ready, float32 [M], M may be 0."""
        if self._stream is None:
            return samples
        return np.asarray(self._stream.resample_chunk(samples), np.float32)

    def flush(self) -> Samples:
        """End of the sound: returns what was held back. The resampler is used up afterwards."""
        if self._stream is None:
            return np.zeros(0, np.float32)
        return np.asarray(self._stream.resample_chunk(np.zeros(0, np.float32), last=True), np.float32)
