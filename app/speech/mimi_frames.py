"""Mimi's decoder, one frame at a time: the arithmetic of the `moshi` package in a form that a CPU is fast at.

Rows are moments and columns channels, so that every convolution is a matrix product: one over a window of rows, or,
for the transposed ones, whose kernels are twice their stride, one over two neighbouring rows. The state is what lies
before the frame: a few rows of every convolution, and the attention's keys and values.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from app.speech.matrix import Matrix

#: A product with a weight [out, in] and a bias [out].
Product = Callable[..., Callable[[Tensor], Tensor]]

#: Positions of the attention that make a frame; keys and values are moved to the front after so many frames.
_ROWS, _FRAMES_TO_MOVE = 2, 64
_PERIOD = 10_000


class _ManyRows:
    """x @ weight.T + bias for so many rows that it is arithmetic that takes the time."""

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        self._weight, self._bias = weight.T.contiguous(), bias

    def __call__(self, x: Tensor) -> Tensor:
        return torch.addmm(self._bias, x, self._weight)


class _Conv:
    """Causal convolution of rows [T, C], stride and dilation 1, as a product with its taps."""

    def __init__(self, conv: Any, product: Product = _ManyRows) -> None:
        weight = conv.conv.conv.weight.detach()
        self.taps, self.width = weight.shape[2], weight.shape[1]
        # [out, taps · in]
        self._product = product(weight.transpose(1, 2).flatten(1), conv.conv.conv.bias.detach())

    def __call__(self, padded: Tensor) -> Tensor:
        """Rows [taps - 1 + T, in], the first ones from before, → [T, out]."""
        rows = len(padded) - self.taps + 1
        windows = padded.as_strided((rows, self.taps * self.width), (self.width, 1))
        return self._product(windows)


class _Upsampling:
    """Transposed causal convolution whose kernel is twice its stride."""

    def __init__(self, conv: Any, product: Product = _ManyRows) -> None:
        weight = conv.convtr.convtr.weight.detach()
        self.width, self.channels, taps = weight.shape
        # [in, out, (now, before) · stride] → [stride · out, (before, now) · in]
        halves = weight.view(self.width, self.channels, 2, taps // 2).flip(2).permute(3, 1, 2, 0)
        bias = conv.convtr.convtr.bias.detach().repeat(taps // 2)
        self._product = product(halves.reshape(-1, 2 * self.width), bias)

    def __call__(self, padded: Tensor) -> Tensor:
        """Rows [1 + T, in] → [T · stride, out]."""
        windows = padded.as_strided((len(padded) - 1, 2 * self.width), (self.width, 1))
        return self._product(windows).view(-1, self.channels)


class _Layer:
    """A layer of the transformer; the learned scales are folded into the weights."""

    def __init__(self, layer: Any, heads: int, product: Product) -> None:
        attention = layer.self_attn
        width = layer.norm1.normalized_shape[0]
        self.norm = (layer.norm1.weight.detach(), layer.norm1.bias.detach(), layer.norm1.eps)
        self.mlp_norm = (layer.norm2.weight.detach(), layer.norm2.bias.detach(), layer.norm2.eps)
        qkv = attention.in_projs[0].weight.detach().view(3, heads, width // heads, width)
        # A rotary embedding by halves is a roll, by pairs it is not.
        rotated = qkv[:2].unflatten(2, (-1, 2)).transpose(2, 3).flatten(2, 3)
        self.qkv = product(torch.cat((rotated, qkv[2:])).reshape(-1, width))
        self.out = product(attention.out_projs[0].weight.detach() * layer.layer_scale_1.scale.detach()[:, None])
        self.up = product(layer.linear1.weight.detach())
        self.down = product(layer.linear2.weight.detach() * layer.layer_scale_2.scale.detach()[:, None])


class MimiDecoder:
    """The weights in the form that `MimiFrames` uses; shared by all streams."""

    def __init__(self, model: Any, *, int8: bool = False) -> None:
        """`model`: moshi's MimiModel, with values. `int8`: eight-bit weights where a frame is but two rows.

        In float32 the samples are moshi's own within 1e-5.
        """
        few = partial(Matrix, int8=int8, rows=_ROWS)
        quantizer = model.quantizer
        self.tables, self.projections = [], []
        counts = (quantizer.n_q_semantic, model.num_codebooks - quantizer.n_q_semantic)
        for part, count in zip((quantizer.rvq_first, quantizer.rvq_rest), counts, strict=True):
            self.tables.append(torch.cat([layer.embedding.detach() for layer in part.vq.layers[:count]]))
            self.projections.append(part.output_proj.weight.detach()[:, :, 0])
        bins = quantizer.rvq_first.vq.layers[0].embedding.shape[0]
        self.first = counts[0]
        self.rows = torch.cat([torch.arange(count) * bins for count in counts])
        #: [before, now] of the two rows that a frame becomes, each [2, width]
        upsample = model.upsample.convtr.convtr.convtr.weight.detach()[:, 0].T
        self.now, self.before = upsample[:_ROWS].contiguous(), upsample[_ROWS:].contiguous()
        transformer = model.decoder_transformer.transformer
        attention = transformer.layers[0].self_attn
        self.heads, self.context = attention.num_heads, attention.context
        self.layers = [_Layer(layer, self.heads, few) for layer in transformer.layers]
        self.width = self.now.shape[1]
        size = self.width // self.heads
        half = torch.arange(size // 2) * (-np.log(_PERIOD) * 2 / size)
        self.frequencies = torch.cat((half, half)).exp()
        #: The older of a frame's two positions does not see the newer one, and the newer not the oldest key.
        self.mask = torch.zeros(_ROWS, self.context + 1)
        self.mask[0, -1] = self.mask[1, 0] = -torch.inf
        self.growing = self.mask.clone()
        self.growing[1, 0] = 0
        first, *middle, _, last = list(model.decoder.model)
        self.first_conv, self.last_conv = _Conv(first, few), _Conv(last)
        self.stages = []
        for number in range(0, len(middle), 3):
            _activation, up, block = middle[number : number + 3]
            upsampling = _Upsampling(up, _ManyRows if number else few)
            self.stages.append((upsampling, _Conv(block.block[1]), _Conv(block.block[3])))


class _Past:
    """The last rows that went into a convolution."""

    def __init__(self, rows: int, width: int) -> None:
        self._rows = torch.zeros(rows, width)

    def __call__(self, x: Tensor) -> Tensor:
        """x [T, C] → itself behind the rows before it."""
        padded = torch.cat((self._rows, x))
        self._rows = padded[len(x) :]
        return padded


class MimiFrames:
    """Frame-by-frame decoding of one utterance: a `StreamingDecoder`."""

    @torch.inference_mode()
    def __init__(self, decoder: MimiDecoder) -> None:
        self._decoder = decoder
        size = decoder.width // decoder.heads
        self._capacity = decoder.context - 1 + _ROWS * _FRAMES_TO_MOVE
        # keys and values of every layer
        self._memory = torch.zeros(len(decoder.layers), 2, decoder.heads, self._capacity, size)
        self._held = 0
        self._position = 0
        self._embedded = torch.zeros(1, decoder.width)
        self._first = _Past(decoder.first_conv.taps - 1, decoder.width)
        self._stages = [(_Past(1, up.width), _Past(conv.taps - 1, conv.width)) for up, conv, _ in decoder.stages]
        self._last = _Past(decoder.last_conv.taps - 1, decoder.last_conv.width)

    @torch.inference_mode()
    def step(self, codes: Tensor) -> NDArray[np.float32]:
        """Decode codes int64 [8] to float32 [1920] at 24 kHz."""
        decoder = self._decoder
        x = self._transform(self._embed(codes))
        x = F.elu_(decoder.first_conv(self._first(x)))
        for (up, conv, widen), (before, past) in zip(decoder.stages, self._stages, strict=True):
            x = up(before(x))
            inner = F.elu_(conv(past(F.elu(x))))
            x = F.elu_(widen(inner).add_(x))
        return decoder.last_conv(self._last(x)).flatten().numpy()

    def _embed(self, codes: Tensor) -> Tensor:
        """codes int64 [8] → [2, width]."""
        decoder = self._decoder
        rows = (codes + decoder.rows)[None]
        parts = (rows[:, : decoder.first], rows[:, decoder.first :])
        summed = [F.embedding_bag(r, table, mode="sum") for r, table in zip(parts, decoder.tables, strict=True)]
        x = F.linear(summed[0], decoder.projections[0]) + F.linear(summed[1], decoder.projections[1])
        both = torch.addcmul(x * decoder.now, self._embedded, decoder.before)
        self._embedded = x
        return both

    def _transform(self, x: Tensor) -> Tensor:
        """x [2, width] → [2, width], with everything that was before it in the window."""
        decoder = self._decoder
        if self._held + _ROWS > self._capacity:
            kept = self._memory[..., self._held - decoder.context + 1 : self._held, :].clone()
            self._held = decoder.context - 1
            self._memory[..., : self._held, :] = kept
        self._held += _ROWS
        seen = min(self._held, decoder.context + 1)
        mask = (decoder.mask if seen > decoder.context else decoder.growing)[:, -seen:]
        angles = torch.arange(self._position, self._position + _ROWS)[:, None] * decoder.frequencies
        cos, sin = angles.cos(), angles.sin()
        sin[:, : sin.shape[1] // 2] *= -1
        self._position += _ROWS
        for layer, memory in zip(decoder.layers, self._memory, strict=True):
            x = x + self._attend(F.layer_norm(x, (decoder.width,), *layer.norm), layer, memory, mask, cos, sin)
            x = x + layer.down(F.gelu(layer.up(F.layer_norm(x, (decoder.width,), *layer.mlp_norm))))
        return x

    def _attend(self, x: Tensor, layer: _Layer, memory: Tensor, mask: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        heads, size = self._decoder.heads, x.shape[1] // self._decoder.heads
        qkv = layer.qkv(x).view(_ROWS, 3, heads, size).permute(1, 2, 0, 3)
        qk = qkv[:2]
        qk = torch.addcmul(qk * cos, qk.roll(size // 2, dims=-1), sin)
        memory[0, :, self._held - _ROWS : self._held] = qk[1]
        memory[1, :, self._held - _ROWS : self._held] = qkv[2]
        keys, values = memory[:, :, self._held - mask.shape[1] : self._held]
        scores = torch.baddbmm(mask, qk[0], keys.transpose(1, 2), alpha=size**-0.5)
        mixed = torch.bmm(scores.softmax(-1), values)
        return layer.out(mixed.transpose(0, 1).reshape(_ROWS, -1))
