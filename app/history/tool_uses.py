"""The tools that were used for a message, as the text that is kept of them."""

from __future__ import annotations

import json
from dataclasses import asdict

from app.history.records import ToolUse


def packed(tools: tuple[ToolUse, ...]) -> str:
    """As JSON, "" for none."""
    return json.dumps([asdict(one) for one in tools], ensure_ascii=False) if tools else ""


def unpacked(text: str) -> tuple[ToolUse, ...]:
    """What `packed` made; whatever else there may be in a damaged file counts as none."""
    try:
        return tuple(ToolUse(str(one["tool"]), str(one["state"]), str(one["summary"])) for one in json.loads(text))
    except (ValueError, TypeError, KeyError, RecursionError):
        return ()
