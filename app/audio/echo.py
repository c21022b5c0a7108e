"""Takes the assistant's own voice out of the microphone, with the audio processing of WebRTC."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from app.audio.echo_path import EchoPath
from app.audio.level import rms_db
from app.audio.reference import Reference, ReferenceReader

RATE = 16_000
FRAME = 160
# The reference is fed earlier than it is heard, since no device knows its delay exactly, and an echo that
# seems to come before its cause cannot be cancelled. The canceller finds the true delay, up to half a second.
LEAD_S = 0.04
# Clocks may differ by so much before the reference is moved to where it belongs.
SLACK_S = 0.012
# After a greater jump (samples were lost on the way) the canceller has to find the delay again.
_GREAT_JUMP_S = 0.02
_FIND_AGAIN_S = 2.5

Samples = NDArray[np.float32]

_log = logging.getLogger(__name__)


class EchoError(Exception):
    """The echo cannot be cancelled. `str(error)` is one sentence that says why."""


class Canceller(Protocol):
    """Takes the echo out of one frame."""

    def process(self, near: Samples, far: Samples) -> Samples:
        """float32 [160] at 16 kHz of the microphone and of what was played; returns the clean [160].

        Raises `EchoError`.
        """
        ...


class WebRtcCanceller:
    """WebRTC's echo canceller of the third generation, by the package livekit. 2 % of a core."""

    def __init__(self, *, noise_suppression: bool = False, high_pass: bool = True) -> None:
        """Load the library (0.2 s of computing, no torch). Raises `EchoError`.

        `noise_suppression` also takes out steady noise, at some cost to the speech; `high_pass` takes out
        rumble.
        """
        try:
            from livekit.rtc.apm import AudioProcessingModule
            from livekit.rtc.audio_frame import AudioFrame
        except ImportError as error:
            raise EchoError("the package livekit is missing") from error
        try:
            self._module: Any = AudioProcessingModule(
                echo_cancellation=True, noise_suppression=noise_suppression, high_pass_filter=high_pass
            )
        except Exception as error:
            raise EchoError("the echo canceller of the package livekit does not start here") from error
        self._frame: Any = AudioFrame

    def process(self, near: Samples, far: Samples) -> Samples:
        try:
            self._module.process_reverse_stream(self._to_frame(far))
            self._module.set_stream_delay_ms(round(1000 * LEAD_S))
            frame = self._to_frame(near)
            self._module.process_stream(frame)
        except Exception as error:
            raise EchoError("the echo canceller has failed") from error
        return np.frombuffer(frame.data, np.int16).astype(np.float32) / np.float32(32_768)

    def _to_frame(self, samples: Samples) -> Any:
        whole = np.clip(np.rint(samples * np.float32(32_768)), -32_768, 32_767).astype(np.int16)
        return self._frame(bytearray(whole.tobytes()), RATE, 1, FRAME)


class EchoFilter:
    """Cleans the microphone, piece by piece, given what was played at the same time.

    Runs on the microphone's thread. After a failure it lets the microphone through as it is.
    """

    def __init__(
        self,
        canceller: Canceller,
        reference: Callable[[], Reference | None],
        on_failed: Callable[[str], None] = lambda reason: None,
    ) -> None:
        """`reference` gives what the open loudspeaker was given, or None; `on_failed` gets the reason once."""
        self._canceller = canceller
        self._source = reference
        self._on_failed = on_failed
        self._reader: ReferenceReader | None = None
        self._rest = np.zeros(0, np.float32)
        self._lead_s = LEAD_S
        self.working = True
        self._trusted_from = 0.0
        self._heard_until = 0.0
        self._breaks = 0
        self._path = EchoPath()

    @property
    def is_clean(self) -> bool:
        """Whether the last piece is free of the loudspeaker: not after a failure, nor, where there is an echo, while
        its delay is searched for again.
        """
        return self.working and (not self._path.exists or self._heard_until >= self._trusted_from)

    def samples_lost(self, at: float) -> None:
        """The microphone has lost samples, at about time `at`."""
        self._trusted_from = max(self._trusted_from, at + _FIND_AGAIN_S)

    def process(self, samples: Samples, at: float) -> Samples:
        """float32 [N] at 16 kHz, heard from time `at` on (monotonic clock, seconds); returns float32 [M],
        cleaned and up to 10 ms late: M is N give or take a frame.
        """
        at -= len(self._rest) / RATE
        samples = np.concatenate((self._rest, samples))
        whole = len(samples) // FRAME * FRAME
        self._rest = samples[whole:]
        self._heard_until = at + whole / RATE
        out = np.zeros(whole, np.float32)
        for start in range(0, whole, FRAME):
            frame = samples[start : start + FRAME]
            out[start : start + FRAME] = self._clean(frame, at + start / RATE) if self.working else frame
        return out

    def _clean(self, frame: Samples, at: float) -> Samples:
        played = self._played(at)
        try:
            clean = self._canceller.process(frame, played)
            self._path.look(rms_db(frame), rms_db(played), rms_db(clean))
            return clean if self._path.exists else frame
        except EchoError as error:
            _log.warning("echo cancellation: %s", error)
            self.working = False
            self._on_failed(str(error))
            return frame

    def _played(self, at: float) -> Samples:
        reference = self._source()
        if reference is None:
            self._reader = None
            return np.zeros(FRAME, np.float32)
        if self._reader is None or self._reader.reference is not reference:
            self._reader = ReferenceReader(reference, RATE)
            self._lead_s = LEAD_S
            self._breaks = reference.breaks
        taken = self._reader.take(FRAME, at + self._lead_s, SLACK_S)
        if taken.missing_s and self._lead_s > 0.0:
            # Devices with little delay of their own: what is wanted so early has not been sent yet.
            self._lead_s = max(0.0, self._lead_s - taken.missing_s)
        elif taken.missing_s or taken.jump_s > _GREAT_JUMP_S:
            self.samples_lost(at)
        if reference.breaks != self._breaks:
            # The clock tells only later by how much.
            self._breaks = reference.breaks
            self.samples_lost(at)
        return taken.samples
