"""Examples as padded tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from app.omni.config import CODEBOOKS, OmniConfig
from app.speech.sentence_encoder import SentenceEncoder
from app.training.examples import Example

T = TypeVar("T")


def by_length(items: list[T], length: Callable[[T], int], size: int, rng: np.random.Generator) -> list[list[T]]:
    """Groups of `size` items of similar lengths, in random order: little of a batch is padding. Sorts `items`."""
    items.sort(key=length)
    groups = [items[first : first + size] for first in range(0, len(items), size)]
    return [groups[index] for index in rng.permutation(len(groups))]


class TextBatch:
    """Right-padded text of examples: `text` and `target` int64 [B, T], `features` [B, N, D] with their lengths."""

    def __init__(self, examples: Sequence[Example], config: OmniConfig, sentences: SentenceEncoder) -> None:
        batch, length = len(examples), max(len(e.text) for e in examples)
        self.text = torch.full((batch, length), config.pad_token_id)
        self.target = torch.full((batch, length), -100)
        self.starts = torch.tensor([e.start for e in examples])
        meanings = sentences.vectors([e.sentence for e in examples])
        features = [e.features(meaning) for e, meaning in zip(examples, meanings, strict=True)]
        self.feature_lengths = torch.tensor([len(rows) for rows in features])
        self.features = pad_sequence(features, batch_first=True)
        for index, e in enumerate(examples):
            self.text[index, : len(e.text)] = torch.tensor(e.text)
            answer = torch.tensor([*e.answer, config.eos_token_id])
            # A shortened example ends before its end mark.
            answer = answer[: len(e.text) - e.start]
            self.target[index, e.start - 1 : e.start - 1 + len(answer)] = answer


def code_streams(codes: Tensor, start: int, config: OmniConfig) -> tuple[Tensor, Tensor]:
    """Talker inputs and targets int64 [8, start + frames + 9] of an answer that begins at position `start`.

    Code k of codebook i stands at start + 1 + i + k, its stop after it, the speaker slot at start − 1; the targets are
    the inputs one position earlier, -100 where nothing is asked.
    """
    frames = codes.shape[1]
    length = start + frames + CODEBOOKS + 1
    # One more column than is returned: the targets are the inputs shifted by one.
    inputs = torch.full((CODEBOOKS, length + 1), config.audio_pad_token)
    targets = torch.full((CODEBOOKS, length + 1), -100)
    inputs[:, start - 1] = config.audio_spk_token
    for book in range(CODEBOOKS):
        first = start + 1 + book
        stream = torch.cat((codes[book], torch.tensor([config.audio_stop_token])))
        inputs[book, first : first + frames + 1] = stream
        targets[book, first : first + frames + 1] = stream
    return inputs[:, :-1], targets[:, 1:]
