"""Speech made on the spot by a synthesiser of the system, for conversations that nobody has recorded."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import soundfile
import soxr

from app.conversation.ports import Samples
from app.omni.turn import INPUT_RATE

VOICES = {
    "espeak-ng": ("en-us", "en-gb+f3", "en-us+m7", "en-gb"),
    "flite": ("slt", "rms", "awb", "kal16"),
}
_LEVEL_DB = -23.0
_TRIM_DB = -40.0
_WINDOW = INPUT_RATE // 100
_PATIENCE_S = 60.0


class SynthesisError(Exception):
    """There is no speech to be had; the text is one sentence for the user."""


class Synthesiser:
    """espeak-ng where it is installed, otherwise flite. Keeps what it has said."""

    def __init__(self) -> None:
        """Raises SynthesisError where there is neither."""
        found = next((name for name in VOICES if shutil.which(name)), None)
        if found is None:
            raise SynthesisError("This needs espeak-ng or flite to speak with: install one of them and try again.")
        self.program = found
        self._said: dict[tuple[str, int], Samples] = {}

    def say(self, text: str, voice: int = 0) -> Samples:
        """`text` as float32 at 16 kHz and −23 dBFS, without silence before and after it; `voice` counts from 0.

        Raises SynthesisError.
        """
        key = (text, voice % len(VOICES[self.program]))
        if key not in self._said:
            self._said[key] = _even(self._speak(text, VOICES[self.program][key[1]]))
        return self._said[key]

    def _speak(self, text: str, voice: str) -> Samples:
        with tempfile.TemporaryDirectory(prefix="banter-speech-") as folder:
            file = Path(folder) / "said.wav"
            if self.program == "espeak-ng":
                command = ["espeak-ng", "-v", voice, "-s", "150", "-w", str(file), text]
            else:
                command = ["flite", "-voice", voice, "-t", text, "-o", str(file)]
            try:
                subprocess.run(command, check=True, capture_output=True, timeout=_PATIENCE_S)
                samples, rate = soundfile.read(file, dtype="float32")
            except (OSError, subprocess.SubprocessError, soundfile.SoundFileError) as error:
                raise SynthesisError(f"{self.program} could not speak: check that it works and try again.") from error
        return np.asarray(soxr.resample(samples, rate, INPUT_RATE), np.float32)


def _even(samples: Samples) -> Samples:
    whole = samples[: len(samples) // _WINDOW * _WINDOW]
    levels = np.sqrt(np.mean(np.square(whole.reshape(-1, _WINDOW)), axis=1)) if len(whole) else np.zeros(0)
    if not len(levels) or levels.max() <= 0.0:
        raise SynthesisError("The speech synthesiser gave nothing but silence: check that it works and try again.")
    loud = np.flatnonzero(levels > levels.max() * 10 ** (_TRIM_DB / 20))
    spoken = whole[loud[0] * _WINDOW : (loud[-1] + 1) * _WINDOW]
    gain = 10 ** (_LEVEL_DB / 20) / float(np.sqrt(np.mean(np.square(spoken))))
    return np.asarray(np.clip(spoken * np.float32(gain), -1.0, 1.0), np.float32)
