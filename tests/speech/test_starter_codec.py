"""The codec's contract: sizes, exact streaming, silence at the start because of the lag."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from app.speech.codec_parts import BINS, FRAME, LAG, SAMPLE_RATE, CodecConfig
from app.speech.starter_codec import StarterCodec, mel_filters
from app.speech.weights import read_tensors, save_weights

STARTER = Path(__file__).parents[2] / "models" / "starter"
PACK = Path(__file__).parents[2] / "app" / "training" / "data" / "pack" / "codes.safetensors"


@pytest.fixture(scope="module")
def codec() -> StarterCodec:
    torch.manual_seed(0)
    small = CodecConfig(
        width=32, context_width=48, heads=4, encoder_blocks=1, decoder_blocks=2, decoder_layers=2, speaker_size=3
    )
    built = StarterCodec(small).eval()
    built.quantiser.codebooks.normal_()
    assert built.speaker is not None
    # A fresh one leaves every voice as it is.
    torch.nn.init.normal_(built.speaker.outer.weight, std=0.1)
    return built


def test_streaming_equals_one_shot(codec: StarterCodec) -> None:
    codes = torch.randint(0, codec.codebook_size, (8, 150))  # longer than the attention window
    speaker = torch.tensor([1.0, -0.5, 0.1])
    stream = codec.stream(speaker)
    streamed = np.concatenate([stream.step(codes[:, frame]) for frame in range(codes.shape[1])])
    whole = codec.decode(codes, speaker)
    assert whole.shape == (150 * FRAME,)
    assert np.abs(whole).max() > 1e-3
    np.testing.assert_allclose(streamed, whole, atol=1e-4)
    np.testing.assert_allclose(batched(codec, codes, speaker), whole, atol=1e-4)


def batched(codec: StarterCodec, codes: torch.Tensor, speaker: torch.Tensor) -> np.ndarray:
    """The whole clip at once, as in training."""
    with torch.no_grad():
        spectrum = codec.spectrum(codec.quantiser.decode(codes.T[None]), speaker[None])
        return codec.overlap_add(spectrum)[0].numpy()


def test_streams_are_independent(codec: StarterCodec) -> None:
    codes = torch.randint(0, codec.codebook_size, (8, 6))
    first, second = codec.stream(), codec.stream()
    mixed = []
    for frame in range(6):
        mixed.append(first.step(codes[:, frame]))
        second.step(codes[:, 5 - frame])
    np.testing.assert_allclose(np.concatenate(mixed), codec.decode(codes), atol=1e-4)


def test_the_speaker_vector_changes_the_voice(codec: StarterCodec) -> None:
    codes = torch.randint(0, codec.codebook_size, (8, 6))
    coded, other = codec.decode(codes), codec.decode(codes, torch.tensor([1.0, 0.4, 0.0]))
    assert np.abs(coded - other).max() > 1e-2 * np.abs(coded).max()
    assert np.array_equal(codec.decode(codes, torch.zeros(3)), coded)
    with pytest.raises(ValueError, match="3 values"):
        codec.stream(torch.zeros(192))


@pytest.mark.parametrize(("samples", "frames"), [(1, 1), (FRAME, 1), (FRAME + 1, 2), (24_000, 13)])
def test_frame_count(codec: StarterCodec, samples: int, frames: int) -> None:
    codes = codec.encode(np.random.default_rng(0).standard_normal(samples).astype(np.float32))
    assert codes.shape == (8, frames)
    assert int(codes.min()) >= 0
    assert int(codes.max()) < codec.codebook_size


def test_encoder_is_causal(codec: StarterCodec) -> None:
    audio = np.random.default_rng(0).standard_normal(10 * FRAME).astype(np.float32)
    changed = audio.copy()
    changed[5 * FRAME :] *= -0.5
    assert torch.equal(codec.encode(audio)[:, :5], codec.encode(changed)[:, :5])


def test_mel_filters_cover_every_band() -> None:
    bank = mel_filters(BINS, SAMPLE_RATE, 100)
    assert bank.shape == (BINS, 100)
    torch.testing.assert_close(bank.sum(0), torch.ones(100))


def test_int8_weights_stay_close(tmp_path: Path) -> None:
    state = {"matrix": torch.randn(80, 128), "vector": torch.randn(80), "narrow": torch.randn(80, 16)}
    save_weights(state, tmp_path / "w.safetensors", "int8")
    back = read_tensors(tmp_path / "w.safetensors")
    assert set(back) == set(state)
    for name, tensor in state.items():
        assert (back[name] - tensor).abs().max() < 0.02 * tensor.abs().max()


def test_new_weights_are_heard(codec: StarterCodec) -> None:
    codes = torch.randint(0, codec.codebook_size, (8, 4))
    other = StarterCodec(codec.config).eval()
    before = other.decode(codes)
    other.load_state_dict(codec.state_dict())
    other.eval()
    assert not np.allclose(before, other.decode(codes), atol=1e-3)
    np.testing.assert_allclose(other.decode(codes), codec.decode(codes), atol=1e-4)


@pytest.mark.skipif(not (STARTER / "codec.safetensors").exists(), reason="the starter's codec is not there")
def test_eight_bit_weights_sound_the_same() -> None:
    codes = load_file(PACK)["advice.clean.gum|ava"].long()
    speaker = torch.tensor([1.0, -0.5, -0.1])
    exact = batched(StarterCodec.load(STARTER), codes, speaker)
    small = StarterCodec.load(STARTER, int8=True).decode(codes, speaker)
    noise = small - exact
    assert 10 * np.log10(np.square(exact).sum() / np.square(noise).sum()) > 40


@pytest.mark.skipif(not (STARTER / "codec.safetensors").exists(), reason="the starter's codec is not there")
def test_round_trip_keeps_the_spectrum() -> None:
    """A voiced sound comes back with its energy in the same bands: far nearer than another sound would be."""
    codec = StarterCodec.load(STARTER)
    time = np.arange(SAMPLE_RATE) / SAMPLE_RATE
    pitch = 120 + 20 * np.sin(2 * np.pi * 2 * time)
    phase = 2 * np.pi * np.cumsum(pitch) / SAMPLE_RATE
    voiced = np.sum([np.sin(k * phase) / k for k in range(1, 20)], axis=0) * 0.08
    audio = np.concatenate((voiced, np.zeros(LAG))).astype(np.float32)
    back = codec.decode(codec.encode(audio))[LAG:]
    count = min(len(back), len(voiced))

    def bands(x: np.ndarray) -> torch.Tensor:
        return codec.log_mel(torch.from_numpy(np.asarray(x[:count], np.float32))[None])[0]

    noise = np.random.default_rng(0).standard_normal(count) * voiced[:count].std()
    near = (bands(back) - bands(voiced)).abs().mean()
    far = (bands(noise) - bands(voiced)).abs().mean()
    assert near < 0.5 * far
