"""What the network is given before it generates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from app.omni.config import CODEBOOKS, OmniConfig
from app.omni.voice import Voice, place_voice


@dataclass(frozen=True)
class Prompt:
    """`text_ids` int64 [P], `audio_ids` int64 [8, P], `spk_emb` float32 [S], `audio_features` float32 [N, D],
    `image_features` float32 [N, D] of one image or [K, N, D] of several."""

    text_ids: Tensor
    audio_ids: Tensor
    spk_emb: Tensor | None = None
    audio_features: Tensor | None = None
    image_features: Tensor | None = None

    @property
    def length(self) -> int:
        """Positions P."""
        return self.text_ids.shape[0]


def extend_prompt(prompt: Prompt, config: OmniConfig, text_ids: Sequence[int]) -> Prompt:
    """The prompt with more text behind it, which is not spoken."""
    more = torch.tensor(text_ids, dtype=torch.int64)
    padding = torch.full((CODEBOOKS, len(more)), config.audio_pad_token, dtype=torch.int64)
    return replace(
        prompt,
        text_ids=torch.cat((prompt.text_ids, more)),
        audio_ids=torch.cat((prompt.audio_ids, padding), dim=1),
    )


def build_prompt(
    config: OmniConfig,
    text_ids: list[int],
    voice: Voice | None = None,
    audio_features: Tensor | None = None,
    image_features: Tensor | None = None,
) -> Prompt:
    """Put text ids, a voice and features together; audio rows without a voice are all padding."""
    audio_ids = torch.full((CODEBOOKS, len(text_ids)), config.audio_pad_token, dtype=torch.int64)
    slot = voice is not None and place_voice(audio_ids, config, voice)
    spk_emb = voice.spk_emb if voice is not None and slot else None
    return Prompt(torch.tensor(text_ids, dtype=torch.int64), audio_ids, spk_emb, audio_features, image_features)
