"""Reading and writing the network's weights.

Own files are safetensors (`model.safetensors`, or shards `model-*.safetensors`) in float32, float16, bfloat16
or int8 with one float32 scale per output row (`<name>.scale`). Published MiniMind-O pickles are read with
`weights_only`.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from app.omni.config import ConfigError, OmniConfig
from app.omni.errors import DamagedModelError
from app.omni.model import OmniModel

log = logging.getLogger(__name__)

_SCALE = ".scale"
_INT8_MIN_COLUMNS = 64
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


def read_tensors(path: str | Path) -> dict[str, Tensor]:
    """Tensors of a safetensors file or a `.bin`/`.pth` pickle (no code is run), int8 scaled back to float."""
    path = Path(path)
    try:
        if path.suffix == ".safetensors":
            state = load_file(path)
        else:
            state = torch.load(path, map_location="cpu", weights_only=True)
    except (OSError, SafetensorError) as error:
        raise DamagedModelError(f"{path} is damaged ({error}): download or copy it again.") from error
    except Exception as error:  # torch raises many types for damaged or foreign pickles
        raise DamagedModelError(f"{path} cannot be read as a weight file: download or copy it again.") from error
    if not isinstance(state, dict) or not all(isinstance(t, Tensor) for t in state.values()):
        raise DamagedModelError(f"{path} does not map names to tensors: it is not a model of this kind.")
    for name in [n for n, t in state.items() if t.dtype == torch.int8]:
        scale = state.pop(name + _SCALE, None)
        if scale is None or scale.shape != state[name].shape[:1]:
            raise DamagedModelError(f"{path} lacks the scale of '{name}': download or copy it again.")
        state[name] = state[name].float() * scale.float()[:, None]
    return state


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
    with torch.device("meta"):
        model = OmniModel(config)
    given = dict(state)
    if _HEAD not in given and _EMBEDDING in given:
        given[_HEAD] = given[_EMBEDDING]
    expected = {name: tensor.shape for name, tensor in model.state_dict().items()}
    missing = [name for name in expected if name not in given]
    if missing:
        raise DamagedModelError(
            f"{source} lacks {len(missing)} tensors of the network (first: '{missing[0]}'): "
            "the file is incomplete or belongs to another model."
        )
    wrong = [name for name, shape in expected.items() if given[name].shape != shape]
    if wrong:
        raise DamagedModelError(
            f"{source} has '{wrong[0]}' with shape {tuple(given[wrong[0]].shape)} instead of "
            f"{tuple(expected[wrong[0]])}: config.json and weights do not belong together."
        )
    extra = sorted(set(given) - set(expected))
    if extra:
        log.warning("%s: %d tensors the network does not use were left out (%s …)", source, len(extra), extra[0])
    model.load_state_dict({name: given[name].float() for name in expected}, assign=True)
    model.tie_weights()
    return model.eval().requires_grad_(False)


def save_weights(
    state: Mapping[str, Tensor], path: str | Path, dtype: Literal["float32", "float16", "int8"] = "float16"
) -> None:
    """Write tensors to a safetensors file, in one piece: a failed write leaves the old file.

    `int8` quantises 2-D tensors of at least 64 columns, one scale per row; everything else becomes float16. A
    text head equal to the embedding is left out.
    """
    path = Path(path)
    out: dict[str, Tensor] = {}
    for name, tensor in state.items():
        value = tensor.detach().float().cpu()
        if name == _HEAD and _EMBEDDING in state and torch.equal(state[_HEAD], state[_EMBEDDING]):
            continue
        if dtype == "int8" and value.dim() == 2 and value.shape[1] >= _INT8_MIN_COLUMNS:
            scale = value.abs().amax(dim=1).clamp(min=1e-12) / 127
            out[name] = (value / scale[:, None]).round().to(torch.int8)
            out[name + _SCALE] = scale
        else:
            out[name] = value.to(torch.float32 if dtype == "float32" else torch.float16).clone()
    partial = path.with_name(path.name + ".part")
    save_file(out, str(partial))
    os.replace(partial, path)
