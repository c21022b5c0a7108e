"""Pieces of networks in the form in which a step runs them: few operations, constants folded into the weights."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from app.speech.matrix import Matrix
from app.speech.speaker_shape import Film

_SQRT_HALF = math.sqrt(0.5)


class Norm:
    """Layer norm over the last axis, with the speaker's scale and shift behind it."""

    def __init__(self, norm: nn.LayerNorm, film: Film | None = None) -> None:
        self._shape, self._eps = norm.normalized_shape, norm.eps
        self._weight, self._bias = norm.weight.detach(), norm.bias.detach()
        if film is not None:
            scale, shift = film.scale.flatten(), film.shift.flatten()
            self._weight, self._bias = self._weight * scale, self._bias * scale + shift

    def __call__(self, x: Tensor) -> Tensor:
        return F.layer_norm(x, self._shape, self._weight, self._bias, self._eps)


class MLP:
    """down(gelu(up(x))) · gain.

    gelu(a) = a/2 · (1 + erf(a/√2)): with b = a/√2 out of the first product, b + b · erf(b) is √2 · gelu(a), and the
    second product takes √½.
    """

    def __init__(self, up: nn.Linear, down: nn.Linear, gain: Tensor | None, *, int8: bool, rows: int = 1) -> None:
        factor = _SQRT_HALF if gain is None else _SQRT_HALF * gain.detach()[:, None]
        bias = down.bias.detach() if gain is None else down.bias.detach() * gain.detach()
        self._up = Matrix(up.weight * _SQRT_HALF, up.bias * _SQRT_HALF, int8=int8, rows=rows)
        self._down = Matrix(down.weight * factor, bias, int8=int8, rows=rows)

    def __call__(self, x: Tensor) -> Tensor:
        inner = self._up(x)
        return self._down(torch.addcmul(inner, inner, torch.erf(inner)))
