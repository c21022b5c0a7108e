"""English words for numbers, as they are said: "five hundred and sixty", "twenty first", "nineteen sixty nine"."""

from __future__ import annotations

_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = ("", " thousand", " million", " billion", " trillion")
_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}

MOST_DIGITS = 15
"""Longer numbers are read out digit by digit."""


def digits(text: str) -> str:
    """One word for each digit of `text`; other characters are left out."""
    return " ".join(_SMALL[int(sign)] for sign in text if sign.isdecimal())


def cardinal(number: int) -> str:
    """How many. Raises ValueError for a negative number."""
    if number < 0:
        raise ValueError("the sign of a number is said before it")
    if number >= 10**MOST_DIGITS:
        return digits(str(number))
    if number < 1000:
        return _below_thousand(number)
    groups: list[str] = []
    last = number % 1000
    rest, scale = number // 1000, 1
    while rest:
        rest, group = divmod(rest, 1000)
        if group:
            groups.insert(0, _below_thousand(group) + _SCALES[scale])
        scale += 1
    if last:
        groups.append(("and " if last < 100 else "") + _below_thousand(last))
    return " ".join(groups)


def ordinal(number: int) -> str:
    """Which one in a row. Raises ValueError for a negative number."""
    *before, last = cardinal(number).split()
    if last in _ORDINALS:
        last = _ORDINALS[last]
    elif last.endswith("y"):
        last = last[:-1] + "ieth"
    else:
        last += "th"
    return " ".join([*before, last])


def year(number: int) -> str:
    """A year of the calendar: in two pairs from 1100 on, but for those around 2000."""
    century, rest = divmod(number, 100)
    if not 1100 <= number < 10_000 or 2000 <= number < 2010 or (century % 10 == 0 and rest < 10):
        return cardinal(number)
    if rest == 0:
        return f"{cardinal(century)} hundred"
    return f"{cardinal(century)} {'oh ' if rest < 10 else ''}{cardinal(rest)}"


def plural(words: str) -> str:
    """The words for several of them, for decades and fractions: "nineteen eighties", "quarters"."""
    return words[:-1] + "ies" if words.endswith("y") else words + "s"


def decimal(text: str) -> str:
    """A number as it is written with digits: thousands parted by commas, a point, zeros in front ("007")."""
    whole, point, fraction = text.replace(",", "").partition(".")
    spelled = len(whole) > MOST_DIGITS or (len(whole) > 1 and whole.startswith("0"))
    words = digits(whole) if spelled else cardinal(int(whole or 0))
    return f"{words} point {digits(fraction)}" if point and fraction else words


def _below_thousand(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    words = [_SMALL[hundreds], "hundred"] if hundreds else []
    if rest and hundreds:
        words.append("and")
    if rest >= 20:
        words.append(_TENS[rest // 10])
        rest %= 10
        if rest:
            words.append(_SMALL[rest])
    elif rest or not hundreds:
        words.append(_SMALL[rest])
    return " ".join(words)
