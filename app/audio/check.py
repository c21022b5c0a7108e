"""The sound check: plays a moderate sound, hears what the microphone makes of it, and says how to talk best."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Protocol

import numpy as np
import soxr
from numpy.typing import NDArray

from app.audio.echo import EchoError, EchoFilter, WebRtcCanceller
from app.audio.level import FLOOR_DB, rms_db
from app.audio.reference import Reference
from app.audio.tap import CHUNK, RATE, SoundTap, Take

PLAY_RATE = 24_000
# No turn of a conversation has this number.
TURN = -1

QUIET_S = 1.6
_SETTLE_S = 0.4
_SWEEP_S, _PAUSE_S, _RUSH_S = 0.8, 0.7, 4.5
# About as loud as an answer.
_SWEEP_PEAK, _RUSH_DB = 0.12, -24.0
_FADE_S = 0.06
_BAND_HZ = (250.0, 5_000.0)
# The rushing swells and ebbs as often as syllables come, so that it excites a room as speech does.
_SWELL_HZ = 3.5
# The canceller is judged by the end of the rushing, when it has had time to learn the room.
_JUDGED_S = 2.0
_LATEST_S, _EARLIEST_S = 0.8, -0.1
_TAIL_S = 0.9
_PATIENCE_S = 4.0
# The matched filter's peak over its usual height; chance alone makes five of it in a second of noise.
_CERTAIN = 8.0
_STEP_S = 0.05

# Above this the speech detector, and whoever has to be understood, have a hard time.
NOISY_DB = -35.0
_VOICES_SHARE = 0.25
_SPEECH = 0.5
# An echo is gone when so little is left of it, or so much was taken out.
GONE_DB, TAKEN_OUT_DB = -50.0, 20.0

Samples = NDArray[np.float32]


class Step(StrEnum):
    """What the check is doing."""

    LISTENING = "listening"
    PLAYING = "playing"
    WORKING = "working"


class Trouble(StrEnum):
    """Why nothing could be found out."""

    NO_MICROPHONE = "no_microphone"
    NO_SPEAKER = "no_speaker"
    MUTED = "muted"
    NO_SAMPLES = "no_samples"
    ALL_ZERO = "all_zero"
    CUT_OFF = "cut_off"


class CheckError(Exception):
    """The check has failed because of `trouble`."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(str(trouble))
        self.trouble = trouble


class Way(StrEnum):
    """How to talk: over the answers too, with an open microphone that rests during them, or by the button."""

    FULL_DUPLEX = "full_duplex"
    HALF_DUPLEX = "half_duplex"
    PUSH_TO_TALK = "push_to_talk"


class Reason(StrEnum):
    """Why that way."""

    NO_ECHO = "no_echo"
    ECHO_GONE = "echo_gone"
    ECHO_LEFT = "echo_left"
    NO_CANCELLER = "no_canceller"
    NOISE = "noise"
    VOICES = "voices"


@dataclass(frozen=True)
class Findings:
    """What the check has found. Levels in dB of full scale.

    `noise_db`: the room while nothing is played; `voices`: the share 0…1 of that time in which somebody spoke.
    `delay_s`: from the moment at which a sound leaves the loudspeaker, as its driver reckons, until the microphone
    hears it; None where it does not. `echo_db`: how loud it hears it; `left_db`: what the canceller leaves of that,
    None where it cannot run.
    """

    noise_db: float
    voices: float
    delay_s: float | None = None
    echo_db: float | None = None
    left_db: float | None = None

    @property
    def taken_out_db(self) -> float | None:
        """How much quieter the canceller makes the echo."""
        return None if self.echo_db is None or self.left_db is None else self.echo_db - self.left_db


def advise(found: Findings) -> tuple[Way, Reason]:
    """The way that suits what was found."""
    if found.voices >= _VOICES_SHARE:
        return Way.PUSH_TO_TALK, Reason.VOICES
    if found.noise_db >= NOISY_DB:
        return Way.PUSH_TO_TALK, Reason.NOISE
    if found.delay_s is None:
        return Way.FULL_DUPLEX, Reason.NO_ECHO
    if found.left_db is None:
        return Way.HALF_DUPLEX, Reason.NO_CANCELLER
    gone = found.left_db <= max(GONE_DB, found.noise_db + 6.0) or (found.taken_out_db or 0.0) >= TAKEN_OUT_DB
    return (Way.FULL_DUPLEX, Reason.ECHO_GONE) if gone else (Way.HALF_DUPLEX, Reason.ECHO_LEFT)


@cache
def sweep() -> Samples:
    """The chirp alone, float32 at 24 kHz: each octave takes equally long."""
    low, high = _BAND_HZ
    t = np.arange(round(_SWEEP_S * PLAY_RATE)) / PLAY_RATE
    rate = np.log(high / low) / _SWEEP_S
    wave = np.sin(2 * np.pi * low / rate * (np.exp(rate * t) - 1.0))
    return _faded((_SWEEP_PEAK * wave).astype(np.float32))


@cache
def sound() -> Samples:
    """All that is played, float32 at 24 kHz: the chirp, a pause, and a soft rushing. Always the same."""
    count = round(_RUSH_S * PLAY_RATE)
    noise = np.fft.rfft(np.random.default_rng(7).standard_normal(count))
    hertz = np.fft.rfftfreq(count, 1 / PLAY_RATE)
    # As loud in each octave, which sounds softer than white noise and is more like speech.
    noise *= np.where((hertz >= _BAND_HZ[0]) & (hertz <= _BAND_HZ[1]), 1.0 / np.sqrt(np.maximum(hertz, 1.0)), 0.0)
    swell = 0.55 - 0.45 * np.cos(2 * np.pi * _SWELL_HZ * np.arange(count) / PLAY_RATE)
    rush = np.fft.irfft(noise, count) * swell
    rush *= 10 ** (_RUSH_DB / 20) / np.sqrt(np.mean(rush * rush))
    pause = np.zeros(round(_PAUSE_S * PLAY_RATE), np.float32)
    return np.concatenate((sweep(), pause, _faded(rush.astype(np.float32))))


def measure(take: Take, quiet_s: float, voice: Callable[[Samples], float]) -> Findings:
    """What a `take` tells in which the room is quiet for `quiet_s` seconds and then `sound` is played once.

    `voice` maps float32 [512] at 16 kHz to a probability of speech. Takes a second of computing. Raises `CheckError`
    where the microphone gave nothing but zeros, or the sound was not played.
    """
    if not take.raw.any():
        raise CheckError(Trouble.ALL_ZERO)
    quiet = take.raw[: round(quiet_s * RATE)]
    blocks = [quiet[at : at + CHUNK] for at in range(0, len(quiet) - CHUNK + 1, CHUNK)]
    noise_db = float(np.median([rms_db(block) for block in blocks])) if blocks else FLOOR_DB
    voices = float(np.mean([voice(block) >= _SPEECH for block in blocks])) if blocks else 0.0
    played = _find(take.reference, 0, len(take.reference))
    if played is None:
        raise CheckError(Trouble.CUT_OFF)
    first, last = played + round(_EARLIEST_S * RATE), played + round(_LATEST_S * RATE)
    heard = _find(take.raw, first, last)
    if heard is None:
        return Findings(noise_db, voices)
    end = heard + round((_SWEEP_S + _PAUSE_S + _RUSH_S) * RATE)
    judged = slice(end - round(_JUDGED_S * RATE), end)
    try:
        left = rms_db(_cancelled(take)[judged])
    except EchoError:
        left = None
    return Findings(noise_db, voices, (heard - played) / RATE, rms_db(take.raw[judged]), left)


class Player(Protocol):
    """The open loudspeaker, as `app.audio.playback.Playback`."""

    volume: float

    @property
    def is_open(self) -> bool: ...
    def begin(self, turn: int) -> None: ...
    def write(self, turn: int, samples: Samples) -> None: ...
    def end(self, turn: int) -> None: ...
    def stop(self) -> None: ...
    def played_samples(self, turn: int) -> int: ...


def run(
    player: Player,
    tap: SoundTap,
    microphone_open: Callable[[], bool],
    voice: Callable[[Samples], float],
    tell: Callable[[Step], None],
    stopped: threading.Event,
) -> Findings:
    """The whole check, about nine seconds; `tap` gets all sound of the microphone meanwhile.

    `tell` hears of each step. Ends early with `CheckError(CUT_OFF)` when `stopped` is set. Raises `CheckError`. Not for
    the window's thread.
    """
    if not microphone_open():
        raise CheckError(Trouble.NO_MICROPHONE)
    if not player.is_open:
        raise CheckError(Trouble.NO_SPEAKER)
    if player.volume <= 0.0:
        raise CheckError(Trouble.MUTED)
    all_of_it = sound()
    tap.keep_s = QUIET_S + len(all_of_it) / PLAY_RATE + 10.0
    try:
        tell(Step.LISTENING)
        since = time.monotonic() + _SETTLE_S
        _wait(since + QUIET_S, stopped)
        if tap.take(since, time.monotonic()) is None:
            raise CheckError(Trouble.NO_SAMPLES if microphone_open() else Trouble.NO_MICROPHONE)
        tell(Step.PLAYING)
        _play(player, all_of_it, stopped)
        _wait(time.monotonic() + _TAIL_S, stopped)
        tell(Step.WORKING)
        take = tap.take(since, time.monotonic())
    finally:
        tap.keep_s = 0.0
    if take is None or not microphone_open():
        raise CheckError(Trouble.NO_MICROPHONE)
    return measure(take, QUIET_S - 0.1, voice)


def _play(player: Player, samples: Samples, stopped: threading.Event) -> None:
    player.begin(TURN)
    player.write(TURN, samples)
    player.end(TURN)
    deadline = time.monotonic() + len(samples) / PLAY_RATE + _PATIENCE_S
    while player.played_samples(TURN) < len(samples) - PLAY_RATE // 50:
        if stopped.wait(_STEP_S) or time.monotonic() > deadline:
            player.stop()
            raise CheckError(Trouble.CUT_OFF if player.is_open else Trouble.NO_SPEAKER)


def _wait(until: float, stopped: threading.Event) -> None:
    if stopped.wait(max(0.0, until - time.monotonic())):
        raise CheckError(Trouble.CUT_OFF)


def _find(samples: Samples, first: int, last: int) -> int | None:
    """Where in float32 [N] at 16 kHz the chirp begins, between `first` and `last`; None where it is not."""
    chirp = np.asarray(soxr.resample(sweep(), PLAY_RATE, RATE), np.float32)
    size = 1 << (len(samples) + len(chirp) - 1).bit_length()
    match = np.fft.irfft(np.fft.rfft(samples, size) * np.fft.rfft(chirp, size).conj(), size)
    first, last = max(first, 0), min(last, len(samples) - len(chirp) // 2)
    if last <= first:
        return None
    heights = np.abs(match[first:last])
    at = int(np.argmax(heights))
    # The rest of the window is what the filter makes of anything else, the ringing room included.
    usual = float(np.sqrt(np.median(heights**2))) + 1e-9
    return first + at if heights[at] >= _CERTAIN * usual and heights[at] > 1e-4 else None


def _cancelled(take: Take) -> Samples:
    """The microphone after an echo canceller that has never heard it before. Raises `EchoError`."""
    reference = Reference(RATE)
    failures: list[str] = []
    cleaner = EchoFilter(WebRtcCanceller(), lambda: reference, failures.append, always=True)
    out = []
    ahead = RATE // 20
    for at in range(0, len(take.raw), CHUNK):
        # As in the app, the loudspeaker has been given a little more than is heard by now.
        first = 0 if at == 0 else at + ahead
        reference.write(take.reference[first : at + CHUNK + ahead], take.since + first / RATE)
        out.append(cleaner.process(take.raw[at : at + CHUNK], take.since + at / RATE))
    if failures:
        raise EchoError(failures[0])
    return np.concatenate(out)


def _faded(samples: Samples) -> Samples:
    count = round(_FADE_S * PLAY_RATE)
    ramp = np.sin(np.linspace(0.0, np.pi / 2, count, dtype=np.float32)) ** 2
    samples[:count] *= ramp
    samples[-count:] *= ramp[::-1]
    return samples
