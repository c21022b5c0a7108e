"""How the answers of this session sounded, so that they can be said again."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

RATE = 24_000
# About four minutes of speech at 16 bits: more would be most of what the window grows by in a long conversation.
MOST_BYTES = 12 << 20


class Sounds:
    """Speech by message, 24 kHz; the oldest goes when there is too much."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._bytes = 0
        self._pieces: OrderedDict[str, NDArray[np.int16]] = OrderedDict()

    def put(self, key: str, samples: NDArray[np.float32]) -> None:
        """Keep `samples` (float32 within ±1) for message `key`."""
        packed = np.round(np.clip(samples, -1.0, 1.0) * 32_767).astype(np.int16)
        self._bytes += packed.nbytes - self._size(key)
        self._pieces[key] = packed
        self._pieces.move_to_end(key)
        while self._bytes > self._most:
            _, oldest = self._pieces.popitem(last=False)
            self._bytes -= oldest.nbytes

    def get(self, key: str) -> NDArray[np.float32] | None:
        """The speech of message `key`, or None."""
        packed = self._pieces.get(key)
        return None if packed is None else packed.astype(np.float32) / np.float32(32_767)

    def has(self, key: str) -> bool:
        """Whether the speech of message `key` is there."""
        return key in self._pieces

    def _size(self, key: str) -> int:
        old = self._pieces.get(key)
        return 0 if old is None else old.nbytes
