"""The ears: Whisper's front end, words and feature rows."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf
import soxr
import torch

from app.measure import errors, words
from app.speech.features import HOP, WINDOW, log_mel, slaney_mel_filters
from app.speech.starter_encoder import StarterEncoder

STARTER = Path(__file__).parents[2] / "models" / "starter"
needs_starter = pytest.mark.skipif(not (STARTER / "encoder.safetensors").exists(), reason="no starter model")


def test_filters_match_the_published_front_end() -> None:
    extractor = pytest.importorskip("faster_whisper.feature_extractor")
    theirs = extractor.FeatureExtractor(feature_size=80).mel_filters
    np.testing.assert_allclose(slaney_mel_filters().numpy(), theirs, atol=1e-6)


def test_log_mel_shape_and_scale() -> None:
    audio = torch.sin(torch.arange(16_000) * 0.2)
    mel = log_mel(audio, slaney_mel_filters(), torch.hann_window(WINDOW))
    assert mel.shape == (80, 16_000 // HOP)
    assert float(mel.max() - mel.min()) <= 2.0 + 1e-5


@pytest.fixture(scope="module")
def encoder() -> StarterEncoder:
    return StarterEncoder.load(STARTER)


@needs_starter
@pytest.mark.skipif(shutil.which("flite") is None, reason="flite is not installed")
@pytest.mark.parametrize("voice", ["slt", "rms"])
def test_reads_words_of_unknown_voices(encoder: StarterEncoder, voice: str, tmp_path: Path) -> None:
    sentences = ["what is the capital of france", "can you tell me a funny joke", "how are you feeling today"]
    wrong = total = 0
    for number, sentence in enumerate(sentences):
        path = tmp_path / f"{number}.wav"
        subprocess.run(["flite", "-voice", voice, "-t", sentence, "-o", str(path)], check=True)
        audio, rate = sf.read(path, dtype="float32")
        heard = encoder.encode(soxr.resample(audio, rate, 16_000))
        assert heard.features.shape[1] == encoder.feature_size
        wrong += errors(words(sentence), words(heard.text))
        total += len(words(sentence))
    assert wrong / total < 0.35


@needs_starter
def test_silence_and_noise_give_a_row_and_few_words(encoder: StarterEncoder) -> None:
    rng = np.random.default_rng(0)
    for clip in (np.zeros(16_000), 0.01 * rng.standard_normal(16_000)):
        heard = encoder.encode(clip.astype(np.float32))
        assert len(heard.features) >= 1
        assert len(words(heard.text)) <= 3


@needs_starter
@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed")
def test_it_is_less_certain_of_hums_than_of_words(encoder: StarterEncoder, tmp_path: Path) -> None:
    def certainty(text: str) -> float:
        path = tmp_path / "say.wav"
        subprocess.run(["espeak-ng", "-v", "en-us", "-s", "150", "-w", str(path), text], check=True)
        audio, rate = sf.read(path, dtype="float32")
        return encoder.encode(soxr.resample(audio, rate, 16_000)).certainty

    hums = [certainty(text) for text in ("mm-hmm", "uh-huh", "mhm", "aha")]
    phrases = [certainty(text) for text in ("stop", "hold on", "tell me more", "be quiet", "say that again")]
    assert max(hums) < min(phrases) < 0


@needs_starter
def test_features_are_the_rows_of_the_words(encoder: StarterEncoder) -> None:
    """What training computes from text is what a clip with these words gives."""
    rng = np.random.default_rng(0)
    heard = encoder.encode((0.01 * rng.standard_normal(16_000)).astype(np.float32))
    assert torch.equal(heard.features, encoder.features(heard.text))
    assert encoder.features("").shape == (1, encoder.feature_size)
    one, two = encoder.features("Hello."), encoder.features("Hello. Goodbye.")
    assert len(two) > len(one)
    assert torch.equal(two[: len(one)], one)


@needs_starter
def test_long_clips_are_cut_not_refused(encoder: StarterEncoder) -> None:
    heard = encoder.encode(0.001 * np.random.default_rng(0).standard_normal(60 * 16_000).astype(np.float32))
    assert heard.features.shape[0] >= 1
