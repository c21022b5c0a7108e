"""A model whose every sample is known, and conversations with it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.omni.turn import (
    FRAME_SAMPLES,
    OUTPUT_RATE,
    AudioPiece,
    Heard,
    ModelInfo,
    StopReason,
    TextPiece,
    TurnPiece,
    TurnRequest,
    TurnStats,
)
from app.replay.microphone import Echo
from app.replay.model import Compute
from app.replay.stage import Performance, Terms, perform
from app.replay.user import Script

FACTORY = "tests.replay.counting:load"
FRAME_S = 0.08
FIRST_S, STEP_S = 0.3, 0.03
COMPUTE = Compute(False, FIRST_S, STEP_S)

Samples = NDArray[np.float32]


class Counting:
    """Counts aloud, `frames` to each answer; frame k of turn n is a tone of its own loudness."""

    def __init__(self, frames: int = 50, wall_s: float = 0.0, fault_at: int | None = None) -> None:
        self.info = ModelInfo("counting", "", ("ann", "bob"), 0)
        self.frames = frames
        self.wall_s = wall_s
        self.fault_at = fault_at
        self.made: list[int] = []
        self.questions: list[TurnRequest] = []

    def run(self, request: TurnRequest, cancelled: Callable[[], bool]) -> Iterator[TurnPiece]:
        turn = len(self.made)
        self.made.append(0)
        self.questions.append(request)
        yield Heard("spoken words")
        for index in range(self.frames):
            if cancelled():
                break
            if index == self.fault_at:
                raise RuntimeError("scripted fault")
            time.sleep(self.wall_s)
            self.made[turn] += 1
            yield TextPiece(f" {index}" if index else "0")
            yield AudioPiece(index, tone(index))
        reason = StopReason.CANCELLED if cancelled() else StopReason.EOS
        seconds = self.made[turn] * FRAME_S
        yield TurnStats(
            "spoken words", "", "ann", reason, request.seed or 0, self.made[turn], seconds, 1, 1, 1, 1, 1, 0.1
        )


def tone(index: int) -> Samples:
    wave = np.sin(np.arange(FRAME_SAMPLES) * (2 * np.pi * 300 / OUTPUT_RATE))
    return (wave * (0.1 + 0.002 * index)).astype(np.float32)


def load(folder: Path, *, threads: int, progress: Callable[[str, float], None] | None) -> Counting:
    """The engine for `load_engine`; `folder` does not matter."""
    return Counting()


def run(script: Script, engine: Counting, compute: Compute = COMPUTE, echo: Echo | None = None) -> Performance:
    return perform(script, engine, Terms(compute, 0, echo=echo))
