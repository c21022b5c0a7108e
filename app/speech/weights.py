"""Reading the model's weight files: safetensors in half precision or int8 with one scale per row."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

SCALE = ".scale"


def load_weights(path: Path) -> dict[str, Tensor]:
    """All tensors of `path` as float32; a tensor `K` stored as int8 is multiplied by its row scales `K.scale`.

    Raises `FileNotFoundError` or `safetensors.SafetensorError` on a missing or damaged file.
    """
    stored = load_file(path)
    weights = {}
    for name, tensor in stored.items():
        if name.endswith(SCALE) and name.removesuffix(SCALE) in stored:
            continue
        scale = stored.get(name + SCALE)
        if tensor.dtype == torch.int8 and scale is not None:
            weights[name] = tensor.float() * scale.float()[:, None]
        elif tensor.is_floating_point():
            weights[name] = tensor.float()
        else:
            weights[name] = tensor
    return weights


def save_weights(state: dict[str, Tensor], path: Path, *, int8: bool) -> None:
    """Write float16, or int8 with row scales for matrices of at least 64 columns."""
    stored: dict[str, Tensor] = {}
    for name, tensor in state.items():
        value = tensor.detach().float().cpu().contiguous()
        if int8 and value.ndim == 2 and value.shape[1] >= 64:
            scale = value.abs().amax(1).clamp(min=1e-8) / 127
            stored[name] = (value / scale[:, None]).round().to(torch.int8)
            stored[name + SCALE] = scale
        else:
            stored[name] = value.half()
    save_file(stored, path)
