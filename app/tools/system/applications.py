"""What can be opened on this computer, and which of it is meant by a spoken name."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from app.tools.registry import load_descriptions
from app.tools.tool import Arguments, MissingArgument, Result, Tool, ToolFailure
from app.tools.words.plain import plain

# How much alike a misheard name must be, and by how much more than the next one.
ALIKE = 0.8
AHEAD = 0.08
# Shorter names are too easily like another.
ALIKE_LENGTH = 4
CHOICES_MOST = 4


@dataclass(frozen=True)
class Application:
    """Something that can be opened. `kinds`: names of a kind, such as "web browser", that it is first choice for.

    `launch` opens it; it raises OSError.
    """

    name: str
    names: tuple[str, ...]
    launch: Callable[[], None]
    kinds: frozenset[str] = field(default_factory=frozenset)


def application_tool(applications: Callable[[], Sequence[Application]]) -> Tool:
    """`applications` are those that are there now, the user's own first."""

    def run(arguments: Arguments) -> Result:
        spoken = arguments["application"]
        found = meant(spoken, applications())
        if not found:
            raise ToolFailure(f"I found no application called {plain(spoken)} on this computer.")
        if len(found) > 1:
            raise MissingArgument("application", _question(found))
        try:
            found[0].launch()
        except OSError as error:
            raise ToolFailure(f"Sorry, {plain(found[0].name)} would not open.") from error
        return Result({"application": plain(found[0].name)}, found[0].name)

    return Tool(load_descriptions()["open_application"], run)


def meant(spoken: str, applications: Sequence[Application]) -> list[Application]:
    """Those that `spoken` may mean: none, the one, or several where it is not clear.

    First come names that are the same, then kinds, then names of which all words were said or that have all the words
    said, and last what sounds much the same.
    """
    words = _words(spoken)
    if not words:
        return []
    for fits in (_same_name, _same_kind, _has_words):
        found = [one for one in applications if fits(words, one)]
        if fits is _same_kind:
            # One kind has one first choice.
            found = found[:1]
        if found:
            return _distinct(found)
    return _distinct(_most_alike("".join(words), applications))


def _same_name(words: list[str], one: Application) -> bool:
    return any("".join(words) == "".join(_words(name)) for name in one.names)


def _same_kind(words: list[str], one: Application) -> bool:
    return " ".join(words) in one.kinds


def _has_words(words: list[str], one: Application) -> bool:
    named = [_words(name) for name in one.names]
    said = "".join(words)
    # "libreoffice" may be heard as one word or as two.
    begins = len(said) >= ALIKE_LENGTH and any("".join(name).startswith(said) for name in named)
    return begins or any(set(words) <= set(name) for name in named)


def _most_alike(spoken: str, applications: Sequence[Application]) -> list[Application]:
    if len(spoken) < ALIKE_LENGTH:
        return []
    rated = []
    for one in applications:
        ratios = [
            difflib.SequenceMatcher(None, spoken, "".join(_words(name))).ratio()
            for name in one.names
            if len("".join(_words(name))) >= ALIKE_LENGTH
        ]
        rated.append((max(ratios, default=0.0), one))
    best = max((ratio for ratio, _ in rated), default=0.0)
    return [one for ratio, one in rated if ratio >= ALIKE and ratio > best - AHEAD]


def _distinct(found: Sequence[Application]) -> list[Application]:
    """One of each name: the same application may be installed twice."""
    return list({one.name.casefold(): one for one in reversed(found)}.values())[::-1]


def _question(found: Sequence[Application]) -> str:
    names = [plain(one.name) for one in found[:CHOICES_MOST]]
    return f"Which one do you mean, {', '.join(names[:-1])} or {names[-1]}?"


def _words(name: str) -> list[str]:
    """Lower-case words without accents: "LibreOffice Writer" is "libre office writer" to the ear."""
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign))
    words = re.findall(r"[^\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", bare).lower())
    return [word for word in words if word not in ("the", "my", "a", "an")]
