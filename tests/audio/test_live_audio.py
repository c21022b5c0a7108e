"""Capture and Playback on a real (virtual) sound card."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.audio.playback import DUCKED
from tests.support.virtual_audio import VirtualCard, read_wav

pytestmark = pytest.mark.live

LISTEN = """
import json, sys, time
from app.audio.capture import Capture
from app.audio.vad import SileroVad
chunks, lost, silent = [], [], []
detector = SileroVad().probability
capture = Capture(chunks.extend, detector=detector, on_lost=lost.append, on_silent=silent.append)
capture.open()
print("open", flush=True)
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end and not lost:
    time.sleep(0.05)
was_open = capture.is_open
capture.close()
print(json.dumps({"lost": lost, "silent": silent, "open": was_open, "count": len(chunks),
    "sizes": sorted({len(c.samples) for c in chunks}), "speech": [round(c.speech, 3) for c in chunks],
    "span": chunks[-1].time - chunks[0].time, "level": max(c.level_db for c in chunks),
    "dropped": capture.dropped_samples}))
"""

PLAY = """
import json, sys, time
import numpy as np
from app.audio.playback import Playback
finished, lost = [], []
playback = Playback(on_finished=finished.append, on_lost=lost.append)
playback.open()
print("open", flush=True)
tone = (0.3 * np.sin(2 * np.pi * 440 * np.arange(24000 * 3) / 24000)).astype("f4")
out = {}

def feed(turn, seconds, pause):
    playback.begin(turn)
    for at in range(0, int(24000 * seconds), 1920):
        playback.write(turn, tone[at : at + 1920])
        time.sleep(pause)

def wait(done, most=8.0):
    end = time.monotonic() + most
    while not done() and time.monotonic() < end:
        time.sleep(0.01)

def rest():
    # Returns when the stream has been stopped for a second.
    global written
    playback.may_rest = True
    written, since = -1, time.monotonic()
    while time.monotonic() - since < 1.0:
        if playback.reference.written != written:
            written, since = playback.reference.written, time.monotonic()
        time.sleep(0.02)

what = sys.argv[1]
if what == "whole":
    feed(1, 1.5, 0.02)
    playback.write(7, tone)
    playback.end(1)
    wait(lambda: finished)
    out["played"] = playback.played_samples(1)
elif what == "cut":
    feed(1, 3.0, 0.0)
    playback.end(1)
    wait(lambda: playback.played_samples(1) > 24000)
    started = time.monotonic()
    playback.stop()
    out["stop_s"] = time.monotonic() - started
    out["played"] = playback.played_samples(1)
    playback.write(1, tone)
    time.sleep(0.5)
    feed(2, 0.4, 0.0)
    playback.end(2)
    wait(lambda: finished)
    out["second"] = playback.played_samples(2)
elif what == "held":
    feed(1, 2.0, 0.0)
    playback.end(1)
    wait(lambda: playback.played_samples(1) > 12000)
    playback.duck()
    time.sleep(0.5)
    playback.hold()
    time.sleep(0.3)
    out["held"] = playback.played_samples(1)
    time.sleep(0.5)
    out["still"] = playback.played_samples(1)
    playback.resume()
    wait(lambda: finished)
    out["played"] = playback.played_samples(1)
elif what == "starved":
    for turn in (1, 2):
        playback.begin(turn)
        for at in range(0, 24000, 1920):
            playback.write(turn, tone[at : at + 1920])
            time.sleep(0.12)
        playback.end(turn)
        wait(lambda: turn in finished)
        out[f"played{turn}"] = playback.played_samples(turn)
        out[f"underruns{turn}"] = playback.underruns
elif what == "lost":
    feed(1, 3.0, 0.0)
    wait(lambda: lost)
elif what in ("rested", "gone"):
    rest()
    if what == "gone":
        print("resting", flush=True)
        sys.stdin.readline()
    feed(1, 1.5, 0.0)
    playback.end(1)
    if what == "gone":
        wait(lambda: lost)
        print("noticed", flush=True)
        sys.stdin.readline()
        playback.open()
    wait(lambda: finished)
    out["played"] = playback.played_samples(1)
    if what == "rested":
        rest()
        playback.may_rest = False
        wait(lambda: playback.reference.written > written)
        out["again"] = playback.reference.written > written
out.update(finished=finished, lost=lost, open=playback.is_open, underruns=playback.underruns)
playback.close()
print(json.dumps(out))
"""


def _opened(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    seen = []
    for line in process.stdout:
        if line.strip() == "open":
            return
        seen.append(line)
    raise AssertionError("".join(seen))


def _result(process: subprocess.Popen[str]) -> Any:
    text, _ = process.communicate(timeout=60)
    assert process.returncode == 0, text
    return json.loads(text.strip().splitlines()[-1])


def _sounding(samples: np.ndarray, rate: int) -> np.ndarray:
    """True for each 5 ms block that is not silent."""
    size = rate // 200
    blocks = samples[: len(samples) // size * size].reshape(-1, size)
    loud: np.ndarray = np.abs(blocks).max(axis=1) > 0.01
    return loud


def test_capture_hears_speech(card: VirtualCard, spoken: Path) -> None:
    process = card.python(LISTEN, "5")
    _opened(process)
    time.sleep(0.5)
    card.say(spoken)
    heard = _result(process)
    assert heard["lost"] == [] and heard["open"] and heard["dropped"] == 0
    assert heard["sizes"] == [512]
    assert heard["count"] * 0.032 == pytest.approx(heard["span"], rel=0.15)
    assert max(heard["speech"]) > 0.9
    assert sum(p > 0.5 for p in heard["speech"]) * 0.032 > 1.0
    assert max(heard["speech"][:8]) < 0.35
    assert heard["level"] > -40


# A device that says it runs at one rate and then refuses it, as some do while another program uses them.
FUSSY = """
import sounddevice
for name in ("RawInputStream", "OutputStream"):
    real = getattr(sounddevice, name)
    def fussy(*, samplerate, real=real, **more):
        if samplerate not in (16000, 44100):
            raise sounddevice.PortAudioError("Error opening stream: Invalid sample rate", -9997)
        return real(samplerate=samplerate, **more)
    setattr(sounddevice, name, fussy)
"""


def test_a_device_that_refuses_its_own_rate_is_used_at_another(card: VirtualCard, spoken: Path, tmp_path: Path) -> None:
    process = card.python(FUSSY + LISTEN, "5")
    _opened(process)
    time.sleep(0.5)
    card.say(spoken)
    heard = _result(process)
    assert heard["lost"] == [] and max(heard["speech"]) > 0.9 and heard["sizes"] == [512]
    file = tmp_path / "out.wav"
    with card.recording(file):
        time.sleep(0.3)
        result = _result(card.python(FUSSY + PLAY, "whole"))
        time.sleep(0.3)
    assert result["finished"] == [1] and result["played"] == pytest.approx(19 * 1_920, abs=400)
    samples, rate = read_wav(file)
    assert np.count_nonzero(_sounding(samples, rate)) * 0.005 == pytest.approx(1.5, abs=0.25)


def test_at_rest_the_sound_is_kept_and_no_speech_looked_for(card: VirtualCard, spoken: Path) -> None:
    process = card.python(LISTEN.replace("capture.open()", "capture.resting = True; capture.open()"), "5")
    _opened(process)
    time.sleep(0.5)
    card.say(spoken)
    heard = _result(process)
    assert heard["level"] > -40 and heard["dropped"] == 0 and heard["sizes"] == [512]
    assert heard["count"] * 0.032 == pytest.approx(heard["span"], rel=0.15)
    assert max(heard["speech"]) == 0.0


REST = """
import json, sys, time
import numpy as np
from app.audio.capture import Capture
batches, lost = [], []
capture = Capture(batches.append, detector=lambda samples: 0.5, on_lost=lost.append)
capture.resting = True
capture.open()
print("open", flush=True)
spans = []
for resting, watched in ((True, False), (False, False), (True, True), (True, False), (False, False)):
    before = len(batches)
    capture.resting, capture.watched = resting, watched
    time.sleep(1.5)
    spans.append(batches[before + 1 : len(batches)])
time.sleep(0.5)
capture.close()
assert not lost and not capture.dropped_samples
chunks = sum(batches, [])
np.save(sys.argv[1], np.concatenate([chunk.samples for chunk in chunks]))
print(json.dumps({"times": [chunk.time for chunk in chunks],
    "together": [[len(batch) for batch in span] for span in spans],
    "asked": [sorted({chunk.speech for batch in span for chunk in batch}) for span in spans]}))
"""


def test_between_rest_and_work_nothing_is_lost(card: VirtualCard, tmp_path: Path) -> None:
    noise = (0.2 * np.random.default_rng(5).standard_normal(4 * 16_000)).astype(np.float32)
    with wave.open(str(tmp_path / "noise.wav"), "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", ""))
        file.writeframes((noise * 32_767).astype("<i2").tobytes())
    process = card.python(REST, str(tmp_path / "heard.npy"))
    _opened(process)
    time.sleep(1.0)
    card.say(tmp_path / "noise.wav")
    told = _result(process)
    assert told["asked"] == [[0.0], [0.5], [0.0], [0.0], [0.5]]
    assert max(told["together"][0]) > 8, "silence comes many at a time while it rests"
    assert min(told["together"][1]) == min(told["together"][2]) == 1, "and at once where somebody waits for it"
    steps = np.diff(told["times"])
    assert steps.min() > 0.0 and steps.max() < 0.08, "in order, and without a gap"
    heard = np.load(tmp_path / "heard.npy")
    size = 1 << (len(heard) + len(noise)).bit_length()
    match = np.fft.irfft(np.fft.rfft(heard, size) * np.fft.rfft(noise, size).conj(), size)[: len(heard)]
    begin = int(np.argmax(match))
    found = heard[begin : begin + len(noise)]
    assert len(found) == len(noise)
    for at in range(0, len(noise), 1_600):
        mine, theirs = noise[at : at + 1_600], found[at : at + 1_600]
        assert np.dot(mine, theirs) > 0.9 * np.linalg.norm(mine) * np.linalg.norm(theirs), "whole, and all in its place"


CHANGE = """
import json, time
from app.audio.capture import Capture
chunks, lost = [], []
capture = Capture(chunks.extend, detector=lambda samples: 0.5, on_lost=lost.append)
capture.open()
print("open", flush=True)
for prompt in (False, True, False):
    time.sleep(1.0)
    capture.prompt = prompt
time.sleep(1.0)
was_open = capture.is_open
capture.close()
print(json.dumps({"lost": lost, "open": was_open, "times": [chunk.time for chunk in chunks]}))
"""


def test_a_microphone_that_is_to_deliver_more_often_or_less_often_goes_on(card: VirtualCard) -> None:
    process = card.python(CHANGE)
    _opened(process)
    told = _result(process)
    assert told["lost"] == [] and told["open"]
    steps = np.diff(told["times"])
    assert steps.min() > -0.05 and len(steps) * 0.032 > 3.0, "hardly anything is heard twice or left out"


def test_silent_microphone_is_reported_once(card: VirtualCard) -> None:
    process = card.python(LISTEN, "6.5")
    _opened(process)
    assert len(_result(process)["silent"]) == 1


def test_lost_microphone_is_reported(card: VirtualCard) -> None:
    process = card.python(LISTEN, "15")
    _opened(process)
    time.sleep(0.5)
    card.kill_server()
    heard = _result(process)
    assert len(heard["lost"]) == 1 and "microphone" in heard["lost"][0]
    assert not heard["open"]


def test_tone_is_played_whole(card: VirtualCard, tmp_path: Path) -> None:
    file = tmp_path / "out.wav"
    with card.recording(file):
        time.sleep(0.3)
        result = _result(card.python(PLAY, "whole"))
        time.sleep(0.3)
    assert result["finished"] == [1] and result["lost"] == [] and result["open"]
    assert result["played"] == pytest.approx(19 * 1_920, abs=400)
    samples, rate = read_wav(file)
    sounding = np.flatnonzero(_sounding(samples, rate))
    assert len(sounding) * 0.005 == pytest.approx(1.5, abs=0.25)
    part = samples[sounding[0] * rate // 200 :][: rate * 5 // 4]
    spectrum = np.abs(np.fft.rfft(part * np.hanning(len(part))))
    assert np.argmax(spectrum) * rate / len(part) == pytest.approx(440, abs=2)
    assert np.abs(part).max() == pytest.approx(0.3, abs=0.03)


def test_stop_silences_and_the_next_turn_starts(card: VirtualCard, tmp_path: Path) -> None:
    file = tmp_path / "out.wav"
    with card.recording(file):
        time.sleep(0.3)
        result = _result(card.python(PLAY, "cut"))
        time.sleep(0.3)
    assert result["finished"] == [2]
    assert result["stop_s"] < 0.03
    assert 24_000 < result["played"] < 48_000
    assert result["second"] == pytest.approx(9_600, abs=400)
    samples, rate = read_wav(file)
    sounding = np.flatnonzero(_sounding(samples, rate))
    gaps = np.flatnonzero(np.diff(sounding) > 40)
    first_end = sounding[gaps[-1]]
    # Blocks of sound, not the time between first and last: a busy machine may stutter.
    heard_s = np.count_nonzero(sounding <= first_end) * 0.005
    # What was heard beyond the counter: the fade, the device's own buffer, and the counter's coarseness.
    assert heard_s - result["played"] / 24_000 < 0.15
    assert (sounding[-1] - sounding[gaps[-1] + 1] + 1) * 0.005 == pytest.approx(0.4, abs=0.1)


def test_ducked_it_is_quieter_held_it_is_silent_and_nothing_is_lost(card: VirtualCard, tmp_path: Path) -> None:
    file = tmp_path / "out.wav"
    with card.recording(file):
        time.sleep(0.3)
        result = _result(card.python(PLAY, "held"))
        time.sleep(0.3)
    assert result["finished"] == [1]
    assert 12_000 < result["held"] == result["still"] < 40_000
    assert result["played"] == pytest.approx(25 * 1_920, abs=400)
    samples, rate = read_wav(file)
    sounding = np.flatnonzero(_sounding(samples, rate))
    gap = int(np.argmax(np.diff(sounding)))
    assert (sounding[gap + 1] - sounding[gap]) * 0.005 > 0.5
    before = samples[: (sounding[gap] - 4) * rate // 200][-rate // 5 :]
    after = samples[(sounding[gap + 1] + 4) * rate // 200 :][: rate // 5]
    assert np.abs(before).max() == pytest.approx(0.3 * DUCKED, abs=0.02)
    assert np.abs(after).max() == pytest.approx(0.3, abs=0.03)


def test_slow_speech_raises_the_prebuffer(card: VirtualCard) -> None:
    result = _result(card.python(PLAY, "starved"))
    assert result["finished"] == [1, 2]
    assert result["played1"] == pytest.approx(24_960, abs=400)
    assert result["played2"] == pytest.approx(24_960, abs=400)
    first, second = result["underruns1"], result["underruns2"] - result["underruns1"]
    assert first >= 1
    assert second <= first


def test_a_stream_that_rests_plays_the_next_turn_whole(card: VirtualCard, tmp_path: Path) -> None:
    file = tmp_path / "out.wav"
    with card.recording(file):
        time.sleep(0.3)
        result = _result(card.python(PLAY, "rested"))
        time.sleep(0.3)
    assert result["finished"] == [1] and result["lost"] == [] and result["open"] and result["again"]
    assert result["played"] == pytest.approx(19 * 1_920, abs=400) and result["underruns"] == 0
    samples, rate = read_wav(file)
    sounding = np.flatnonzero(_sounding(samples, rate))
    assert len(sounding) * 0.005 == pytest.approx(1.5, abs=0.1)


def test_a_loudspeaker_that_goes_away_while_it_rests_is_noticed_when_it_is_needed(
    card: VirtualCard, tmp_path: Path
) -> None:
    process = card.python(PLAY, "gone")
    assert process.stdout is not None and process.stdin is not None
    assert any(line.strip() == "resting" for line in process.stdout)
    card.kill_server()
    process.stdin.write("go\n")
    process.stdin.flush()
    assert any(line.strip() == "noticed" for line in process.stdout)
    card.restart_server()
    file = tmp_path / "out.wav"
    with card.recording(file):
        time.sleep(0.3)
        process.stdin.write("go\n")
        process.stdin.flush()
        result = _result(process)
        time.sleep(0.3)
    assert len(result["lost"]) == 1 and "loudspeaker" in result["lost"][0]
    assert result["finished"] == [1] and result["played"] == pytest.approx(19 * 1_920, abs=400)
    samples, rate = read_wav(file)
    assert np.count_nonzero(_sounding(samples, rate)) * 0.005 == pytest.approx(1.5, abs=0.1)


def test_a_microphone_that_stops_for_a_moment_is_told_and_goes_on(card: VirtualCard) -> None:
    process = card.python(LISTEN, "3.5")
    _opened(process)
    time.sleep(1.0)
    os.kill(card.pid, signal.SIGSTOP)
    time.sleep(0.9)
    os.kill(card.pid, signal.SIGCONT)
    result = _result(process)
    assert len(result["silent"]) == 1 and "stopped" in result["silent"][0]
    assert result["lost"] == [] and result["open"] and result["count"] > 50


def test_lost_loudspeaker_is_reported(card: VirtualCard) -> None:
    process = card.python(PLAY, "lost")
    _opened(process)
    time.sleep(0.5)
    card.kill_server()
    result = _result(process)
    assert len(result["lost"]) == 1 and "loudspeaker" in result["lost"][0]
    assert not result["open"]


def test_devices_can_be_opened_again_after_a_loss(card: VirtualCard) -> None:
    code = """
import sys, time
from app.audio.capture import Capture
from app.audio.playback import Playback
chunks, lost = [], []
capture = Capture(chunks.extend, detector=lambda samples: 0.0, on_lost=lost.append)
playback = Playback(on_lost=lost.append)
for thing in (capture, playback):
    thing.open()
print("open", flush=True)
end = time.monotonic() + 10
while len(lost) < 2 and time.monotonic() < end:
    time.sleep(0.02)
print("lost", len(lost), flush=True)
sys.stdin.readline()
for thing in (capture, playback):
    thing.open()
chunks.clear()
time.sleep(1.0)
print("chunks", len(chunks) > 15, playback.is_open, flush=True)
for thing in (capture, playback):
    thing.close()
"""
    process = card.python(code)
    _opened(process)
    card.kill_server()
    assert process.stdout is not None and process.stdin is not None
    assert any(line.strip() == "lost 2" for line in process.stdout)
    card.restart_server()
    text, _ = process.communicate("go\n", timeout=60)
    assert "chunks True True" in text, text


def test_no_device_is_one_clear_sentence(card: VirtualCard) -> None:
    code = """
from app.audio.capture import Capture
from app.audio.devices import AudioDeviceError
from app.audio.playback import Playback
for thing in (Capture(lambda chunks: None, detector=lambda samples: 0.0), Playback()):
    try:
        thing.open()
    except AudioDeviceError as error:
        print(error)
    assert not thing.is_open
    thing.close()
"""
    card.kill_server()
    text, _ = card.python(code).communicate(timeout=60)
    assert "No microphone was found: plug one in and try again." in text
    assert "No loudspeaker was found: plug one in and try again." in text
    assert "Traceback" not in text
