"""The Thinker: the text model that also hears (audio features) and sees (image features)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from app.omni.config import OmniConfig
from app.omni.layers import Block, RMSNorm, Rotary


def marker_runs(text_ids: Tensor, markers: tuple[int, ...]) -> tuple[Tensor, Tensor, Tensor]:
    """Find runs of marker ids in text_ids [B, T].

    Returns (is_marker bool, run index from 0, offset inside the run), each [B, T]; the last two mean
    something only where is_marker is true.
    """
    mask = torch.isin(text_ids, torch.tensor(markers, dtype=text_ids.dtype, device=text_ids.device))
    start = mask.clone()
    start[:, 1:] &= ~mask[:, :-1]
    steps = torch.arange(text_ids.shape[1], device=text_ids.device).expand_as(text_ids)
    begin = torch.where(start, steps, torch.zeros_like(steps)).cummax(dim=1).values
    return mask, start.cumsum(dim=1) - 1, steps - begin


class Thinker(nn.Module):
    """Embedding, blocks and final norm; the text head lives one level up (`lm_head`)."""

    def __init__(self, config: OmniConfig) -> None:
        super().__init__()
        block = config.thinker_block
        self.bridge_layer = config.resolved_bridge_layer
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.dropout = nn.Dropout(config.dropout)
        self.layers = nn.ModuleList(Block(block) for _ in range(config.num_hidden_layers))
        self.norm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.rotary = Rotary(config.rope, block.head_dim)

    def listen(self, x: Tensor) -> Tensor:
        """Bridge states [B, T, H] of embedded input [B, T, H]: as far as the Talker hears the Thinker."""
        rope = self.rotary(x.shape[1], x.device)
        for layer in self.layers[: self.bridge_layer + 1]:
            x = layer(x, rope)
        return x

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Embedded input x [B, T, H] → (final normed states [B, T, H], bridge states [B, T, H])."""
        bridge = x = self.listen(x)
        rope = self.rotary(x.shape[1], x.device)
        for layer in self.layers[self.bridge_layer + 1 :]:
            x = layer(x, rope)
        return self.norm(x), bridge
