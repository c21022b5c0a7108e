"""The bundled model reads texts that it never saw, and its own ears understand what it says."""

from __future__ import annotations

import numpy as np
import pytest
import soxr

from app import paths
from app.measure import errors, faults, words
from app.omni.engine import OmniEngine
from app.omni.turn import INPUT_RATE, OUTPUT_RATE, AudioPiece, TurnRequest, TurnStats
from app.speech.speakable import speakable

pytestmark = pytest.mark.skipif(not (paths.starter_model() / "lexicon.xz").is_file(), reason="no starter model")

TEXTS = (
    "The gardener locked the shed, hung the key on its nail, and walked slowly home.",
    "Flight 218 to Oslo leaves at 7:45 from gate 9.",
    "Would you rather have soup or a sandwich for lunch?",
    "Mrs. Hamilton bought 3 kg of apples for $6.50 on Tuesday.",
    "Yesterday our neighbours painted the fence green, and nobody likes it.",
)


@pytest.fixture(scope="module")
def starter() -> OmniEngine:
    return OmniEngine.load(paths.starter_model(), threads=2)


def _read(starter: OmniEngine, text: str, voice: str) -> tuple[np.ndarray, TurnStats]:
    *pieces, stats = starter.run(TurnRequest(say=text, voice=voice, seed=1), lambda: False)
    assert isinstance(stats, TurnStats)
    return np.concatenate([piece.samples for piece in pieces if isinstance(piece, AudioPiece)]), stats


def test_unseen_texts_are_understood(starter: OmniEngine) -> None:
    said = wrong = 0
    for number, text in enumerate(TEXTS):
        audio, stats = _read(starter, text, starter.info.voices[number % 2])
        assert words(stats.reply) == words(speakable(text))
        assert faults(audio, stats.reply) == []
        heard = starter._parts.encoder.encode(soxr.resample(audio, OUTPUT_RATE, INPUT_RATE)).text
        said += len(words(stats.reply))
        wrong += errors(words(stats.reply), words(speakable(heard)))
    assert wrong <= 0.2 * said


def test_nothing_is_said_twice(starter: OmniEngine) -> None:
    once = _read(starter, "Please wait here.", "")[0]
    thrice = _read(starter, "Please wait here. Please wait here. Please wait here.", "")[0]
    assert 2 < len(thrice) / len(once) < 4


def test_what_it_knows_by_heart_it_can_read_as_well(starter: OmniEngine) -> None:
    """The same sentence by the Talker and by the reader is about as long: both have learnt the same voice."""
    sentence = "The Pacific is the largest ocean, covering about a third of the planet."
    by_reader = _read(starter, sentence, "")[1].audio_seconds
    by_heart = _read(starter.by_talker(), sentence, "")[1].audio_seconds
    assert 0.7 < by_reader / by_heart < 1.4
