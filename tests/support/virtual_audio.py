"""A private virtual sound card for tests: one PulseAudio server with a microphone and a loudspeaker."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tests" / "tools" / "virtual_audio.sh"
_NEEDED = ("pulseaudio", "pactl", "paplay", "parec")


def missing() -> str:
    """What this machine lacks for a virtual sound card, as one sentence; "" when nothing."""
    absent = [name for name in _NEEDED if shutil.which(name) is None]
    if absent:
        return f"needs {', '.join(absent)}: apt-get install pulseaudio pulseaudio-utils libasound2-plugins"
    return ""


class VirtualCard:
    """A running card. PortAudio reads its environment once, so whatever uses sound must be a process of its
    own.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        dump = subprocess.run(
            ["bash", "-c", f". '{folder}/env.sh' && env -0"], capture_output=True, check=True
        ).stdout.decode()
        self.env = dict(line.split("=", 1) for line in dump.split("\0") if "=" in line)
        self.env["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), self.env.get("PYTHONPATH", ""))))
        self.env["OMP_NUM_THREADS"] = "1"

    @property
    def pid(self) -> int:
        """Process number of the sound server."""
        return int((self.folder / "pulse.pid").read_text())

    def python(self, code: str, *arguments: str) -> subprocess.Popen[str]:
        """Start `code` in a new interpreter under the card; output and errors come through one pipe."""
        return subprocess.Popen(
            [sys.executable, "-c", code, *arguments],
            env=self.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=ROOT,
        )

    def say(self, file: Path) -> None:
        """Play a WAV file into the microphone and wait until it is over."""
        subprocess.run(["paplay", "-d", "va_mic_in", str(file)], env=self.env, check=True, timeout=60)

    @contextmanager
    def recording(self, file: Path, sink: str = "va_speaker") -> Iterator[None]:
        """Record the loudspeaker, or another sink, into a 48 kHz mono WAV file while the block runs."""
        recorder = subprocess.Popen(
            ["parec", "-d", f"{sink}.monitor", "--rate=48000", "--channels=1", "--format=s16le",
             "--latency-msec=20", "--file-format=wav", str(file)],
            env=self.env,
        )  # fmt: skip
        try:
            yield
        finally:
            recorder.terminate()
            recorder.wait(timeout=10)

    def kill_server(self) -> None:
        """Take the whole sound card away, as a pulled plug does."""
        os.kill(self.pid, 9)

    def restart_server(self) -> None:
        """Bring the sound card back after `kill_server`."""
        subprocess.run(["bash", str(SCRIPT), "start", str(self.folder)], check=True, capture_output=True, timeout=60)


@contextmanager
def virtual_card() -> Iterator[VirtualCard]:
    """Start a card in a short-named folder (a socket's path has 108 bytes at most) and always stop it."""
    parent = Path(tempfile.mkdtemp(prefix="va"))
    folder = parent / "c"
    try:
        subprocess.run(["bash", str(SCRIPT), "start", str(folder)], check=True, capture_output=True, timeout=60)
        yield VirtualCard(folder)
    finally:
        subprocess.run(["bash", str(SCRIPT), "stop", str(folder)], capture_output=True, timeout=60, check=False)
        shutil.rmtree(parent, ignore_errors=True)


def read_wav(file: Path) -> tuple[NDArray[np.float32], int]:
    """A 16-bit mono WAV file as float32 [N] and its rate, even if its header was never finished."""
    with wave.open(str(file)) as source:
        rate = source.getframerate()
    raw = file.read_bytes()
    at = raw.index(b"data") + 8
    return np.frombuffer(raw[at : at + (len(raw) - at) // 2 * 2], "<i2").astype(np.float32) / 32768.0, rate
