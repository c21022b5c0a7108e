"""One use of a tool, as it is shown beside the words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Stage(StrEnum):
    """How far it is. ASKED: it needs to know more and has asked back."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    ASKED = "asked"


@dataclass(frozen=True)
class Usage:
    """`call` is its number, `tool` its name in the registry, `summary` one short line for the eye, "" without."""

    call: int
    tool: str
    stage: Stage
    summary: str = ""
