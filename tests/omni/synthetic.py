"""The synthetic full-size network and inputs of the conformance vectors."""

from __future__ import annotations

import json
import math
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from app.omni.config import OmniConfig
from app.omni.model import OmniModel

PROMPT_T1 = [1, 832, 311, 234, 1968, 2, 234, 1, 1388, 570, 811, 234, 25, 234, 234, 26, 234, 234]
PROMPT_T4 = [1, 832, 311, 234, 16, 16, 16, 2, 234, 1, 1388, 570, 811, 234, 25, 234, 234, 26, 234, 234]
PROMPT_IMAGE = [1, 832, 311, 234, *[12] * 64, 2, 234, 1, 1388, 570, 811, 234, 25, 234, 234, 26, 234, 234]


def shared_folder() -> Path:
    """The folder with the public test material; skips the test where it is missing."""
    root = Path(__file__).resolve().parents[2]
    folder = Path(os.environ.get("BANTER_SHARED", root.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"test material not found at {folder} (set BANTER_SHARED)")
    return folder


def goldens() -> dict[str, Any]:
    """The conformance vectors."""
    path = shared_folder() / "specs" / "minimind-o-goldens.json"
    return json.loads(path.read_text(encoding="utf-8"))


def synthetic_tensor(name: str, shape: tuple[int, ...]) -> Tensor:
    """A tensor that depends only on its name and shape."""
    if name == "talker.text_scale":
        return torch.tensor(3.0)
    if name == "talker.audio_scale":
        return torch.tensor(1.0)
    if name.endswith("num_batches_tracked"):
        return torch.tensor(0)
    source = "model.embed_tokens.weight" if name == "lm_head.weight" else name
    draws = np.random.RandomState(zlib.crc32(source.encode())).standard_normal(math.prod(shape))
    x = draws.astype(np.float32).reshape(shape)
    if name.endswith("running_var"):
        x = 1 + np.float32(0.1) * np.abs(x)
    elif len(shape) == 1:
        x = 0.1 * x if name.endswith((".bias", "running_mean")) else 1 + 0.1 * x
    else:
        x = x / np.float32(math.sqrt(math.prod(shape[1:])))
    return torch.from_numpy(x.astype(np.float32))


def synthetic_model(use_moe: bool) -> OmniModel:
    """The full-size network with synthetic weights, float32, in evaluation mode."""
    with torch.device("meta"):
        model = OmniModel(OmniConfig(use_moe=use_moe))
    state = {name: synthetic_tensor(name, tuple(t.shape)) for name, t in model.state_dict().items()}
    model.load_state_dict(state, assign=True)
    model.tie_weights()
    return model.eval()


def fill_synthetically(module: nn.Module, prefix: str = "") -> None:
    """Give `module` the tensors of the rule, hashed with `prefix` before their names."""
    state = {name: synthetic_tensor(prefix + name, tuple(t.shape)) for name, t in module.state_dict().items()}
    module.load_state_dict(state, assign=True)
    module.eval().requires_grad_(False)


def random_normal(seed: int, *shape: int) -> Tensor:
    """float32 standard normal draws of a legacy seed."""
    return torch.from_numpy(np.random.RandomState(seed).standard_normal(shape).astype(np.float32))


def voice_columns() -> tuple[Tensor, Tensor]:
    """Audio rows int64 [8, 18] and speaker embedding float32 [192] of the voice prompt."""
    columns = torch.full((8, len(PROMPT_T1)), 2049, dtype=torch.int64)
    columns[:, 8:] = torch.from_numpy(np.random.RandomState(100).randint(0, 2048, (1, 8, 10)))[0]
    columns[:, 7] = 2051
    return columns, random_normal(101, 1, 192)[0]


def assert_logits(expected: dict[str, Any], text: Tensor, audio: Tensor) -> None:
    """Compare the last position's text [V] and audio [8, A] logits with a vector of the goldens."""
    for name, got in (("text", text), ("audio0", audio[0]), ("audio7", audio[7])):
        want = expected[name]
        assert got[:6].tolist() == pytest.approx(want["first6"], abs=2e-4), name
        assert int(got.argmax()) == want["argmax"], name
        assert float(got.max()) == pytest.approx(want["max"], abs=2e-4), name
        assert float(got.mean()) == pytest.approx(want["mean"], abs=2e-4), name
        assert float(got.std()) == pytest.approx(want["std"], abs=2e-4), name


def tone() -> Tensor:
    """The half second at 16 kHz, float32 [8000], that the front ends are checked with."""
    n = np.arange(8000) / 16_000 * 2 * np.pi
    samples = 0.3 * np.sin(220 * n) + 0.05 * np.sin(1370 * n) + 0.01 * np.sin(5900 * n)
    return torch.from_numpy(samples.astype(np.float32))


def assert_values(expected: dict[str, Any], got: Tensor, tolerance: float) -> None:
    """Compare shape, ends, mean and spread with a vector of the goldens."""
    assert list(got.shape) == expected["shape"]
    assert got.flatten()[:6].tolist() == pytest.approx(expected["first6"], abs=tolerance)
    assert got.flatten()[-6:].tolist() == pytest.approx(expected["last6"], abs=tolerance)
    assert float(got.mean()) == pytest.approx(expected["mean"], abs=tolerance)
    assert float(got.std()) == pytest.approx(expected["std"], abs=tolerance)
