"""A recogniser that reads spoken answers back, used for nothing but judging them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soxr
from numpy.typing import NDArray

from app.omni.turn import INPUT_RATE, OUTPUT_RATE

#: A recording has a moment of silence before the speech; without it the recogniser loses short first words.
LEAD_SECONDS = 0.4


class Judge:
    """A Whisper model for faster-whisper, such as tiny.en. Raises ImportError where the package is missing."""

    def __init__(self, folder: Path, threads: int) -> None:
        from faster_whisper import WhisperModel

        self._model = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=threads)

    def read(self, audio: NDArray[np.float32]) -> str:
        """Words of float32 mono speech at 24 kHz."""
        lead = np.zeros(int(LEAD_SECONDS * OUTPUT_RATE), np.float32)
        clip = soxr.resample(np.concatenate((lead, audio)), OUTPUT_RATE, INPUT_RATE)
        segments, _ = self._model.transcribe(clip, language="en", beam_size=1)
        return " ".join(segment.text for segment in segments)
