"""The whole network in its training form. Inference steps with a cache live in `stepper`."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from app.omni.config import CODEBOOKS, OmniConfig
from app.omni.layers import MoEFeedForward, Projector
from app.omni.talker import Talker, _StackedAdapters
from app.omni.thinker import Thinker, marker_runs


class ThinkerOutput(NamedTuple):
    """`text_logits` [B, T, V] or [M, V]; `bridge` and final `hidden` states [B, T, H]."""

    text_logits: Tensor
    bridge: Tensor
    hidden: Tensor


class OmniOutput(NamedTuple):
    """`text_logits` [B, T, V] or [M, V]; `audio_logits` [B, 8, T, A] or [8, N, A]; `hidden` [B, T, H]."""

    text_logits: Tensor
    audio_logits: Tensor
    hidden: Tensor


def place_features(
    x: Tensor,
    text_ids: Tensor,
    markers: tuple[int, ...],
    projector: Projector | None,
    features: Tensor,
    lengths: Tensor | None = None,
    whole: bool = False,
) -> Tensor:
    """Replace marker rows of x [B, T, H] by projected features [B, K, N, D], the k-th run by the k-th clip.

    Runs beyond the K-th and, without `whole`, markers beyond a clip's rows keep their plain embedding; so
    audio, with K = 1, goes to the first run alone. `lengths` int64 [B] counts each item's valid rows
    (default: all N). Raises ValueError when the model has no such input, or with `whole` when a run is longer
    than its clip.
    """
    if projector is None:
        raise ValueError("This model has no such input: its config lists no marker ids for it.")
    mask, run, offset = marker_runs(text_ids, markers)
    wanted = mask & (run < features.shape[1])
    valid = wanted & (offset < features.shape[2])
    if whole and not torch.equal(valid, wanted):
        raise ValueError(f"A run of image markers is longer than the {features.shape[2]} rows of its image.")
    if lengths is not None:
        valid &= offset < lengths[:, None]
    item, position = valid.nonzero(as_tuple=True)
    rows = projector(features[item, run[item, position], offset[item, position]])
    return x.index_put((item, position), rows.to(x.dtype))


class OmniModel(nn.Module):
    """Thinker, Talker and projectors with the state-dict names of the public MiniMind-O checkpoints.

    Batches are right-padded; attention is causal, so padding needs no mask, only labels that ignore it.
    """

    def __init__(self, config: OmniConfig) -> None:
        super().__init__()
        self.config = config
        self.model = Thinker(config)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.talker = Talker(config)
        self.audio_proj = Projector(config.audio_hidden_size, config.hidden_size) if config.audio_ids else None
        self.vision_proj = Projector(config.image_hidden_size, config.hidden_size) if config.image_ids else None
        self._initialise()
        self.tie_weights()

    def tie_weights(self) -> None:
        """Make the text head share the embedding's parameter (needed again after an assigning load)."""
        self.lm_head.weight = self.model.embed_tokens.weight

    @torch.no_grad()
    def _initialise(self) -> None:
        depth = math.sqrt(2 * max(self.config.num_hidden_layers, self.config.num_talker_hidden_layers))
        for name, module in self.named_modules():
            if isinstance(module, nn.Linear):
                scale = 1 / depth if name.endswith(("o_proj", "down_proj")) else 1.0
                nn.init.normal_(module.weight, std=0.02 * scale)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
            elif isinstance(module, _StackedAdapters):
                nn.init.normal_(module.inner, std=0.02)
                nn.init.normal_(module.outer, std=0.02)
        nn.init.normal_(self.model.embed_tokens.weight, std=0.02)
        # Code embeddings pass two biased projections before the first norm: unit scale keeps them visible
        # there.
        nn.init.normal_(self.talker.embed_tokens.base.weight)
        nn.init.normal_(self.talker.embed_tokens.inner)

    def embed(
        self,
        text_ids: Tensor,
        audio_features: Tensor | None = None,
        audio_lengths: Tensor | None = None,
        image_features: Tensor | None = None,
    ) -> Tensor:
        """Token embeddings [B, T, H] with marker rows replaced by projected features, see
        `place_features`.
        """
        x = self.model.dropout(self.model.embed_tokens(text_ids))
        if audio_features is not None:
            x = place_features(
                x, text_ids, self.config.audio_ids, self.audio_proj, audio_features[:, None], audio_lengths
            )
        if image_features is not None:
            images = image_features if image_features.dim() == 4 else image_features[:, None]
            x = place_features(x, text_ids, self.config.image_ids, self.vision_proj, images, whole=True)
        return x

    def thinker_forward(
        self,
        text_ids: Tensor,
        *,
        audio_features: Tensor | None = None,
        audio_lengths: Tensor | None = None,
        image_features: Tensor | None = None,
        text_positions: Tensor | None = None,
    ) -> ThinkerOutput:
        """The Thinker alone on text_ids int64 [B, T]; logits only where `text_positions` is true."""
        hidden, bridge = self.model(self.embed(text_ids, audio_features, audio_lengths, image_features))
        chosen = hidden if text_positions is None else hidden[text_positions]
        return ThinkerOutput(self.lm_head(chosen), bridge, hidden)

    def forward(
        self,
        text_ids: Tensor,
        audio_ids: Tensor,
        *,
        spk_emb: Tensor | None = None,
        spk_mask: Tensor | None = None,
        audio_features: Tensor | None = None,
        audio_lengths: Tensor | None = None,
        image_features: Tensor | None = None,
        text_positions: Tensor | None = None,
        audio_positions: Tensor | None = None,
    ) -> OmniOutput:
        """Full-sequence forward of text_ids int64 [B, T] and audio_ids int64 [B, 8, T].

        `text_positions` / `audio_positions` (bool [B, T]) restrict the two heads to those positions, in
        row-major order. `audio_features` [B, N, D] with `audio_lengths` int64 [B] and `image_features` ([B,
        N, D], or [B, K, N, D] for K images) go through `place_features`; for the speaker inputs see
        `Talker.forward`.
        """
        thought = self.thinker_forward(
            text_ids,
            audio_features=audio_features,
            audio_lengths=audio_lengths,
            image_features=image_features,
            text_positions=text_positions,
        )
        spoken = self.talker(thought.bridge, audio_ids, spk_emb, spk_mask)
        if audio_positions is not None:
            return OmniOutput(thought.text_logits, self.talker.lm_head(spoken[audio_positions]), thought.hidden)
        batch, length, width = spoken.shape
        audio = self.talker.lm_head(spoken.reshape(-1, width)).view(CODEBOOKS, batch, length, -1)
        return OmniOutput(thought.text_logits, audio.transpose(0, 1), thought.hidden)

    def auxiliary_loss(self) -> Tensor:
        """Router balance loss of the last training forward; zero for a dense model."""
        terms = [m.balance for m in self.modules() if isinstance(m, MoEFeedForward) and m.balance is not None]
        if not terms:
            return self.talker.text_scale.new_zeros(())
        return self.config.router_aux_loss_coef * torch.stack(terms).sum()
