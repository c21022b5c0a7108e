"""The starter's speaker vector: what of a person's voice its decoder can take on.

Two traits tell most voices apart: how high they speak, and how long their vocal tract is, which moves all formants
together. Both are counted in octaves from the default voice.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

#: Values of a speaker vector: a one (zero: "as coded"), pitch, formants.
SPEAKER_SIZE = 3


@dataclass(frozen=True)
class Traits:
    """`pitch` and `formants` in octaves from the default voice; 0 and 0 are that voice."""

    pitch: float = 0.0
    formants: float = 0.0

    def vector(self) -> Tensor:
        """float32 [3]."""
        return torch.tensor([1.0, self.pitch, self.formants])
