"""The user's side on the virtual clock: a recording, or a script that waits for the assistant's replies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from app.conversation.ports import Samples
from app.omni.turn import INPUT_RATE


class User(Protocol):
    """Somebody who talks. Samples are float32 mono at 16 kHz, counted from the start of the clock."""

    @property
    def end(self) -> int:
        """After this sample nothing more is said, as far as is known now."""
        ...

    def take(self, first: int, count: int) -> Samples:
        """The next samples: calls follow one another without gaps."""
        ...

    def reply_starts(self, at: float) -> None:
        """A reply will be heard from second `at` on."""
        ...


class Recording:
    """Says what is on a recording, whatever the assistant does."""

    def __init__(self, samples: Samples) -> None:
        self._samples = samples

    @property
    def end(self) -> int:
        return len(self._samples)

    def take(self, first: int, count: int) -> Samples:
        out = np.zeros(count, np.float32)
        piece = self._samples[first : first + count]
        out[: len(piece)] = piece
        return out

    def reply_starts(self, at: float) -> None:
        pass


@dataclass
class Line:
    """Something to say: `samples`, `at` seconds after the start or, with `reply`, after that reply's start (from 1).

    `first` and `last` (exclusive) are the samples at which it was said, None as long as that is not known.
    """

    samples: Samples
    at: float
    reply: int = 0
    first: int | None = None

    @property
    def last(self) -> int | None:
        return None if self.first is None else self.first + len(self.samples)


@dataclass
class Script:
    """Says its lines at their time. What was said is kept in `said`."""

    lines: list[Line]
    said: list[Samples] = field(default_factory=list)
    _replies: int = 0

    def __post_init__(self) -> None:
        for line in self.lines:
            if not line.reply:
                line.first = round(line.at * INPUT_RATE)

    @property
    def end(self) -> int:
        return max((line.last for line in self.lines if line.last is not None), default=0)

    def take(self, first: int, count: int) -> Samples:
        out = np.zeros(count, np.float32)
        for line in self.lines:
            if line.first is None:
                continue
            low, high = max(first, line.first), min(first + count, line.first + len(line.samples))
            if high > low:
                out[low - first : high - first] += line.samples[low - line.first : high - line.first]
        return out

    def reply_starts(self, at: float) -> None:
        self._replies += 1
        for line in self.lines:
            if line.reply == self._replies and line.first is None:
                line.first = round((at + line.at) * INPUT_RATE)
