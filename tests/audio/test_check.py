"""The sound check, in rooms that are computed and in rooms made of a virtual sound card."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import soxr

from app.audio import check
from app.audio.check import CheckError, Findings, Reason, Trouble, Way
from app.audio.playback import Playback
from app.audio.tap import CHUNK, RATE, SoundTap, Take
from app.audio.vad import SileroVad
from tests.support.virtual_audio import VirtualCard

QUIET_S = 1.5
START_S = 2.0


def room(delay_s: float, gain: float, noise_db: float = -65.0, jumps_s: float = 0.0) -> Take:
    """What the microphone makes of the check's sound, with reflections; after the chirp its delay `jumps_s`
    to and fro, as with a driver that loses samples."""
    rng = np.random.default_rng(1)
    count = round(9.5 * RATE) // CHUNK * CHUNK
    sound = np.asarray(soxr.resample(check.sound(), check.PLAY_RATE, RATE), np.float32)
    reference = np.zeros(count, np.float32)
    start = round(START_S * RATE)
    reference[start : start + len(sound)] = sound
    path = np.zeros(3_000)
    path[[0, 112, 272]] = 1.0, 0.3, 0.2
    path[300:] += 0.05 * rng.standard_normal(2_700) * np.exp(-np.arange(2_700) / 700)
    late = round(delay_s * RATE)
    raw = np.zeros(count)
    raw[late:] = gain * np.convolve(reference, path)[: count - late]
    piece = RATE // 5
    for at in range(round((START_S + 1.6) * RATE), count - 2 * piece, 2 * piece):
        shift = round(jumps_s * RATE)
        raw[at : at + piece] = raw[at - shift : at - shift + piece].copy()
    raw += 10 ** (noise_db / 20) * rng.standard_normal(count)
    heard = raw.astype(np.float32)
    return Take(100.0, heard, reference, heard, (False,) * (count // CHUNK), True)


def found(take: Take) -> Findings:
    return check.measure(take, QUIET_S, SileroVad().probability)


@pytest.mark.parametrize("delay_s", [0.005, 0.08, 0.35])
def test_delay_echo_and_what_is_left_of_it(delay_s: float) -> None:
    it = found(room(delay_s, 0.5))
    assert it.delay_s == pytest.approx(delay_s, abs=0.001)
    assert it.noise_db == pytest.approx(-65.0, abs=0.5) and it.voices == 0.0
    assert it.echo_db is not None and it.left_db is not None
    assert it.echo_db == pytest.approx(-28.6, abs=2.0)
    assert it.left_db < it.echo_db - check.TAKEN_OUT_DB
    assert check.advise(it) == (Way.FULL_DUPLEX, Reason.ECHO_GONE)


def test_headphones_are_no_echo() -> None:
    it = found(room(0.08, 0.0))
    assert it.delay_s is None and it.echo_db is None
    assert check.advise(it) == (Way.FULL_DUPLEX, Reason.NO_ECHO)


def test_an_echo_that_cannot_be_cancelled_means_half_duplex() -> None:
    assert check.advise(found(room(0.08, 0.9, jumps_s=0.12))) == (Way.HALF_DUPLEX, Reason.ECHO_LEFT)


def test_a_noisy_room_means_the_button() -> None:
    assert check.advise(found(room(0.08, 0.5, noise_db=-30.0))) == (Way.PUSH_TO_TALK, Reason.NOISE)


@pytest.mark.parametrize(
    ("it", "advice"),
    [
        (Findings(-60.0, 0.6, 0.08, -28.0, -66.0), (Way.PUSH_TO_TALK, Reason.VOICES)),
        (Findings(-60.0, 0.0, 0.08, -28.0, None), (Way.HALF_DUPLEX, Reason.NO_CANCELLER)),
        (Findings(-60.0, 0.0, 0.08, -52.0, -52.0), (Way.FULL_DUPLEX, Reason.ECHO_GONE)),
        (Findings(-45.0, 0.0, 0.08, -28.0, -41.0), (Way.FULL_DUPLEX, Reason.ECHO_GONE)),
    ],
)
def test_advice(it: Findings, advice: tuple[Way, Reason]) -> None:
    assert check.advise(it) == advice


def test_a_dead_microphone_and_a_cut_sound_are_told_apart() -> None:
    heard = room(0.08, 0.5)
    zeros = np.zeros_like(heard.raw)
    with pytest.raises(CheckError) as dead:
        found(Take(100.0, zeros, heard.reference, zeros, heard.doubtful, True))
    assert dead.value.trouble == Trouble.ALL_ZERO
    with pytest.raises(CheckError) as cut:
        found(Take(100.0, heard.raw, zeros, heard.clean, heard.doubtful, True))
    assert cut.value.trouble == Trouble.CUT_OFF


def test_the_sound_is_moderate_and_begins_and_ends_softly() -> None:
    sound = check.sound()
    assert float(np.abs(sound).max()) < 0.5
    assert float(np.sqrt(np.mean(sound * sound))) < 10 ** (-20 / 20)
    edge = check.PLAY_RATE // 500
    for part in (check.sweep(), sound):
        assert float(np.abs(part[:edge]).max()) < 0.01 and float(np.abs(part[-edge:]).max()) < 0.01


# --- on the virtual sound card

CHECK = """
import json, sys, threading
from app.audio import check
from app.audio.capture import Capture
from app.audio.playback import Playback
from app.audio.tap import SoundTap
from app.audio.vad import SileroVad
playback = Playback(latency=0.1)
playback.open()
capture = Capture(lambda chunks: None, detector=SileroVad().probability)
tap = SoundTap(lambda: playback.reference)
capture.taps = (tap,)
capture.open()
steps = []
try:
    it = check.run(playback, tap, lambda: capture.is_open, SileroVad().probability, steps.append, threading.Event())
    way, reason = check.advise(it)
    out = {"way": way, "reason": reason, "delay_s": it.delay_s, "echo_db": it.echo_db, "left_db": it.left_db,
           "noise_db": it.noise_db}
except check.CheckError as error:
    out = {"trouble": error.trouble}
print(json.dumps(out | {"steps": steps}))
capture.close()
playback.close()
"""
# The sound server adds some of its own buffers to the delay that is asked of its loopback.
TOLERANCE_S = 0.06


def _pactl(card: VirtualCard, *arguments: str) -> str:
    done = subprocess.run(["pactl", *arguments], env=card.env, check=True, capture_output=True, text=True, timeout=30)
    return done.stdout.strip()


@contextmanager
def _hiss(card: VirtualCard) -> Iterator[None]:
    """A microphone that is alive: faint noise."""
    noise = (np.random.default_rng(2).standard_normal(48_000 * 40) * 20).astype("<i2")
    file = card.folder / "hiss.raw"
    noise.tofile(file)
    player = subprocess.Popen(
        ["paplay", "-d", "va_mic_in", "--raw", "--rate=48000", "--channels=1", "--format=s16le", str(file)],
        env=card.env,
    )
    try:
        yield
    finally:
        player.terminate()
        player.wait(timeout=10)


def _checked(card: VirtualCard) -> dict[str, Any]:
    out, _ = card.python(CHECK).communicate(timeout=180)
    found: dict[str, Any] = json.loads(out.strip().splitlines()[-1])
    return found


@pytest.mark.live
@pytest.mark.slow
def test_loudspeakers_and_headphones_on_a_sound_card(card: VirtualCard) -> None:
    with _hiss(card):
        apart = _checked(card)
        late = {}
        for delay_ms in (60, 200):
            module = _pactl(
                card, "load-module", "module-loopback", "source=va_speaker.monitor", "sink=va_mic_in",
                f"latency_msec={delay_ms}", "source_dont_move=1", "sink_dont_move=1",
            )  # fmt: skip
            late[delay_ms] = _checked(card)
            _pactl(card, "unload-module", module)
    assert apart["delay_s"] is None and apart["reason"] == Reason.NO_ECHO
    assert apart["steps"] == ["listening", "playing", "working"]
    for delay_ms, it in late.items():
        assert it["delay_s"] == pytest.approx(delay_ms / 1000, abs=TOLERANCE_S)
        assert it["echo_db"] > it["noise_db"] + 20.0
        assert it["reason"] in (Reason.ECHO_GONE, Reason.ECHO_LEFT)
    assert late[200]["delay_s"] - late[60]["delay_s"] == pytest.approx(0.14, abs=TOLERANCE_S)


@pytest.mark.live
@pytest.mark.slow
def test_a_dead_microphone_is_named(card: VirtualCard) -> None:
    assert _checked(card)["trouble"] == Trouble.ALL_ZERO


def test_what_is_not_there_is_named() -> None:
    def trouble(microphone: bool) -> Trouble:
        with pytest.raises(CheckError) as failed:
            check.run(
                Playback(),
                SoundTap(lambda: None),
                lambda: microphone,
                lambda chunk: 0.0,
                lambda step: None,
                threading.Event(),
            )
        return failed.value.trouble

    assert trouble(microphone=False) == Trouble.NO_MICROPHONE
    assert trouble(microphone=True) == Trouble.NO_SPEAKER
