"""Inference with caches: one `step` is one position of Thinker and Talker, 80 ms of speech.

Weights are fused once (q/k/v and gate/up in one product each, the eight adapters stacked, the code embedding
as one table), so that a step is few, large operations, with eight-bit weights where the model asks for them. Text
logits are optional: once the text has ended, the Thinker's blocks above the bridge serve nobody and are left out
without any change to the speech.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from app.omni.cache import KVCache
from app.omni.config import CODEBOOKS, BlockConfig, OmniConfig
from app.omni.layers import Block, FeedForward, MoEFeedForward, RMSNorm, rotary_tables
from app.omni.model import OmniModel, place_features
from app.omni.prompt import Prompt
from app.omni.talker import CodeHead
from app.speech.matrix import Matrix

PREFILL_CHUNK = 128


class Cancelled(Exception):
    """The caller's `cancelled` said yes during the prefill."""


class Logits(NamedTuple):
    """Logits of the newest position: `text` float32 [V], `audio` float32 [8, A]; None where not asked for."""

    text: NDArray[np.float32] | None
    audio: NDArray[np.float32] | None


class StepNetwork(Protocol):
    """What the generation loop needs of a network."""

    def prefill(self, prompt: Prompt, capacity: int, cancelled: Callable[[], bool]) -> Logits:
        """Start over with a prompt; `capacity` positions in all will be needed. May raise Cancelled."""
        ...

    def step(self, text_id: int, codes: NDArray[np.int64], *, need_text: bool, need_audio: bool) -> Logits:
        """Feed the next position: one text id and eight audio ids int64 [8].

        After the first call with `need_text` false the text logits can no longer be had.
        """
        ...


class _Norm:
    """RMS norm of rows [T, H]. For one row as two operations: torch's own takes seven."""

    def __init__(self, weight: Tensor, eps: float) -> None:
        self._weight, self._eps = weight.detach(), eps
        self._zero = torch.zeros(1, len(weight))

    def __call__(self, x: Tensor) -> Tensor:
        width = x.shape[-1]
        if x.shape[0] != 1:
            return F.rms_norm(x, (width,), self._weight, self._eps)
        row = x.view(-1)
        factor = (float(torch.dot(row, row)) / width + self._eps) ** -0.5
        return torch.addcmul(self._zero, x, self._weight, value=factor)


class _FusedMLP:
    def __init__(self, mlp: FeedForward, int8: bool) -> None:
        self.gate_up = Matrix(torch.cat((mlp.gate_proj.weight, mlp.up_proj.weight)), int8=int8)
        self.down = Matrix(mlp.down_proj.weight, int8=int8)

    def __call__(self, x: Tensor) -> Tensor:
        gate, up = self.gate_up(x).chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)


class _FusedMoE:
    def __init__(self, mlp: MoEFeedForward, int8: bool) -> None:
        self.router = mlp.gate.weight.detach()
        self.experts = [_FusedMLP(e, int8) for e in mlp.experts if isinstance(e, FeedForward)]
        self.config = mlp.config

    def __call__(self, x: Tensor) -> Tensor:
        weights, chosen = F.linear(x, self.router).softmax(dim=-1).topk(self.config.num_experts_per_tok, dim=-1)
        if self.config.norm_topk_prob:
            weights = weights / (weights.sum(dim=-1, keepdim=True) + 1e-20)
        if x.shape[0] == 1:
            picks = zip(chosen[0].tolist(), weights[0], strict=True)
            return torch.stack([self.experts[index](x) * weight for index, weight in picks]).sum(dim=0)
        out = torch.zeros_like(x)
        for index in chosen.unique().tolist():
            token, slot = (chosen == index).nonzero(as_tuple=True)
            out.index_add_(0, token, self.experts[index](x[token]) * weights[token, slot, None])
        return out


class _FusedBlock:
    """One block on x [T, H] (batch 1) behind a cache."""

    def __init__(self, block: Block, config: BlockConfig, int8: bool) -> None:
        attention = block.self_attn
        self.config = config
        inputs = (attention.q_proj.weight, attention.k_proj.weight, attention.v_proj.weight)
        self.qkv = Matrix(torch.cat(inputs), int8=int8)
        self.out = Matrix(attention.o_proj.weight, int8=int8)
        heads = (config.num_heads, config.num_kv_heads)
        norms = (attention.q_norm.weight.detach(), attention.k_norm.weight.detach())
        self.qk_norm = torch.cat([w.expand(n, -1) for w, n in zip(norms, heads, strict=True)])
        self.norm_in = _Norm(block.input_layernorm.weight, config.eps)
        self.norm_mlp = _Norm(block.post_attention_layernorm.weight, config.eps)
        self.mlp = _FusedMoE(block.mlp, int8) if isinstance(block.mlp, MoEFeedForward) else _dense(block.mlp, int8)

    def __call__(self, x: Tensor, cos: Tensor, sin: Tensor, cache: KVCache, layer: int, last_only: bool) -> Tensor:
        """`cos`, `sin` [T, 1, head_dim] (the sine with its sign); `last_only` returns the last row alone."""
        c = self.config
        qkv = self.qkv(self.norm_in(x)).view(x.shape[0], -1, c.head_dim)
        both = c.num_heads + c.num_kv_heads
        qk = F.rms_norm(qkv[:, :both], (c.head_dim,), None, c.eps) * self.qk_norm
        qk = torch.addcmul(qk * cos, qk.roll(c.head_dim // 2, dims=-1), sin)
        keys, values = cache.write(layer, qk[:, c.num_heads :].transpose(0, 1), qkv[:, both:].transpose(0, 1))
        queries = qk[:, : c.num_heads]
        if last_only:
            queries, x = queries[-1:], x[-1:]
        x = x + self.out(self._attend(queries, keys, values, cache.length))
        return x + self.mlp(self.norm_mlp(x))

    def _attend(self, queries: Tensor, keys: Tensor, values: Tensor, start: int) -> Tensor:
        """queries [T, heads, d], keys and values [kv_heads, n, d] → [T, heads · d]."""
        c, rows = self.config, queries.shape[0]
        if rows == 1:
            # The newest position sees every row, so no mask: the query heads of a group act as its query
            # rows.
            grouped = queries.view(c.num_kv_heads, c.group, c.head_dim) * c.head_dim**-0.5
            return torch.bmm(torch.bmm(grouped, keys.transpose(1, 2)).softmax(-1), values).view(1, -1)
        keys, values = (t.repeat_interleave(c.group, dim=0)[None] for t in (keys, values))
        mask = None
        if start:
            # `is_causal` would align the mask to the first key, not to the newest.
            mask = torch.ones(rows, start + rows, dtype=torch.bool).tril(start)
        out = F.scaled_dot_product_attention(
            queries.transpose(0, 1)[None], keys, values, attn_mask=mask, is_causal=mask is None
        )
        return out[0].transpose(0, 1).reshape(rows, -1)


def _dense(mlp: torch.nn.Module, int8: bool) -> _FusedMLP:
    if not isinstance(mlp, FeedForward):
        raise TypeError(f"unknown feed-forward {type(mlp).__name__}")
    return _FusedMLP(mlp, int8)


class _Positions:
    """Rotary tables shaped for rows of heads, the sine signed so that rotation is a roll."""

    def __init__(self, config: OmniConfig, head_dim: int) -> None:
        cos, sin = rotary_tables(config.rope, head_dim)
        sin[:, : head_dim // 2] *= -1
        self.cos, self.sin = cos[:, None], sin[:, None]

    def __call__(self, start: int, count: int) -> tuple[Tensor, Tensor]:
        return self.cos[start : start + count], self.sin[start : start + count]


def _matrix(layer: torch.nn.Module, int8: bool) -> Matrix:
    if not isinstance(layer, torch.nn.Linear):
        raise TypeError("a projection needs linear layers")
    return Matrix(layer.weight, layer.bias, int8=int8)


class _FusedProjection:
    """Linear, GELU, Linear, RMSNorm, with the Talker's learned scale folded into the norm's weight."""

    def __init__(self, layers: torch.nn.Sequential, scale: Tensor, int8: bool) -> None:
        first, _, second, norm = layers
        if not isinstance(norm, RMSNorm):
            raise TypeError("a projection must end with RMSNorm")
        self.first, self.second = _matrix(first, int8), _matrix(second, int8)
        self.norm = _Norm(norm.weight * scale, norm.eps)

    def __call__(self, x: Tensor) -> Tensor:
        return self.norm(self.second(F.gelu(self.first(x))))


class _FusedHead:
    """Logits of the eight codebooks: base · h + outer_c · gelu(inner_c · h), see `talker.CodeHead`."""

    def __init__(self, head: CodeHead, int8: bool) -> None:
        self.base = Matrix(head.base.weight, int8=int8)
        self.inner = Matrix(head.inner.flatten(0, 1), int8=int8)
        self.outer = [Matrix(matrix, int8=int8) for matrix in head.outer]

    def __call__(self, hidden: Tensor) -> Tensor:
        """hidden [1, talker hidden] → [8, A]."""
        inner = F.gelu(self.inner(hidden)).view(CODEBOOKS, 1, -1)
        adapted = [outer(row) for outer, row in zip(self.outer, inner, strict=True)]
        return torch.cat(adapted) + self.base(hidden)


class Stepper:
    """A `StepNetwork` over the weights of an `OmniModel` (CPU). One utterance at a time.

    `int8`: steps use eight-bit weights (see `Matrix`), prefills float32.
    """

    def __init__(self, model: OmniModel, *, int8: bool = False) -> None:
        config = model.config
        self.config = config
        thinker, talker = model.model, model.talker
        self._projectors = (model.audio_proj, model.vision_proj)
        self._embedding = thinker.embed_tokens.weight.detach()
        self._text_head = Matrix(self._embedding, int8=int8)
        self._thinker = [_FusedBlock(b, config.thinker_block, int8) for b in thinker.layers if isinstance(b, Block)]
        self._talker = [_FusedBlock(b, config.talker_block, int8) for b in talker.layers if isinstance(b, Block)]
        self._thinker_norm = _Norm(thinker.norm.weight, config.rms_norm_eps)
        self._talker_norm = _Norm(talker.norm.weight, config.rms_norm_eps)
        self._thinker_positions = _Positions(config, config.thinker_block.head_dim)
        self._talker_positions = _Positions(config, config.talker_block.head_dim)
        self._bridge_in = _FusedProjection(talker.embed_proj, talker.text_scale, int8)
        self._codes_in = _FusedProjection(talker.codec_proj, talker.audio_scale, int8)
        self._code_table = talker.embed_tokens.table()
        self._code_rows = (torch.arange(CODEBOOKS) * config.audio_vocab_size)[:, None]
        self._speaker = talker.spk_proj.weight.detach()
        self._code_head = _FusedHead(talker.lm_head, int8)
        self._speaker_row: Tensor | None = None
        self._caches: tuple[KVCache, KVCache] | None = None
        self._text_alive = True

    @torch.inference_mode()
    def prefill(self, prompt: Prompt, capacity: int, cancelled: Callable[[], bool]) -> Logits:
        """See StepNetwork. Raises ValueError when `capacity` is more positions than the model knows."""
        config = self.config
        if not prompt.length <= capacity <= config.max_position_embeddings:
            raise ValueError(
                f"{capacity} positions do not fit: the prompt has {prompt.length}, "
                f"the model knows {config.max_position_embeddings}."
            )
        self._caches = (
            KVCache(config.thinker_block, config.num_hidden_layers, capacity),
            KVCache(config.talker_block, config.num_talker_hidden_layers, capacity),
        )
        self._text_alive = True
        self._speaker_row = None if prompt.spk_emb is None else F.linear(prompt.spk_emb, self._speaker)
        embedded = self._embed_prompt(prompt)
        for start in range(0, prompt.length, PREFILL_CHUNK):
            if cancelled():
                raise Cancelled
            end = min(start + PREFILL_CHUNK, prompt.length)
            ready = end == prompt.length
            logits = self._forward(embedded[start:end], prompt.audio_ids[:, start:end], ready, ready)
        return logits

    @torch.inference_mode()
    def step(self, text_id: int, codes: NDArray[np.int64], *, need_text: bool, need_audio: bool) -> Logits:
        """See StepNetwork."""
        if need_text and not self._text_alive:
            raise ValueError("Text logits were given up by an earlier step of this utterance.")
        ids = torch.from_numpy(codes).view(CODEBOOKS, 1)
        return self._forward(self._embedding[text_id : text_id + 1], ids, need_text, need_audio)

    def _embed_prompt(self, prompt: Prompt) -> Tensor:
        """The prompt's Thinker input [P, H]."""
        config, (audio_proj, vision_proj) = self.config, self._projectors
        ids = prompt.text_ids[None]
        x = F.embedding(ids, self._embedding)
        if prompt.audio_features is not None:
            x = place_features(x, ids, config.audio_ids, audio_proj, prompt.audio_features[None, None])
        if prompt.image_features is not None:
            images = prompt.image_features
            images = images[None] if images.dim() == 3 else images[None, None]
            x = place_features(x, ids, config.image_ids, vision_proj, images, whole=True)
        return x[0]

    def _forward(self, x: Tensor, codes: Tensor, need_text: bool, need_audio: bool) -> Logits:
        """x [T, H] embedded text, codes int64 [8, T]; logits of the last position."""
        if self._caches is None:
            raise ValueError("Call prefill first.")
        thinker_cache, talker_cache = self._caches
        rows = x.shape[0]
        keep_text = need_text or rows > 1
        text_logits = audio_logits = None
        cos, sin = self._thinker_positions(thinker_cache.length, rows)
        bridge_layer, last = self.config.resolved_bridge_layer, len(self._thinker) - 1
        bridge = x
        for index, block in enumerate(self._thinker):
            if index > bridge_layer and not keep_text:
                self._text_alive = False
                break
            # The last block's other rows feed nothing, unless the bridge is taken from it.
            x = block(x, cos, sin, thinker_cache, index, index == last != bridge_layer)
            if index == bridge_layer:
                bridge = x
        thinker_cache.advance(rows)
        if need_text:
            text_logits = self._text_head(self._thinker_norm(x[-1:]))[0].numpy()

        x = self._bridge_in(bridge) + self._codes_in(self._embed_codes(codes))
        cos, sin = self._talker_positions(talker_cache.length, rows)
        for index, block in enumerate(self._talker):
            x = block(x, cos, sin, talker_cache, index, index == len(self._talker) - 1)
        talker_cache.advance(rows)
        if need_audio:
            audio_logits = self._code_head(self._talker_norm(x[-1:])).numpy()
        return Logits(text_logits, audio_logits)

    def _embed_codes(self, codes: Tensor) -> Tensor:
        """codes int64 [8, T] → [T, talker hidden]."""
        summed = F.embedding_bag((codes + self._code_rows).T.contiguous(), self._code_table, mode="sum")
        if self._speaker_row is not None:
            slot = codes[0] == self.config.audio_spk_token
            summed = torch.where(slot[:, None], self._speaker_row, summed)
        return summed
