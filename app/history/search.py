"""Turns what a person types into a query of the word index.

The index splits words at spaces. Chinese and Japanese have none, so each of their signs is indexed as a word
of its own, and a run of them is looked for as a phrase.
"""

from __future__ import annotations

import re

_SIGN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_BEFORE_OR_AFTER_SIGN = re.compile(f"(?<=[{_SIGN}])(?=\\S)|(?<=\\S)(?=[{_SIGN}])")
_SPACE_AT_SIGN = re.compile(f"(?<=[{_SIGN}]) (?=[{_SIGN}])")
# What stands before and after a match.
MATCH_BEGIN, MATCH_END = "\x02", "\x03"
_MARKED_SPACE = re.compile(f"(?<=[{_SIGN}])({MATCH_END}?) ({MATCH_BEGIN}?)(?=[{_SIGN}])")


def indexed(text: str) -> str:
    """`text` as it goes into the index."""
    return _BEFORE_OR_AFTER_SIGN.sub(" ", text)


def shown(found: str) -> str:
    """A piece of the index as it is shown: the spaces between signs go away again."""
    return _SPACE_AT_SIGN.sub("", _MARKED_SPACE.sub(r"\1\2", " ".join(found.split(" "))))


def query(typed: str) -> str:
    """The query for messages that hold all words of `typed`, the last one perhaps unfinished; "" for none.

    Whatever is typed is taken as words, never as the language of the index.
    """
    terms = []
    for word in typed.split():
        if any(letter.isalnum() for letter in word):
            phrase = indexed(word).replace('"', '""')
            terms.append(f'"{phrase}"*')
    return " ".join(terms)
