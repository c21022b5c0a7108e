"""Sizes and blocks of the starter's speech codec."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from app.speech.speaker_shape import Film

SAMPLE_RATE = 24_000
FRAME = 1_920
HOP = 320
WINDOW = 1_280
HOPS_PER_FRAME = FRAME // HOP
BINS = WINDOW // 2 + 1
LAG = WINDOW - HOP
#: Squared Hann windows at 75 % overlap add up to this.
OVERLAP_SUM = 1.5
#: A bound that keeps an untrained or foreign code from producing infinities.
MAX_LOG_MAGNITUDE = 6.0


@dataclass(frozen=True)
class CodecConfig:
    """Sizes of the codec; stored in the model folder's `codec.json`. `speaker_size` 0: the codes hold the voice."""

    mels: int = 100
    width: int = 256
    kernel: int = 7
    expansion: int = 3
    encoder_blocks: int = 4
    decoder_blocks: int = 8
    context_width: int = 384
    encoder_layers: int = 2
    decoder_layers: int = 3
    heads: int = 6
    attention_window: int = 64
    codebooks: int = 8
    codebook_size: int = 1024
    code_width: int = 16
    speaker_size: int = 0


class CausalBlock(nn.Module):
    """ConvNeXt-style block on [B, T, C]: depthwise causal filter, norm, two-layer MLP, residual."""

    kernel: int

    def __init__(self, width: int, kernel: int, expansion: int) -> None:
        super().__init__()
        self.kernel = kernel
        self.filter = nn.Parameter(torch.randn(kernel, width) / math.sqrt(kernel))
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, width * expansion)
        self.down = nn.Linear(width * expansion, width)
        self.scale = nn.Parameter(torch.full((width,), 0.3))

    def forward(self, x: Tensor, film: Film | None = None) -> Tensor:
        """x [B, T, C] → [B, T, C]; silence precedes it."""
        padded = F.pad(x, (0, 0, self.kernel - 1, 0))
        steps = x.shape[1]
        # Shifted products: a depthwise Conv1d is several times slower backwards on a CPU.
        mixed = padded[:, :steps] * self.filter[0]
        for tap in range(1, self.kernel):
            mixed = mixed + padded[:, tap : tap + steps] * self.filter[tap]
        mixed = self.norm(mixed)
        if film is not None:
            mixed = film(mixed)
        return x + self.scale * self.down(F.gelu(self.up(mixed)))


class WindowedLayer(nn.Module):
    """Transformer layer over code frames [B, T, C]; attends to the last `window` frames, nearer ones more."""

    slopes: Tensor

    def __init__(self, width: int, heads: int, window: int) -> None:
        super().__init__()
        self.heads, self.window = heads, window
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.mlp_norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        slopes = 2.0 ** (-8.0 * torch.arange(1, heads + 1) / heads)
        self.register_buffer("slopes", slopes, persistent=False)

    def forward(self, x: Tensor, film: Film | None = None) -> Tensor:
        """x [B, T, C] → [B, T, C]."""
        batch, steps, width = x.shape
        normed = self.norm(x)
        if film is not None:
            normed = film(normed)
        query, key, value = self.qkv(normed).view(batch, steps, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        positions = torch.arange(steps, device=x.device)
        age = positions[:, None] - positions
        bias = -self.slopes[:, None, None] * age
        bias = bias.masked_fill((age < 0) | (age >= self.window), -torch.inf)
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=bias.to(query.dtype)[None])
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, steps, width))
        return x + self.down(F.gelu(self.up(self.mlp_norm(x))))


class ResidualQuantiser(nn.Module):
    """Residual vector quantiser over [.., code_width] with codebooks learnt by moving averages (training module)."""

    codebooks: Tensor

    def __init__(self, config: CodecConfig) -> None:
        super().__init__()
        self.register_buffer("codebooks", torch.zeros(config.codebooks, config.codebook_size, config.code_width))

    def encode(self, z: Tensor, used: int | None = None) -> Tensor:
        """Codes int64 [.., used] of vectors `z`, nearest neighbour in every stage."""
        residual, codes = z, []
        for book in self.codebooks[:used]:
            distance = book.square().sum(-1) - 2 * residual @ book.T
            codes.append(distance.argmin(-1))
            residual = residual - book[codes[-1]]
        return torch.stack(codes, -1)

    def decode(self, codes: Tensor) -> Tensor:
        """Sum of the codes' vectors: int64 [.., Q] → [.., code_width]."""
        stages = torch.arange(codes.shape[-1], device=codes.device)
        return self.codebooks[stages, codes].sum(-2)
