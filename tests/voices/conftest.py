"""Speech of the bundled model itself, as clips to make voices from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from app.omni.engine import OmniEngine
from app.omni.turn import AudioPiece, TurnRequest
from app.paths import starter_model
from tests.gui.conftest import loop as loop  # a fixture

Samples = NDArray[np.float32]

QUESTIONS = ("What's the capital of France?", "How often is there a full moon?")


@pytest.fixture(scope="session")
def starter() -> OmniEngine:
    """The bundled model."""
    return OmniEngine.load(starter_model(), threads=2)


@pytest.fixture(scope="session")
def spoken(starter: OmniEngine) -> Callable[[str], Samples]:
    """Some five seconds of speech, float32 at 24 kHz, in one of the model's voices."""
    known: dict[str, Samples] = {}

    def speak(voice: str) -> Samples:
        if voice not in known:
            pieces = [np.zeros(2_400, np.float32)]
            for question in QUESTIONS:
                request = TurnRequest(text=question, voice=voice, seed=3)
                pieces += [p.samples for p in starter.run(request, lambda: False) if isinstance(p, AudioPiece)]
            known[voice] = np.concatenate(pieces)
        return known[voice]

    return speak
