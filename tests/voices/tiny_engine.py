"""The tiny model with a speaker encoder, for tests that need a model's process and no sense in its answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from app.omni.engine import OmniEngine
from app.speech import registry
from tests.omni.tiny import SPEAKER, LevelEncoder, ToneCodec, tiny_folder

FACTORY = "tests.voices.tiny_engine:load"


class TimbreEncoder:
    """The long-time spectrum of a clip, as the model's few values: the same speaker gives nearly the same ones."""

    def embed(self, audio: NDArray[np.float32]) -> torch.Tensor:
        frames = audio[: len(audio) // 1024 * 1024].reshape(-1, 1024) * np.hanning(1024)
        spectrum = np.square(np.abs(np.fft.rfft(frames))).mean(axis=0)
        bands = np.log(np.add.reduceat(spectrum, np.geomspace(4, 400, SPEAKER).astype(int)) + 1e-9)
        return torch.from_numpy((bands - bands.mean()).astype(np.float32))


def folder_with_speaker(folder: Path) -> Path:
    """The tiny model in `folder`, as one that can make voices with reference codes."""
    tiny_folder(folder)
    file = folder / "config.json"
    config = json.loads(file.read_text())
    config["banter"] |= {"speaker": "timbre", "reference_codes": True}
    file.write_text(json.dumps(config))
    return folder


def _level_encoder(kind: str, folder: Path, *, int8: bool = False) -> LevelEncoder:
    return {"level": LevelEncoder}[kind]()


def _tone_codec(kind: str, folder: Path, *, int8: bool = False) -> ToneCodec:
    return {"tone": ToneCodec}[kind]()


def load(folder: Path, *, threads: int, progress: Callable[[str, float], None] | None = None) -> OmniEngine:
    """The engine with parts that need no weights."""
    registry.load_encoder = _level_encoder
    registry.load_codec = _tone_codec
    registry.load_speaker_encoder = lambda kind, folder: {"timbre": TimbreEncoder}[kind]()
    return OmniEngine.load(folder, threads=threads, progress=progress)
