"""A running window on the virtual screen and sound card, and the ears and the mouth of its user."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ("espeak-ng", "paplay", "parec", "pactl")
PATIENCE_S = 240.0
AUDIBLE = 0.01
OPEN_MIC = 'mode = "open_mic"\n'
QUESTION = "What is the capital of France?"
INTERRUPTION = "Wait, please stop, I would like to ask you something else now."


def skip_without(*programs: str) -> None:
    """Skip the test where one of these programs is missing."""
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"needs {program}")


def until(condition: Callable[[], Any], what: str, patience: float = PATIENCE_S) -> Any:
    """Wait until `condition()` is true and return what it gave; fail after `patience` seconds."""
    deadline = time.monotonic() + patience
    while not (found := condition()):
        assert time.monotonic() < deadline, f"waited {patience:.0f} s for {what}"
        time.sleep(0.02)
    return found


class Room:
    """A running window, and the ears and the mouth of its user."""

    def __init__(self, module: str, folder: Path, saved: str = OPEN_MIC, **environment: str) -> None:
        """Start `python -m module` with its files in `folder`, these settings, and more variables."""
        self.folder = folder
        self.log = folder / "talk.jsonl"
        self.errors = folder / "stderr.txt"
        config = folder / "banter"
        config.mkdir()
        (config / "settings.toml").write_text(saved)
        env = (
            os.environ
            | {
                "XDG_CONFIG_HOME": str(folder),
                "XDG_DATA_HOME": str(folder / "data"),
                "BANTER_TRANSCRIPT_LOG": str(self.log),
                "BANTER_LOG": "info",
            }
            | environment
        )
        with self.errors.open("w") as errors:
            self.process = subprocess.Popen([sys.executable, "-m", module], cwd=ROOT, env=env, stderr=errors)
        self._heard = folder / "heard.raw"
        with self._heard.open("wb") as heard:
            self._recorder = subprocess.Popen(
                ["parec", "-d", "va_speaker.monitor", "--rate=24000", "--channels=1", "--format=s16le",
                 "--latency-msec=20"],
                stdout=heard,
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
        until(lambda: self.count("model ready") >= times and self.count("microphone: open"), "the model")

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
