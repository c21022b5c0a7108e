"""With which answers a model says that it does not know: they stand in the list of what it has learnt."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

FILE = "intents.tsv"
_UNHEARD = "fallback.unintelligible"
# Of these no words of another model are any help, or only an expert's.
_BEYOND_WORDS = frozenset(
    {
        "fallback.messages_calls",
        "fallback.smart_home",
        "fallback.images_screen",
        "fallback.decisions",
        "fallback.not_able",
    }
)


class Refusals(NamedTuple):
    """`unknown` and `unheard` as in `ModelInfo`."""

    unknown: tuple[str, ...] = ()
    unheard: tuple[str, ...] = ()


def refusals(folder: Path) -> Refusals:
    """Those of the model in `folder`, from lines "id, tab, answer"; none where there is no such list."""
    try:
        lines = (folder / FILE).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return Refusals()
    rows = [(name, answer.strip()) for name, _, answer in (line.partition("\t") for line in lines) if answer.strip()]
    unheard = tuple(answer for name, answer in rows if name == _UNHEARD)
    fallback = (row for row in rows if row[0].startswith("fallback.") and row[0] not in _BEYOND_WORDS)
    return Refusals(tuple(answer for name, answer in fallback if name != _UNHEARD), unheard)
