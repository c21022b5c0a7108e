"""How a word is said that no lexicon has, from its letters: layers over the letters, three signs for each of them, read
out as CTC does (Graves et al., 2006): repeats are one sign, and blanks are none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from app.speech.pronunciation import SIGNS
from app.speech.reader import ReaderLayer
from app.speech.weights import WithoutValues, load_into

WEIGHTS = "spelling.safetensors"
#: Signs that one letter can stand for; the blank of CTC.
PER_LETTER, BLANK = 3, 0
_LETTERS = {letter: number for number, letter in enumerate("abcdefghijklmnopqrstuvwxyz'", 1)}
_WIDTH, _LAYERS, _HEADS, _KERNEL = 96, 4, 4, 5


class Spelling(nn.Module):
    """Letters in, phonemes out, many words at once."""

    def __init__(self) -> None:
        super().__init__()
        self.letters = nn.Embedding(len(_LETTERS) + 1, _WIDTH)
        self.layers = nn.ModuleList(ReaderLayer(_WIDTH, _HEADS, _KERNEL) for _ in range(_LAYERS))
        self.norm = nn.LayerNorm(_WIDTH)
        self.head = nn.Linear(_WIDTH, PER_LETTER * (len(SIGNS) + 1))
        self.dropout = 0.0

    @classmethod
    def load(cls, folder: Path) -> Spelling:
        """Read `spelling.safetensors` of a model folder. Raises DamagedModelError."""
        with WithoutValues():
            made = cls()
        load_into(made, folder / WEIGHTS)
        return made.eval().requires_grad_(False)

    def forward(self, letters: Tensor) -> Tensor:
        """Letters int64 [B, N], 0 behind a word → logits [B, N · PER_LETTER, signs and the blank]."""
        there = letters > 0
        x = self.letters(letters)
        for layer in self.layers:
            x = layer(x, there, self.dropout)
        logits: Tensor = self.head(self.norm(x))
        return logits.unflatten(-1, (PER_LETTER, -1)).flatten(1, 2)

    @torch.inference_mode()
    def guess(self, words: Sequence[str]) -> list[str]:
        """Phonemes of words in lower case (letters a to z and apostrophes; others are passed over)."""
        if not words:
            return []
        best = self(spelt(words)).argmax(-1)
        return [
            _collapsed(row[: PER_LETTER * sum(x in _LETTERS for x in word)])
            for word, row in zip(words, best, strict=True)
        ]


def spelt(words: Sequence[str]) -> Tensor:
    """Letters int64 [B, N] of words, zeros behind them."""
    rows = [torch.tensor([_LETTERS[x] for x in word if x in _LETTERS] or [_LETTERS["'"]]) for word in words]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True)


def _collapsed(best: Tensor) -> str:
    signs = torch.unique_consecutive(best).tolist()
    return "".join(SIGNS[sign - 1] for sign in signs if sign != BLANK)
