"""Names as they are written, for names as they were heard: "notingham" is Nottingham, "callabre" is Calibre.

The ears write a name that they do not know as it sounds. Two spellings are compared by their consonants, as English
says them; vowels hardly count. Towns are from GeoNames (CC BY 4.0), first names from the census of the United States
and from a list of our own, as are the names of well-known programs.
"""

from __future__ import annotations

import difflib
import json
import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path

_LISTS = Path(__file__).with_name("names.json")
#: What letters sound like, in this order; "a" stands for all vowels.
_SOUNDS = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        ("^kn", "n"), ("^wr", "r"), ("^wh", "w"), ("^ps", "s"), ("^x", "z"), ("mb$", "m"), ("tch", "C"), ("sch", "S"),
        ("sh", "S"), ("ch", "C"), ("ph", "f"), ("th", "T"), ("(?<=[aeiour])gh", ""), ("ck", "k"), ("dg(?=[eiy])", "j"),
        ("qu", "kw"), ("q", "k"), ("x", "ks"), ("sc(?=[eiy])", "s"), ("c(?=[eiy])", "s"), ("c", "k"),
        ("g(?=[eiy])", "j"), ("(?<=[^aeiouy])re$", "er"), ("(?<=[^aeiouy])e$", ""), ("z", "s"), ("[aeiouy]+", "a"),
        (r"(.)\1+", r"\1"),
    )
)  # fmt: skip
#: Sounds that the ears confuse.
_ALIKE = frozenset(
    frozenset(pair)
    for pair in ("pb", "td", "kg", "fv", "mn", "jC", "SC", "sS", "Tf", "Ts", "Tt", "jS", "gj", "vw", "lr")
)
_WEAK, _NEAR = 0.4, 0.5
_WEAKLY = frozenset("ahw")
#: Shorter names are like too many others.
_LEAST_SOUNDS = 3
#: How much a name and what was heard may differ.
MOST_UNLIKE = 0.12
#: Vowels do count, if not for the sound: "music" is not Miyazaki. By how much sound and spelling may differ together.
MOST_IN_ALL = 0.4


@cache
def name_list(kind: str) -> tuple[str, ...]:
    """Names of a kind of `names.json`: "application", "city" or "person"."""
    found: dict[str, str] = json.loads(_LISTS.read_text(encoding="utf-8"))
    return tuple(found[kind].split("|"))


def letters(text: str) -> str:
    """The letters and digits of a name in lower case, without accents."""
    bare = unicodedata.normalize("NFKD", text.lower())
    return "".join(sign for sign in bare if sign.isascii() and sign.isalnum())


def sound(name: str) -> str:
    """What a name sounds like, a sign for each consonant and for each run of vowels."""
    said = letters(name)
    for pattern, sign in _SOUNDS:
        said = pattern.sub(sign, said)
    return said


def unlike(one: str, other: str) -> float:
    """How much two sounds differ: the cheapest way to make one the other, as a share of the longer one."""
    row = [0.0]
    for sign in other:
        row.append(row[-1] + _cost(sign))
    for sign in one:
        before, row = row, [row[0] + _cost(sign)]
        for at, wanted in enumerate(other):
            changed = 0.0 if sign == wanted else _NEAR if frozenset((sign, wanted)) in _ALIKE else 1.0
            row.append(min(before[at] + changed, before[at + 1] + _cost(sign), row[at] + _cost(wanted)))
    return row[-1] / max(len(one), len(other), 1)


def _spelt_unlike(heard: str, name: str) -> float:
    """How differently two names are spelt, from 0 to 1."""
    return 1 - difflib.SequenceMatcher(None, letters(heard), letters(name)).ratio()


def _cost(sign: str) -> float:
    return _WEAK if sign in _WEAKLY else 1.0


class NamesBySound:
    """Finds the names of some kinds."""

    def __init__(self, names: Iterable[str]) -> None:
        """Of two names that are alike the one that comes first is meant."""
        self._written: dict[str, str] = {}
        self._sounds: dict[str, dict[str, str]] = {}
        for name in names:
            if self._written.setdefault(letters(name), name) == name:
                said = sound(name)
                self._sounds.setdefault(said[:1], {}).setdefault(said, name)

    def written(self, heard: str) -> str | None:
        """The name with the same letters, whatever its spaces and capitals."""
        return self._written.get(letters(heard))

    def nearest(self, heard: str, most: float = MOST_IN_ALL) -> str | None:
        """The name that sounds most like `heard`, if it begins alike and sound and spelling differ by `most` at most,
        the sound by no more than `MOST_UNLIKE` (see `unlike`)."""
        said = sound(heard)
        if len(said) < _LEAST_SOUNDS:
            return None
        near = self._sounds.get(said[:1], {})
        # Every further sign costs something.
        rated = [
            (unlike(said, one), name)
            for one, name in near.items()
            if abs(len(one) - len(said)) * _WEAK <= MOST_UNLIKE * max(len(one), len(said))
        ]
        found = [(how + _spelt_unlike(heard, name), name) for how, name in rated if how <= MOST_UNLIKE]
        return min((pair for pair in found if pair[0] <= most), default=(0.0, None))[1]
