"""Inference with caches: one `step` is one position of Thinker and Talker, 80 ms of speech.

Weights are fused once (q/k/v and gate/up in one product each, the eight adapters stacked, the code embedding
as one table), so that a step is few, large operations, with eight-bit weights where the model asks for them. Text
logits are optional: once the text has ended, the Thinker's blocks above the bridge serve nobody and are left out
without any change to the speech. And what the Thinker reads from then on is padding, whatever the Talker says: it is
read for many steps at a time, for little more than the price of one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from app.omni.blocks import FusedBlock, FusedHead, FusedProjection, Norm, Positions
from app.omni.cache import KVCache
from app.omni.config import CODEBOOKS
from app.omni.forms import Form, maker
from app.omni.layers import Block
from app.omni.model import OmniModel, place_features
from app.omni.prompt import Prompt

PREFILL_CHUNK = 128
#: Steps after the text for which the Thinker reads ahead; the last ones are read in vain, so not too many. It begins
#: after some steps one by one: reading takes a while, for which the first sound of a short answer should not wait.
READ_AHEAD, READ_SINGLY = 32, 8


class Cancelled(Exception):
    """The caller's `cancelled` said yes during the prefill."""


class Logits(NamedTuple):
    """Logits of the newest position: `text` float32 [V], `audio` float32 [8, A]; None where not asked for."""

    text: NDArray[np.float32] | None
    audio: NDArray[np.float32] | None


class StepNetwork(Protocol):
    """What the generation loop needs of a network."""

    def prefill(self, prompt: Prompt, capacity: int, cancelled: Callable[[], bool]) -> Logits:
        """Start over with a prompt; `capacity` positions in all will be needed. May raise Cancelled."""
        ...

    def step(self, text_id: int, codes: NDArray[np.int64], *, need_text: bool, need_audio: bool) -> Logits:
        """Feed the next position: one text id and eight audio ids int64 [8].

        After the first call with `need_text` false the text logits can no longer be had.
        """
        ...


class Stepper:
    """A `StepNetwork` over the weights of an `OmniModel`. One utterance at a time."""

    def __init__(self, model: OmniModel, *, form: Form = "float32", device: torch.device | str = "cpu") -> None:
        """`form`: how the weights lie in memory, on a CPU; any other `device` computes in bfloat16.

        Apart from float32 and `int8-exact` nothing of the model's large tensors is kept.
        """
        config = model.config
        self.config = config
        self.form = form
        self._device = torch.device(device)
        self._dtype = torch.float32
        if self._device.type != "cpu":
            self._dtype = torch.bfloat16
            model = model.to(self._device, self._dtype)
        make = maker(form)
        thinker, talker = model.model, model.talker
        small = torch.float16 if form in ("float16", "int8") else self._dtype
        self._projectors = (model.audio_proj, model.vision_proj)
        self._embedding = thinker.embed_tokens.weight.detach().to(small)
        self._text_head = make(thinker.embed_tokens.weight.detach())
        self._thinker = [FusedBlock(b, config.thinker_block, make) for b in thinker.layers if isinstance(b, Block)]
        self._talker = [FusedBlock(b, config.talker_block, make) for b in talker.layers if isinstance(b, Block)]
        self._thinker_norm = Norm(thinker.norm.weight, config.rms_norm_eps)
        self._talker_norm = Norm(talker.norm.weight, config.rms_norm_eps)
        self._thinker_positions = Positions(config, config.thinker_block.head_dim, device)
        self._talker_positions = Positions(config, config.talker_block.head_dim, device)
        self._bridge_in = FusedProjection(talker.embed_proj, talker.text_scale.detach(), make)
        self._codes_in = FusedProjection(talker.codec_proj, talker.audio_scale.detach(), make)
        self._code_table = talker.embed_tokens.table().to(small)
        self._code_rows = (torch.arange(CODEBOOKS, device=device) * config.audio_vocab_size)[:, None]
        self._speaker = talker.spk_proj.weight.detach()
        self._code_head = FusedHead(talker.lm_head, make)
        self._speaker_row: Tensor | None = None
        self._caches: tuple[KVCache, KVCache] | None = None
        self._text_alive = True
        # States at the bridge for the next steps, the nearest last; the Thinker's cache holds their positions.
        self._ahead: list[Tensor] = []
        self._read_singly = 0

    @torch.inference_mode()
    def prefill(self, prompt: Prompt, capacity: int, cancelled: Callable[[], bool]) -> Logits:
        """See StepNetwork. Raises ValueError when `capacity` is more positions than the model knows."""
        config = self.config
        if not prompt.length <= capacity <= config.max_position_embeddings:
            raise ValueError(
                f"{capacity} positions do not fit: the prompt has {prompt.length}, "
                f"the model knows {config.max_position_embeddings}."
            )
        self._caches = (
            KVCache(config.thinker_block, config.num_hidden_layers, capacity, self._device, self._dtype),
            KVCache(config.talker_block, config.num_talker_hidden_layers, capacity, self._device, self._dtype),
        )
        self._text_alive = True
        self._ahead, self._read_singly = [], 0
        self._speaker_row = None if prompt.spk_emb is None else F.linear(self._here(prompt.spk_emb), self._speaker)
        embedded = self._embed_prompt(prompt)
        for start in range(0, prompt.length, PREFILL_CHUNK):
            if cancelled():
                raise Cancelled
            end = min(start + PREFILL_CHUNK, prompt.length)
            ready = end == prompt.length
            codes = prompt.audio_ids[:, start:end].to(self._device)
            bridge, text = self._think(embedded[start:end], keep_text=True, need_text=ready)
            audio = self._talk(bridge, codes, ready)
        return Logits(text, audio)

    @torch.inference_mode()
    def step(self, text_id: int, codes: NDArray[np.int64], *, need_text: bool, need_audio: bool) -> Logits:
        """See StepNetwork."""
        if need_text and not self._text_alive:
            raise ValueError("Text logits were given up by an earlier step of this utterance.")
        ids = torch.from_numpy(codes).view(CODEBOOKS, 1).to(self._device)
        if not need_text and text_id == self.config.pad_token_id:
            bridge, text = self._padding(), None
        else:
            self._forget_ahead()
            row = self._embedding[text_id : text_id + 1].to(self._dtype)
            bridge, text = self._think(row, keep_text=need_text, need_text=need_text)
        return Logits(text, self._talk(bridge, ids, need_audio))

    def _padding(self) -> Tensor:
        """The state [1, H] at the bridge of one more padding id."""
        if not self._ahead:
            cache = self._both_caches()[0]
            count = max(1, min(READ_AHEAD, cache.capacity - cache.length))
            if self._read_singly < READ_SINGLY:
                count = 1
                self._read_singly += 1
            row = self._embedding[self.config.pad_token_id].to(self._dtype)
            bridge, _ = self._think(row.expand(count, -1), keep_text=False, need_text=False)
            self._ahead = list(bridge.split(1))[::-1]
        return self._ahead.pop()

    def _forget_ahead(self) -> None:
        """It was no padding after all; between the pieces of a given text there is little of it."""
        self._read_singly = 0
        if self._ahead:
            self._both_caches()[0].advance(-len(self._ahead))
            self._ahead = []

    def _both_caches(self) -> tuple[KVCache, KVCache]:
        if self._caches is None:
            raise ValueError("Call prefill first.")
        return self._caches

    def _here(self, x: Tensor) -> Tensor:
        return x.to(self._device, self._dtype)

    def _embed_prompt(self, prompt: Prompt) -> Tensor:
        """The prompt's Thinker input [P, H]."""
        config, (audio_proj, vision_proj) = self.config, self._projectors
        ids = prompt.text_ids[None].to(self._device)
        x = F.embedding(ids, self._embedding).to(self._dtype)
        if prompt.audio_features is not None:
            x = place_features(x, ids, config.audio_ids, audio_proj, self._here(prompt.audio_features)[None, None])
        if prompt.image_features is not None:
            images = self._here(prompt.image_features)
            images = images[None] if images.dim() == 3 else images[None, None]
            x = place_features(x, ids, config.image_ids, vision_proj, images, whole=True)
        return x[0]

    def _think(self, x: Tensor, *, keep_text: bool, need_text: bool) -> tuple[Tensor, NDArray[np.float32] | None]:
        """Embedded text x [T, H] → states [T, H] at the bridge, and the text logits of the last position.

        Without `keep_text` no text can be drawn any more in this utterance.
        """
        cache = self._both_caches()[0]
        rows = x.shape[0]
        cos, sin = self._thinker_positions(cache.length, rows)
        bridge_layer, last = self.config.resolved_bridge_layer, len(self._thinker) - 1
        bridge = x
        for index, block in enumerate(self._thinker):
            if index > bridge_layer and not keep_text:
                self._text_alive = False
                break
            # The last block's other rows feed nothing, unless the bridge is taken from it.
            x = block(x, cos, sin, cache, index, index == last != bridge_layer)
            if index == bridge_layer:
                bridge = x
        cache.advance(rows)
        if not need_text:
            return bridge, None
        return bridge, self._text_head(self._thinker_norm(x[-1:]))[0].float().cpu().numpy()

    def _talk(self, bridge: Tensor, codes: Tensor, need_audio: bool) -> NDArray[np.float32] | None:
        """States [T, H] at the bridge, codes int64 [8, T] → the audio logits of the last position."""
        cache = self._both_caches()[1]
        x = self._bridge_in(bridge) + self._codes_in(self._embed_codes(codes))
        cos, sin = self._talker_positions(cache.length, len(x))
        for index, block in enumerate(self._talker):
            x = block(x, cos, sin, cache, index, index == len(self._talker) - 1)
        cache.advance(len(bridge))
        if not need_audio:
            return None
        return self._code_head(self._talker_norm(x[-1:])).float().cpu().numpy()

    def _embed_codes(self, codes: Tensor) -> Tensor:
        """codes int64 [8, T] → [T, talker hidden]."""
        rows = (codes + self._code_rows).T.contiguous()
        if self._code_table.dtype == torch.float32:
            summed = F.embedding_bag(rows, self._code_table, mode="sum")
        else:
            summed = F.embedding(rows, self._code_table).sum(1, dtype=torch.float32).to(self._dtype)
        if self._speaker_row is not None:
            slot = codes[0] == self.config.audio_spk_token
            summed = torch.where(slot[:, None], self._speaker_row, summed)
        return summed
