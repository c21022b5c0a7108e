"""Whether words are a whole request, learnt from thousands of questions and all their beginnings.

A logistic regression over hashed n-grams of the last words and the first ones: "how many planets are in the" wants
another word, "how many planets are in the sky" may be all. `python -m app.training completeness` makes its weights.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

WEIGHTS = Path(__file__).with_name("completeness.safetensors")
SLOTS = 1 << 15
_LONG = 12
_SHORT = 5
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


def words_of(text: str) -> list[str]:
    """The words of `text` in small letters, without digits and marks."""
    return _WORD.findall(text.lower().replace("’", "'"))


def features(words: Sequence[str]) -> list[int]:
    """Slots of the weights that speak about `words` (one or more), the same number for any words."""
    before, middle, last = ("", "", *words)[-3:]
    first, opening, count = words[0], " ".join(words[:2]), min(len(words), _LONG)
    names = (
        f"last {last}",
        f"middle {middle}",
        f"pair {middle} {last}",
        f"three {before} {middle} {last}",
        f"gap {before} {last}",
        f"first {first}",
        f"opening {opening}",
        f"ends {first} {last}",
        f"opening and last {opening} {last}",
        f"count {count}",
        f"first and count {first} {count}",
        f"all {' '.join(words[:_SHORT])}" if len(words) <= _SHORT else "long",
    )
    return [zlib.crc32(name.encode()) % SLOTS for name in names]


@cache
def _weights() -> tuple[NDArray[np.float32], float]:
    stored = load_file(WEIGHTS)
    return stored["weights"].astype(np.float32), float(stored["bias"][0])


def completeness(words: Sequence[str]) -> float:
    """Log-odds that `words` (one or more) are a whole request and not the beginning of a longer one."""
    weights, bias = _weights()
    return float(weights[features(words)].sum()) + bias
