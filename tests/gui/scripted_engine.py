"""A small engine for tests of the window: real worker process, real frames, scripted answers. No torch."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from app.omni.errors import DamagedModelError
from app.omni.turn import (
    FRAME_SAMPLES,
    AudioPiece,
    Heard,
    ModelInfo,
    StopReason,
    TextPiece,
    ToolCallPiece,
    TurnPiece,
    TurnRequest,
)
from tests.support.figures import figures

FACTORY = "tests.gui.scripted_engine:load"
UNKNOWN = "I do not know that one."
# So many words are said before a halt; short answers have fewer.
HALT_AFTER = 10


class ScriptedEngine:
    """Says `You said: <question>`. Long for "count" and whatever is spoken; "dice" tells the wishes about chance,
    "manner" what it was told about itself and how much of the conversation it has got; "ponder" has it think for a
    minute; "crash" ends it; "call TEXT" calls a tool; "riddle" it does not know. Says what it is told to say. Of a
    picture it tells the mean colour; with a file "blind" in `folder` it cannot see any. As long as there is a file
    "halt" it stands still in the middle of a long answer, so that a test need not hurry to see it.
    """

    def __init__(self, folder: Path) -> None:
        self._halt = folder / "halt"
        sees = not (folder / "blind").exists()
        names = folder / "voices"
        voices = tuple(names.read_text().split()) if names.exists() else ("ada", "ben")
        self.info = ModelInfo("scripted", str(folder), voices, 0, unknown=(UNKNOWN,), sees=sees)

    def run(self, request: TurnRequest, cancelled: Callable[[], bool]) -> Iterator[TurnPiece]:
        question = request.text or "spoken words"
        if request.text is None and request.say is None:
            yield Heard(question)
        for _ in range(1_000 if question == "ponder" else 0):
            if not cancelled():
                time.sleep(0.06)
        if question.startswith("call ") and request.say is None:
            yield ToolCallPiece(question.removeprefix("call "), closed=True)
            yield replace(
                figures(question, "", request.voice or "ada", cancelled(), 0), stop_reason=StopReason.TOOL_CALL
            )
            return
        words = f"You said: {question}".split() if request.say is None else request.say.split()
        if request.image is not None:
            words += [str(round(float(mean))) for mean in np.frombuffer(request.image, np.uint8).reshape(-1, 3).mean(0)]
        if question == "dice":
            words = f"You said: seed {request.seed} temperature {request.temperature}".split()
        if question == "manner":
            words = f"system {request.system or '-'} history {len(request.history)}".split()
        if request.say is None and question == "riddle":
            words = UNKNOWN.split()
        if request.say is None and (question == "count" or request.text is None):
            words = [str(number) for number in range(80)]
        frames = 0
        for word in words:
            if cancelled():
                break
            yield TextPiece(f" {word}" if frames else word)
            wave = 0.2 * np.sin(np.arange(FRAME_SAMPLES) * (2 * np.pi * 300 / 24_000))
            yield AudioPiece(frames, wave.astype(np.float32))
            frames += 1
            time.sleep(0.04)
            while frames == HALT_AFTER and self._halt.exists() and not cancelled():
                time.sleep(0.02)
            if question == "crash" and frames == 3:
                os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
        yield figures(question, " ".join(words[:frames]), request.voice or "ada", cancelled(), frames)


def load(folder: Path, *, threads: int, progress: Callable[[str, float], None] | None) -> ScriptedEngine:
    """The engine. A file "slow" in `folder` has it wait until it is gone, and "damaged" is what it says."""
    while (folder / "slow").exists():
        time.sleep(0.02)
    if (folder / "damaged").exists():
        raise DamagedModelError(f"The model in {folder} is damaged: copy it again.")
    for step in range(3):
        if progress:
            progress("reading the script", step / 3)
    return ScriptedEngine(folder)
