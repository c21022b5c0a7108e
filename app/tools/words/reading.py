"""Numbers from words, as people say them and as speech recognition writes them down."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from app.tools.words.numbers import LARGEST, ONES, SCALES, TENS, ordinal

_UNITS = {word: value for value, word in enumerate(ONES)}
_TENS = {word: value * 10 for value, word in enumerate(TENS) if value > 1}
_SCALES = {word: size for size, word in SCALES.items()}
# "first": "one", "hundredth": "hundred"
_ORDINALS = {ordinal(value): word for word, value in {**_UNITS, **_TENS}.items() if value}
_ORDINALS |= {f"{word}th": word for word in ("hundred", *_SCALES)}
_WHOLES = {"dozen": 12, "couple": 2}
_PARTS = {
    "half": Fraction(1, 2),
    "halves": Fraction(1, 2),
    "third": Fraction(1, 3),
    "thirds": Fraction(1, 3),
    **{word: Fraction(1, 4) for word in ("quarter", "quarters", "fourth", "fourths")},
    **{f"{ordinal(value)}{end}": Fraction(1, value) for value in (5, 6, 7, 8, 9, 10) for end in ("", "s")},
}
_DIGITS = re.compile(r"(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d+))?")
_NUMBERED = re.compile(r"(\d+)(?:st|nd|rd|th)")
# Nobody says a longer number, and exact sums of longer ones take long.
_MOST_WORDS = 40
_MOST_DIGITS = 30


def words_of(text: str) -> list[str]:
    """Lower-case words without hyphens and marks; the signs of a number written in digits stay."""
    text = re.sub(r"(?<![\w.])-(?=\d)", "minus ", text.lower()).replace("-", " ")
    return [word for word in (part.strip(".,?!;:'\"") for part in text.split()) if word]


def number(text: str) -> int | Fraction | None:
    """The number that the whole text says, an int when it is whole; None when it says anything else.

    >>> number("minus two hundred and six"), number("four and a half"), number("3.5"), number("a couple")
    (-206, Fraction(9, 2), Fraction(7, 2), 2)
    """
    words = words_of(text)
    if not words or len(words) > _MOST_WORDS:
        return None
    negative = words[0] in ("minus", "negative")
    value = _positive(words[1:] if negative else words)
    if value is None:
        return None
    value = -value if negative else value
    return int(value) if value.denominator == 1 else value


def nth(text: str) -> int | None:
    """What "twenty first", "21st" or "hundredth" counts, from 1; None when the text is no ordinal."""
    words = words_of(text)
    if not words or len(words) > _MOST_WORDS:
        return None
    *front, last = words
    if not front and (match := _NUMBERED.fullmatch(last)):
        return int(match[1][:_MOST_DIGITS]) or None
    return _whole([*front, _ORDINALS[last]]) if last in _ORDINALS else None


def year_number(text: str) -> int | None:
    """The year that the whole text says, from 1 to 9999, also in pairs: "nineteen oh five", "twenty twenty seven"."""
    words = words_of(text)
    if len(words) == 1 and words[0].isdecimal() and len(words[0]) <= 4:
        return int(words[0]) or None
    if len(words) > 1 and words[-1] == "hundred":
        century = _whole(words[:-1])
        return century * 100 if century is not None and 0 < century <= 99 else None
    for split in range(1, len(words)):
        century, late = _whole(words[:split]), _late_in_century(words[split:])
        if century is not None and late is not None and 10 <= century <= 99:
            return century * 100 + late
    value = _whole(words)
    return value if value is not None and 0 < value <= 9999 else None


def _late_in_century(words: Sequence[str]) -> int | None:
    """The second half of a year: "oh five", "sixty nine"."""
    if len(words) == 2 and words[0] in ("oh", "o"):
        value = _UNITS.get(words[1], 0)
        return value if 0 < value < 10 else None
    value = _whole(words) or 0
    return value if 10 <= value < 100 else None


def _positive(words: Sequence[str]) -> Fraction | None:
    if not words:
        return None
    if len(words) == 1 and _DIGITS.fullmatch(words[0]):
        return Fraction(words[0].replace(",", "")) if len(words[0]) <= _MOST_DIGITS else None
    if "point" in words:
        at = words.index("point")
        whole = 0 if at == 0 else _whole(words[:at])
        digits = [_digit(word) for word in words[at + 1 :]]
        if whole is None or not digits or max(digits) > 9:
            return None
        return whole + Fraction(int("".join(map(str, digits))), 10 ** len(digits))
    if (part := _part(words)) is not None:
        return part
    for at in (index for index, word in enumerate(words) if word == "and"):
        whole, part = _whole(words[:at]), _part(words[at + 1 :])
        if whole is not None and part is not None and part < 1:
            return whole + part
    whole = _whole(words)
    return None if whole is None else Fraction(whole)


def _digit(word: str) -> int:
    """One place of a decimal number; more than nine for anything else."""
    if word.isdecimal() and len(word) == 1:
        return int(word)
    return _UNITS.get("zero" if word in ("oh", "o", "nought") else word, 10)


def _part(words: Sequence[str]) -> Fraction | None:
    """ "half", "a quarter", "three quarters"."""
    if not words or words[-1] not in _PARTS:
        return None
    if len(words) == 1:
        return _PARTS[words[0]] if words[0] in ("half", "quarter") else None
    many = 1 if words[0] in ("a", "an") and len(words) == 2 else _whole(words[:-1])
    return None if many is None else many * _PARTS[words[-1]]


def _whole(words: Sequence[str]) -> int | None:
    """A whole number from its words; None when they are not in the order of one."""
    if not words:
        return None
    if len(words) == 1 and words[0].isdecimal():
        return int(words[0]) if len(words[0]) <= _MOST_DIGITS else None
    words = list(words)
    if words[0] in ("a", "an") and len(words) > 1:
        words[0] = "one"
    elif words[0] == "hundred" or words[0] in _SCALES:
        words.insert(0, "one")
    if len(words) > 1 and words[-1] == "of":
        words.pop()
    if words[-1] in _WHOLES:
        many = 1 if len(words) == 1 else _whole(words[:-1])
        return None if many is None else many * _WHOLES[words[-1]]
    total, group, above = 0, list[str](), LARGEST + 1
    for word in words:
        if word not in _SCALES:
            group.append(word)
            continue
        value, size = _group(group, bool(total)), _SCALES[word]
        if not value or size >= above:
            return None
        total, group, above = total + value * size, [], size
    if total and not group:
        return total
    value = _group(group, bool(total))
    # "a million and zero" says nothing
    return None if value is None or (total and not value) else total + value


def _group(words: Sequence[str], follows: bool) -> int | None:
    """A number below a thousand. `follows`: after a larger part, so that it may begin with "and"."""
    if follows and words and words[0] == "and":
        words = words[1:]
    if not words:
        return None
    value = 0
    if len(words) > 1 and words[1] == "hundred":
        value, words = _UNITS.get(words[0], 0) * 100, words[2:]
        if not 100 <= value <= 1900:
            return None
        if not words:
            return value
        words = words[1:] if words[0] == "and" else words
    if not words:
        return None
    if len(words) == 1 and words[0] in _UNITS and (not value or _UNITS[words[0]]):
        return value + _UNITS[words[0]]
    if words[0] in _TENS:
        if len(words) == 1:
            return value + _TENS[words[0]]
        if len(words) == 2 and 1 <= _UNITS.get(words[1], 0) <= 9:
            return value + _TENS[words[0]] + _UNITS[words[1]]
    return None
