"""Runs tools on threads of their own, so that none of them holds up the conversation or another tool."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

from app.tools.call import Call
from app.tools.registry import Registry
from app.tools.tool import MissingArgument, Result, ToolFailure

MOST_AT_ONCE = 16

_log = logging.getLogger(__name__)

# What came of a call.
Outcome = Result | ToolFailure | MissingArgument


@dataclass(frozen=True)
class _Given:
    number: int
    call: Call


class ToolRunner:
    """`conversation.ports.Tools` for the tools of a registry."""

    def __init__(self, registry: Registry, on_end: Callable[[int, Outcome], None]) -> None:
        """`on_end(number, outcome)` is called on the call's own thread, unless the call was given up."""
        self.registry = registry
        self._on_end = on_end
        self._lock = threading.Lock()
        self._running: set[int] = set()

    def run(self, number: int, call: Call) -> None:
        """Begin with `call`; returns at once."""
        with self._lock:
            crowded = threading.active_count() > 0 and len(self._running) >= MOST_AT_ONCE
            if not crowded:
                self._running.add(number)
        if crowded:
            self._on_end(number, ToolFailure())
            return
        threading.Thread(target=self._work, args=(_Given(number, call),), name="tool", daemon=True).start()

    def cancel(self, number: int) -> None:
        """Nobody waits for it: what comes of it is dropped."""
        with self._lock:
            self._running.discard(number)

    def _work(self, given: _Given) -> None:
        outcome = self._outcome(given.call)
        with self._lock:
            wanted = given.number in self._running
            self._running.discard(given.number)
        if wanted:
            self._on_end(given.number, outcome)

    def _outcome(self, call: Call) -> Outcome:
        tool = self.registry.get(call.name)
        if tool is None:
            return ToolFailure()
        try:
            return tool.run(call.arguments)
        except (ToolFailure, MissingArgument) as outcome:
            return outcome
        except Exception:
            _log.exception("the tool %s has failed", call.name)
            return ToolFailure()
