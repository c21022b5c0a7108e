"""Products with fixed weights. One row at a time is bound by memory, so int8 weights beat float32."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

#: CPUs on which torch's product with int8 weights is vectorised: measured 1.6 (AVX2) and 2 (AVX-512) times as fast as
#: float32 for one row, and several times slower where it is not.
_VECTORISED = ("AVX2", "AVX512")

#: The operator reads its inputs in pieces of this many values and goes past the end of a row that is no multiple of it.
_COLUMNS = 32


def int8_is_fast() -> bool:
    """Whether this CPU gains from int8 weights."""
    return torch.backends.cpu.get_cpu_capability() in _VECTORISED and hasattr(torch, "_weight_int8pack_mm")


class Matrix:
    """x [T, K] → x @ weight.T + bias, [T, N].

    `int8` (of a weight [N, K]): up to `rows` rows are multiplied with eight-bit weights, one scale per output, inputs
    and products in bf16. Weights that were stored in that form lose nothing by it. More rows are bound by arithmetic:
    float32, as are the odd shapes that the operator cannot do.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None = None, *, int8: bool = False, rows: int = 1) -> None:
        self.weight = weight.detach()
        self.bias = None if bias is None else bias.detach()
        self._rows = rows
        self._small: tuple[Tensor, Tensor] | None = None
        if int8 and self.weight.shape[1] % _COLUMNS == 0:
            scale = self.weight.abs().amax(1).clamp(min=1e-12) / 127
            quantised = (self.weight / scale[:, None]).round().to(torch.int8)
            self._small = (quantised, torch.ones(len(scale), dtype=torch.bfloat16))
            self._scale = scale

    def __call__(self, x: Tensor) -> Tensor:
        if self._small is None or x.shape[0] > self._rows:
            return F.linear(x, self.weight, self.bias)
        product = torch._weight_int8pack_mm(x.bfloat16(), *self._small)
        # Scaling afterwards keeps the scales in float32; the operator would want them in bf16.
        return product * self._scale if self.bias is None else torch.addcmul(self.bias, product, self._scale)
