"""The ears' decoder, one piece at a time: the arithmetic of `StarterEncoder`'s blocks in few operations.

A piece costs a pass over all weights, the vocabulary's above all, so they have eight bits where the CPU gains from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from app.speech.fused import MLP, Norm
from app.speech.matrix import Matrix

if TYPE_CHECKING:
    from app.speech.starter_encoder import Attention, Block, StarterEncoder

#: Pieces per second of speech and on top of that: a decoder that runs on is repeating itself.
_PIECES_PER_S, _PIECES_MORE = 6, 8
_STATES_PER_S = 50
MAX_PIECES = 224


class _Block:
    def __init__(self, block: Block, heads: int, *, int8: bool) -> None:
        self.norm, self.cross_norm, self.mlp_norm = Norm(block.norm), Norm(block.cross_norm), Norm(block.mlp_norm)
        own, cross = block.attention, block.cross
        scale = (own.query.in_features // heads) ** -0.5
        weights = torch.cat((own.query.weight * scale, own.key_value.weight))
        self.qkv = Matrix(weights, torch.cat((own.query.bias * scale, own.key_value.bias)), int8=int8)
        self.out = Matrix(own.out.weight, own.out.bias, int8=int8)
        self.query = Matrix(cross.query.weight * scale, cross.query.bias * scale, int8=int8)
        self.cross_out = Matrix(cross.out.weight, cross.out.bias, int8=int8)
        self.mlp = MLP(block.up, block.down, None, int8=int8)
        self.cross: Attention = cross


class WordReader:
    """Greedy reading of encoder states."""

    def __init__(self, encoder: StarterEncoder, heads: int, *, int8: bool = False) -> None:
        self._start = (encoder.start, encoder.plain)
        self._end, self._mask, self._first_banned = encoder.end, encoder.mask, encoder.first_banned
        self._embedding, self._positions = encoder.embed.weight.detach(), encoder.text_positions.detach()
        self._blocks = [_Block(block, heads, int8=int8) for block in encoder.decoder_blocks()]
        self._norm = Norm(encoder.decoder_norm)
        self._pieces = Matrix(self._embedding, int8=int8)
        self._heads = heads

    @torch.inference_mode()
    def read(self, states: Tensor) -> tuple[list[int], float]:
        """Rows of the vocabulary that states [T, WIDTH] (50 a second) say, and the mean log-probability of them and of
        their end.
        """
        limit = min(MAX_PIECES, _PIECES_MORE + len(states) * _PIECES_PER_S // _STATES_PER_S)
        memories = [block.cross.memory(states) for block in self._blocks]
        cache = states.new_zeros(len(self._blocks), 2, self._heads, limit + 2, states.shape[1] // self._heads)
        for position, token in enumerate(self._start):
            x = self._step(token, position, cache, memories)
        read: list[int] = []
        sure: list[float] = []
        while True:
            logits = self._pieces(self._norm(x))[0] + self._mask
            if not read:
                logits[self._first_banned] = -torch.inf
            token = int(logits.argmax())
            sure.append(float(logits[token] - logits.logsumexp(0)))
            if token == self._end or _loops(read, token):
                break
            read.append(token)
            if len(read) == limit:
                break
            x = self._step(token, len(read) + 1, cache, memories)
        return read, sum(sure) / len(sure)

    def _step(self, token: int, position: int, cache: Tensor, memories: list[tuple[Tensor, Tensor]]) -> Tensor:
        """State [1, WIDTH] behind `token`, the `position`-th."""
        x = (self._embedding[token] + self._positions[position])[None]
        for block, own, (keys, values) in zip(self._blocks, cache, memories, strict=True):
            qkv = block.qkv(block.norm(x)).view(3, self._heads, 1, -1)
            own[:, :, position : position + 1] = qkv[1:]
            x = x + block.out(_attend(qkv[0], own[0, :, : position + 1], own[1, :, : position + 1]))
            query = block.query(block.cross_norm(x)).view(self._heads, 1, -1)
            x = x + block.cross_out(_attend(query, keys, values))
            x = x + block.mlp(block.mlp_norm(x))
        return x


def _attend(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """query [heads, 1, d] (scaled), keys and values [heads, n, d] → [1, heads · d]."""
    return torch.bmm(torch.bmm(query, keys.transpose(1, 2)).softmax(-1), values).view(1, -1)


def _loops(read: list[int], token: int) -> bool:
    """True when the last twelve pieces, with `token`, are one short phrase over and over."""
    tail = [*read[-11:], token]
    return len(tail) == 12 and any(tail == (tail[:n] * 12)[:12] for n in (1, 2, 3, 4))
