"""The SigLIP 2 vision tower (Tschannen et al. 2025, arXiv 2502.14786; base, patches of 32 pixels, 256 × 256).

A plain vision transformer whose 64 patch states, behind the last norm, are the features; the pooling head that comes
with the weights is not used. Weights keep the type they are stored in and become float32 layer by layer as they are
used: half the memory of a model that looks at a picture now and then.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from app.omni.turn import IMAGE_SIDE
from app.speech.errors import DamagedModelError
from app.speech.part_files import find_part_file
from app.speech.weights import read_tensors

log = logging.getLogger(__name__)

PART = "siglip2"
_PREFIX = "vision_model."
# The pooling head, and the other half of a whole SigLIP.
_UNUSED = ("head.", "text_model.", "logit_", "embeddings.position_ids")


@dataclass(frozen=True)
class TowerShape:
    """Sizes of a tower; `side` of the picture and `patch` in pixels."""

    width: int = 768
    layers: int = 12
    heads: int = 12
    inner: int = 3_072
    patch: int = 32
    side: int = IMAGE_SIDE
    eps: float = 1e-6

    @property
    def tokens(self) -> int:
        """Patches of a picture."""
        return (self.side // self.patch) ** 2

    def tensors(self) -> dict[str, tuple[int, ...]]:
        """Names, without the prefix, and shapes of the weights."""
        width, inner = self.width, self.inner
        found: dict[str, tuple[int, ...]] = {
            "embeddings.patch_embedding.weight": (width, 3, self.patch, self.patch),
            "embeddings.patch_embedding.bias": (width,),
            "embeddings.position_embedding.weight": (self.tokens, width),
            "post_layernorm.weight": (width,),
            "post_layernorm.bias": (width,),
        }
        parts = {f"self_attn.{name}_proj": (width, width) for name in ("q", "k", "v", "out")}
        parts |= {"mlp.fc1": (inner, width), "mlp.fc2": (width, inner)}
        parts |= {"layer_norm1": (width,), "layer_norm2": (width,)}  # type: ignore[dict-item]
        for layer in range(self.layers):
            for name, shape in parts.items():
                found[f"encoder.layers.{layer}.{name}.weight"] = shape
                found[f"encoder.layers.{layer}.{name}.bias"] = shape[:1]
        return found


class VisionTower:
    """An `ImageEncoder` over the weights of a tower."""

    def __init__(self, weights: Mapping[str, Tensor], shape: TowerShape | None = None, source: str = "") -> None:
        """`weights` by their published names, with the prefix `vision_model.` or without; `source` is where they are
        from. Raises DamagedModelError for a tensor that is missing or has the wrong shape.
        """
        self.shape = shape or TowerShape()
        given = {name.removeprefix(_PREFIX): tensor for name, tensor in weights.items()}
        wanted = self.shape.tensors()
        source = source or "The vision tower"
        for name, size in wanted.items():
            if name not in given:
                raise DamagedModelError(
                    f"{source} lacks '{_PREFIX}{name}': it is incomplete or no SigLIP 2 tower; download it again."
                )
            if tuple(given[name].shape) != size:
                raise DamagedModelError(
                    f"{source} has '{_PREFIX}{name}' with shape {tuple(given[name].shape)} instead of {size}: it is "
                    f"another vision tower than the one of {self.shape.side} pixels that this model was trained with."
                )
        extra = sorted(name for name in given if name not in wanted and not name.startswith(_UNUSED))
        if extra:
            log.warning(
                "%s: %d tensors the vision tower does not use were left out (%s …)", source, len(extra), extra[0]
            )
        self._weights = {name: given[name].detach() for name in wanted}

    @classmethod
    def load(cls, path: Path) -> VisionTower:
        """The tower in a weight file. Raises DamagedModelError."""
        return cls(read_tensors(path), source=str(path))

    @property
    def tokens(self) -> int:
        """See `ImageEncoder`."""
        return self.shape.tokens

    @property
    def width(self) -> int:
        """See `ImageEncoder`."""
        return self.shape.width

    @torch.inference_mode()
    def encode(self, image: bytes) -> Tensor:
        """Features float32 [tokens, width] of uint8 RGB bytes [side, side, 3]. Raises ValueError for another size."""
        shape = self.shape
        if len(image) != 3 * shape.side**2:
            raise ValueError(f"a picture has {3 * shape.side**2} bytes, not {len(image)}")
        grid = shape.side // shape.patch
        pixels = torch.frombuffer(bytearray(image), dtype=torch.uint8).float() / 127.5 - 1.0
        patches = pixels.view(grid, shape.patch, grid, shape.patch, 3).permute(0, 2, 4, 1, 3)
        x = self._linear(patches.reshape(shape.tokens, -1), "embeddings.patch_embedding")
        x = x + self._weights["embeddings.position_embedding.weight"].float()
        for layer in range(shape.layers):
            name = f"encoder.layers.{layer}"
            x = x + self._attend(self._norm(x, f"{name}.layer_norm1"), f"{name}.self_attn")
            inner = F.gelu(self._linear(self._norm(x, f"{name}.layer_norm2"), f"{name}.mlp.fc1"), approximate="tanh")
            x = x + self._linear(inner, f"{name}.mlp.fc2")
        return self._norm(x, "post_layernorm")

    def _attend(self, x: Tensor, name: str) -> Tensor:
        """x [T, width] → [T, width]; every patch sees every other."""
        query, key, value = (
            self._linear(x, f"{name}.{part}_proj").view(len(x), self.shape.heads, -1).transpose(0, 1)[None]
            for part in ("q", "k", "v")
        )
        seen = F.scaled_dot_product_attention(query, key, value)
        return self._linear(seen[0].transpose(0, 1).reshape(len(x), -1), f"{name}.out_proj")

    def _linear(self, x: Tensor, name: str) -> Tensor:
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return F.linear(x, weight.flatten(1).float(), bias.float())

    def _norm(self, x: Tensor, name: str) -> Tensor:
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return F.layer_norm(x, (self.shape.width,), weight.float(), bias.float(), self.shape.eps)


def find_tower(folder: Path) -> Path | None:
    """The weight file of the vision tower in a model folder, None where there is none."""
    return find_part_file(folder, PART, ("*.safetensors", "*.bin"), (f"{PART}*.safetensors",))
