"""Somebody to talk to the assistant."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.omni.turn import INPUT_RATE
from app.replay.speech import Synthesiser, SynthesisError
from tests.replay.counting import Samples


@pytest.fixture(scope="session")
def voice() -> Synthesiser:
    try:
        return Synthesiser()
    except SynthesisError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def question(voice: Synthesiser) -> Samples:
    return voice.say("What is the capital of France?")


@pytest.fixture(scope="session")
def interruption(voice: Synthesiser) -> Samples:
    return voice.say("Wait, please stop, I would like to ask you something else now.")


@pytest.fixture
def recording(tmp_path: Path, question: Samples) -> Path:
    quiet = np.zeros(INPUT_RATE // 2, np.float32)
    soundfile.write(tmp_path / "user.wav", np.concatenate((quiet, question, quiet)), INPUT_RATE)
    return tmp_path / "user.wav"
