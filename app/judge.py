"""A recogniser that reads spoken answers back, used for nothing but judging them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import soxr
from numpy.typing import NDArray

from app.omni.turn import INPUT_RATE, OUTPUT_RATE

if TYPE_CHECKING:
    from faster_whisper.transcribe import Segment

#: A recording has a moment of silence before the speech; without it the recogniser loses short first words.
LEAD_SECONDS = 0.4


class Judge:
    """A Whisper model for faster-whisper, such as tiny.en. Raises ImportError where the package is missing."""

    def __init__(self, folder: Path, threads: int) -> None:
        from faster_whisper import WhisperModel

        self._model = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=threads)

    def read(self, audio: NDArray[np.float32]) -> str:
        """Words of float32 mono speech at 24 kHz."""
        return " ".join(segment.text for segment in self._segments(audio))

    def timed(self, audio: NDArray[np.float32]) -> list[tuple[str, float, float]]:
        """The same words one by one, with the seconds at which each begins and ends."""
        return [
            (word.word, word.start - LEAD_SECONDS, word.end - LEAD_SECONDS)
            for segment in self._segments(audio, word_timestamps=True)
            for word in segment.words or ()
        ]

    def _segments(self, audio: NDArray[np.float32], *, word_timestamps: bool = False) -> Iterable[Segment]:
        lead = np.zeros(int(LEAD_SECONDS * OUTPUT_RATE), np.float32)
        clip = soxr.resample(np.concatenate((lead, audio)), OUTPUT_RATE, INPUT_RATE)
        segments, _ = self._model.transcribe(clip, language="en", beam_size=1, word_timestamps=word_timestamps)
        return segments
