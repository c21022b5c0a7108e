"""One open stream of a microphone: what its device delivers, at 16 kHz and with the time at which it was heard."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.audio.clock import SampleClock, stamp
from app.audio.devices import DEVICE_LIST, latency_s
from app.audio.resample import Resampler
from app.audio.stream import Watchdog, open_stream, release_stream

RATE = 16_000
_KEPT_S = 4.0

Samples = NDArray[np.float32]


class Source:
    """The PortAudio callback only puts blocks of samples into a queue and gives a sign; another thread reads."""

    def __init__(self, device: int | None, block_s: float, sign: Callable[[], None]) -> None:
        """Open `device` (PortAudio's number, None for the system's default) and start it. Raises `AudioDeviceError`.

        It delivers every `block_s` seconds, each of which costs more than the work on what comes. `sign` is called when
        there is something to read, and must not block.
        """
        self.block_s = block_s
        # How much is to have come before the sign is given, in seconds. May be set at any time.
        self.patience_s = 0.0
        self.rate = 0
        self.dropped = 0
        self._calls = 0
        self._sign = sign
        self._blocks: deque[tuple[bytes, float]] = deque()
        self._taken = self._given = 0
        self._stream: Any = open_stream(
            self,
            "input",
            device,
            latency=latency_s(2 * block_s),
            counts=lambda most: sorted({1, min(2, most), most}),
            prepare=self._prepare,
            block_s=block_s,
        )
        DEVICE_LIST.opened(self)
        self._watchdog = Watchdog(self._stream)
        self._resampler = Resampler(self.rate, RATE)

    @property
    def is_lost(self) -> bool:
        """Whether the device has gone away. To be asked more often than once a second."""
        return self._watchdog.is_lost(self._calls)

    @property
    def is_stalled(self) -> bool:
        """Whether it delivers nothing for the time being, as of the last `is_lost`."""
        return self._watchdog.is_stalled

    def read(self) -> tuple[Samples, float]:
        """What has come since the last time, float32 [N] at 16 kHz, and when its first sample was heard, in seconds of
        the monotonic clock (without meaning where there is none).
        """
        blocks = []
        for _ in range(len(self._blocks)):
            block, at = self._blocks.popleft()
            self._clock.note(self._taken, at)
            self._taken += len(block) // (4 * self._channels)
            blocks.append(block)
        start = (self._clock.start() or 0.0) + self._given / RATE
        samples = np.frombuffer(b"".join(blocks), np.float32)
        if self._channels > 1:
            samples = samples.reshape(-1, self._channels).mean(axis=1)
        fresh = self._resampler.push(samples) if len(samples) else samples
        self._given += len(fresh)
        return fresh, start

    def close(self, lost: bool = False) -> None:
        """Release the device; `lost` when it went away. May be called again."""
        stream, self._stream = self._stream, None
        if stream is not None:
            release_stream(self, stream, lost=lost)

    def _prepare(self, rate: int, channels: int) -> Callable[..., None]:
        self.rate, self._channels = rate, channels
        self._clock = SampleClock(rate)
        blocks = self._blocks
        blocks.clear()
        block_s = self.block_s
        buffered, most = latency_s(2 * block_s), round(_KEPT_S / block_s)

        # As little as can be: with a cold cache each line of it is dear.
        def callback(indata: Any, frames: int, when: Any, status: Any) -> None:
            self._calls += 1
            if len(blocks) >= most:
                self.dropped += frames
                return
            at = stamp(time.monotonic(), when, output=False, latency=buffered, least=frames / rate)
            blocks.append((bytes(indata), at))
            if len(blocks) * block_s >= self.patience_s:
                self._sign()

        return callback
