"""Where a network computes."""

from __future__ import annotations

import torch


def best_device() -> torch.device:
    """A graphics processor that torch can use, else the CPU."""
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")
