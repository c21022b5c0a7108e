"""The Talker: speech codes of eight codebooks predicted in parallel from the Thinker's bridge states.

The eight low-rank adapters are kept as one stacked parameter each, so that embedding and head are a few large
products instead of a loop over codebooks. In the state dict they appear under the per-codebook names
`adapters.<codebook>.<0|2>.weight` of the public checkpoints.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from app.omni.config import CODEBOOKS, OmniConfig
from app.omni.layers import Block, RMSNorm, Rotary


class _StackedAdapters(nn.Module):
    """`inner` and `outer` hold all codebooks; saved as `adapters.c.0.weight`, `adapters.c.2.weight`."""

    inner: nn.Parameter
    outer: nn.Parameter
    _names = (("inner", "0"), ("outer", "2"))

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        stacks = [(destination.pop(prefix + attribute), suffix) for attribute, suffix in self._names]
        for codebook in range(CODEBOOKS):
            for stack, suffix in stacks:
                destination[f"{prefix}adapters.{codebook}.{suffix}.weight"] = stack[codebook]

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, metadata: Any, strict: bool, missing: list[str],
        unexpected: list[str], errors: list[str],
    ) -> None:  # fmt: skip
        for attribute, suffix in self._names:
            keys = [f"{prefix}adapters.{codebook}.{suffix}.weight" for codebook in range(CODEBOOKS)]
            parts = [state_dict.pop(key, None) for key in keys]
            absent = [key for key, part in zip(keys, parts, strict=True) if part is None]
            shape = getattr(self, attribute).shape[1:]
            wrong = [key for key, part in zip(keys, parts, strict=True) if part is not None and part.shape != shape]
            missing.extend(absent)
            errors.extend(f"size mismatch for {key}: expected {tuple(shape)}" for key in wrong)
            broken = absent or wrong
            state_dict[prefix + attribute] = getattr(self, attribute).data if broken else torch.stack(parts)
        super()._load_from_state_dict(state_dict, prefix, metadata, strict, missing, unexpected, errors)


class CodeEmbedding(_StackedAdapters):
    """Mean over codebooks c of Base[id_c] + W2_c · GELU(E1_c[id_c])."""

    def __init__(self, vocab: int, hidden: int, rank: int) -> None:
        super().__init__()
        self.base = nn.Embedding(vocab, hidden)
        self.inner = nn.Parameter(torch.empty(CODEBOOKS, vocab, rank))
        self.outer = nn.Parameter(torch.empty(CODEBOOKS, hidden, rank))

    def forward(self, ids: Tensor) -> Tensor:
        """ids int64 [B, 8, T] → [B, T, hidden]."""
        batch, _, length = ids.shape
        flat = ids.transpose(1, 2).reshape(-1, CODEBOOKS)
        base = F.embedding_bag(flat, self.base.weight, mode="mean")
        vocab = self.inner.shape[1]
        rows = flat + torch.arange(CODEBOOKS, device=ids.device) * vocab
        inner = F.gelu(F.embedding(rows, self.inner.flatten(0, 1))).flatten(1)
        adapted = F.linear(inner, self.outer.transpose(0, 1).flatten(1)) / CODEBOOKS
        return (base + adapted).view(batch, length, -1)

    @torch.no_grad()
    def table(self) -> Tensor:
        """Every code's share of the mean, float32 [8 · vocab, hidden]: the forward as a sum of eight rows."""
        adapted = torch.bmm(F.gelu(self.inner), self.outer.transpose(1, 2))
        return ((self.base.weight + adapted) / CODEBOOKS).flatten(0, 1)


class CodeHead(_StackedAdapters):
    """Logits of codebook c: Base · h + B_c · GELU(A_c · h)."""

    def __init__(self, vocab: int, hidden: int, rank: int) -> None:
        super().__init__()
        self.base = nn.Linear(hidden, vocab, bias=False)
        self.inner = nn.Parameter(torch.empty(CODEBOOKS, rank, hidden))
        self.outer = nn.Parameter(torch.empty(CODEBOOKS, vocab, rank))

    def forward(self, h: Tensor) -> Tensor:
        """h [N, hidden] → [8, N, vocab]."""
        inner = F.gelu(F.linear(h, self.inner.flatten(0, 1)))
        inner = inner.view(-1, CODEBOOKS, self.inner.shape[1]).transpose(0, 1)
        return torch.bmm(inner, self.outer.transpose(1, 2)) + self.base(h)


def _projection(in_size: int, out_size: int, eps: float) -> nn.Sequential:
    return nn.Sequential(nn.Linear(in_size, out_size), nn.GELU(), nn.Linear(out_size, out_size), RMSNorm(out_size, eps))


class Talker(nn.Module):
    """Bridge states and eight delayed code streams in, states for `lm_head` out."""

    def __init__(self, config: OmniConfig) -> None:
        super().__init__()
        hidden, block, rank = config.talker_hidden_size, config.talker_block, config.audio_adapter_size
        self.spk_token = config.audio_spk_token
        self.text_scale = nn.Parameter(torch.tensor(3.0))
        self.audio_scale = nn.Parameter(torch.tensor(1.0))
        self.embed_tokens = CodeEmbedding(config.audio_vocab_size, hidden, rank)
        self.lm_head = CodeHead(config.audio_vocab_size, hidden, rank)
        self.codec_proj = _projection(hidden, hidden, config.rms_norm_eps)
        self.embed_proj = _projection(config.hidden_size, hidden, config.rms_norm_eps)
        self.spk_proj = nn.Linear(config.spk_emb_size, hidden, bias=False)
        self.layers = nn.ModuleList(Block(block) for _ in range(config.num_talker_hidden_layers))
        self.norm = RMSNorm(hidden, config.rms_norm_eps)
        self.rotary = Rotary(config.rope, block.head_dim)

    def forward(
        self, bridge: Tensor, audio_ids: Tensor, spk_emb: Tensor | None = None, spk_mask: Tensor | None = None
    ) -> Tensor:
        """bridge [B, T, H], audio_ids int64 [B, 8, T], spk_emb [B, S] → final normed states [B, T, talker H].

        Where codebook 0 holds the speaker id, the embedding is replaced by the projected `spk_emb`;
        `spk_mask` bool [B] leaves out the items that have none.
        """
        e = self.embed_tokens(audio_ids)
        if spk_emb is not None:
            slot = audio_ids[:, 0] == self.spk_token
            if spk_mask is not None:
                slot = slot & spk_mask[:, None]
            e = torch.where(slot[..., None], self.spk_proj(spk_emb).to(e.dtype)[:, None], e)
        x = self.text_scale * self.embed_proj(bridge) + self.audio_scale * self.codec_proj(e)
        rope = self.rotary(x.shape[1], x.device)
        for layer in self.layers:
            x = layer(x, rope)
        return self.norm(x)
