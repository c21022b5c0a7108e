"""The echo canceller in a synthetic room, on the path that the microphone takes through it."""

from __future__ import annotations

import os
import subprocess
import sys
import wave
from pathlib import Path

import numpy as np
import pytest
import soxr
from numpy.typing import NDArray

from app.audio.echo import FRAME, LEAD_S, RATE, EchoError, EchoFilter, WebRtcCanceller
from app.audio.reference import Reference, ReferenceReader
from app.audio.vad import CHUNK, SileroVad
from app.conversation.barge_in import VoiceWatch
from app.conversation.events import SpeechChunk
from app.conversation.timing import Timing

Samples = NDArray[np.float32]
DEVICE_RATE = 48_000
BLOCK = 480
ROOT = Path(__file__).resolve().parents[2]
TIMING = Timing()


@pytest.fixture(scope="session")
def speech(spoken: Path) -> Samples:
    """espeak-ng speech at 16 kHz, half a second of silence before and after it."""
    with wave.open(str(spoken)) as source:
        raw = np.frombuffer(source.readframes(source.getnframes()), "<i2").astype(np.float32) / 32_768
        rate = source.getframerate()
    quiet = np.zeros(RATE // 2, np.float32)
    return np.concatenate((quiet, np.asarray(soxr.resample(raw, rate, RATE), np.float32), quiet))


def _echo(played: Samples, delay_s: float, gain_db: float) -> Samples:
    """What a microphone hears of `played` in a small room: late, quieter, with reverberation; and its own hiss."""
    rng = np.random.default_rng(4)
    tail = 0.1 * rng.standard_normal(3_200) * np.exp(-np.arange(3_200) / 480)
    room = np.concatenate((np.zeros(round(delay_s * RATE)), [1.0], tail)) * 10 ** (gain_db / 20)
    heard = np.convolve(played, room)[: len(played)] + 1e-4 * rng.standard_normal(len(played))
    return heard.astype(np.float32)


def _clean(
    played: Samples, heard: Samples, *, fast: float = 0.0, start: float = 7.0, suppress: bool = False
) -> Samples:
    """Send both through the filter as the devices would: 48 kHz out, 10 ms at a time in, the loudspeaker's
    buffer 30 ms ahead. `fast`: by how much the microphone's clock runs ahead. `suppress` noise.
    """
    reference = Reference(DEVICE_RATE)
    echo_filter = EchoFilter(WebRtcCanceller(noise_suppression=suppress), lambda: reference, always=suppress)
    device = np.asarray(soxr.resample(played, RATE, DEVICE_RATE), np.float32)
    pieces, sent = [], 0
    for at in range(0, len(heard), FRAME):
        now = at / RATE
        while sent < len(device) and sent / DEVICE_RATE < now + 0.06:
            reference.write(device[sent : sent + BLOCK], start + sent / DEVICE_RATE)
            sent += BLOCK
        pieces.append(echo_filter.process(heard[at : at + FRAME], start + now * (1.0 + fast)))
    assert echo_filter.working
    return np.concatenate(pieces)


def _power_db(samples: Samples) -> float:
    return float(10 * np.log10(np.mean(np.square(samples, dtype=np.float64)) + 1e-12))


def _voiced(samples: Samples) -> int:
    detector = SileroVad()
    chunks = range(0, len(samples) - CHUNK + 1, CHUNK)
    return sum(detector.probability(samples[at : at + CHUNK]) > 0.5 for at in chunks)


@pytest.mark.parametrize("delay_s", [0.0, 0.04, 0.2])
def test_speech_from_the_loudspeaker_is_taken_out_from_its_first_word(speech: Samples, delay_s: float) -> None:
    heard = _echo(speech, delay_s, -6.0)
    assert _voiced(heard) > 40
    clean = _clean(speech, heard)
    assert _power_db(heard) - _power_db(clean) > 20.0
    assert _voiced(clean) <= 1, "before the canceller knows the room"


def test_clocks_that_drift_apart_do_no_harm(speech: Samples) -> None:
    played = np.tile(speech, 3)
    heard = _echo(played, 0.08, -6.0)
    clean = _clean(played, heard, fast=2e-3)
    assert _power_db(heard) - _power_db(clean) > 20.0
    assert _voiced(clean) == 0


def test_the_user_passes_when_nothing_is_played(speech: Samples) -> None:
    user = 0.5 * speech
    clean = _clean(np.zeros_like(user), user)
    assert abs(_power_db(clean) - _power_db(user)) < 3.0
    assert _voiced(clean) > 0.9 * _voiced(user)


def test_the_user_is_heard_over_the_very_first_answer(speech: Samples) -> None:
    user = speech[::-1].copy()
    user[: RATE // 2 + RATE // 10] = 0.0
    clean = _clean(speech, _echo(speech, 0.08, -6.0) + user)
    assert _voiced(clean) >= 16


def test_without_a_loudspeaker_the_length_is_kept(speech: Samples) -> None:
    echo_filter = EchoFilter(WebRtcCanceller(), lambda: None)
    sizes = [len(echo_filter.process(speech[at : at + 333], 1.0)) for at in range(0, 3_330, 333)]
    assert sum(sizes) == 3_330 // FRAME * FRAME
    assert all(size % FRAME == 0 for size in sizes)


def test_while_nothing_is_played_the_microphone_comes_through_untouched(speech: Samples) -> None:
    silence = np.zeros(5 * RATE, np.float32)
    played = np.concatenate((speech, silence, speech))
    heard = _echo(played, 0.08, -6.0)
    clean = _clean(played, heard)
    resting = slice(len(speech) + 3 * RATE, len(speech) + 4 * RATE)
    assert np.array_equal(clean[resting], heard[resting])
    assert _voiced(clean[-len(speech) :]) == 0


@pytest.mark.parametrize("seconds", [2.5, 9.0])
def test_after_a_rest_it_goes_on_as_if_there_had_been_none(
    speech: Samples, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = np.concatenate((speech, np.zeros(round(seconds * RATE), np.float32), speech))
    heard = _echo(played, 0.08, -6.0)
    rested = _clean(played, heard)[-len(speech) :]
    monkeypatch.setattr("app.audio.echo._REST_AFTER_S", float("inf"))
    never = _clean(played, heard)[-len(speech) :]
    assert _power_db(rested - never) < _power_db(heard[-len(speech) :]) - 45.0
    assert _power_db(rested) < _power_db(never) + 3.0


def test_a_loudspeaker_that_rests_is_silent_meanwhile() -> None:
    """And starts again on time, though as late as it pleases."""
    reference, first, silence = Reference(RATE), _ramp(RATE), 3.0
    for at in range(0, RATE, 160):
        reference.write(first[at : at + 160], 50.0 + at / RATE)
    reader = ReferenceReader(reference, RATE)
    np.testing.assert_array_equal(reader.take(160, 50.5, 0.01).samples, first[8_000:8_160])
    reference.pause()
    for at in range(0, RATE, 160):
        reference.write(first[at : at + 160], 51.0 + silence + 0.1 + at / RATE)
    assert not reader.take(160, 52.9, 0.01).samples.any()
    np.testing.assert_allclose(reader.take(160, 54.1, 0.01).samples, first[:160], atol=1e-6)
    np.testing.assert_allclose(reader.take(160, 54.11, 0.01).samples, first[160:320], atol=1e-6)


class _Recorder:
    """Keeps what was played; fails when told to."""

    def __init__(self) -> None:
        self.far: list[Samples] = []
        self.fails = False

    def process(self, near: Samples, far: Samples) -> Samples:
        if self.fails:
            raise EchoError("it broke")
        self.far.append(far)
        return near * np.float32(0.1)


def _ramp(count: int) -> Samples:
    """Each sample at 16 kHz is its own number, in thousandths."""
    return (np.arange(count) / 1_000).astype(np.float32)


def test_the_reference_is_that_of_the_time_with_a_fixed_lead() -> None:
    reference, recorder = Reference(RATE), _Recorder()
    echo_filter = EchoFilter(recorder, lambda: reference)
    for at in range(0, 8_000, 160):
        reference.write(_ramp(8_000)[at : at + 160], 50.0 + at / RATE + 0.003 * (at % 3))
    for at in range(0, 4_800, 160):
        echo_filter.process(np.zeros(160, np.float32), 50.1 + at / RATE)
    far = np.concatenate(recorder.far)
    assert np.allclose(np.diff(far), 0.001, atol=1e-5), "no gap and no jump"
    assert far[0] * 1_000 == pytest.approx((0.1 + LEAD_S) * RATE, abs=0.008 * RATE)


def test_another_loudspeaker_and_an_overwritten_past() -> None:
    first, second, recorder = Reference(RATE), Reference(RATE), _Recorder()
    now = {"reference": first}
    echo_filter = EchoFilter(recorder, lambda: now["reference"])
    first.write(np.full(1_600, 0.5, np.float32), 10.0)
    echo_filter.process(np.zeros(160, np.float32), 10.0)
    assert recorder.far[-1][0] == 0.5
    now["reference"] = second
    for at in range(0, 10 * RATE, RATE // 10):
        second.write(np.full(RATE // 10, 0.25, np.float32), 20.0 + at / RATE)
    echo_filter.process(np.zeros(160, np.float32), 29.5)
    assert np.all(recorder.far[-1] == 0.25)
    echo_filter.process(np.zeros(160, np.float32), 20.0)
    assert np.all(recorder.far[-1] == 0.0), "long gone"


def _believed(played: Samples, heard: Samples, *, claimed: float = 0.06) -> int:
    """The most voiced chunks in a row, short gaps allowed, that would count as the user's.

    The loudspeaker, 60 ms late in truth, says that it is `claimed` seconds late.
    """
    reference = Reference(DEVICE_RATE)
    echo_filter = EchoFilter(WebRtcCanceller(), lambda: reference)
    watch = VoiceWatch(Timing(interruption_chunks=10_000))
    detector = SileroVad()
    device = np.asarray(soxr.resample(played, RATE, DEVICE_RATE), np.float32)
    rest, sent, most, index = np.zeros(0, np.float32), 0, 0, 0
    for at in range(0, len(heard) - FRAME + 1, FRAME):
        now = at / RATE
        while sent < len(device) and sent / DEVICE_RATE < now + 0.06:
            reference.write(device[sent : sent + BLOCK], 7.0 + sent / DEVICE_RATE + claimed - 0.06)
            sent += BLOCK
        rest = np.concatenate((rest, echo_filter.process(heard[at : at + FRAME], 7.0 + now)))
        if len(rest) >= CHUNK:
            probability = detector.probability(rest[:CHUNK])
            rest = rest[CHUNK:]
            watch.hear(SpeechChunk(index, probability, not echo_filter.is_clean), 1, True, now)
            most = max(most, watch.run.voiced if watch.run else 0)
            index += 1
    return most


def _jumping(played: Samples, delays_s: tuple[float, ...]) -> Samples:
    """The echo at one delay after the other, each for its share of the time."""
    echoes = [_echo(played, delay_s, -6.0) for delay_s in delays_s]
    share = len(played) // len(echoes)
    pieces = [echo[i * share : (i + 1) * share] for i, echo in enumerate(echoes)]
    return np.concatenate([*pieces[:-1], echoes[-1][(len(echoes) - 1) * share :]])


QUIET = np.zeros(2 * RATE, np.float32)


@pytest.mark.parametrize("delays_s", [(0.0,), (0.3,), (0.05, 0.12), (0.2, 0.08, 0.26), (0.02, 0.3)])
def test_no_echo_is_taken_for_the_user_when_its_delay_jumps(speech: Samples, delays_s: tuple[float, ...]) -> None:
    played = np.concatenate((QUIET, speech, speech, speech))
    assert _believed(played, _jumping(played, delays_s)) < TIMING.barge_in_chunks


@pytest.mark.parametrize("claimed", [0.01, 0.2, 0.34, 0.6])
def test_a_loudspeaker_may_be_wrong_about_its_delay(speech: Samples, claimed: float) -> None:
    """Also when the echo seems to come long before its cause."""
    played = np.concatenate((QUIET, speech, speech))
    assert _believed(played, _echo(played, 0.04, -6.0), claimed=claimed) < TIMING.barge_in_chunks


@pytest.mark.parametrize("gain_db", [-6.0, -20.0])
def test_the_user_is_believed_over_an_echo_as_loud(speech: Samples, gain_db: float) -> None:
    played = np.concatenate((QUIET, speech, speech))
    user = np.zeros_like(played)
    user[len(QUIET) + RATE : len(QUIET) + RATE + len(speech)] = 0.5 * speech[::-1]
    assert _believed(played, _echo(played, 0.12, gain_db) + user) >= 2 * TIMING.barge_in_chunks


def test_with_headphones_the_user_is_believed_from_the_first_moment_of_the_first_answer(speech: Samples) -> None:
    played = np.concatenate((QUIET, speech, speech))
    start = len(QUIET) + RATE // 2 + RATE // 10
    user = np.zeros_like(played)
    user[start : start + RATE] = 0.5 * speech[RATE // 2 : RATE // 2 + RATE][::-1]
    noise = np.random.default_rng(1).normal(0.0, 3e-4, len(played)).astype(np.float32)
    assert _believed(played, user + noise) >= TIMING.barge_in_chunks, "within a second of speech"


def test_with_headphones_the_user_is_heard_over_the_first_answer(speech: Samples) -> None:
    played = np.concatenate((np.zeros(2 * RATE, np.float32), speech, speech))
    user = np.concatenate((np.zeros(2 * RATE + RATE * 3 // 2, np.float32), speech[RATE // 2 :], speech))[: len(played)]
    noise = np.random.default_rng(1).normal(0.0, 1e-3, len(played)).astype(np.float32)
    clean = _clean(played, user + noise)
    assert _voiced(clean) > 0.9 * _voiced(user + noise)


@pytest.mark.parametrize("gain_db", [-6.0, -30.0])
def test_the_users_question_is_not_taken_for_the_noise_of_the_room(speech: Samples, gain_db: float) -> None:
    quiet = np.zeros(RATE // 4, np.float32)
    question = np.concatenate((speech, speech, quiet))
    played = np.concatenate((np.zeros_like(question), speech, speech))
    noise = np.random.default_rng(1).normal(0.0, 3e-4, len(played)).astype(np.float32)
    heard = noise + _echo(played, 0.05, gain_db)
    heard[: len(question)] += question
    assert _voiced(_clean(played, heard)[len(question) :]) == 0


def test_headphones_pulled_out_are_noticed(speech: Samples) -> None:
    played = np.concatenate((np.zeros(2 * RATE, np.float32), np.tile(speech, 4)))
    noise = np.random.default_rng(1).normal(0.0, 1e-3, len(played)).astype(np.float32)
    pulled = 2 * RATE + len(speech)
    heard = noise + np.where(np.arange(len(played)) < pulled, 0.0, _echo(played, 0.05, -6.0))
    clean = _clean(played, heard.astype(np.float32))
    assert _voiced(clean[:pulled]) == 0
    assert _voiced(clean[-len(speech) :]) == 0


def test_a_failure_is_told_once_and_lets_the_microphone_through() -> None:
    recorder = _Recorder()
    told: list[str] = []
    reference = Reference(RATE)
    reference.write(np.full(RATE, 0.1, np.float32), 0.0)
    echo_filter = EchoFilter(recorder, lambda: reference, told.append)
    noise = np.linspace(-1, 1, 480, dtype=np.float32)
    assert np.abs(echo_filter.process(noise, 0.0)).max() < 0.11
    recorder.fails = True
    for _ in range(3):
        assert np.array_equal(echo_filter.process(noise, 1.0), noise)
    assert not echo_filter.working
    assert told == ["it broke"]


def _python(code: str, **environment: str) -> str:
    env = os.environ | {"PYTHONPATH": str(ROOT)} | environment
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout


def test_a_library_that_does_not_load_is_one_clear_reason() -> None:
    code = """
from app.audio.echo import EchoError, WebRtcCanceller
try:
    WebRtcCanceller()
except EchoError as error:
    print(error)
"""
    assert "does not start" in _python(code, LIVEKIT_LIB_PATH="/nowhere/liblivekit_ffi.so")


def test_the_window_starts_without_it_and_it_never_brings_torch() -> None:
    code = """
import sys
import app.gui.assistant
print("livekit" in sys.modules)
from app.audio.echo import WebRtcCanceller
WebRtcCanceller()
print("torch" in sys.modules)
"""
    assert _python(code).split() == ["False", "False"]


def test_noise_is_suppressed_with_headphones_too_where_that_is_wanted(speech: Samples) -> None:
    played = np.concatenate((np.zeros(2 * RATE, np.float32), np.tile(speech, 2)))
    noise = np.random.default_rng(1).normal(0.0, 1e-3, len(played)).astype(np.float32)
    as_it_is, suppressed = (_clean(played, noise, suppress=on)[-RATE:] for on in (False, True))
    assert _power_db(as_it_is) == pytest.approx(_power_db(noise), abs=0.1), "there is no echo, so nothing is touched"
    assert _power_db(suppressed) < _power_db(noise) - 6
