"""The offline dictionary: `dictionary.json` has a definition for each word, such as follows "the word … means"."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from app.tools.tool import Arguments, Result, Run, ToolFailure
from app.tools.words.reading import words_of

DEFINITIONS = Path(__file__).with_name("dictionary.json")


def define_word() -> Run:
    """The tool: the `definition` of `word`, or of the word that it is a form of."""
    return _run


@cache
def load_definitions() -> Mapping[str, str]:
    """Definitions by word, lower case."""
    definitions: dict[str, str] = json.loads(DEFINITIONS.read_text(encoding="utf-8"))
    return definitions


def _run(arguments: Arguments) -> Result:
    words = words_of(arguments["word"])
    while len(words) > 1 and words[0] in ("the", "a", "an", "word", "to"):
        words.pop(0)
    definitions = load_definitions()
    word = next((form for form in _forms(" ".join(words)) if form in definitions), None)
    if word is None:
        raise ToolFailure()
    return Result({"word": word, "definition": definitions[word]}, word)


def _forms(word: str) -> Iterator[str]:
    """`word` and what it may be a form of."""
    yield word
    for ending, others in (
        ("ies", ("y",)),
        ("ied", ("y",)),
        ("es", ("", "e")),
        ("s", ("",)),
        ("ed", ("", "e")),
        ("ing", ("", "e")),
    ):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            yield from (word.removesuffix(ending) + other for other in others)
