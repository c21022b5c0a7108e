"""Preallocated key/value memory of one stack of blocks."""

from __future__ import annotations

import torch
from torch import Tensor

from app.omni.config import BlockConfig


class KVCache:
    """Keys (after norm and rotary) and values, float32 [layers, kv_heads, capacity, head_dim].

    The caller writes rows `length … length+T-1` of every layer in one forward and then calls `advance(T)`.
    """

    def __init__(self, block: BlockConfig, layers: int, capacity: int) -> None:
        shape = (layers, block.num_kv_heads, capacity, block.head_dim)
        self.keys = torch.zeros(shape)
        self.values = torch.zeros(shape)
        self.capacity = capacity
        self.length = 0

    def write(self, layer: int, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Store [kv_heads, T, head_dim] behind the valid rows; return all rows including the new ones."""
        end = self.length + keys.shape[1]
        if end > self.capacity:
            raise ValueError(f"The cache holds {self.capacity} positions, {end} are needed.")
        self.keys[layer, :, self.length : end] = keys
        self.values[layer, :, self.length : end] = values
        return self.keys[layer, :, :end], self.values[layer, :, :end]

    def advance(self, count: int) -> None:
        """Make the rows just written valid."""
        self.length += count
