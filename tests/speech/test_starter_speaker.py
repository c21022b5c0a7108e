"""Pitch and vocal tract measured in speech-like sounds whose source and resonances are known."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from app.speech.speaker_traits import SPEAKER_SIZE, Traits
from app.speech.starter_speaker import DEFAULT_PITCH, SAMPLE_RATE, NoVoiceError, StarterSpeaker

#: First four resonances of some vowels of an adult, in hertz.
VOWELS = ((730, 1090, 2440, 3400), (270, 2290, 3010, 3600), (570, 840, 2410, 3300), (530, 1840, 2480, 3500))


def voice(pitch: float, tract: float, seconds: float = 4.0) -> NDArray[np.float32]:
    """Vowels sung by a glottis at `pitch` hertz through a tract whose resonances are `tract` times the usual ones."""
    rng = np.random.default_rng(0)
    time = np.arange(int(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    wandering = pitch * (1 + 0.06 * np.sin(2 * np.pi * 0.7 * time))
    phase = 2 * np.pi * np.cumsum(wandering) / SAMPLE_RATE
    heights = np.arange(1, int(5000 / pitch))[:, None]
    strength = np.zeros((len(heights), len(time)))
    share = np.floor(time / 0.25).astype(int) % len(VOWELS)
    for number, vowel in enumerate(VOWELS):
        hertz = heights[:, 0] * pitch
        gain = 1 / heights[:, 0]
        for resonance in vowel:
            centre, width = resonance * tract, 80.0
            gain = gain / np.abs(1 - (hertz / centre) ** 2 + 1j * hertz * width / centre**2)
        strength[:, share == number] = gain[:, None]
    sound = (strength * np.sin(heights * phase)).sum(0)
    sound = sound / np.abs(sound).max() * 0.5 + 0.001 * rng.standard_normal(len(time))
    return np.asarray(sound, np.float32)


@pytest.mark.parametrize("octaves", [-0.9, -0.4, 0.0, 0.3])
def test_pitch_is_found(octaves: float) -> None:
    traits = StarterSpeaker().traits(voice(DEFAULT_PITCH * 2**octaves, 1.0))
    assert traits.pitch == pytest.approx(octaves, abs=0.08)


def test_longer_tracts_are_told_from_shorter_ones() -> None:
    found = [StarterSpeaker().traits(voice(150, tract)).formants for tract in (0.82, 0.9, 1.0, 1.1)]
    assert found == sorted(found)
    assert found[-1] - found[0] > 0.15


def test_the_vector_says_that_there_is_a_speaker() -> None:
    vector = StarterSpeaker().embed(voice(120, 0.9))
    assert vector.shape == (SPEAKER_SIZE,) == (StarterSpeaker.size,)
    assert vector[0] == 1
    assert Traits().vector().tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    "clip", [np.zeros(0), np.zeros(48_000), 0.1 * np.random.default_rng(0).standard_normal(48_000)]
)
def test_a_clip_without_voice_is_refused(clip: NDArray[np.float64]) -> None:
    with pytest.raises(NoVoiceError, match="record three seconds"):
        StarterSpeaker().embed(clip.astype(np.float32))
