"""Which recording of an answer the starter learns, and how a recording is laid out for the codec."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.speech.codec_parts import FRAME, LAG

Floats = NDArray[np.float32]
LEVEL, PEAK = 0.08, 0.9


@dataclass(frozen=True)
class Choice:
    """`file` (without ending, the source voice's; none: keep the codes there are), silent samples before it, errors."""

    file: str | None
    shift: int
    errors: int
    hasty: bool


def even_level(speech: Floats) -> Floats:
    """Speech at the level the codec is used to, its peaks below full scale."""
    level = np.sqrt(np.mean(speech**2))
    return np.asarray(speech * min(LEVEL / max(level, 1e-4), PEAK / np.abs(speech).max()), np.float32)


def prepare(speech: Floats, shift: int) -> Floats:
    """Speech at an even level, `shift` samples late, with room for the codec's lag, in whole frames."""
    # The codec's output lags: without room at the end the last sound would be cut.
    frames = -(-(shift + len(speech) + LAG) // FRAME)
    padded = np.zeros(frames * FRAME, np.float32)
    padded[shift : shift + len(speech)] = even_level(speech)
    return padded


def load_choices(work: Path) -> dict[str, Choice]:
    """Choices by intent, empty where there are none yet."""
    return {path.stem: Choice(**json.loads(path.read_text())) for path in sorted((work / "choices").glob("*.json"))}
