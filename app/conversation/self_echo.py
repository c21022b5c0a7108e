"""The last guard against the assistant's own voice: what was heard is what it has just said."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import SequenceMatcher

# Fewer words than these, or fewer letters, may be anybody's: "yes" after "say yes".
LEAST_WORDS = 3
_LEAST_LETTERS = 10
# How much of both must be the same, and how alike two words are that count as the same. Ears mistake words.
_SAME = 0.8
_ALIKE = 0.75
# Who begins with one of these, and the assistant did not, asks about the answer in its own words.
_ASKING = {"what", "who", "whose", "which", "where", "when", "why", "how", "do", "does", "did"}
# Words that are behind the loudspeaker's last sound by more than this are no echo of it, in seconds.
_TAIL_S = 1.5
# So many in a row are too many, and for so long nothing is listened to while the assistant speaks.
_MOST_IN_A_ROW = 2
HALF_DUPLEX_S = 60.0
REASON = (
    "I heard my own voice from the loudspeaker, so for a minute I do not listen while I speak: "
    "turn it down or use headphones."
)


class SelfEchoGuard:
    """Knows what was said aloud, and for how long the microphone is not to be trusted."""

    def __init__(self, clock: Callable[[], float], on_half_duplex: Callable[[str], None]) -> None:
        """`clock` in seconds; `on_half_duplex` gets `REASON`, or "" when it is over."""
        self._clock = clock
        self._on_half_duplex = on_half_duplex
        self._spoken = ""
        self._until = float("-inf")
        self._in_a_row = 0
        self._deaf_until: float | None = None

    @property
    def deaf(self) -> bool:
        """Whether nothing is to be listened to while the assistant speaks."""
        if self._deaf_until is not None and self._clock() >= self._deaf_until:
            self._deaf_until = None
            self._on_half_duplex("")
        return self._deaf_until is not None

    def spoke(self, text: str) -> None:
        """`text` was heard from the loudspeaker, the last of it now."""
        self._spoken, self._until = text, self._clock()

    def may_hear(self) -> bool:
        """Whether a voice that begins about now may be the loudspeaker's."""
        return self._clock() - self._until <= _TAIL_S

    def is_own(self, text: str | None, spoken: str | None = None) -> bool:
        """Whether `text` is what was just said, or `spoken` where that is given. Too often, and it is half duplex."""
        if not text or not repeats(text, self._spoken if spoken is None else spoken):
            return False
        self._in_a_row += 1
        if self._in_a_row >= _MOST_IN_A_ROW:
            self._in_a_row = 0
            self._deaf_until = self._clock() + HALF_DUPLEX_S
            self._on_half_duplex(REASON)
        return True

    def heard_user(self) -> None:
        """The user has said something."""
        self._in_a_row = 0


def repeats(text: str, spoken: str) -> bool:
    """Whether `text` closely follows, word for word, a stretch of `spoken` and is long enough to tell."""
    heard, said = _words(text), _words(spoken)
    count = len(heard)
    letters = sum(len(word) if word.isascii() else _LEAST_LETTERS // LEAST_WORDS for word in heard)
    if count < LEAST_WORDS or letters < _LEAST_LETTERS or (heard[0] in _ASKING and heard[0] not in said):
        return False
    same = [[_alike(a, b) for b in said] for a in heard]
    for start in range(len(said)):
        for end in range(start + count, min(start + count + 2, len(said)) + 1):
            if 2 * _in_order([row[start:end] for row in same]) >= _SAME * (count + end - start):
                return True
    return False


def _words(text: str) -> list[str]:
    """Words in small letters; each sign of a writing without spaces is one."""
    return re.findall(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+", text.lower().replace("'", ""))


def _alike(a: str, b: str) -> bool:
    return a == b or (min(len(a), len(b)) > 2 and SequenceMatcher(None, a, b, autojunk=False).ratio() >= _ALIKE)


def _in_order(same: list[list[bool]]) -> int:
    """The most pairs of same words that come in one order on both sides (longest common subsequence)."""
    best = [0] * (len(same[0]) + 1)
    for row in same:
        diagonal = 0
        for j, alike in enumerate(row, 1):
            diagonal, best[j] = best[j], diagonal + 1 if alike else max(best[j], best[j - 1])
    return best[-1]
