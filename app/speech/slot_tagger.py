"""Which words of a question are the values of a call: a small network on the states of the sentence encoder.

Every piece gets one of the tags O, B-x (a value for x begins) and I-x (it goes on), as is usual for slot filling
(Ramshaw and Marcus, 1995; jointly with the intent: Chen et al., 2019).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import torch
from torch import Tensor, nn

from app.speech.errors import DamagedModelError
from app.speech.sentence_encoder import WIDTH, SentenceEncoder, mean_vector
from app.speech.weights import WithoutValues, load_into
from app.tools.words.reading import number

WEIGHTS = "slots.safetensors"
#: States of the sentence encoder that are read, side by side: the embeddings, the middle layer, and the last one.
LEVELS = (0, 3, 6)
_INNER = 192
OUTSIDE = 0
#: Between two numbers these call for a difference.
_SIGNS = ("minus", "negative", "-")
_LAST_WORD, _NEXT_WORD = re.compile(r"(?<!\S)(\S+\s+)\Z"), re.compile(r"\s+\S+")


def is_number(text: str) -> bool:
    """Whether a text is a number without a sign, and nothing else."""
    return number(text) is not None and not text.strip().lower().startswith(_SIGNS)


def piece_states(encoder: SentenceEncoder, texts: Sequence[str]) -> tuple[Tensor, Tensor, list[list[tuple[int, int]]]]:
    """States [B, T, 3 · WIDTH] of the pieces of texts, which of them are there [B, T] (bool), and which characters of
    its text each piece covers."""
    ids, mask, offsets = encoder.pieces(texts)
    levels = encoder.levels(ids, mask)
    return torch.cat([levels[level] for level in LEVELS], -1), mask, offsets


def sentence_vectors(states: Tensor, mask: Tensor) -> Tensor:
    """Unit vectors [B, 384] of the texts, of their `piece_states`: the last level is the encoder's last layer."""
    return mean_vector(states[..., -WIDTH:], mask)


@dataclass(frozen=True)
class Tagged:
    """Logits [T, 1 + 2N] of the pieces of a text, each of which covers some of its characters."""

    text: str
    logits: Tensor
    spans: Sequence[tuple[int, int]]
    names: Sequence[str]

    def find(self, wanted: Iterable[str]) -> dict[str, str]:
        """The words that are values of `wanted`, by name; those that are not there are left out."""
        found: dict[str, tuple[float, int, int]] = {}
        allowed = [self.names.index(name) for name in wanted if name in self.names]
        columns = [OUTSIDE, *(tag for index in allowed for tag in (1 + 2 * index, 2 + 2 * index))]
        chances = torch.log_softmax(self.logits[:, columns], -1)
        for place, index in enumerate(allowed):
            for first, last, score in _runs(chances, 1 + 2 * place):
                name = self.names[index]
                if name not in found or score > found[name][0]:
                    found[name] = score, *self._whole_words(self.spans[first][0], self.spans[last][1])
        taken = [(first, last) for _, first, last in found.values()]
        values = {name: self._whole_number(first, last, taken) for name, (_, first, last) in found.items()}
        return {name: value for name, value in values.items() if value}

    def _whole_words(self, first: int, last: int) -> tuple[int, int]:
        """Where the words begin and end that some characters are part of."""
        while first and self.text[first - 1].isalnum():
            first -= 1
        while last < len(self.text) and self.text[last].isalnum():
            last += 1
        return first, last

    def _whole_number(self, first: int, last: int, taken: Sequence[tuple[int, int]]) -> str:
        """The text between, and if it is a number, the words beside it that belong to that and to no other value."""
        begin = max((end for _, end in taken if end <= first), default=0)
        end = min((start for start, _ in taken if start >= last), default=len(self.text))
        if is_number(self.text[first:last]):
            while (word := _LAST_WORD.search(self.text, begin, first)) and is_number(word[1] + self.text[first:last]):
                first = word.start(1)
            while (word := _NEXT_WORD.match(self.text, last, end)) and is_number(self.text[first:last] + word[0]):
                last = word.end()
        return self.text[first:last].strip()


class SlotTagger(nn.Module):
    """Logits [B, T, 1 + 2N] of N names, from states [B, T, 3 · WIDTH]."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self.names = list(names)
        self.project = nn.Linear(len(LEVELS) * WIDTH, _INNER)
        self.around = nn.LSTM(_INNER, _INNER // 2, batch_first=True, bidirectional=True)
        self.tags = nn.Linear(_INNER, 1 + 2 * len(self.names))

    @classmethod
    def load(cls, folder: Path, names: Sequence[str]) -> SlotTagger:
        """Read `slots.safetensors` of a model folder. Raises DamagedModelError."""
        if len(set(names)) != len(names):
            raise DamagedModelError(f"{folder / WEIGHTS} has two slots of one name.")
        with WithoutValues():
            tagger = cls(names)
        load_into(tagger, folder / WEIGHTS)
        return tagger.eval().requires_grad_(False)

    def forward(self, states: Tensor) -> Tensor:
        """See the class."""
        x = torch.nn.functional.gelu(self.project(states))
        return cast(Tensor, self.tags(x + self.around(x)[0]))

    def tag(self, encoder: SentenceEncoder, text: str) -> Tagged:
        """What `text` may hold."""
        return self.read(encoder, [text])[0][1]

    @torch.inference_mode()
    def read(self, encoder: SentenceEncoder, texts: Sequence[str]) -> list[tuple[Tensor, Tagged]]:
        """The unit vectors [384] of texts, and what they may hold, from one pass of the encoder."""
        states, mask, spans = piece_states(encoder, texts)
        found: list[tuple[Tensor, Tagged]] = []
        for row, (text, vector) in enumerate(zip(texts, sentence_vectors(states, mask), strict=True)):
            # It is read both ways: that must not begin with what fills a shorter text up.
            here = slice(0, int(mask[row].sum()))
            one = slice(row, row + 1)
            logits = self.logits(states[one, here], mask[one, here], [spans[row][here]])
            found.append((vector, Tagged(text, logits[0], spans[row][here], self.names)))
        return found

    def logits(self, states: Tensor, mask: Tensor, spans: Sequence[Sequence[tuple[int, int]]]) -> Tensor:
        """Logits [B, T, 1 + 2N] of `piece_states`; pieces that stand for no words of the text are outside of all."""
        found = self(states)
        empty = ~mask | torch.tensor([[first == last for first, last in some] for some in spans])
        return found.masked_fill(empty[..., None] & (torch.arange(found.shape[-1]) != OUTSIDE), -torch.inf)


def presence(logits: Tensor) -> Tensor:
    """How likely each name has a value somewhere [..., N], of logits [..., T, 1 + 2N]."""
    likely = torch.softmax(logits, -1)[..., 1:].unflatten(-1, (-1, 2)).sum(-1)
    return likely.amax(-2)


def _runs(chances: Tensor, begin: int) -> Iterable[tuple[int, int, float]]:
    """First and last piece of every run whose likeliest tags are `begin` or, inside, `begin` + 1; and its score."""
    best = chances.argmax(-1).tolist()
    at = 0
    while at < len(best):
        if best[at] not in (begin, begin + 1):
            at += 1
            continue
        end = at + 1
        while end < len(best) and best[end] == begin + 1:
            end += 1
        gain = chances[at:end, [begin, begin + 1]].amax(-1) - chances[at:end, OUTSIDE]
        yield at, end - 1, float(gain.sum())
        at = end
