"""Which timer is meant by a spoken label."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from app.tools.agenda.speech import duration_name, timer_name
from app.tools.words.plain import plain
from app.tools.words.reading import words_of

_FILLERS = frozenset({"the", "my", "a", "an", "timer", "timers", "that", "this", "for"})
_CLOSE = 0.75


@dataclass(frozen=True)
class Choice:
    """A timer that waits or rings. `id` is its number in the alarm clock."""

    id: int
    label: str
    seconds: int | None
    rings: bool

    @property
    def name(self) -> str:
        """ "pasta timer"."""
        return timer_name(self.label, self.seconds)


def bare_label(spoken: str) -> str:
    """A label without what belongs to the sentence: "the pasta timer" is "pasta"; as it was where nothing is left."""
    words = spoken.split()
    while words and words[0].lower() in _FILLERS:
        words.pop(0)
    while words and words[-1].lower() in _FILLERS:
        words.pop()
    return " ".join(words) or spoken.strip()


def meant(label: str, choices: Sequence[Choice]) -> list[Choice]:
    """Those that `label` means: called so, else with these words in their name, else sounding much the same."""
    wanted = _words(label)
    names = [_words(one.label or duration_name(one.seconds or 0)) for one in choices]
    for fits in (_same, _within, _alike):
        found = [one for one, name in zip(choices, names, strict=True) if fits(wanted, name)]
        if found:
            return found
    return []


def _words(text: str) -> list[str]:
    words = [word for word in words_of(plain(text)) if word not in _FILLERS]
    if len(words) > 1 and words[-1] == "one":
        words.pop()
    # "ten minutes" is the "ten minute timer"
    return [word.removesuffix("s") if word in ("minutes", "seconds", "hours", "days") else word for word in words]


def _same(wanted: list[str], name: list[str]) -> bool:
    return wanted == name


def _within(wanted: list[str], name: list[str]) -> bool:
    return bool(wanted) and set(wanted) <= set(name)


def _alike(wanted: list[str], name: list[str]) -> bool:
    # Durations that sound alike are different durations.
    if {"second", "minute", "hour", "day"} & {*wanted, *name}:
        return False
    return difflib.SequenceMatcher(None, " ".join(wanted), " ".join(name)).ratio() >= _CLOSE
