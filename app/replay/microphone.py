"""The microphone on the virtual clock: the user, the room's echo, the echo canceller, the speech detector."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import soxr

from app.audio.capture import CHUNK, MicChunk
from app.audio.echo import EchoFilter, WebRtcCanceller
from app.audio.level import rms_db
from app.audio.playback import LATENCY_S
from app.audio.reference import Reference
from app.audio.vad import SileroVad
from app.conversation.ports import Samples
from app.conversation.timing import CHUNK_S, Timing
from app.omni.turn import INPUT_RATE, OUTPUT_RATE
from app.replay.record import Record
from app.replay.speaker import VirtualSpeaker

# What a microphone needs until a chunk has come through: the buffer that `app.audio.capture` asks of its device.
DELAY_S = 0.02

_CHUNK_OUT = CHUNK * OUTPUT_RATE // INPUT_RATE
# More of the echo than is wanted, so that the seams of the resampling are cut away: 10 ms at both rates.
_SEAM_OUT, _SEAM_IN = OUTPUT_RATE // 100, INPUT_RATE // 100
_REFERENCE_BLOCK = OUTPUT_RATE // 100
_REFLECTIONS = ((0.0, 1.0), (0.007, 0.3), (0.017, 0.2))


@dataclass(frozen=True)
class Echo:
    """A room in which the microphone hears the loudspeaker, `gain_db` louder and `delay_s` later.

    `cancel`: the echo canceller runs, as in the app; without it the app does not listen while it speaks.
    """

    gain_db: float
    delay_s: float
    cancel: bool = True


@dataclass(frozen=True)
class Recorded:
    """What the echo canceller made of sound that has been through it: for each 32 ms whether a voice in it may have
    been the loudspeaker's, and whether the canceller worked.
    """

    doubtful: tuple[bool, ...]
    cancelled: bool


class Microphone:
    """Turns the user's sound into the chunks of the conversation, and notes when the detector hears a voice.

    A voice begins with the first chunk above the machine's upper probability and ends with the last one before
    a gap that the machine would not bridge either.
    """

    def __init__(
        self,
        speaker: VirtualSpeaker,
        record: Record,
        on_chunk: Callable[[MicChunk], None],
        echo: Echo | Recorded | None,
        timing: Timing,
    ) -> None:
        """Loads the speech detector. Raises `EchoError` where the echo canceller cannot run."""
        self._speaker = speaker
        self._record = record
        self._on_chunk = on_chunk
        self._recorded = echo if isinstance(echo, Recorded) else None
        self._echo = echo = echo if isinstance(echo, Echo) else None
        self._timing = timing
        self._detector = SileroVad()
        self._rest = np.zeros(0, np.float32)
        self._chunks = 0
        self._voice_from: int | None = None
        self._voice_last = 0
        self._reference = Reference(OUTPUT_RATE)
        self._referred = 0
        self._filter: EchoFilter | None = None
        if echo is not None and echo.cancel:
            self._filter = EchoFilter(WebRtcCanceller(), lambda: self._reference)

    def hear(self, block: int, samples: Samples) -> None:
        """float32 [512] of the user, the `block`-th 32 ms of the clock; called `DELAY_S` after their end."""
        if self._echo is not None:
            samples = samples + self._echo_of(block, self._echo)
        if self._filter is not None:
            self._refer(block)
            samples = self._filter.process(samples, block * CHUNK_S)
        self._rest = np.concatenate((self._rest, samples))
        # Where there is no echo there is nothing to take out: headphones.
        echo_free = self._filter.is_clean if self._filter is not None else self._echo is None
        cancelled = self._filter is not None and self._filter.working
        while len(self._rest) >= CHUNK:
            chunk, self._rest = self._rest[:CHUNK], self._rest[CHUNK:]
            speech = self._detector.probability(chunk)
            self._note(speech)
            if self._recorded is not None:
                echo_free = not any(self._recorded.doubtful[self._chunks : self._chunks + 1])
                cancelled = self._recorded.cancelled
            end = (self._chunks + 1) * CHUNK_S
            self._chunks += 1
            self._on_chunk(MicChunk(chunk, end, rms_db(chunk), speech, echo_free, cancelled))

    def finish(self) -> None:
        """The end: a voice that still lasts ends here."""
        if self._voice_from is not None:
            self._record.user_speech_ended((self._voice_last + 1) * CHUNK_S)
            self._voice_from = None

    def _note(self, speech: float) -> None:
        index = self._chunks
        if speech >= self._timing.open_probability:
            if self._voice_from is None:
                self._voice_from = index
                self._record.user_speech_started(index * CHUNK_S)
            self._voice_last = index
            self._record.user_voice((index + 1) * CHUNK_S)
        elif self._voice_from is not None and index - self._voice_last > self._timing.run_gap_chunks:
            self.finish()

    def _echo_of(self, block: int, echo: Echo) -> Samples:
        sound = np.zeros(_CHUNK_OUT + 2 * _SEAM_OUT, np.float32)
        for later_s, strength in _REFLECTIONS:
            # A multiple of 3 samples at 24 kHz is a whole number at 16 kHz.
            delay = round((echo.delay_s + later_s) * OUTPUT_RATE / 3) * 3
            first = block * _CHUNK_OUT - delay - _SEAM_OUT
            sound += np.float32(strength) * self._speaker.heard(first, first + len(sound))
        here = np.asarray(soxr.resample(sound, OUTPUT_RATE, INPUT_RATE), np.float32)
        return here[_SEAM_IN : _SEAM_IN + CHUNK] * np.float32(10 ** (echo.gain_db / 20))

    def _refer(self, block: int) -> None:
        """Give the canceller what the loudspeaker was sent, as far as it is known."""
        until = (block + 1) * _CHUNK_OUT + round((DELAY_S + LATENCY_S) * OUTPUT_RATE)
        while self._referred + _REFERENCE_BLOCK <= until:
            first = self._referred
            self._referred += _REFERENCE_BLOCK
            self._reference.write(self._speaker.heard(first, self._referred), first / OUTPUT_RATE)
