"""Preallocated key/value memory of one stack of blocks."""

from __future__ import annotations

import torch
from torch import Tensor

from app.omni.config import BlockConfig


class KVCache:
    """Keys (after norm and rotary) and values, [layers, 2, kv_heads, capacity, head_dim].

    The caller writes rows `length … length+T-1` of every layer in one forward and then calls `advance(T)`.
    """

    def __init__(
        self,
        block: BlockConfig,
        layers: int,
        capacity: int,
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
    ) -> None:
        shape = (2, block.num_kv_heads, capacity, block.head_dim)
        self._layers = [torch.zeros(shape, device=device, dtype=dtype) for _ in range(layers)]
        self.capacity = capacity
        self.length = 0

    def write(self, layer: int, both: Tensor) -> tuple[Tensor, Tensor]:
        """Store keys and values [2, kv_heads, T, head_dim] behind the valid rows; all keys and values so far."""
        end = self.length + both.shape[2]
        if end > self.capacity:
            raise ValueError(f"The cache holds {self.capacity} positions, {end} are needed.")
        rows = self._layers[layer]
        rows[:, :, self.length : end] = both
        keys, values = rows[:, :, :end]
        return keys, values

    def advance(self, count: int) -> None:
        """Make the rows just written valid; a negative count gives up the newest."""
        self.length += count
