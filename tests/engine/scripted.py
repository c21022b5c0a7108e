"""A small engine for tests of the process around it: it says what its question tells it to."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

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
    TurnStats,
)

FRAME_S = 0.02


class ScriptedEngine:
    """Questions are scripts: "say N" speaks N frames, "prefill N" thinks first, "call TEXT" calls a tool, "raise",
    "die"; else 3 frames. Words that are to be said get a frame each. A picture adds as many frames as its first byte
    says, and pictures to look at are logged.
    """

    def __init__(self, folder: str) -> None:
        self.info = ModelInfo("Scripted", folder, ("ann", "bob"), 1)
        self.log = Path(folder) / "frames.log"

    @classmethod
    def load(cls, folder: Path, *, threads: int, progress: Callable[[str, float], None] | None) -> ScriptedEngine:
        tell = progress or (lambda stage, fraction: None)
        tell("Reading the model", 0.0)
        if folder.name == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if not folder.is_dir():
            raise DamagedModelError(f"{folder} is no model folder: choose another one.")
        if (folder / "damaged").exists():
            raise DamagedModelError(f"{folder} is damaged: copy it again.")
        if (folder / "slow").exists():
            time.sleep(1000)
        tell("Reading the model", 1.0)
        return cls(str(folder))

    def look(self, image: bytes) -> None:
        if not image:
            raise RuntimeError("scripted fault")
        with self.log.open("a") as log:
            log.write(f"look {image[0]}\n")

    def recognise(self, audio: NDArray[np.float32]) -> str:
        """The sum of the samples; silence is too much for it."""
        if not audio.any():
            raise RuntimeError("scripted fault")
        return str(float(audio.sum()))

    def run(self, request: TurnRequest, cancelled: Callable[[], bool]) -> Iterator[TurnPiece]:
        if request.voice and request.voice not in self.info.voices:
            from app.omni.voice import UnknownVoiceError

            raise UnknownVoiceError(request.voice, self.info.voices)
        if request.say is not None:
            yield from self._say(request, request.say.split(), cancelled)
            return
        if request.text is not None:
            heard = request.text
        else:
            assert request.audio is not None
            heard = f"say {round(float(request.audio.sum()))}"
        yield Heard(heard)
        verb, _, count = heard.partition(" ")
        number = int(count) if count.isdigit() else 3
        if request.image is not None:
            number += request.image[0]
        if verb == "call":
            yield ToolCallPiece(count, not count.endswith("…"))
            yield self._stats(request, heard, "", StopReason.TOOL_CALL, 0)
            return
        if verb == "raise":
            raise RuntimeError("scripted fault")
        if verb == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if verb == "prefill":
            for _ in range(number):
                time.sleep(FRAME_S)
                if cancelled():
                    yield self._stats(request, heard, "", StopReason.CANCELLED, 0)
                    return
            number = 1
        reply = ""
        for index in range(number):
            if cancelled():
                yield self._stats(request, heard, reply, StopReason.CANCELLED, index)
                return
            time.sleep(FRAME_S)
            with self.log.open("a") as log:
                log.write(f"{heard} {index}\n")
            reply += f" {index}"
            yield TextPiece(f" {index}")
            yield AudioPiece(index, np.full(FRAME_SAMPLES, index / 1000, np.float32))
        yield self._stats(request, heard, reply, StopReason.EOS, number)

    def _say(self, request: TurnRequest, words: list[str], cancelled: Callable[[], bool]) -> Iterator[TurnPiece]:
        said = ""
        for index, word in enumerate(words):
            if cancelled():
                yield self._stats(request, request.text or "", said, StopReason.CANCELLED, index)
                return
            time.sleep(FRAME_S)
            said += f" {word}"
            yield TextPiece(f" {word}")
            yield AudioPiece(index, np.full(FRAME_SAMPLES, 0.1, np.float32))
        yield self._stats(request, request.text or "", said, StopReason.EOS, len(words))

    def _stats(self, request: TurnRequest, heard: str, reply: str, reason: StopReason, frames: int) -> TurnStats:
        return TurnStats(
            heard=heard,
            reply=reply,
            voice=request.voice or "ann",
            stop_reason=reason,
            seed=request.seed if request.seed is not None else 7,
            frames=frames,
            audio_seconds=frames * 0.08,
            encode_ms=1.0,
            prefill_ms=2.0,
            first_audio_ms=3.0,
            step_ms_median=4.0,
            step_ms_p95=5.0,
            rtf=0.1,
        )
