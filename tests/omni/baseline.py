"""MiniMind-O's step written down plainly, in float32: what `bench full-size` measures the engine against.

Every projection is a product of its own, caches grow by concatenation, and codebooks are looped over for the
embedding, the heads and the draws, as the public model's own code has it (minimind-o.md §2 and §6.4; dense only).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

CODEBOOKS = 8
_HEADS, _KV_HEADS = 8, 4
_ROPE_THETA = 1e6
_EPS = 1e-6
_PAD = 2049

State = dict[str, Tensor]


def _rms_norm(x: Tensor, weight: Tensor) -> Tensor:
    wide = x.float()
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + _EPS) * weight).type_as(x)


def _rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), dim=-1) * sin


class _Block:
    def __init__(self, state: State, prefix: str) -> None:
        self._state = state
        self._prefix = prefix
        self._keys: Tensor | None = None
        self._values: Tensor | None = None

    def _weight(self, name: str) -> Tensor:
        return self._state[f"{self._prefix}.{name}.weight"]

    def __call__(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """x [1, T, H], tables [T, d]."""
        normed = _rms_norm(x, self._weight("input_layernorm"))
        x = x + self._attention(normed, cos, sin)
        normed = _rms_norm(x, self._weight("post_attention_layernorm"))
        gate = F.silu(F.linear(normed, self._weight("mlp.gate_proj")))
        return x + F.linear(gate * F.linear(normed, self._weight("mlp.up_proj")), self._weight("mlp.down_proj"))

    def _attention(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        batch, rows, width = x.shape
        size = width // _HEADS
        q = F.linear(x, self._weight("self_attn.q_proj")).view(batch, rows, _HEADS, size)
        k = F.linear(x, self._weight("self_attn.k_proj")).view(batch, rows, _KV_HEADS, size)
        v = F.linear(x, self._weight("self_attn.v_proj")).view(batch, rows, _KV_HEADS, size)
        q = _rotate(_rms_norm(q, self._weight("self_attn.q_norm")), cos[:, None], sin[:, None])
        k = _rotate(_rms_norm(k, self._weight("self_attn.k_norm")), cos[:, None], sin[:, None])
        if self._keys is not None and self._values is not None:
            k, v = torch.cat((self._keys, k), dim=1), torch.cat((self._values, v), dim=1)
        self._keys, self._values = k, v
        q = q.transpose(1, 2)
        k, v = (t.repeat_interleave(_HEADS // _KV_HEADS, dim=2).transpose(1, 2) for t in (k, v))
        scores = q @ k.transpose(-2, -1) / size**0.5
        scores[..., -rows:] += torch.full((rows, rows), float("-inf")).triu(1)
        mixed = F.softmax(scores.float(), dim=-1).type_as(q) @ v
        return F.linear(mixed.transpose(1, 2).reshape(batch, rows, width), self._weight("self_attn.o_proj"))


class PlainNetwork:
    """The dense network over a state dict with the published names (float32). One utterance."""

    def __init__(self, state: State, *, bridge_layer: int = 3, positions: int = 2048) -> None:
        self._state = state
        count = {kind: len({key.split(".")[2] for key in state if key.startswith(f"{kind}.layers.")})
                 for kind in ("model", "talker")}  # fmt: skip
        self._thinker = [_Block(state, f"model.layers.{n}") for n in range(count["model"])]
        self._talker = [_Block(state, f"talker.layers.{n}") for n in range(count["talker"])]
        self._bridge_layer = bridge_layer
        size = state["model.layers.0.self_attn.q_norm.weight"].shape[0]
        inverse = 1 / _ROPE_THETA ** (torch.arange(0, size, 2).float() / size)
        angles = torch.outer(torch.arange(positions).float(), inverse)
        self._cos, self._sin = torch.cat((angles.cos(),) * 2, -1), torch.cat((angles.sin(),) * 2, -1)
        self._length = 0

    def __call__(self, text_ids: Tensor, audio_ids: Tensor) -> tuple[Tensor, list[Tensor]]:
        """The next T positions: ids int64 [T] and [8, T]. Logits of the last one: text [V], eight of audio [A]."""
        state = self._state
        rows = slice(self._length, self._length + len(text_ids))
        cos, sin = self._cos[rows], self._sin[rows]
        self._length = rows.stop
        x = F.embedding(text_ids[None], state["model.embed_tokens.weight"])
        bridge = x
        for number, block in enumerate(self._thinker):
            x = block(x, cos, sin)
            if number == self._bridge_layer:
                bridge = x
        text = F.linear(_rms_norm(x, state["model.norm.weight"])[:, -1], state["lm_head.weight"])[0]
        codes = torch.stack([self._embed(audio_ids[None, c], c) for c in range(CODEBOOKS)]).mean(0)
        x = state["talker.text_scale"] * self._project(bridge, "embed_proj")
        x = x + state["talker.audio_scale"] * self._project(codes, "codec_proj")
        for block in self._talker:
            x = block(x, cos, sin)
        h = _rms_norm(x, state["talker.norm.weight"])[:, -1]
        base = F.linear(h, state["talker.lm_head.base.weight"])
        return text, [(base + self._adapter(h, c))[0] for c in range(CODEBOOKS)]

    def _embed(self, ids: Tensor, codebook: int) -> Tensor:
        prefix = f"talker.embed_tokens.adapters.{codebook}"
        adapted = F.gelu(F.embedding(ids, self._state[f"{prefix}.0.weight"]))
        base = F.embedding(ids, self._state["talker.embed_tokens.base.weight"])
        return base + F.linear(adapted, self._state[f"{prefix}.2.weight"])

    def _adapter(self, h: Tensor, codebook: int) -> Tensor:
        prefix = f"talker.lm_head.adapters.{codebook}"
        return F.linear(F.gelu(F.linear(h, self._state[f"{prefix}.0.weight"])), self._state[f"{prefix}.2.weight"])

    def _project(self, x: Tensor, name: str) -> Tensor:
        weights = [self._state[f"talker.{name}.{part}"] for part in ("0.weight", "0.bias", "2.weight", "2.bias")]
        x = F.linear(F.gelu(F.linear(x, weights[0], weights[1])), weights[2], weights[3])
        return _rms_norm(x, self._state[f"talker.{name}.3.weight"])


class PlainGeneration:
    """The public loop and its samplers, one call of `step` a position."""

    def __init__(self, network: PlainNetwork, text_ids: Tensor, audio_ids: Tensor, seed: int) -> None:
        """The prompt: ids int64 [P] and [8, P]."""
        self._network = network
        self._random = torch.Generator().manual_seed(seed)
        self._next = (text_ids, audio_ids)
        self._history: list[list[int]] = [[] for _ in range(CODEBOOKS)]
        self._steps = 0

    @torch.inference_mode()
    def step(self) -> tuple[int, list[int]]:
        """Forward and draw: the text id and the newest entry of each codebook."""
        text, audio = self._network(*self._next)
        text_id = self._draw_text(text)
        for codebook in range(CODEBOOKS):
            late = self._steps - 1 < codebook
            self._history[codebook].append(_PAD if late else self._draw_code(audio[codebook], self._history[codebook]))
        self._steps += 1
        newest = [entries[-1] for entries in self._history]
        self._next = (torch.tensor([text_id]), torch.tensor(newest)[:, None])
        return text_id, newest

    def _draw_text(self, logits: Tensor, temperature: float = 0.7, top_p: float = 0.9) -> int:
        values, order = torch.sort(logits / (temperature + 1e-9), descending=True)
        shares = values.softmax(-1)
        values[(shares.cumsum(-1) - shares) > top_p] = float("-inf")
        chosen = torch.multinomial(values.softmax(-1), 1, generator=self._random)
        return int(order[chosen].item())

    def _draw_code(self, logits: Tensor, history: list[int]) -> int:
        logits = logits / 0.2
        for code in history[-3:]:
            logits[code] = logits[code] / 1.05 if logits[code] > 0 else logits[code] * 1.05
        lowest = torch.topk(logits, 50).values[-1]
        logits[logits < lowest] = float("-inf")
        return int(torch.multinomial(logits.softmax(-1), 1, generator=self._random).item())
