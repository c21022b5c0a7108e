"""The window on loudspeakers: what it says comes back into its microphone, late and half as loud.

    tests/tools/virtual_audio.sh run -- tests/tools/xvfb.sh python -m pytest -m live tests/live/test_echo_live.py

Mostly its engine says recorded speech; nobody speaks but the loudspeaker and, when the test says so, the user.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from app.audio.devices import LATENCY_VARIABLE
from tests.live.room import INTERRUPTION, PROGRAMS, QUESTION, Room, skip_without, until
from tests.live.speaking_engine import ANSWERS

pytestmark = [pytest.mark.live, pytest.mark.slow]

MODULE = "tests.live.speaking_window"
DELAYS_MS = (40, 200)
ROUNDS = 4
REST_S = 8.0
SPOKEN = (
    ("en-us", "The museum opens at nine in the morning, and the last visitors may go in at half past five."),
    ("en-gb+f3", "You could bake some bread, call an old friend, or take the long way home along the river."),
    ("en-us+m7", "It is raining a little in the north, while the south will stay dry until late tonight."),
    ("en-gb", "There are seven of them altogether, but only three can be seen without a telescope."),
)


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _answers(folder: Path) -> Path:
    """WAV files at 24 kHz of four different voices, 5 to 6 s each."""
    folder.mkdir()
    for number, (voice, text) in enumerate(SPOKEN):
        raw = folder / "raw"
        _run("espeak-ng", "-v", voice, "-s", "150", "-w", str(raw), text)
        _run("sox", "-t", "wav", str(raw), "-r", "24000", "-c", "1", "-b", "16", str(folder / f"{number}.wav"))
        raw.unlink()
    return folder


def _louder(room: Room, seconds: float) -> bool:
    return room.loud_seconds() > seconds


def _until_answers(room: Room, count: int) -> None:
    until(lambda: room.sides().count("assistant") >= count, f"answer {count} in the transcript")


@contextmanager
def _loudspeakers(folder: Path, delay_ms: int, module: str = MODULE, **environment: str) -> Iterator[Room]:
    """The window of `module`, whose loudspeaker is heard by its microphone at -6 dB, so many milliseconds later."""
    skip_without(*PROGRAMS, "sox")
    loop = _run(
        "pactl", "load-module", "module-loopback", "source=va_speaker.monitor", "sink=va_mic_in",
        f"latency_msec={delay_ms}", "source_dont_move=1", "sink_dont_move=1",
    ).strip()  # fmt: skip
    try:
        streams = _run("pactl", "list", "short", "sink-inputs").split()
        _run("pactl", "set-sink-input-volume", streams[0], "-6dB")
        # With the usual buffers a busy machine loses samples, and this is not a test of that.
        environment |= {ANSWERS: str(_answers(folder / "answers")), LATENCY_VARIABLE: "300"}
        room = Room(module, folder, **environment)
        try:
            room.wait_ready()
            yield room
        finally:
            room.close()
    finally:
        _run("pactl", "unload-module", loop)
    assert room.process.returncode == 0, room.errors.read_text()[-2000:]


@pytest.mark.parametrize("delay_ms", DELAYS_MS)
def test_it_does_not_interrupt_itself_but_the_user_can(delay_ms: int, tmp_path: Path) -> None:
    with _loudspeakers(tmp_path, delay_ms) as room:
        until(lambda: room.count("echo cancellation: on"), "the echo canceller")
        _answers_whole(room, ROUNDS)
        sound = room.loud_seconds()
        room.say(QUESTION).wait(timeout=60)
        until(lambda: room.loud_seconds() > sound + 0.5, "the beginning of the answer")
        speech = room.say(INTERRUPTION)
        _until_answers(room, ROUNDS + 1)
        assert room.transcript()[2 * ROUNDS + 1]["interrupted"]
        speech.wait(timeout=60)
        _until_answers(room, ROUNDS + 2)


def test_without_the_canceller_it_does_not_listen_while_it_speaks(tmp_path: Path) -> None:
    with _loudspeakers(tmp_path, 40, LIVEKIT_LIB_PATH="/nowhere/liblivekit_ffi.so") as room:
        until(lambda: room.count("echo cancellation: the echo canceller"), "the reason")
        _answers_whole(room, 2)


def _answers_whole(room: Room, count: int) -> None:
    """Ask `count` questions; each answer must be heard to its end, and nothing else be taken for a question."""
    for number in range(1, count + 1):
        if number == count:
            # By now the loudspeaker's stream rests, and comes back otherwise late.
            until(lambda: room.quiet_for(REST_S), "a long silence")
        room.say(QUESTION).wait(timeout=60)
        _until_answers(room, number)
    lines = room.transcript()
    assert [line["who"] for line in lines] == ["user", "assistant"] * count
    assert not any(line["interrupted"] for line in lines)


def test_a_sign_of_listening_in_the_echo_does_not_stop_it(tmp_path: Path) -> None:
    with _loudspeakers(tmp_path, 40, module="app") as room:
        until(lambda: room.count("echo cancellation: on"), "the echo canceller")
        for number, sign in enumerate(("mm-hmm", "okay"), 1):
            begins = room.loud_seconds() + 0.7
            room.say(QUESTION).wait(timeout=60)
            until(partial(_louder, room, begins), "the beginning of the answer")
            room.say(sign).wait(timeout=60)
            _until_answers(room, number)
        lines = room.transcript()
        assert [line["who"] for line in lines] == ["user", "assistant"] * 2
        assert not any(line["interrupted"] for line in lines)
