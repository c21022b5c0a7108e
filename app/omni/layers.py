"""Transformer parts shared by Thinker and Talker, in their training form (full sequence, no cache).

Module and parameter names are those of the public MiniMind-O state dict.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from app.omni.config import BlockConfig, RopeConfig


class RMSNorm(nn.Module):
    """x · rsqrt(mean(x²) + eps) · weight over the last axis, in float32, cast back to the input's type."""

    def __init__(self, size: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x.float(), self.weight.shape, self.weight.float(), self.eps).to(x.dtype)


def rotary_tables(config: RopeConfig, head_dim: int, length: int | None = None) -> tuple[Tensor, Tensor]:
    """Cosine and sine tables, float32 [length, head_dim], half-split layout (both halves equal).

    With YaRN (Peng et al. 2023, "NTK-by-parts") slow dimensions are divided by the factor.
    """
    half = head_dim // 2
    inverse = config.theta ** (-torch.arange(0, half, dtype=torch.float32) * 2 / head_dim)
    if config.yarn:

        def turning_dim(rotations: float) -> float:
            wavelengths = math.log(config.yarn_original_length / (rotations * 2 * math.pi))
            return head_dim * wavelengths / (2 * math.log(config.theta))

        low = max(math.floor(turning_dim(config.yarn_beta_fast)), 0)
        high = min(math.ceil(turning_dim(config.yarn_beta_slow)), half - 1)
        ramp = ((torch.arange(half, dtype=torch.float32) - low) / max(high - low, 1e-3)).clamp(0, 1)
        inverse = inverse * (1 - ramp + ramp / config.yarn_factor)
    angles = torch.outer(torch.arange(length or config.length, dtype=torch.float32), inverse)
    angles = torch.cat((angles, angles), dim=-1)
    return angles.cos(), angles.sin()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Apply rotary positions to x [..., T, head_dim]."""
    half = x.shape[-1] // 2
    turned = torch.cat((-x[..., half:], x[..., :half]), dim=-1)
    return x * cos + turned * sin


class Rotary(nn.Module):
    """Rotary tables made on first use, so they are never stored in, or missed by, a checkpoint."""

    def __init__(self, config: RopeConfig, head_dim: int) -> None:
        super().__init__()
        self._config = config
        self._head_dim = head_dim
        self._tables: tuple[Tensor, Tensor] | None = None

    def forward(self, length: int, device: torch.device) -> tuple[Tensor, Tensor]:
        """Tables [length, head_dim] for positions 0 … length-1."""
        if length > self._config.length:
            raise ValueError(f"The sequence has {length} positions, the model knows {self._config.length}: shorten it.")
        if self._tables is None or self._tables[0].device != device:
            cos, sin = rotary_tables(self._config, self._head_dim)
            self._tables = (cos.to(device), sin.to(device))
        return self._tables[0][:length], self._tables[1][:length]


class Attention(nn.Module):
    """Causal grouped-query attention with RMS-normalised queries and keys."""

    def __init__(self, config: BlockConfig) -> None:
        super().__init__()
        self.config = config
        q_size, kv_size = config.num_heads * config.head_dim, config.num_kv_heads * config.head_dim
        self.q_proj = nn.Linear(config.hidden_size, q_size, bias=False)
        self.k_proj = nn.Linear(config.hidden_size, kv_size, bias=False)
        self.v_proj = nn.Linear(config.hidden_size, kv_size, bias=False)
        self.o_proj = nn.Linear(q_size, config.hidden_size, bias=False)
        self.q_norm = RMSNorm(config.head_dim, config.eps)
        self.k_norm = RMSNorm(config.head_dim, config.eps)

    def forward(self, x: Tensor, rope: tuple[Tensor, Tensor]) -> Tensor:
        """x [B, T, H] → [B, T, H]; `rope` tables [T, head_dim]."""
        batch, length, _ = x.shape
        c = self.config
        q = self.q_proj(x).view(batch, length, c.num_heads, c.head_dim)
        k = self.k_proj(x).view(batch, length, c.num_kv_heads, c.head_dim)
        v = self.v_proj(x).view(batch, length, c.num_kv_heads, c.head_dim).transpose(1, 2)
        q = rotate(self.q_norm(q).transpose(1, 2), *rope).to(v.dtype)
        k = rotate(self.k_norm(k).transpose(1, 2), *rope).to(v.dtype)
        k, v = (t.repeat_interleave(c.group, dim=1) for t in (k, v))
        # Safe here: query and key start at the same position. With a cache `is_causal` would align the mask
        # to the first key, see `stepper`.
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o_proj(out.transpose(1, 2).reshape(batch, length, -1))


class FeedForward(nn.Module):
    """SwiGLU: down(silu(gate(x)) · up(x))."""

    def __init__(self, hidden_size: int, intermediate_size: int) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.up_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class MoEFeedForward(nn.Module):
    """Softmax router over SwiGLU experts; only the chosen experts run for a token.

    After a training forward `balance` holds num_experts · Σ load · mean-probability for the auxiliary loss.
    """

    def __init__(self, config: BlockConfig) -> None:
        super().__init__()
        self.config = config
        self.gate = nn.Linear(config.hidden_size, config.num_experts, bias=False)
        self.experts = nn.ModuleList(
            FeedForward(config.hidden_size, config.moe_intermediate_size) for _ in range(config.num_experts)
        )
        self.balance: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        flat = x.reshape(-1, x.shape[-1])
        probabilities = self.gate(flat).float().softmax(dim=-1)
        weights, chosen = probabilities.topk(self.config.num_experts_per_tok, dim=-1)
        if self.config.norm_topk_prob:
            weights = weights / (weights.sum(dim=-1, keepdim=True) + 1e-20)
        out = torch.zeros_like(flat)
        for index, expert in enumerate(self.experts):
            token, slot = (chosen == index).nonzero(as_tuple=True)
            if token.numel():
                result = expert(flat[token]) * weights[token, slot, None]
                out = out.index_add(0, token, result.to(out.dtype))
        if self.training:
            load = F.one_hot(chosen, self.config.num_experts).float().mean(dim=(0, 1))
            self.balance = self.config.num_experts * (load * probabilities.mean(dim=0)).sum()
        return out.view_as(x)


class Block(nn.Module):
    """Pre-norm transformer block: attention, then (mixture of) SwiGLU."""

    def __init__(self, config: BlockConfig) -> None:
        super().__init__()
        self.self_attn = Attention(config)
        self.input_layernorm = RMSNorm(config.hidden_size, config.eps)
        self.post_attention_layernorm = RMSNorm(config.hidden_size, config.eps)
        self.mlp: nn.Module = (
            MoEFeedForward(config) if config.use_moe else FeedForward(config.hidden_size, config.intermediate_size)
        )
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor, rope: tuple[Tensor, Tensor]) -> Tensor:
        x = x + self.dropout(self.self_attn(self.input_layernorm(x), rope))
        return x + self.dropout(self.mlp(self.post_attention_layernorm(x)))


class Projector(nn.Module):
    """Encoder features [..., in] → Thinker width: LayerNorm, Linear, GELU, Linear."""

    def __init__(self, in_size: int, hidden_size: int) -> None:
        super().__init__()
        self.mlp = nn.Sequential(
            nn.LayerNorm(in_size),
            nn.Linear(in_size, hidden_size),
            nn.GELU(),
            nn.Linear(hidden_size, hidden_size),
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.mlp(x)
