"""Products with fixed weights. One row at a time is bound by memory, so small weights beat float32."""

from __future__ import annotations

import warnings

import torch
import torch.nn.functional as F
from torch import Tensor

#: CPUs on which torch's product with int8 weights is vectorised: measured 1.6 (AVX2) and 2 (AVX-512) times as fast as
#: float32 for one row, and several times slower where it is not.
_VECTORISED = ("AVX2", "AVX512")

#: The operator reads its inputs in pieces of this many values and goes past the end of a row that is no multiple of it.
_COLUMNS = 32

#: Outputs whose weights are made float32 again at a time: they stay in the cache until they have been used.
_BLOCK = 512


def int8_is_fast() -> bool:
    """Whether this CPU gains from int8 weights."""
    return torch.backends.cpu.get_cpu_capability() in _VECTORISED and hasattr(torch, "_weight_int8pack_mm")


class Matrix:
    """x [T, K] → x @ weight.T + bias, [T, N].

    `int8` (of a weight [N, K]): up to `rows` rows are multiplied with eight-bit weights, one scale per output, inputs
    and products in bf16. Weights that were stored in that form lose nothing by it. More rows are bound by arithmetic:
    float32, as are the odd shapes that the operator cannot do. `alone`: the float32 weights are given up, and what
    needs them gets the eight-bit ones back as float32, block by block.
    """

    def __init__(
        self, weight: Tensor, bias: Tensor | None = None, *, int8: bool = False, rows: int = 1, alone: bool = False
    ) -> None:
        self.weight: Tensor | None = weight.detach()
        self.bias = None if bias is None else bias.detach()
        self._rows = rows
        self._small: tuple[Tensor, Tensor] | None = None
        if int8 and self.weight.shape[1] % _COLUMNS == 0:
            scale = self.weight.abs().amax(1).clamp(min=1e-12) / 127
            quantised = (self.weight / scale[:, None]).round().to(torch.int8)
            self._small = (quantised, torch.ones(len(scale), dtype=torch.bfloat16))
            self._scale = scale
            if alone:
                self.weight = None

    def __call__(self, x: Tensor) -> Tensor:
        if self._small is None or x.shape[0] > self._rows:
            return self._many(x)
        product = torch._weight_int8pack_mm(x.bfloat16(), *self._small)
        # Scaling afterwards keeps the scales in float32; the operator would want them in bf16.
        return product * self._scale if self.bias is None else torch.addcmul(self.bias, product, self._scale)

    def onto(self, base: Tensor, x: Tensor) -> Tensor:
        """base [T, N] + x @ weight.T + bias, in one operation less."""
        if self.bias is not None or self._small is None or x.shape[0] > self._rows:
            return base + self(x)
        return torch.addcmul(base, torch._weight_int8pack_mm(x.bfloat16(), *self._small), self._scale)

    def _many(self, x: Tensor) -> Tensor:
        if self.weight is not None:
            return F.linear(x, self.weight, self.bias)
        assert self._small is not None
        quantised = self._small[0]
        out = x.new_empty(x.shape[0], len(quantised))
        for start in range(0, len(quantised), _BLOCK):
            block = slice(start, start + _BLOCK)
            weight = quantised[block].float().mul_(self._scale[block, None])
            out[:, block] = F.linear(x, weight)
        return out if self.bias is None else out.add_(self.bias)


class HalfMatrix:
    """The same product with the weights in float16 and all arithmetic in float32.

    Raises RuntimeError where torch lacks the operator, ValueError for weights out of float16's range.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None = None) -> None:
        if float(weight.detach().abs().max()) > torch.finfo(torch.float16).max:
            raise ValueError("These weights are too large for float16.")
        self.shape = weight.shape
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._packed = torch.ops.quantized.linear_prepack_fp16(weight.detach(), bias)

    @property
    def nbytes(self) -> int:
        """Bytes of the packed weights, which are no tensor."""
        return 2 * self.shape.numel()

    def __call__(self, x: Tensor) -> Tensor:
        out: Tensor = torch.ops.quantized.linear_dynamic_fp16(x, self._packed)
        return out

    def onto(self, base: Tensor, x: Tensor) -> Tensor:
        """base [T, N] + x @ weight.T + bias."""
        return base + self(x)
