"""Given texts put together from recorded words: unit selection (Hunt and Black, 1996) on the codes of recordings.

A small Talker says the sentences that it has learnt; it cannot read others. Its recordings hold most everyday words in
many neighbourhoods. A text is covered by stretches of them that are as long and as fitting as can be had, and their
codes, which are the same for every voice, go to the codec's decoder as if the Talker had written them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors.torch import save_file
from torch import Tensor

from app.speech.errors import DamagedModelError
from app.speech.weights import read_json, read_tensors

CODES, LIST = "units.safetensors", "units.json"
#: In a list of cuts: nobody knows where this word begins.
NO_CUT = -1
_WORD = re.compile(r"([A-Za-z']*[A-Za-z][A-Za-z']*)([^A-Za-z']*)")
#: What a stretch costs; what is added where the mark behind it, the mark before it, or the sound beside it is another
#: one than in the recording, and for a single word that was cut out of a sentence; what a word costs that was never
#: recorded.
_JOIN, _END, _START, _BESIDE, _CUT_OUT, _MISSING = 1.0, 0.5, 0.3, 0.15, 1.0, 6.0


class Word(NamedTuple):
    """A word in lower case and what follows it: "" nothing, "," a pause, "." an end."""

    word: str
    mark: str


@dataclass(frozen=True)
class Stretch:
    """A part of a text, word for word, and its codes int64 [8, T], None where they were never recorded."""

    text: str
    codes: Tensor | None


def split_words(text: str) -> list[Word]:
    """The words of a text with their marks; the last one ends it."""
    found = [Word(m[1].lower(), _mark(m[2])) for m in _WORD.finditer(_straight(text))]
    return [*found[:-1], Word(found[-1].word, ".")] if found else []


def plain_words(text: str) -> list[str]:
    """The words alone."""
    return [word for word, _ in split_words(text)]


def _mark(between: str) -> str:
    if any(sign in between for sign in ".?!"):
        return "."
    return "," if any(sign in between for sign in ",;:") else ""


class _Recording(NamedTuple):
    words: list[Word]
    cuts: list[int]
    first: int


class SpokenUnits:
    """All recordings of a model folder, cut into words."""

    def __init__(self, codes: Tensor, sentences: Sequence[tuple[str, Sequence[int]]]) -> None:
        """`codes` int64 [8, N] of all sentences, one behind the other; each sentence has its text and the frames, from
        0, at which its words begin and the last one ends. ValueError where they do not fit."""
        self._codes = codes
        self._recordings: list[_Recording] = []
        self._places: dict[str, list[tuple[int, int]]] = {}
        first = 0
        for number, (text, cuts) in enumerate(sentences):
            words = split_words(text)
            if len(cuts) != len(words) + 1 or cuts[-1] < 1 or max(cuts) != cuts[-1] or min(cuts) < NO_CUT:
                raise ValueError(f"the cuts of {text!r} do not fit")
            self._recordings.append(_Recording(words, list(cuts), first))
            for place, (word, _) in enumerate(words):
                if cuts[place] != NO_CUT:
                    self._places.setdefault(word, []).append((number, place))
            first += cuts[-1]
        if first != codes.shape[1]:
            raise ValueError(f"{codes.shape[1]} frames instead of {first}")

    @classmethod
    def load(cls, folder: Path) -> SpokenUnits:
        """Read `units.safetensors` and `units.json`. Raises DamagedModelError."""
        tensors, listing = read_tensors(folder / CODES), read_json(folder / LIST)
        try:
            sentences = [(str(text), [int(cut) for cut in cuts]) for text, cuts in listing["sentences"]]
            return cls(unpacked(tensors["low"], tensors["high"]), sentences)
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise DamagedModelError(f"{folder / LIST} lacks or garbles a field: {error}.") from error

    def save(self, folder: Path) -> None:
        """Write both files."""
        low, high = packed(self._codes)
        save_file({"low": low, "high": high}, folder / CODES)
        rows = [[_text(one.words), one.cuts] for one in self._recordings]
        (folder / LIST).write_text(json.dumps({"sentences": rows}, separators=(",", ":")), encoding="utf-8")

    def cover(self, text: str) -> list[Stretch]:
        """The words of a text in order, in stretches that were recorded and such that were not."""
        words = split_words(text)
        best: list[tuple[float, int, tuple[int, int] | None]] = [(0.0, 0, None)]
        best += [(float("inf"), 0, None)] * len(words)
        for start in range(len(words)):
            cost = best[start][0]
            if cost + _MISSING < best[start + 1][0]:
                best[start + 1] = (cost + _MISSING, start, None)
            for number, place in self._places.get(words[start].word, ()):
                for length, price in self._runs(words, start, number, place):
                    if cost + price < best[start + length][0]:
                        best[start + length] = (cost + price, start, (number, place))
        return self._stretches(text, best)

    def _runs(self, words: Sequence[Word], start: int, number: int, place: int) -> Iterator[tuple[int, float]]:
        """How many words from `start` on a recording has from `place` on, and what taking so many costs."""
        said, cuts, _ = self._recordings[number]
        price = _JOIN
        before = words[start - 1] if start else Word("", ".")
        was_before = said[place - 1] if place else Word("", ".")
        price += _START * (bool(before.mark) != bool(was_before.mark))
        price += _BESIDE * (before.word[-1:] != was_before.word[-1:])
        length = 0
        while start + length < len(words) and place + length < len(said):
            here, there = words[start + length], said[place + length]
            if here.word != there.word:
                return
            length += 1
            if cuts[place + length] != NO_CUT:
                beyond = words[start + length].word[:1] if start + length < len(words) else ""
                was_beyond = said[place + length].word[:1] if place + length < len(said) else ""
                alone = _CUT_OUT * (length == 1 and len(said) > 1)
                yield length, price + alone + _END * (here.mark != there.mark) + _BESIDE * (beyond != was_beyond)
            if here.mark != there.mark:
                return

    def _stretches(self, text: str, best: Sequence[tuple[float, int, tuple[int, int] | None]]) -> list[Stretch]:
        bounds = [match.start() for match in _WORD.finditer(_straight(text))]
        bounds = [0, *bounds[1:], len(text)] if bounds else [0]
        found: list[Stretch] = []
        end = len(best) - 1
        while end:
            _, start, source = best[end]
            part = text[bounds[start] : bounds[end]]
            if source is None:
                if found and found[0].codes is None:
                    part += found.pop(0).text
                found.insert(0, Stretch(part, None))
            else:
                _, cuts, first = self._recordings[source[0]]
                begin, last = cuts[source[1]], cuts[source[1] + end - start]
                found.insert(0, Stretch(part, self._codes[:, first + begin : first + last]))
            end = start
        return found


def packed(codes: Tensor) -> tuple[Tensor, Tensor]:
    """Ten bits each of codes [8, N]: the low eight, uint8 [8, N], and the high two of all codebooks side by side,
    uint16 [N]."""
    shifts = 2 * torch.arange(len(codes))[:, None]
    return (codes & 255).to(torch.uint8), ((codes >> 8) << shifts).sum(0).to(torch.uint16)


def unpacked(low: Tensor, high: Tensor) -> Tensor:
    """The codes int64 [8, N] of `packed`."""
    shifts = 2 * torch.arange(len(low))[:, None]
    return low.long() | (((high.to(torch.int64)[None] >> shifts) & 3) << 8)


def _text(words: Sequence[Word]) -> str:
    return " ".join(word + mark for word, mark in words)


def _straight(text: str) -> str:
    return text.replace("\u2019", "'")
