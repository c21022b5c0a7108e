"""The microphone: device samples in, 32 ms chunks at 16 kHz out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.audio.clock import SampleClock, stamp
from app.audio.devices import ASLEEP_S, DEVICE_LIST, latency_s
from app.audio.echo import EchoFilter
from app.audio.level import rms_db
from app.audio.resample import Resampler
from app.audio.ring import Ring
from app.audio.stream import open_stream, release_stream
from app.audio.tap import SoundTap

RATE = 16_000
CHUNK = 512
_POLL_S = 0.01
_POLL_RESTING_S = 0.03
# The lowest that devices offer loses samples on a busy processor.
_LATENCY_S = 0.02
_RING_S = 4.0
_FIRST_CALLBACK_S = 3.0
_NO_CALLBACK_S = 3.0
_ALL_ZERO_S = 5.0

Samples = NDArray[np.float32]


@dataclass(frozen=True)
class MicChunk:
    """32 ms of the microphone: float32 [512] mono at 16 kHz.

    `time` is the monotonic clock, in seconds, when its end was heard; `level_db` its loudness (dB of full
    scale); `speech` the detector's probability of speech, 0…1, 0 while it rests. `cancelled`: the echo canceller
    has been at it; `echo_free`: with success, so that a voice in it is the user's; `settling` while it has heard
    little of the loudspeaker yet.
    """

    samples: Samples
    time: float
    level_db: float
    speech: float
    echo_free: bool = False
    cancelled: bool = False
    settling: bool = False


class Capture:
    """An open microphone.

    Opens the device at its own rate. The PortAudio callback only copies samples into a ring; a thread of its
    own resamples, takes the echo out (`echo_filter`, which may be set at any time), measures, asks the speech
    detector, and hands over the chunks. All callbacks below run on that thread.
    """

    def __init__(
        self,
        on_chunk: Callable[[MicChunk], None],
        *,
        detector: Callable[[Samples], float],
        on_lost: Callable[[str], None] = lambda sentence: None,
        on_silent: Callable[[str], None] = lambda sentence: None,
        device: int | None = None,
    ) -> None:
        """Nothing is opened before `open`.

        `detector` maps float32 [512] at 16 kHz to a probability of speech (`SileroVad.probability`).
        `on_lost` gets one sentence when the device goes away (the capture is closed then), `on_silent` one
        sentence when the device has given nothing but exact zeros for five seconds, as a muted or withheld
        microphone does. `device`, PortAudio's number or None for the system's default, may
        be set while it is closed.
        """
        self._on_chunk = on_chunk
        self._on_lost = on_lost
        self._on_silent = on_silent
        self._detector = detector
        self.device = device
        self._stream: Any = None
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._calls = 0
        self._dropped = 0
        self.rate = 0
        self.echo_filter: EchoFilter | None = None
        # Who else gets all sound; may be set at any time.
        self.taps: tuple[SoundTap, ...] = ()
        # While nobody asks for speech, neither echo nor speech is looked for, which saves most of the work.
        self.resting = False

    @property
    def is_open(self) -> bool:
        """True while the device delivers or is about to."""
        return self._stream is not None

    @property
    def dropped_samples(self) -> int:
        """Device samples lost because the thread was late by more than the ring holds."""
        return self._dropped

    def open(self) -> None:
        """Open the device and start delivering. Raises `AudioDeviceError`; does nothing when open already.

        After a loss it may be called again; the system's devices are looked up afresh when neither microphone
        nor loudspeaker is open, so close both before opening them again.
        """
        if self._stream is not None:
            return
        self.close()
        self._calls = 0
        self._stream = stream = open_stream(
            self,
            "input",
            self.device,
            latency=latency_s(_LATENCY_S),
            counts=lambda most: sorted({1, min(2, most), most}),
            prepare=self._prepare,
        )
        DEVICE_LIST.opened(self)
        self._stop.clear()
        self._thread = threading.Thread(target=self._run, args=(stream,), name="microphone", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop and release the device. Safe at any time, from any thread but the audio thread."""
        self._stop.set()
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout=2.0)
        self._release()

    def _prepare(self, rate: int, channels: int) -> Callable[..., None]:
        self.rate = rate
        ring = self._ring = Ring(int(rate * _RING_S))
        clock = self._clock = SampleClock(rate)
        buffered = latency_s(_LATENCY_S)
        mix = np.zeros(self.rate, np.float32)
        weights = np.full(channels, 1.0 / channels, np.float32)

        def callback(indata: Samples, frames: int, when: Any, status: Any) -> None:
            self._calls += 1
            clock.note(ring.written, stamp(time.monotonic(), when, output=False, latency=buffered))
            if channels == 1:
                taken = ring.write(indata[:, 0])
            else:
                frames = min(frames, len(mix))
                np.dot(indata[:frames], weights, out=mix[:frames])
                taken = ring.write(mix[:frames])
            self._dropped += frames - taken

        return callback

    def _run(self, stream: Any) -> None:
        resampler = Resampler(self.rate, RATE)
        block = np.zeros(self._ring.capacity, np.float32)
        rest = np.zeros(0, np.float32)
        calls, alive_at, patience = 0, time.monotonic(), _FIRST_CALLBACK_S
        looked_at = alive_at
        zeros, resampled, silent = 0, 0, False
        while not self._stop.wait(_POLL_RESTING_S if self.resting else _POLL_S):
            now = time.monotonic()
            if now - looked_at > ASLEEP_S:
                alive_at = now
            looked_at = now
            if self._calls != calls:
                calls, alive_at, patience = self._calls, now, _NO_CALLBACK_S
            elif now - alive_at > patience or not stream.active:
                self._lose()
                return
            count = self._ring.read_into(block)
            if not count:
                continue
            fresh = resampler.push(block[:count])
            zeros = zeros + len(fresh) if not fresh.any() else 0
            if not silent and zeros >= _ALL_ZERO_S * RATE:
                self._on_silent(
                    "The microphone gives no sound at all: check that it is not muted or used by another program."
                )
            silent = zeros >= _ALL_ZERO_S * RATE
            at = (self._clock.start() or now) + resampled / RATE
            resampled += len(fresh)
            heard_until = at + len(fresh) / RATE
            for tap in self.taps:
                tap.push(fresh, at)
            # The same one for the whole batch: it may be set, or fail, meanwhile.
            resting = self.resting
            echo_filter = None if resting else self.echo_filter
            if echo_filter is not None:
                fresh = echo_filter.process(fresh, at)
                heard_until -= echo_filter.waiting / RATE
            echo_free = echo_filter is not None and echo_filter.is_clean
            cancelled = echo_filter is not None and echo_filter.working
            settling = echo_filter is not None and echo_filter.settling
            rest = np.concatenate((rest, fresh))
            while len(rest) >= CHUNK and not self._stop.is_set():
                chunk, rest = rest[:CHUNK].copy(), rest[CHUNK:]
                level = rms_db(chunk)
                speech = 0.0 if resting else self._detector(chunk)
                end = heard_until - len(rest) / RATE
                for tap in self.taps:
                    tap.push_chunk(chunk, end, not echo_free, cancelled)
                self._on_chunk(MicChunk(chunk, end, level, speech, echo_free, cancelled, settling))

    def _lose(self) -> None:
        self._release(lost=True)
        self._on_lost("The microphone has gone away: plug it in again or choose another one.")

    def _release(self, lost: bool = False) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            release_stream(self, stream, lost=lost)
