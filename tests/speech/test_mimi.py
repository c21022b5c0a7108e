"""Mimi: both published layouts, streams without seams or shared state, reference codes."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from app.speech import mimi, registry
from app.speech.errors import DamagedModelError
from app.speech.mimi import FRAME, KYUTAI_FILE, Mimi
from app.speech.weights import WithoutValues
from tests.support.published import write_mimi


@pytest.fixture(scope="module")
def kyutai(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kyutai")
    write_mimi(folder, "kyutai")
    return folder


@pytest.fixture(scope="module")
def codec(tmp_path_factory: pytest.TempPathFactory) -> Mimi:
    folder = tmp_path_factory.mktemp("transformers")
    write_mimi(folder, "transformers")
    codec = registry.load_codec("mimi", folder)
    assert isinstance(codec, Mimi)
    return codec


def codes(frames: int, seed: int = 0) -> Tensor:
    return torch.randint(0, 2048, (8, frames), generator=torch.Generator().manual_seed(seed))


def test_both_layouts_and_moshi_itself_agree(codec: Mimi, kyutai: Path) -> None:
    from moshi.models import loaders

    with WithoutValues():
        theirs = loaders.get_mimi(kyutai / "mimi" / KYUTAI_FILE)
    other = Mimi.load(kyutai)
    sound = codec.decode(codes(5))
    assert np.abs(sound).mean() > 0.01
    np.testing.assert_array_equal(other.decode(codes(5)), sound)
    with torch.inference_mode():
        np.testing.assert_allclose(theirs.decode(codes(5)[None])[0, 0].numpy(), sound, atol=1e-5)
        wanted = theirs.encode(torch.from_numpy(sound)[None, None])[0]
    assert torch.equal(codec.encode(sound), wanted) and torch.equal(other.encode(sound), wanted)


def test_a_stream_equals_the_whole_beyond_the_attention_window(codec: Mimi) -> None:
    spoken = codes(128)
    whole = codec.decode(spoken)
    stream = codec.stream()
    frames = [stream.step(frame) for frame in spoken.T]
    assert {frame.shape for frame in frames} == {(FRAME,)} and frames[0].dtype == np.float32
    np.testing.assert_allclose(np.concatenate(frames), whole, atol=1e-4)


def test_streams_share_nothing(codec: Mimi) -> None:
    first, second = codes(4, 1), codes(4, 2)
    streams = codec.stream(), codec.stream()
    mixed: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    for a, b in zip(first.T, second.T, strict=True):
        for spoken, stream, frame in zip(mixed, streams, (a, b), strict=True):
            spoken.append(stream.step(frame))
            codec.encode(np.zeros(FRAME, np.float32))
    np.testing.assert_allclose(np.concatenate(mixed[0]), codec.decode(first), atol=1e-4)
    np.testing.assert_allclose(np.concatenate(mixed[1]), codec.decode(second), atol=1e-4)


@pytest.mark.parametrize(("samples", "frames"), [(0, 1), (1, 1), (1920, 1), (1921, 2), (48_000, 25)])
def test_reference_codes(codec: Mimi, samples: int, frames: int) -> None:
    found = codec.encode((0.3 * np.sin(np.arange(samples) / 20)).astype(np.float32))
    assert found.shape == (8, frames) and found.dtype == torch.int64
    assert int(found.min()) >= 0 and int(found.max()) < codec.codebook_size


def test_what_is_wrong_with_a_file_is_named(kyutai: Path, tmp_path: Path) -> None:
    with pytest.raises(DamagedModelError, match=r"'mimi' .*is missing.*model.safetensors"):
        Mimi.load(tmp_path)
    home = tmp_path / "mimi"
    home.mkdir()
    state = load_file(kyutai / "mimi" / KYUTAI_FILE)
    lost = state.pop("decoder.model.0.conv.conv.bias")
    save_file(state, home / KYUTAI_FILE)
    with pytest.raises(DamagedModelError, match=r"lacks 'decoder\.model\.0\.conv\.conv\.bias'"):
        Mimi.load(tmp_path)
    save_file(state | {"decoder.model.0.conv.conv.bias": lost[:-1]}, home / KYUTAI_FILE)
    with pytest.raises(DamagedModelError, match=r"'decoder\.model\.0\.conv\.conv\.bias' with shape \(1023,\)"):
        Mimi.load(tmp_path)


def test_without_the_package_the_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "moshi.models", None)
    with pytest.raises(mimi.MissingPackageError, match="pip install"):
        mimi.build_mimi()
