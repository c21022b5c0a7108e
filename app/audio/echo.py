"""Takes the assistant's own voice out of the microphone, with the audio processing of WebRTC."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from app.audio.coherence import PAST, WINDOW, EchoCoherence
from app.audio.echo_path import NOISE_FRAMES, PLAYED_DB, EchoPath
from app.audio.level import FLOOR_DB, rms_db
from app.audio.reference import Reference, ReferenceReader

RATE = 16_000
FRAME = 160
# The reference is fed earlier than it is heard, since no device knows its delay exactly, and an echo that
# seems to come before its cause cannot be cancelled.
LEAD_S = 0.04
# So much earlier it is read, if it is there by then: a busy device may be that wrong about its delay.
_LEAD = round(LEAD_S * RATE)
_MOST_LEAD = RATE * 4 // 5
# It is to be there by so much, and looked for so often whether it could be read earlier.
_SPARE = RATE // 100
_SPARE_FRAMES = 200
# Clocks may differ by so much before the reference is moved to where it belongs.
SLACK_S = 0.012
# When so much of what is heard is an echo, its delay is believed after a few looks that agree.
_SURE_SHARE = 0.25
_SURE_LOOKS = 3
_SAME_LAG, _USUAL_LAG = RATE * 15 // 1000, RATE * 30 // 1000
# The delays with which the canceller gets along.
_LEAST_DELAY, _MOST_DELAY = RATE // 100, RATE // 4
# Frames from one look at what the microphone hears to the next.
_LOOK_FRAMES = 3
# So long after the last sound nothing is left of it: neither in the room nor in what the coherence looks back on.
_REST_AFTER_S = 2.0
# What is heard meanwhile is kept: its end, for the canceller to come in step again, and its levels, for the noise.
_KEPT = NOISE_FRAMES * FRAME
_CATCH_UP = 30 * FRAME
# The canceller knows the room when it has taken the echo out for a third of a second, or has had 3 s of sound for it.
_SETTLED_LOOKS = 10
_SETTLED_FRAMES = 300

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

    Runs on the microphone's thread. After a failure it lets the microphone through as it is, and while nothing is
    played too, which costs next to nothing; with the first sound that is played it first catches up on what it has
    missed.
    """

    def __init__(
        self,
        canceller: Canceller,
        reference: Callable[[], Reference | None],
        on_failed: Callable[[str], None] = lambda reason: None,
        *,
        always: bool = False,
    ) -> None:
        """`reference` gives what the open loudspeaker was given, or None; `on_failed` gets the reason once.

        `always`: the canceller's work is wanted where there is no echo too, as when it suppresses noise.
        """
        self._canceller = canceller
        self._always = always
        self._source = reference
        self._on_failed = on_failed
        self._reader: ReferenceReader | None = None
        self._rest = np.zeros(0, np.float32)
        # In samples: how much earlier than it is heard the reference is read, the least that was there of it beyond
        # that, and how much later the canceller gets it.
        self._lead = self._spare = self._ago = 0
        # The delay of the echo behind what was read, and another one that may be the true one.
        self._delay: int | None = None
        self._lag = self._agreeing = 0
        self.working = True
        self._path = EchoPath()
        self._coherence = EchoCoherence()
        self._frames = 0
        # Of the microphone and of what the canceller left of it, as long as the coherence looks back.
        self._powers: deque[tuple[float, float]] = deque(maxlen=WINDOW // FRAME)
        self._voice = True
        self._sounding = 0
        # What was let through since it rests.
        self._missed: deque[Samples] = deque()
        self._missed_count = 0

    @property
    def settling(self) -> bool:
        """Whether there may be an echo that the canceller does not take out yet. With headphones it is soon over."""
        settled = self._path.proven >= _SETTLED_LOOKS or self._sounding >= _SETTLED_FRAMES
        return self.working and self._path.exists and not settled

    @property
    def is_clean(self) -> bool:
        """Whether a voice in the last piece is the user's: not after a failure, nor where the microphone has heard
        nothing but the loudspeaker, of which the canceller may leave something.
        """
        return self.working and self._voice

    @property
    def waiting(self) -> int:
        """How many samples wait for the rest of their frame."""
        return len(self._rest)

    def process(self, samples: Samples, at: float) -> Samples:
        """float32 [N] at 16 kHz, heard from time `at` on (monotonic clock, seconds); returns float32 [M],
        cleaned and up to 10 ms late: M is N give or take a frame.
        """
        at -= len(self._rest) / RATE
        samples = np.concatenate((self._rest, samples))
        whole = len(samples) // FRAME * FRAME
        samples, self._rest = samples[:whole], samples[whole:]
        if not self.working or not whole:
            return samples
        if self._nothing_played(at):
            self._miss(samples)
            return samples
        if self._missed:
            self._catch_up(at)
        out = np.zeros(whole, np.float32)
        for start in range(0, whole, FRAME):
            frame = samples[start : start + FRAME]
            out[start : start + FRAME] = self._clean(frame, at + start / RATE) if self.working else frame
        return out

    def _nothing_played(self, at: float) -> bool:
        """Whether there is nothing to take out at time `at`, and has not been for a while."""
        if self._always:
            return False
        reference = self._source()
        return reference is None or at - reference.sounds_until > _REST_AFTER_S

    def _miss(self, samples: Samples) -> None:
        self._voice = True
        self._missed.append(samples)
        self._missed_count += len(samples)
        while self._missed_count - len(self._missed[0]) >= _KEPT:
            self._missed_count -= len(self._missed.popleft())

    def _catch_up(self, until: float) -> None:
        """Take in what was missed up to time `until`, as if there had been no rest."""
        missed = np.concatenate(self._missed)[-_KEPT:]
        self._missed.clear()
        self._missed_count = 0
        # How early the reference can be read is seen now, not from what was heard a while ago.
        self._played(until)
        first = max(0, len(missed) - _CATCH_UP)
        for start in range(0, first, FRAME):
            self._path.look(rms_db(missed[start : start + FRAME]), FLOOR_DB)
        for start in range(first, len(missed), FRAME):
            if self.working:
                self._clean(missed[start : start + FRAME], until - (len(missed) - start) / RATE)

    def _clean(self, frame: Samples, at: float) -> Samples:
        self._coherence.push(frame, self._played(at))
        played = self._coherence.played(FRAME, self._ago)
        try:
            clean = self._canceller.process(frame, played)
        except EchoError as error:
            _log.warning("echo cancellation: %s", error)
            self.working = False
            self._on_failed(str(error))
            return frame
        self._powers.append((float(np.dot(frame, frame)), float(np.dot(clean, clean))))
        played_db = rms_db(played)
        self._sounding += played_db >= PLAYED_DB
        self._path.look(rms_db(frame), played_db)
        self._frames += 1
        if self._frames % _LOOK_FRAMES == 0:
            self._look()
        return clean if self._always or self._path.exists else frame

    def _look(self) -> None:
        """Find out whether there is an echo, how late it is, and whether there is anything else."""
        share = self._coherence.look()
        if share is None:
            self._voice = True
            return
        heard, left = np.sum(self._powers, axis=0) + 1e-12
        usual = self._delay is not None and abs(share.lag - self._delay) <= _USUAL_LAG
        self._voice = self._path.compare(share, 10.0 * float(np.log10(heard / left)), usual)
        if share.certain and share.explained >= _SURE_SHARE:
            self._follow(share.lag)

    def _follow(self, lag: int) -> None:
        """Spare the canceller the search for a delay that has jumped; one that drifts it follows by itself."""
        if self._delay is not None and abs(lag - self._delay) <= _SAME_LAG:
            self._delay, self._agreeing = lag, 0
        else:
            self._agreeing = self._agreeing + 1 if abs(lag - self._lag) <= _SAME_LAG else 1
            self._lag = lag
            if self._agreeing < _SURE_LOOKS:
                return
            if self._delay is not None:
                self._ago = max(0, self._ago + lag - self._delay)
            self._delay = lag
        if not _LEAST_DELAY <= self._delay - self._ago <= _MOST_DELAY:
            self._ago = max(0, self._delay - _LEAD)

    def _played(self, at: float) -> Samples:
        """What was played by the time `at` or, as far as it is there already, will be."""
        reference = self._source()
        if reference is None or reference.clock.start() is None:
            self._reader = None
            return np.zeros(FRAME, np.float32)
        reader = self._reader
        if reader is None or reader.reference is not reference:
            reader = self._reader = ReferenceReader(reference, RATE)
            self._lead = self._spare = _MOST_LEAD
            self._ago = _MOST_LEAD - _LEAD
            self._delay, self._agreeing = None, 0
            self._sounding = self._path.proven = 0
        taken = reader.take(FRAME, at + self._lead / RATE, SLACK_S)
        self._spare = min(self._spare, taken.ahead)
        much = self._frames % _SPARE_FRAMES == 0 and self._spare >= 2 * _SPARE
        if taken.ahead >= 0 and taken.follows and not much:
            return taken.samples
        lead = self._lead
        if taken.ahead < 0 or much:
            # Read it as early as it is there. To the canceller nothing changes.
            lead = min(max(lead + self._spare - _SPARE, 0), _MOST_LEAD)
            self._ago = max(0, self._ago + lead - self._lead)
            self._lag += lead - self._lead
            if self._delay is not None:
                self._delay += lead - self._lead
        reader.move(lead - self._lead - FRAME)
        self._lead, self._spare = lead, _MOST_LEAD
        self._coherence.push_played(reader.past(PAST))
        return reader.take(FRAME, at + self._lead / RATE, SLACK_S).samples
