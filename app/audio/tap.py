"""What the microphone heard, before and after cleaning, beside what the loudspeaker played: kept for a while."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.audio.echo import SLACK_S
from app.audio.reference import Reference, ReferenceReader

RATE = 16_000
CHUNK = 512
CHUNK_S = CHUNK / RATE
# Stamps of one stream may jitter by so much; more is a gap, as after a change of devices.
_GAP_S = 0.05

Samples = NDArray[np.float32]
_Packed = NDArray[np.int16]


@dataclass(frozen=True)
class Take:
    """A stretch of sound, all float32 [N] at 16 kHz and in step: sample 0 is heard at second `since` of the monotonic
    clock.

    `raw`: the microphone; `reference`: what the loudspeaker was given, at the time at which it is heard; `clean`: what
    the speech detector and the model got of the microphone, in whole chunks of 512. `doubtful`: one a chunk, whether a
    voice in it may have been the loudspeaker's. `cancelled`: the echo canceller worked, at its end at least.
    """

    since: float
    raw: Samples
    reference: Samples
    clean: Samples
    doubtful: tuple[bool, ...]
    cancelled: bool

    @property
    def seconds(self) -> float:
        """How long it is."""
        return len(self.clean) / RATE


@dataclass(frozen=True)
class _Chunk:
    end: float
    clean: _Packed
    doubtful: bool
    cancelled: bool


@dataclass(frozen=True)
class _Batch:
    start: float
    raw: _Packed
    # None: silence.
    reference: _Packed | None


class SoundTap:
    """A ring of the last seconds, in memory alone: 96 kB a second. `Capture` fills it on its thread, any thread takes.

    Set `keep_s` to 0 to forget everything and take nothing in.
    """

    def __init__(self, reference: Callable[[], Reference | None], keep_s: float = 0.0) -> None:
        """`reference` gives what the open loudspeaker was given, or None; `keep_s` as the property."""
        self._source = reference
        self._lock = threading.Lock()
        self._keep_s = keep_s
        self._reader: ReferenceReader | None = None
        self._batches: deque[_Batch] = deque()
        self._chunks: deque[_Chunk] = deque()

    @property
    def keep_s(self) -> float:
        """How many seconds are kept."""
        return self._keep_s

    @keep_s.setter
    def keep_s(self, seconds: float) -> None:
        with self._lock:
            self._keep_s = seconds
            self._forget()

    def close(self) -> None:
        """Nothing comes any more. What is there can still be taken."""
        # soxr complains of each stream that is still there when the program ends.
        self._reader = None

    def push(self, raw: Samples, at: float) -> None:
        """The microphone as it is: float32 [N] at 16 kHz, heard from time `at` on."""
        if self._keep_s <= 0.0 or not len(raw):
            return
        played = self._played(len(raw), at)
        batch = _Batch(at, _packed(raw), None if played is None else _packed(played))
        with self._lock:
            self._batches.append(batch)

    def push_chunks(self, clean: Samples, end: float, doubtful: bool, cancelled: bool) -> None:
        """The next whole chunks, float32 [N · 512], as the speech detector got them, which were heard until `end`."""
        if self._keep_s <= 0.0:
            return
        chunks = _packed(clean).reshape(-1, CHUNK)
        with self._lock:
            for later, chunk in enumerate(chunks, 1 - len(chunks)):
                self._chunks.append(_Chunk(end + later * CHUNK_S, chunk, doubtful, cancelled))
            self._forget()

    def take(self, since: float, until: float) -> Take | None:
        """What is there of the time from `since` to `until`; None where there is nothing."""
        with self._lock:
            chunks = [chunk for chunk in self._chunks if since <= chunk.end and chunk.end - CHUNK_S <= until]
            batches = list(self._batches)
        if not chunks:
            return None
        start = chunks[0].end - CHUNK_S
        length = round((chunks[-1].end - start) / CHUNK_S)
        clean = np.zeros(length * CHUNK, np.float32)
        doubtful = [False] * length
        at = 0
        for before, chunk in zip([chunks[0], *chunks], chunks, strict=False):
            gap = chunk.end - before.end - CHUNK_S
            at += round(gap / CHUNK_S) if gap > _GAP_S else 0
            if at < length:
                clean[at * CHUNK : (at + 1) * CHUNK] = _unpacked(chunk.clean)
                doubtful[at] = chunk.doubtful
            at += 1
        raw, reference = np.zeros_like(clean), np.zeros_like(clean)
        position: int | None = None
        for batch in batches:
            wanted = round((batch.start - start) * RATE)
            if position is None or abs(wanted - position) > _GAP_S * RATE:
                position = wanted
            _put(raw, position, _unpacked(batch.raw))
            if batch.reference is not None:
                _put(reference, position, _unpacked(batch.reference))
            position += len(batch.raw)
        return Take(start, raw, reference, clean, tuple(doubtful), chunks[-1].cancelled)

    def _played(self, count: int, at: float) -> Samples | None:
        reference = self._source()
        if reference is None or reference.clock.start() is None:
            self._reader = None
            return None
        if at - reference.sounds_until > _GAP_S:
            return None
        if self._reader is None or self._reader.reference is not reference:
            self._reader = ReferenceReader(reference, RATE)
        return self._reader.take(count, at, SLACK_S).samples

    def _forget(self) -> None:
        """Let go of what is too old. Holds the lock."""
        if not self._keep_s:
            self._batches.clear()
            self._chunks.clear()
            return
        if not self._chunks:
            return
        oldest = self._chunks[-1].end - self._keep_s
        while self._chunks and self._chunks[0].end < oldest:
            self._chunks.popleft()
        while self._batches and self._batches[0].start + len(self._batches[0].raw) / RATE < oldest - 1.0:
            self._batches.popleft()


def _put(out: Samples, at: int, samples: Samples) -> None:
    first, last = max(at, 0), min(at + len(samples), len(out))
    if last > first:
        out[first:last] = samples[first - at : last - at]


def _packed(samples: Samples) -> _Packed:
    whole = samples * np.float32(32_767)
    np.rint(whole, out=whole)
    # `np.clip` takes several times as long for so few.
    np.minimum(whole, np.float32(32_767), out=whole)
    np.maximum(whole, np.float32(-32_767), out=whole)
    return whole.astype(np.int16)


def _unpacked(samples: _Packed) -> Samples:
    return samples.astype(np.float32) / np.float32(32_767)
