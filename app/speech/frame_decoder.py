"""The starter codec's decoder, one frame at a time.

The same arithmetic as `StarterCodec.spectrum` and `overlap_add`, arranged for a single 80 ms frame, whose cost is the
number of operations and the weights that have to be read: what is constant for a clip (the speaker's scales and shifts,
layer scales, the factors of GELU) is folded into norms and weights, keys and values lie in rings, and weights have
eight bits where the CPU gains from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from app.speech.codec_parts import (
    BINS,
    HOP,
    HOPS_PER_FRAME,
    MAX_LOG_MAGNITUDE,
    OVERLAP_SUM,
    WINDOW,
    CausalBlock,
    WindowedLayer,
)
from app.speech.fused import MLP, Norm
from app.speech.matrix import Matrix
from app.speech.speaker_shape import Film

if TYPE_CHECKING:
    from app.speech.starter_codec import StarterCodec

_PIECES = WINDOW // HOP


class _Layer:
    """`WindowedLayer` without its norm's speaker and memory."""

    def __init__(self, layer: WindowedLayer, *, int8: bool) -> None:
        self.source, self.heads, self.window = layer, layer.heads, layer.window
        self.qkv = Matrix(layer.qkv.weight, layer.qkv.bias, int8=int8)
        self.out = Matrix(layer.out.weight, layer.out.bias, int8=int8)
        self.mlp_norm = Norm(layer.mlp_norm)
        self.mlp = MLP(layer.up, layer.down, None, int8=int8)
        # bias[slot, head, 0, s]: penalty for the age of ring slot s when the newest frame lies in `slot`.
        slots = torch.arange(self.window)
        ages = (slots[:, None] - slots) % self.window
        self.bias = -layer.slopes[None, :, None, None] * ages[:, None, None].float()


class _LayerMemory:
    """The last frames' keys and values of one layer and one clip."""

    def __init__(self, layer: _Layer, film: Film | None) -> None:
        self._layer = layer
        self._norm = Norm(layer.source.norm, film)
        width = layer.source.norm.normalized_shape[0]
        self._scale = (width // layer.heads) ** -0.5
        self._ring = torch.zeros(2, layer.heads, layer.window, width // layer.heads)
        self._frames = 0

    def __call__(self, x: Tensor) -> Tensor:
        """x [1, C] → [1, C]."""
        layer = self._layer
        slot, count = self._frames % layer.window, min(self._frames + 1, layer.window)
        self._frames += 1
        qkv = layer.qkv(self._norm(x)).view(3, layer.heads, 1, -1)
        self._ring[:, :, slot : slot + 1] = qkv[1:]
        keys, values = self._ring[:, :, :count]
        scores = torch.baddbmm(layer.bias[slot, :, :, :count], qkv[0], keys.transpose(1, 2), alpha=self._scale)
        x = x + layer.out(torch.bmm(scores.softmax(-1), values).view(1, -1))
        return x + layer.mlp(layer.mlp_norm(x))


class _Block:
    """`CausalBlock` without its norm's speaker and past."""

    def __init__(self, block: CausalBlock, *, int8: bool) -> None:
        self.source = block
        self.filter = block.filter.detach()
        self.mlp = MLP(block.up, block.down, block.scale, int8=int8, rows=HOPS_PER_FRAME)


class _BlockMemory:
    """The last hops of one block and one clip."""

    def __init__(self, block: _Block, film: Film | None) -> None:
        self._block = block
        self._norm = Norm(block.source.norm, film)
        self._kernel, self._width = block.filter.shape
        self._past = torch.zeros(self._kernel - 1, self._width)

    def __call__(self, x: Tensor) -> Tensor:
        """x [hops, C] → [hops, C]."""
        hops, width = x.shape
        padded = torch.cat((self._past, x))
        self._past = padded[hops:]
        windows = padded.as_strided((hops, self._kernel, width), (width, width, 1))
        return x + self._block.mlp(self._norm((windows * self._block.filter).sum(1)))


class FrameDecoder:
    """The decoder's weights in the form that `FrameStream` uses; shared by all clips."""

    def __init__(self, codec: StarterCodec, *, int8: bool = False) -> None:
        self.table = codec.quantiser.codebooks.flatten(0, 1)
        self.rows = torch.arange(codec.codebooks) * codec.codebook_size
        self.from_code = Matrix(codec.from_code.weight, codec.from_code.bias)
        self.layers = [_Layer(layer, int8=int8) for layer in codec.decoder_context if isinstance(layer, WindowedLayer)]
        self.unjoin = Matrix(codec.unjoin.weight, codec.unjoin.bias, int8=int8)
        self.blocks = [_Block(block, int8=int8) for block in codec.decoder if isinstance(block, CausalBlock)]
        self.norm = Norm(codec.norm)
        # Phases reach many times 2π: with inputs in bf16 they would be heard.
        self.head = Matrix(codec.head.weight, codec.head.bias)
        self.window = codec.window / OVERLAP_SUM


class FrameStream:
    """Frame-by-frame decoding of one clip."""

    @torch.inference_mode()
    def __init__(self, decoder: FrameDecoder, films: Sequence[Film] = ()) -> None:
        """`films`: the speaker's, those of the layers first; none: the voice is in the codes."""
        self._decoder = decoder
        given = iter(films)
        self._layers = [_LayerMemory(layer, next(given, None)) for layer in decoder.layers]
        self._blocks = [_BlockMemory(block, next(given, None)) for block in decoder.blocks]
        self._parts = torch.zeros(HOPS_PER_FRAME, HOPS_PER_FRAME + _PIECES, HOP)
        self._complex = torch.empty(HOPS_PER_FRAME, BINS, 2)
        self._overlap = torch.zeros(_PIECES - 1, HOP)

    @torch.inference_mode()
    def step(self, codes: Tensor) -> NDArray[np.float32]:
        """Decode codes int64 [8] to float32 [1920] at 24 kHz."""
        decoder = self._decoder
        x = decoder.from_code(F.embedding_bag((codes + decoder.rows)[None], decoder.table, mode="sum"))
        for layer in self._layers:
            x = layer(x)
        x = decoder.unjoin(x).view(HOPS_PER_FRAME, -1)
        for block in self._blocks:
            x = block(x)
        return self._overlap_add(decoder.head(decoder.norm(x))).numpy()

    def _overlap_add(self, spectrum: Tensor) -> Tensor:
        """(log-magnitude, phase) [hops, 2 · BINS] → samples [hops · HOP]."""
        magnitude, phase = spectrum.chunk(2, -1)
        magnitude = magnitude.clamp(max=MAX_LOG_MAGNITUDE).exp_()
        torch.mul(magnitude, phase.cos(), out=self._complex[..., 0])
        torch.mul(magnitude, phase.sin(), out=self._complex[..., 1])
        frames = torch.fft.irfft(torch.view_as_complex(self._complex))
        # Row i holds the pieces of transform i and zeros; read with rows one piece shorter, it is moved by i pieces.
        torch.mul(frames, self._decoder.window, out=self._parts[:, :_PIECES].view(HOPS_PER_FRAME, WINDOW))
        moved = self._parts.flatten(0, 1)[:-HOPS_PER_FRAME]
        pieces = moved.view(HOPS_PER_FRAME, -1, HOP).sum(0)
        pieces[: _PIECES - 1] += self._overlap
        self._overlap = pieces[HOPS_PER_FRAME:]
        return pieces[:HOPS_PER_FRAME].flatten()
