"""How the starter's decoder takes on a voice: scales and shifts of its states, computed from a speaker vector.

FiLM (Perez et al. 2018): every layer norm's output is multiplied by 1 + scale and moved by shift. They depend on the
speaker alone, so they are computed once per utterance and cost next to nothing per frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch.nn.functional as F
from torch import Tensor, nn

_HIDDEN = 96


class Film(NamedTuple):
    """`scale` (1 is neutral) and `shift` (0 is neutral), both [B, 1, C]."""

    scale: Tensor
    shift: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        """Apply to [B, T, C]."""
        return x * self.scale.to(x.dtype) + self.shift.to(x.dtype)


class SpeakerShape(nn.Module):
    """Speaker vector [B, S] → one `Film` for each of `widths`. A fresh one leaves everything as it is."""

    def __init__(self, size: int, widths: Sequence[int]) -> None:
        super().__init__()
        self._widths = list(widths)
        self.inner = nn.Linear(size, _HIDDEN)
        self.outer = nn.Linear(_HIDDEN, 2 * sum(widths))
        nn.init.zeros_(self.outer.weight)
        nn.init.zeros_(self.outer.bias)

    def forward(self, speaker: Tensor) -> list[Film]:
        """Scales and shifts of `speaker` [B, S]."""
        scales, shifts = self.outer(F.silu(self.inner(speaker)))[:, None].chunk(2, -1)
        pairs = zip(scales.split(self._widths, -1), shifts.split(self._widths, -1), strict=True)
        return [Film(1 + scale, shift) for scale, shift in pairs]
