"""A text in pieces that can each be spoken in one breath."""

from __future__ import annotations

import re
from dataclasses import dataclass

# A breath of about ten seconds; the answers that voices learn are no longer.
MOST_WORDS = 32
MOST_CHARACTERS = 200
_LONGEST_WORD = 40
SENTENCE_PAUSE_S, CLAUSE_PAUSE_S, NO_PAUSE_S = 0.32, 0.16, 0.0

# Signs and letters of scripts that have no spaces between their words.
_WIDE_END, _WIDE_COMMA = "\u3002\uff01\uff1f", "\uff0c\u3001\uff1b\uff1a"
_WIDE = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_SENTENCE_END = re.compile(rf"(?:(?<=[.?!])|(?<=[.?!][\"')\]]))\s+|(?<=[{_WIDE_END}])\s*")
_CLAUSE_END = re.compile(rf"(?<=[,;:])\s+|(?<=[{_WIDE_COMMA}])\s*")
_WORD = re.compile(rf"[{_WIDE}]|[^\s{_WIDE}]+")


@dataclass(frozen=True)
class Phrase:
    """Words to be spoken in one go, and the pause behind them before the next."""

    text: str
    pause_s: float


def split_phrases(text: str) -> list[Phrase]:
    """Whole sentences together as long as they fit into a breath, a longer sentence by its clauses, a longer clause
    between words. A paragraph is the end of a sentence. Text without a letter or digit is left out.
    """
    phrases: list[Phrase] = []
    for paragraph in text.splitlines():
        found = _joined(_SENTENCE_END.split(paragraph.strip()), SENTENCE_PAUSE_S)
        phrases += [phrase for phrase in found if any(sign.isalnum() for sign in phrase.text)]
    return phrases


def _joined(pieces: list[str], pause_s: float) -> list[Phrase]:
    """Pieces of one kind, joined as far as they fit, those that do not fit broken up further."""
    phrases: list[Phrase] = []
    together = ""
    for piece in pieces:
        longer = f"{together} {piece}".strip()
        if _fits(longer):
            together = longer
            continue
        if together:
            phrases.append(Phrase(together, pause_s))
        together = ""
        if _fits(piece):
            together = piece
        else:
            *before, last = _broken(piece, pause_s)
            phrases += [*before, Phrase(last.text, pause_s)]
    if together:
        phrases.append(Phrase(together, pause_s))
    return phrases


def _broken(piece: str, pause_s: float) -> list[Phrase]:
    if pause_s == SENTENCE_PAUSE_S:
        return _joined(_CLAUSE_END.split(piece), CLAUSE_PAUSE_S)
    return [Phrase(part, NO_PAUSE_S) for part in _cut(piece)]


def _cut(clause: str) -> list[str]:
    """Parts of about the same number of words; a word longer than any is broken, too."""
    spans = [span for found in _WORD.finditer(clause) for span in _chopped(*found.span())]
    most = -(-len(spans) // -(-len(spans) // MOST_WORDS))
    parts: list[str] = []
    start, count = spans[0][0], 0
    for index, (begin, end) in enumerate(spans):
        if count == most or end - start > MOST_CHARACTERS:
            parts.append(clause[start : spans[index - 1][1]])
            start, count = begin, 0
        count += 1
    return [*parts, clause[start:].rstrip()]


def _chopped(begin: int, end: int) -> list[tuple[int, int]]:
    return [(at, min(at + _LONGEST_WORD, end)) for at in range(begin, end, _LONGEST_WORD)]


def _fits(text: str) -> bool:
    return len(_WORD.findall(text)) <= MOST_WORDS and len(text) <= MOST_CHARACTERS
