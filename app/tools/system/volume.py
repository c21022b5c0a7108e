"""Louder, softer, mute."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from app.tools.registry import load_descriptions
from app.tools.system.mixers import Level, Mixer, MixerError
from app.tools.tool import Arguments, Result, Tool, ToolFailure
from app.tools.words.numbers import percent

STEP_PERCENT = 10

_log = logging.getLogger(__name__)


def volume_tool(mixers: Sequence[Mixer], own: Mixer | None = None) -> Tool:
    """Uses the first of `mixers` that works, and where none does `own`: the volume of Banter's voice alone."""

    def run(arguments: Arguments) -> Result:
        for mixer in (*mixers, *([own] if own is not None else [])):
            try:
                before = mixer.read()
                mixer.write(wanted(before, arguments))
                now = mixer.read()
            except MixerError as error:
                _log.warning("volume by %s: %s", type(mixer).__name__, error)
                continue
            return _result(now, only_banter=mixer is own)
        raise ToolFailure("I found no way to change the volume of this computer.")

    return Tool(load_descriptions()["set_volume"], run)


def wanted(before: Level, arguments: Arguments) -> Level:
    """What `before` becomes. Whoever asks for a level, or for more, wants to hear it."""
    if "level" in arguments:
        return Level(int(arguments["level"]), muted=False)
    amount = int(arguments.get("amount", STEP_PERCENT))
    match arguments["change"]:
        case "up":
            return Level(min(100, before.percent + amount), muted=False)
        case "down":
            return Level(max(0, before.percent - amount), before.muted)
        case change:
            return Level(before.percent, muted=change == "mute")


def _result(now: Level, only_banter: bool) -> Result:
    spoken = "muted" if now.muted else f"at {percent(now.percent)}"
    card = "muted" if now.muted else f"{now.percent} %"
    if only_banter:
        spoken, card = f"{spoken} for my voice", f"{card}, Banter only"
    return Result({"level": now.percent, "muted": now.muted, "spoken_level": spoken}, card)
