"""An engine that answers every question with recorded speech, so that its echo sounds like a person. No torch."""

from __future__ import annotations

import os
import time
import wave
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from app.omni.turn import (
    FRAME_SAMPLES,
    AudioPiece,
    Heard,
    ModelInfo,
    TextPiece,
    TurnPiece,
    TurnRequest,
)
from tests.support.figures import figures

FACTORY = "tests.live.speaking_engine:load"
# A folder of WAV files, 24 kHz mono 16-bit, which are the answers in turn.
ANSWERS = "BANTER_TEST_ANSWERS"
# Faster than real time, as a model must be.
_FRAME_S = 0.04


class SpeakingEngine:
    """Says one recording after the other."""

    def __init__(self, folder: Path) -> None:
        self.info = ModelInfo("speaking", str(folder), ("ada",), 0)
        self._answers = sorted(Path(os.environ[ANSWERS]).glob("*.wav"))
        self._turn = 0

    def run(self, request: TurnRequest, cancelled: Callable[[], bool]) -> Iterator[TurnPiece]:
        file = self._answers[self._turn % len(self._answers)]
        self._turn += 1
        with wave.open(str(file)) as source:
            samples = np.frombuffer(source.readframes(source.getnframes()), "<i2").astype(np.float32) / 32_768
        question = request.text or "spoken words"
        yield Heard(question)
        frames = 0
        for at in range(0, len(samples) - FRAME_SAMPLES + 1, FRAME_SAMPLES):
            if cancelled():
                break
            yield TextPiece(f" {frames}" if frames else "0")
            yield AudioPiece(frames, samples[at : at + FRAME_SAMPLES].astype(np.float32))
            frames += 1
            time.sleep(_FRAME_S)
        yield figures(question, file.stem, "ada", cancelled(), frames)


def load(folder: Path, *, threads: int, progress: Callable[[str, float], None] | None) -> SpeakingEngine:
    """The engine; `folder` does not matter."""
    return SpeakingEngine(folder)
