"""The speech detector on real synthetic speech and on what is no speech."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from app.audio.vad import CHUNK, SileroVad


def _probabilities(vad: SileroVad, samples: np.ndarray) -> list[float]:
    return [vad.probability(samples[at : at + CHUNK]) for at in range(0, len(samples) - CHUNK, CHUNK)]


def test_speech_and_no_speech(spoken: Path) -> None:
    samples, rate = soundfile.read(spoken, dtype="float32")
    speech = soxr.resample(samples, rate, 16_000).astype(np.float32)
    vad = SileroVad()
    first = _probabilities(vad, speech)
    assert max(first) > 0.95
    assert sum(p > 0.5 for p in first) > len(first) / 2
    vad.reset()
    assert _probabilities(vad, speech) == pytest.approx(first, abs=1e-5)
    rng = np.random.default_rng(0)
    for other in (
        np.zeros(16_000, np.float32),
        (0.1 * rng.standard_normal(16_000)).astype(np.float32),
        (0.3 * np.sin(np.arange(16_000) * 2 * np.pi * 440 / 16_000)).astype(np.float32),
    ):
        vad.reset()
        assert max(_probabilities(vad, other)) < 0.35


def test_chunk_length_is_checked() -> None:
    with pytest.raises(ValueError, match="512 samples"):
        SileroVad().probability(np.zeros(100, np.float32))


def test_the_package_is_not_imported() -> None:
    SileroVad()
    assert "silero_vad" not in sys.modules
