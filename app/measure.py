"""Measures of spoken answers: words recognised, faults of the sound, pace."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.tools.words.numbers import as_ordinal

Floats = NDArray[np.float32]

_UNITS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = ["zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
#: British and other spellings that sound alike: a recogniser is free to choose.
_SPELLINGS = {
    "colour": "color", "colours": "colors", "favourite": "favorite", "grey": "gray", "metre": "meter",
    "metres": "meters", "centre": "center", "kilometres": "kilometers", "harbour": "harbor", "okay": "ok",
    "neighbour": "neighbor", "neighbours": "neighbors", "alright": "all right", "cosy": "cozy", "mum": "mom",
    "litre": "liter", "litres": "liters", "honour": "honor", "humour": "humor", "flavour": "flavor", "tyre": "tire",
    "theatre": "theater", "passed": "past", "programme": "program", "travelling": "traveling", "storey": "story",
}  # fmt: skip


def _spell(number: int) -> str:
    if number < 20:
        return _UNITS[number]
    if number < 100:
        return _TENS[number // 10] + (f" {_UNITS[number % 10]}" if number % 10 else "")
    if number < 1000:
        rest = f" {_spell(number % 100)}" if number % 100 else ""
        return f"{_UNITS[number // 100]} hundred{rest}"
    if (1100 <= number < 2000 or 2010 <= number < 2100) and number % 100:
        return f"{_spell(number // 100)} {_spell(number % 100)}"
    if number < 1_000_000:
        rest = f" {_spell(number % 1000)}" if number % 1000 else ""
        return f"{_spell(number // 1000)} thousand{rest}"
    return " ".join(_UNITS[int(d)] for d in str(number))


def words(text: str) -> list[str]:
    """Lower-case words without punctuation; digits spelt out, spellings unified."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text.lower())
    text = re.sub(r"(\d+)%", r"\1 percent", text)
    text = re.sub(r"(\d+)(?:st|nd|rd|th)\b", lambda m: f" {as_ordinal(_spell(int(m[1])))} ", text)
    text = re.sub(r"(\d+)\.(\d+)", lambda m: f"{m[1]} point {' '.join(_UNITS[int(digit)] for digit in m[2])}", text)
    text = re.sub(r"\d+", lambda m: f" {_spell(int(m[0]))} ", text)
    raw = re.sub(r"[^a-z' ]", " ", text.replace("-", " ")).replace(" and ", " ").split()
    plain = [_SPELLINGS.get(w.replace("'", ""), w.replace("'", "")) for w in raw]
    return " ".join(plain).split()


def errors(reference: Sequence[str], heard: Sequence[str]) -> int:
    """Levenshtein distance of two word lists."""
    row = list(range(len(heard) + 1))
    for i, a in enumerate(reference, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(heard, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]


def nearest(heard: Sequence[str], candidates: Sequence[Sequence[str]]) -> int:
    """Index of the candidate with the fewest errors relative to its length."""
    return min(range(len(candidates)), key=lambda i: errors(candidates[i], heard) / max(1, len(candidates[i])))


def syllables(text: str) -> int:
    """Rough count: groups of vowels, a silent final e left out."""
    return sum(max(1, len(re.findall(r"[aeiouy]+", re.sub(r"e\b", "", w)))) for w in words(text))


def _blocks(audio: Floats, rate: int) -> tuple[Floats, NDArray[np.intp]]:
    """Levels of blocks of 20 ms, and the numbers of those that sound."""
    block = rate // 50
    level = np.sqrt(np.mean(audio[: len(audio) // block * block].reshape(-1, block) ** 2, 1))
    return level, np.flatnonzero(level > 0.02 * level.max())


def pace(audio: Floats, text: str, rate: int = 24_000) -> float:
    """Syllables a second between the first and the last sound."""
    _, loud = _blocks(audio, rate)
    return syllables(text) / (int(loud[-1] - loud[0] + 1) / 50)


def faults(audio: Floats, text: str, rate: int = 24_000) -> list[str]:
    """Faults of a spoken answer: `silent`, `clipped`, `gap` (over 600 ms inside), `pace` (2–6 syllables/s), `tail`.

    `tail`: the sound has not died down in the last 20 ms.
    """
    if len(audio) < rate // 5 or np.abs(audio).max() < 0.01:
        return ["silent"]
    found = []
    if np.mean(np.abs(audio) >= 0.999) > 1e-4:
        found.append("clipped")
    level, loud = _blocks(audio, rate)
    if np.diff(loud).max(initial=0) * 20 > 600:
        found.append("gap")
    if not 2 <= pace(audio, text, rate) <= 6:
        found.append("pace")
    if level[-1] > 0.2 * level.max():
        found.append("tail")
    return found


def add_noise(audio: Floats, snr_db: float, rng: np.random.Generator) -> Floats:
    """White noise at a signal-to-noise ratio."""
    noise = rng.standard_normal(len(audio)).astype(np.float32)
    return audio + noise * float(np.sqrt(np.mean(audio**2))) * 10 ** (-snr_db / 20)


def add_room(audio: Floats, rng: np.random.Generator, rate: int = 16_000, decay_s: float = 0.3) -> Floats:
    """A small synthetic room: exponentially decaying noise after the direct sound."""
    length = int(rate * decay_s)
    response = 0.15 * rng.standard_normal(length) * np.exp(-6.9 * np.arange(length) / length)
    response[0] = 1.0
    return np.asarray(np.convolve(audio, response)[: len(audio)], np.float32)
