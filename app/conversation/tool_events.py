"""What happens around tools (events) and what is to be done about it (actions). Plain data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Phrase(StrEnum):
    """What is said on a tool's behalf: while it takes a moment, while it still takes, once it has taken too long, a
    part of what came of it while there is more to come, and the rest or all of it.
    """

    HOLD = "hold"
    STILL = "still"
    LATE = "late"
    PART = "part"
    ANSWER = "answer"


# --- events


@dataclass(frozen=True)
class ToolsCalled:
    """In `turn` tools are to be used: numbers of the calls. None: there is something to be said instead.

    `lasting`: one of them changes something. `asking`: the model is still at the turn in which it wrote them, and its
    end follows. `patient`: they come to an end in good time by themselves.
    """

    turn: int
    calls: tuple[int, ...] = ()
    lasting: bool = False
    asking: bool = True
    patient: bool = False


@dataclass(frozen=True)
class PieceCame:
    """There is something to be said of a call of `turn` that goes on."""

    turn: int
    call: int


@dataclass(frozen=True)
class ToolEnded:
    """A call of `turn` has come to an end, well or not."""

    turn: int
    call: int


@dataclass(frozen=True)
class PhraseMade:
    """The model has finished what it had to say for now; of `turn` there are `audio_seconds` of speech in all."""

    turn: int
    audio_seconds: float = 0.0


# --- actions


@dataclass(frozen=True)
class RunTools:
    """Carry out the calls."""

    turn: int
    calls: tuple[int, ...]


@dataclass(frozen=True)
class RefuseTools:
    """There have been too many calls already."""

    turn: int
    calls: tuple[int, ...]


@dataclass(frozen=True)
class CancelTools:
    """Nobody waits for the tools of `turn` any more: those that only read are given up, the others finish."""

    turn: int


@dataclass(frozen=True)
class Say:
    """The model is to speak these words as part of the answer to `turn`."""

    turn: int
    phrase: Phrase


ToolEvent = ToolsCalled | PieceCame | ToolEnded | PhraseMade
ToolAction = RunTools | RefuseTools | CancelTools | Say
