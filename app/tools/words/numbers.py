"""Numbers in words: "ninety six", "minus two point five", "twenty first", "nineteen sixty nine"."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
# by how many tens
TENS = ["", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
SCALES = {10**3: "thousand", 10**6: "million", 10**9: "billion", 10**12: "trillion"}
LARGEST = 10**15 - 1

_IRREGULAR = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}


def cardinal(number: int) -> str:
    """1,006 is "one thousand and six". ValueError beyond a thousand trillions, either way."""
    if abs(number) > LARGEST:
        raise ValueError(f"{number} is too large for words")
    if number < 0:
        return f"minus {cardinal(-number)}"
    if number < 1000:
        return _below_a_thousand(number)
    scale = max(size for size in SCALES if size <= number)
    many, rest = divmod(number, scale)
    words = f"{_below_a_thousand(many)} {SCALES[scale]}"
    if not rest:
        return words
    return f"{words} {'and ' if rest < 100 else ''}{cardinal(rest)}"


def ordinal(number: int) -> str:
    """21 is "twenty first". ValueError for what `cardinal` refuses."""
    return as_ordinal(cardinal(number))


def as_ordinal(words: str) -> str:
    """The ordinal of a number that is written in words."""
    *front, last = words.split()
    regular = f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th"
    return " ".join([*front, _IRREGULAR.get(last, regular)])


def decimal(number: int | Fraction | Decimal) -> str:
    """3.14 is "three point one four": every digit after the point, so round it first.

    ValueError for what no finite row of digits can write, such as a third, and for what `cardinal` refuses.
    """
    value = Fraction(number)
    places = _decimal_places(value)
    whole, rest = divmod(abs(value.numerator) * 10**places // value.denominator, 10**places)
    words = cardinal(whole)
    if places:
        words += " point " + " ".join(ONES[int(digit)] for digit in f"{rest:0{places}d}")
    return f"minus {words}" if value < 0 else words


def year(number: int) -> str:
    """1969 is "nineteen sixty nine", 1905 "nineteen oh five", 2001 "two thousand and one"; from 0 to 9999."""
    century, rest = divmod(number, 100)
    if century < 10 or (rest < 10 and century % 10 == 0):
        return cardinal(number)
    if not rest:
        return f"{cardinal(century)} hundred"
    return f"{cardinal(century)} {'oh ' if rest < 10 else ''}{cardinal(rest)}"


def percent(number: int | Fraction | Decimal) -> str:
    """40 is "forty percent"."""
    return f"{decimal(number)} percent"


def between(low: int, high: int) -> str:
    """ "one to ten"."""
    return f"{cardinal(low)} to {cardinal(high)}"


def _below_a_thousand(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    if not hundreds:
        return _below_a_hundred(rest)
    words = f"{ONES[hundreds]} hundred"
    return f"{words} and {_below_a_hundred(rest)}" if rest else words


def _below_a_hundred(number: int) -> str:
    if number < 20:
        return ONES[number]
    tens, ones = divmod(number, 10)
    return f"{TENS[tens]} {ONES[ones]}" if ones else TENS[tens]


def _decimal_places(value: Fraction) -> int:
    """How many digits after the point write `value` exactly."""
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        raise ValueError(f"{value} has no end after the point")
    return max(twos, fives)
