"""Another voice, by its name as it was heard."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence

from app.tools.registry import load_descriptions
from app.tools.tool import Arguments, MissingArgument, Result, Tool, ToolFailure
from app.tools.words.plain import plain

ALIKE = 0.6
# Names that are alike within this are asked about.
AHEAD = 0.1
NAMED_MOST = 3


def voice_tool(voices: Callable[[], Sequence[str]], use: Callable[[str], None]) -> Tool:
    """`voices` are the names of those installed; `use` takes one of them and raises OSError or ValueError."""

    def run(arguments: Arguments) -> Result:
        spoken, names = arguments["voice"], list(voices())
        found = meant(spoken, names)
        if not found:
            raise ToolFailure(_unknown(spoken, names))
        if len(found) > 1:
            listed = [plain(name) for name in found[:NAMED_MOST]]
            raise MissingArgument("voice", f"Did you mean {', '.join(listed[:-1])} or {listed[-1]}?")
        try:
            use(found[0])
        except (OSError, ValueError) as error:
            raise ToolFailure from error
        return Result({"voice": plain(found[0])}, found[0])

    return Tool(load_descriptions()["change_voice"], run)


def meant(spoken: str, names: Sequence[str]) -> list[str]:
    """The voice of that name; where there is none the one most alike, or several that are about as much alike."""
    wanted = plain(spoken).lower()
    same = [name for name in names if plain(name).lower() == wanted]
    if same:
        return same[:1]
    rated = [(difflib.SequenceMatcher(None, wanted, plain(name).lower()).ratio(), name) for name in names]
    best = max((ratio for ratio, _ in rated), default=0.0)
    return [name for ratio, name in sorted(rated, key=lambda one: -one[0]) if ratio >= ALIKE and ratio > best - AHEAD]


def _unknown(spoken: str, names: Sequence[str]) -> str:
    if not names:
        return "There is no other voice installed."
    some = [plain(name) for name in names[:NAMED_MOST]]
    choice = some[0] if len(some) == 1 else f"{', '.join(some[:-1])} or {some[-1]}"
    return f"I have no voice called {plain(spoken)}. You could choose {choice}."
