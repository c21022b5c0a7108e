"""The window while its devices are pulled out, the computer sleeps, and how smoothly it goes on meanwhile.

    tests/tools/xvfb.sh python -m pytest -m live tests/live/test_faults_live.py

Each test has a sound card of its own, since it breaks it.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest

from tests.live.room import OPEN_MIC, PROGRAMS, QUESTION, Room, skip_without, until
from tests.support.virtual_audio import VirtualCard, missing, read_wav, virtual_card

pytestmark = [pytest.mark.live, pytest.mark.slow]

MODULE = "tests.live.scripted_window"
# What the scripted engine says to any spoken question, one number every 80 ms.
LAST_WORD = "79"
MOST_BUSY_MS = 50.0
SAVED = OPEN_MIC + '[speaker]\nname = "va_speaker"\nhost = "ALSA"\n'


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> Iterator[VirtualCard]:
    if reason := missing():
        pytest.skip(reason)
    skip_without(*PROGRAMS)
    with virtual_card() as card:
        for name in list(card.env):
            if name.startswith(("PULSE_", "ALSA_")):
                monkeypatch.setenv(name, card.env[name])
        # What is plugged in besides. Whoever has chosen another one keeps to it until that is gone.
        spare = ["module-null-sink", "sink_name=va_spare", "rate=48000", "channels=2", "norewinds=1"]
        subprocess.run(["pactl", "load-module", *spare], check=True, capture_output=True)
        subprocess.run(["pactl", "set-default-sink", "va_spare"], check=True)
        # With the usual buffers a busy machine loses samples, and this is not a test of that.
        monkeypatch.setenv("BANTER_AUDIO_LATENCY_MS", "200")
        yield card


@pytest.fixture
def room(card: VirtualCard, tmp_path: Path) -> Iterator[Room]:
    room = Room(MODULE, tmp_path, SAVED)
    try:
        room.wait_ready()
        yield room
    finally:
        room.close()
    errors = room.errors.read_text()
    assert room.process.returncode == 0, errors[-2000:]
    assert "Traceback" not in errors and "nanobind" not in errors, errors[-2000:]


def _module(name: str) -> str:
    """The number of the PulseAudio module that was loaded with `name` in its arguments."""
    listed = subprocess.run(["pactl", "list", "short", "modules"], check=True, capture_output=True, text=True).stdout
    return next(line.split()[0] for line in listed.splitlines() if f"_name={name} " in line)


def _pull_out(name: str) -> None:
    subprocess.run(["pactl", "unload-module", _module(name)], check=True)


def _answered_whole(room: Room, count: int) -> None:
    until(lambda: room.sides().count("assistant") >= count, f"answer {count} in the transcript")
    answer = [line for line in room.transcript() if line["who"] == "assistant"][count - 1]
    assert not answer["interrupted"] and answer["text"].endswith(LAST_WORD), answer


def test_a_loudspeaker_pulled_out_in_mid_answer_loses_nothing(card: VirtualCard, room: Room, tmp_path: Path) -> None:
    room.say(QUESTION).wait(timeout=60)
    until(lambda: room.loud_seconds() > 0.3, "the sound of the answer")
    elsewhere = tmp_path / "elsewhere.wav"
    with card.recording(elsewhere, "va_spare"):
        _pull_out("va_speaker")
        _answered_whole(room, 1)
    samples, rate = read_wav(elsewhere)
    assert np.count_nonzero(np.abs(samples) > 0.05) > rate, "the rest was heard elsewhere"
    # And the next question, on what is left.
    room.say(QUESTION).wait(timeout=60)
    _answered_whole(room, 2)


def test_a_microphone_pulled_out_in_mid_question_loses_nothing(room: Room) -> None:
    speech = room.say(QUESTION)
    until(lambda: room.count("state: listening"), "the beginning of the question")
    # Less than a word of it would be no question.
    time.sleep(0.4)
    _pull_out("va_mic")
    _answered_whole(room, 1)
    speech.wait(timeout=60)
    assert room.transcript()[0]["who"] == "user"


def test_a_computer_that_slept_in_mid_answer_goes_on_with_it(room: Room) -> None:
    """Both processes stand still for longer than any watchdog waits, as when the lid is shut."""
    room.say(QUESTION).wait(timeout=60)
    until(lambda: room.loud_seconds() > 0.3, "the beginning of the answer")
    both = [psutil.Process(room.process.pid), room.worker()]
    for process in both:
        process.suspend()
    subprocess.run(["sleep", "8"], check=True)
    for process in reversed(both):
        process.resume()
    _answered_whole(room, 1)
    room.say(QUESTION).wait(timeout=60)
    _answered_whole(room, 2)


def test_the_windows_thread_is_never_busy_for_long_while_it_speaks(room: Room) -> None:
    for number in (1, 2):
        room.say(QUESTION).wait(timeout=60)
        _answered_whole(room, number)
    room.process.terminate()
    room.process.wait(timeout=60)
    found = re.findall(r"busiest (\S+) ms, slowest (\S+) ms, (\d+) looks", room.errors.read_text())
    assert found, room.errors.read_text()[-2000:]
    busiest, slowest, looks = found[-1]
    print(f"the window's thread while speaking: {busiest} ms of work at most, {slowest} ms between two looks")
    assert int(looks) > 200
    assert float(busiest) < MOST_BUSY_MS
