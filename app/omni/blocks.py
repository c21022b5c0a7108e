"""The parts of the network in the form in which steps run them: few, large operations, constants folded in."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from app.omni.cache import KVCache
from app.omni.config import CODEBOOKS, BlockConfig, OmniConfig
from app.omni.forms import Maker
from app.omni.layers import Block, FeedForward, MoEFeedForward, RMSNorm, rotary_tables
from app.omni.talker import CodeHead

#: Rotary tables are made for so many positions at least, and longer ones when they are needed.
_POSITIONS = 1024


class Norm:
    """RMS norm of rows [T, H] in float32. For one row on a CPU as two operations: torch's own takes seven."""

    def __init__(self, weight: Tensor, eps: float) -> None:
        self._weight, self._eps = weight.detach().float(), eps
        self._zero = torch.zeros_like(self._weight)[None]

    def __call__(self, x: Tensor) -> Tensor:
        width = x.shape[-1]
        if x.shape[0] != 1 or x.dtype != torch.float32 or x.device.type != "cpu":
            return F.rms_norm(x.float(), (width,), self._weight, self._eps).to(x.dtype)
        row = x.view(-1)
        factor = (float(torch.dot(row, row)) / width + self._eps) ** -0.5
        return torch.addcmul(self._zero, x, self._weight, value=factor)


class FusedMLP:
    """SwiGLU with gate and up in one product."""

    def __init__(self, mlp: FeedForward, make: Maker) -> None:
        self.gate_up = make(torch.cat((mlp.gate_proj.weight, mlp.up_proj.weight)))
        self.down = make(mlp.down_proj.weight)

    def onto(self, base: Tensor, x: Tensor) -> Tensor:
        """base [T, H] + the outputs for x [T, H]."""
        gate, up = self.gate_up(x).chunk(2, dim=-1)
        return self.down.onto(base, F.silu(gate) * up)


class FusedMoE:
    """Top experts per row, each a `FusedMLP`."""

    def __init__(self, mlp: MoEFeedForward, make: Maker) -> None:
        self.router = mlp.gate.weight.detach()
        self.experts = [FusedMLP(e, make) for e in mlp.experts if isinstance(e, FeedForward)]
        self.config = mlp.config

    def onto(self, base: Tensor, x: Tensor) -> Tensor:
        """base [T, H] + the outputs for x [T, H]."""
        count = self.config.num_experts_per_tok
        if x.shape[0] == 1 and count == 1 and self.config.norm_topk_prob:
            # The only weight, divided by its own sum, is 1.
            return self.experts[int(F.linear(x, self.router).argmax())].onto(base, x)
        weights, chosen = F.linear(x, self.router).float().softmax(dim=-1).topk(count, dim=-1)
        if self.config.norm_topk_prob:
            weights = weights / (weights.sum(dim=-1, keepdim=True) + 1e-20)
        out = base.clone()
        for index in chosen.unique().tolist():
            token, slot = (chosen == index).nonzero(as_tuple=True)
            result = self.experts[index].onto(torch.zeros_like(x[token]), x[token])
            out.index_add_(0, token, result * weights[token, slot, None].to(x.dtype))
        return out


class FusedBlock:
    """One block on x [T, H] (batch 1) behind a cache."""

    def __init__(self, block: Block, config: BlockConfig, make: Maker) -> None:
        attention = block.self_attn
        self.config = config
        self.qkv = make(torch.cat((attention.q_proj.weight, attention.k_proj.weight, attention.v_proj.weight)))
        self.out = make(attention.o_proj.weight)
        # The attention's scale is folded into the queries' norm.
        query, key = attention.q_norm.weight.detach().float(), attention.k_norm.weight.detach().float()
        query = query * config.head_dim**-0.5
        heads = (config.num_heads, config.num_kv_heads)
        self.qk_norm = torch.cat([w.expand(n, -1) for w, n in zip((query, key), heads, strict=True)])
        self.eps = torch.full((1, 1), config.eps, device=query.device)
        self.norm_in = Norm(block.input_layernorm.weight, config.eps)
        self.norm_mlp = Norm(block.post_attention_layernorm.weight, config.eps)
        moe = isinstance(block.mlp, MoEFeedForward)
        self.mlp = FusedMoE(block.mlp, make) if moe else FusedMLP(block.mlp, make)  # type: ignore[arg-type]

    def __call__(self, x: Tensor, cos: Tensor, sin: Tensor, cache: KVCache, layer: int, last_only: bool) -> Tensor:
        """`cos`, `sin` [T, 1, head_dim] (the sine with its sign); `last_only` returns the last row alone."""
        c = self.config
        rows, both = x.shape[0], c.num_heads + c.num_kv_heads
        qkv = self.qkv(self.norm_in(x)).view(rows, -1, c.head_dim)
        qk = qkv[:, :both]
        size = torch.linalg.vector_norm(qk, dim=-1, keepdim=True, dtype=torch.float32)
        qk = qk * torch.addcmul(self.eps, size, size, value=1 / c.head_dim).rsqrt_() * self.qk_norm
        # Behind the keys lie the values.
        qkv[:, :both] = torch.addcmul(qk * cos, qk.roll(c.head_dim // 2, dims=-1), sin)
        new = qkv[:, c.num_heads :].view(rows, 2, c.num_kv_heads, c.head_dim).permute(1, 2, 0, 3)
        keys, values = cache.write(layer, new)
        queries = qkv[:, : c.num_heads]
        if last_only:
            queries, x = queries[-1:], x[-1:]
        x = self.out.onto(x, self._attend(queries, keys, values, cache.length))
        return self.mlp.onto(x, self.norm_mlp(x))

    def _attend(self, queries: Tensor, keys: Tensor, values: Tensor, start: int) -> Tensor:
        """queries [T, heads, d], keys and values [kv_heads, n, d] → [T, heads · d]."""
        c, rows = self.config, queries.shape[0]
        if rows == 1:
            # The newest position sees every row, so no mask: the query heads of a group act as its query
            # rows.
            grouped = queries.reshape(c.num_kv_heads, c.group, c.head_dim)
            return torch.bmm(torch.bmm(grouped, keys.transpose(1, 2)).softmax(-1), values).view(1, -1)
        keys, values = (t.repeat_interleave(c.group, dim=0)[None] for t in (keys, values))
        mask = None
        if start:
            # `is_causal` would align the mask to the first key, not to the newest.
            mask = torch.ones(rows, start + rows, dtype=torch.bool, device=queries.device).tril(start)
        out = F.scaled_dot_product_attention(
            queries.transpose(0, 1)[None], keys, values, attn_mask=mask, is_causal=mask is None, scale=1.0
        )
        return out[0].transpose(0, 1).reshape(rows, -1)


class Positions:
    """Rotary tables shaped for rows of heads, the sine signed so that rotation is a roll."""

    def __init__(self, config: OmniConfig, head_dim: int, device: torch.device | str = "cpu") -> None:
        self._config, self._head_dim, self._device = config, head_dim, device
        self._make(_POSITIONS)

    def __call__(self, start: int, count: int) -> tuple[Tensor, Tensor]:
        """Cosine and sine [count, 1, head_dim] of positions from `start` on."""
        if start + count > len(self._cos):
            self._make(2 * (start + count))
        return self._cos[start : start + count], self._sin[start : start + count]

    def _make(self, count: int) -> None:
        length = min(count, self._config.max_position_embeddings)
        cos, sin = rotary_tables(self._config.rope, self._head_dim, length)
        sin[:, : self._head_dim // 2] *= -1
        self._cos, self._sin = cos[:, None].to(self._device), sin[:, None].to(self._device)


class FusedProjection:
    """Linear, GELU, Linear, RMSNorm, with the Talker's learned scale folded into the norm's weight."""

    def __init__(self, layers: torch.nn.Sequential, scale: Tensor, make: Maker) -> None:
        first, _, second, norm = layers
        assert isinstance(first, torch.nn.Linear) and isinstance(second, torch.nn.Linear) and isinstance(norm, RMSNorm)
        self.first, self.second = make(first.weight, first.bias.detach()), make(second.weight, second.bias.detach())
        self.norm = Norm(norm.weight * scale, norm.eps)

    def __call__(self, x: Tensor) -> Tensor:
        return self.norm(self.second(F.gelu(self.first(x))))


class FusedHead:
    """Logits of the eight codebooks: base · h + outer_c · gelu(inner_c · h), see `talker.CodeHead`."""

    def __init__(self, head: CodeHead, make: Maker) -> None:
        self.base = make(head.base.weight)
        self.inner = make(head.inner.flatten(0, 1))
        self.outer = [make(matrix) for matrix in head.outer]

    def __call__(self, hidden: Tensor) -> Tensor:
        """hidden [1, talker hidden] → [8, A]."""
        inner = F.gelu(self.inner(hidden)).view(CODEBOOKS, 1, -1)
        base = self.base(hidden)
        return torch.cat([outer.onto(base, row) for outer, row in zip(self.outer, inner, strict=True)])
