"""The microphone's last minute."""

from __future__ import annotations

from collections import deque

import numpy as np

from app.conversation.ports import Samples

# The longest question and a little more, since a resumed question is sent again from its start.
_KEEP_CHUNKS = 1_900


class RecentAudio:
    """The last chunks of the microphone, float32 at 16 kHz each, counted from 0."""

    def __init__(self) -> None:
        self._chunks: deque[Samples] = deque(maxlen=_KEEP_CHUNKS)
        self._count = 0

    def count(self) -> int:
        """The number of the chunk that comes now; it must be kept, if at all, before the next call."""
        self._count += 1
        return self._count - 1

    def keep(self, samples: Samples) -> None:
        """Keep the chunk that was counted last."""
        self._chunks.append(samples)

    def forget(self) -> None:
        """Let nothing that was said so far be heard again."""
        self._chunks.clear()

    def piece(self, first: int, last: int) -> Samples:
        """Chunks `first` to `last` as one float32 array; those no longer kept are left out."""
        oldest = self._count - len(self._chunks)
        kept = range(max(first, oldest), min(last + 1, self._count))
        wanted = [self._chunks[i - oldest] for i in kept]
        return np.concatenate(wanted) if wanted else np.zeros(0, np.float32)
