"""What happened in the last turn, in the words of the state machine: for a report, and to compare a replay with it."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any

from app.conversation import events as ev
from app.conversation.events import Mode, State

# So much of what went before belongs to a turn: the user's first words, and the end of what they interrupt.
BEFORE_S = 3.0
_MOST_LINES = 4_000
# Too many, or told by the sound itself.
_LEFT_OUT = (ev.SpeechChunk, ev.Tick, ev.PushAudio, ev.ReplyGoesOn)
_NOT_TOLD = ("made_at", "until")


@dataclass(frozen=True)
class Line:
    """`kind` is the name of an event or an action, at second `at` of the conversation's clock; `more` its fields."""

    at: float
    kind: str
    is_action: bool
    more: dict[str, Any]


@dataclass(frozen=True)
class TurnLog:
    """One turn from second `since` to `until`, which began in `mode`."""

    turn: int
    since: float
    until: float
    mode: Mode
    lines: tuple[Line, ...]


class Journal:
    """Watches a `Conversation` (its `watch`) and tells of each turn that was answered. On the conversation's thread."""

    def __init__(
        self,
        mode: Mode,
        on_begin: Callable[[], None] = lambda: None,
        on_end: Callable[[TurnLog | None], None] = lambda log: None,
    ) -> None:
        """`mode` is the conversation's at first. `on_begin()` is called with the first sign of a turn, and then
        `on_end` with its log, or None when it was no question.
        """
        self._mode = mode
        self._on_begin = on_begin
        self._on_end = on_end
        self._lines: deque[Line] = deque(maxlen=_MOST_LINES)
        self._since: float | None = None
        self._mode_then = mode
        self._ended: tuple[int, float] | None = None

    def __call__(self, now: float, thing: ev.Event | ev.Action) -> None:
        """Something happened at `now`."""
        is_action = isinstance(thing, ev.Action)
        if self._ended is not None and (not is_action or isinstance(thing, ev.StartTurn)):
            self._finish()
        if isinstance(thing, ev.StartTurn) and self._since is None:
            self._since, self._mode_then = now - BEFORE_S, self._mode
            self._on_begin()
        if isinstance(thing, ev.ModeChanged):
            self._mode = thing.mode
        if not isinstance(thing, _LEFT_OUT):
            self._lines.append(_line(now, thing, is_action))
        if isinstance(thing, ev.KeepHeard):
            self._ended = (thing.turn, now)
        elif isinstance(thing, ev.EnterState) and thing.state == State.IDLE and self._ended is None:
            # It was no question.
            was_open, self._since = self._since is not None, None
            if was_open:
                self._on_end(None)
        if self._since is None:
            while self._lines and self._lines[0].at < now - BEFORE_S:
                self._lines.popleft()

    def _finish(self) -> None:
        assert self._ended is not None
        (turn, until), self._ended = self._ended, None
        since = until if self._since is None else self._since
        self._since = None
        lines = tuple(line for line in self._lines if line.at >= since)
        # The next turn may have begun with the event that has ended this one.
        last = next((line for line in reversed(lines) if not line.is_action), None)
        self._lines.clear()
        if last is not None and lines[-1].at == last.at:
            self._lines.append(last)
        self._on_end(TurnLog(turn, since, until, self._mode_then, lines))


def deeds(lines: Iterable[Line]) -> list[str]:
    """What the assistant did in a turn, in its order, without numbers and times: the actions from the first question on
    until all is over.
    """
    found: list[str] = []
    for line in lines:
        if not line.is_action or (not found and line.kind != "start_turn"):
            continue
        more = {"enter_state": "state", "keep_heard": "whole"}.get(line.kind)
        found.append(line.kind if more is None else f"{line.kind} {line.more.get(more)}".lower())
    return found


def _line(at: float, thing: ev.Event | ev.Action, is_action: bool) -> Line:
    kind = re.sub(r"(?<!^)(?=[A-Z])", "_", type(thing).__name__).lower()
    more = {one.name: getattr(thing, one.name) for one in fields(thing) if one.name not in _NOT_TOLD}
    return Line(at, kind, is_action, {name: value for name, value in more.items() if value is not None})
