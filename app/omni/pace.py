"""When the pieces of a given text reach the model that reads it aloud.

A model that writes its own answer is ahead of its voice: a piece of text takes three steps of speech or so, and the
Talker has to remember what is still to be said. A text that is given can be dealt out at the pace of speech instead,
padding in between, so that what is to be said next always stands a few steps back; the words of a text that was never
learnt are then said one after the other. It takes a model that was trained with such texts: `GenerationConfig.pace`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

_PAUSE, _STOP = re.compile(r"[,;:]"), re.compile(r"[.!?]+")


@dataclass(frozen=True)
class Pace:
    """Frames of 80 ms that a letter takes, a comma and the end of a sentence, and how many pass before the first one.

    A piece is dealt out `ahead` frames before it is to be heard. Raises ValueError for what is no number in reach.
    """

    letter: float = 0.79
    comma: float = 2.5
    stop: float = 1.2
    begin: float = 1.0
    ahead: int = 4

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 50:
                raise ValueError(f"pace.{one.name} must be a number from 0 to 50, not {value!r}.")
        if self.ahead != int(self.ahead):
            raise ValueError(f"pace.ahead must be a whole number, not {self.ahead!r}.")

    @classmethod
    def from_dict(cls, values: Any) -> Pace:
        """From a JSON object with these fields. Raises ValueError."""
        names = {one.name for one in fields(cls)}
        if not isinstance(values, dict) or not names.issuperset(values):
            raise ValueError(f"pace must be an object with {', '.join(sorted(names))}, not {values!r}.")
        return cls(**values)

    def frames(self, piece: str) -> float:
        """How long a piece takes to be said."""
        letters = sum(character.isalnum() for character in piece)
        return (
            self.letter * letters
            + self.comma * len(_PAUSE.findall(piece))
            + self.stop * len(_STOP.findall(piece))
        )  # fmt: skip

    def deal(
        self, ids: Sequence[int], text_of: Callable[[int], str], pad: int, stretch: float = 1.0, late: float = 0.0
    ) -> list[int]:
        """`ids` with the id `pad` between them. `stretch`: how much slower it is said; `late`: so many frames later."""
        dealt: list[int] = []
        at = self.begin + late
        for one in ids:
            dealt += [pad] * max(0, round(at - self.ahead) - len(dealt))
            dealt.append(one)
            at += stretch * self.frames(text_of(one))
        return dealt
