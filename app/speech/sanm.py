"""The encoder of SenseVoice-Small: self-attention with a memory (SANM), 70 blocks, seeing the whole clip at once.

Modules are named as in the published state dict, without its prefix `encoder.`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from app.speech.fbank import FEATURES
from app.speech.interfaces import GivenUpError


@dataclass(frozen=True)
class SanmConfig:
    """Sizes; those of the published model unless its `config.yaml` says otherwise."""

    width: int = 512
    heads: int = 4
    inner: int = 2048
    blocks: int = 50
    tp_blocks: int = 20
    kernel: int = 11


class SanmAttention(nn.Module):
    """Attention of every frame to all, plus a depth-wise convolution over the values."""

    def __init__(self, config: SanmConfig, size: int) -> None:
        super().__init__()
        width = config.width
        self.heads = config.heads
        self.linear_q_k_v = nn.Linear(size, 3 * width)
        self.linear_out = nn.Linear(width, width)
        self.fsmn_block = nn.Conv1d(width, width, config.kernel, padding=config.kernel // 2, groups=width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """[B, T, size] → [B, T, width]."""
        query, key, value = self.linear_q_k_v(x).chunk(3, -1)
        memory = self.fsmn_block(value.transpose(1, 2)).transpose(1, 2) + value
        split = [t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (query, key, value)]
        mixed = F.scaled_dot_product_attention(*split)
        return self.linear_out(mixed.transpose(1, 2).flatten(2)) + memory


class FeedForward(nn.Module):
    """Two products with a ReLU between them."""

    def __init__(self, config: SanmConfig) -> None:
        super().__init__()
        self.w_1 = nn.Linear(config.width, config.inner)
        self.w_2 = nn.Linear(config.inner, config.width)

    def forward(self, x: Tensor) -> Tensor:
        """[.., width] → [.., width]."""
        return self.w_2(F.relu(self.w_1(x)))


class SanmBlock(nn.Module):
    """Pre-norm block. One that widens its input has no residual around the attention."""

    def __init__(self, config: SanmConfig, size: int) -> None:
        super().__init__()
        self.self_attn = SanmAttention(config, size)
        self.feed_forward = FeedForward(config)
        self.norm1 = nn.LayerNorm(size)
        self.norm2 = nn.LayerNorm(config.width)
        self.widens = size != config.width

    def forward(self, x: Tensor) -> Tensor:
        """[B, T, size] → [B, T, width]."""
        attended = self.self_attn(self.norm1(x))
        x = attended if self.widens else x + attended
        return x + self.feed_forward(self.norm2(x))


def positions(length: int, size: int) -> Tensor:
    """Sines, then cosines, [length, size], of the positions 1 … length."""
    half = size // 2
    rates = torch.exp(torch.arange(half) * (-math.log(10_000.0) / (half - 1)))
    angles = torch.arange(1, length + 1)[:, None] * rates
    return torch.cat((angles.sin(), angles.cos()), 1)


class SanmEncoder(nn.Module):
    """Normalised features [T, 560] → states [T, width]."""

    def __init__(self, config: SanmConfig) -> None:
        super().__init__()
        self.width = config.width
        self.encoders0 = nn.ModuleList([SanmBlock(config, FEATURES)])
        self.encoders = nn.ModuleList(SanmBlock(config, config.width) for _ in range(config.blocks - 1))
        self.after_norm = nn.LayerNorm(config.width)
        self.tp_encoders = nn.ModuleList(SanmBlock(config, config.width) for _ in range(config.tp_blocks))
        self.tp_norm = nn.LayerNorm(config.width)

    def forward(self, features: Tensor, given_up: Callable[[], bool] = lambda: False) -> Tensor:
        """Features [T, 560] → states [T, width]. Raises GivenUpError as soon as `given_up`, asked at every block."""
        x = (features * math.sqrt(self.width) + positions(*features.shape))[None]
        for stage, norm in (
            ((*self.encoders0, *self.encoders), self.after_norm),
            (tuple(self.tp_encoders), self.tp_norm),
        ):
            for block in cast("tuple[SanmBlock, ...]", stage):
                if given_up():
                    raise GivenUpError
                x = block(x)
            x = norm(x)
        return x[0]
