"""Building the network of a model folder: own safetensors or published MiniMind-O files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor

from app.omni.config import ConfigError, OmniConfig
from app.omni.errors import DamagedModelError
from app.omni.model import OmniModel
from app.speech import weights
from app.speech.weights import read_tensors

_EMBEDDING, _HEAD = "model.embed_tokens.weight", "lm_head.weight"


def weight_files(folder: str | Path) -> list[Path]:
    """The files that hold a folder's network weights. Raises DamagedModelError when there are none."""
    folder = Path(folder)
    for pattern in ("model.safetensors", "model-*.safetensors", "pytorch_model*.bin", "*.pth"):
        files = sorted(folder.glob(pattern))
        if files:
            if pattern == "*.pth" and len(files) > 1:
                raise DamagedModelError(f"{folder} holds several .pth files: keep only the one to use.")
            return files
    raise DamagedModelError(f"{folder} holds no model weights: download or copy the model folder again.")


def load_model(folder: str | Path, config: OmniConfig | None = None) -> OmniModel:
    """Build the network of a model folder in float32, in evaluation mode.

    A missing text head is tied, tensors the network does not know are dropped with a log line. Raises
    DamagedModelError when a tensor is missing or has the wrong shape, or a file is damaged.
    """
    folder = Path(folder)
    try:
        config = config or OmniConfig.load(folder)
    except ConfigError as error:
        raise DamagedModelError(str(error)) from error
    state: dict[str, Tensor] = {}
    for path in weight_files(folder):
        state |= read_tensors(path)
    return build_model(config, state, str(folder))


def build_model(config: OmniConfig, state: Mapping[str, Tensor], source: str = "The state dict") -> OmniModel:
    """The network of `config` with the tensors of `state` (any float type); rules as in `load_model`."""
    with weights.WithoutValues():
        model = OmniModel(config)
    given = dict(state)
    if _HEAD not in given and _EMBEDDING in given:
        given[_HEAD] = given[_EMBEDDING]
    weights.fill(model, given, source, "the network")
    model.tie_weights()
    return model.eval().requires_grad_(False)


def save_weights(
    state: Mapping[str, Tensor], path: str | Path, dtype: Literal["float32", "float16", "int8"] = "float16"
) -> None:
    """Write a network's tensors (see `app.speech.weights`); a text head equal to the embedding is left out."""
    tied = _HEAD in state and _EMBEDDING in state and torch.equal(state[_HEAD], state[_EMBEDDING])
    weights.save_weights({n: t for n, t in state.items() if not (tied and n == _HEAD)}, path, dtype)
