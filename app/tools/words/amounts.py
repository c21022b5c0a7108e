"""Amounts that come out of a computation: said exactly where that is short, else rounded and said to be about that."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from app.tools.words.numbers import LARGEST, decimal

_LARGE = {
    "quadrillion": 10**15,
    "quintillion": 10**18,
    "sextillion": 10**21,
    "septillion": 10**24,
    "octillion": 10**27,
    "nonillion": 10**30,
    "decillion": 10**33,
}
TOO_LARGE = 10**36
_TINY = Fraction(1, 10**6)


@dataclass(frozen=True)
class Rounding:
    """Up to `exact` decimal places are said as they are. What has more is rounded.

    From a hundred on to whole numbers if `whole`, else to `places`; below one to `significant` digits.
    """

    exact: int
    places: int
    significant: int
    whole: bool = False


@dataclass(frozen=True)
class Amount:
    """A number as it is said: `words`, and whether it is singular ("one", "about one")."""

    words: str
    one: bool


def spoken_amount(value: Fraction, rounding: Rounding) -> Amount:
    """ValueError from `TOO_LARGE` on, either way."""
    size = abs(value)
    if size >= TOO_LARGE:
        raise ValueError("too large to be said")
    if size > LARGEST:
        name, unit = max(((name, unit) for name, unit in _LARGE.items() if unit <= size), key=lambda item: item[1])
        many = Fraction(round(value / unit, 2))
        return Amount(f"{'' if many * unit == value else 'about '}{decimal(many)} {name}", False)
    if 0 < size < _TINY:
        return Amount(f"a little {'more' if value > 0 else 'less'} than zero", False)
    if (value * 10**rounding.exact).denominator == 1:
        return Amount(decimal(value), value == 1)
    near = _rounded(value, rounding)
    return Amount(f"{'' if near == value else 'about '}{decimal(near)}", near == 1)


def _rounded(value: Fraction, rounding: Rounding) -> Fraction:
    size = abs(value)
    if size >= 100 and rounding.whole:
        return Fraction(round(value))
    places = rounding.places
    if size < 1:
        places = rounding.significant
        while size * 10 < 1:
            size, places = size * 10, places + 1
    return round(value, places)
