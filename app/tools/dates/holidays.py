"""Days that have a name: "Christmas", "last Easter", "Thanksgiving next year"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta

from app.tools.dates.months import nth_weekday
from app.tools.dates.years import said_year

THURSDAY, MONDAY, SUNDAY = 3, 0, 6


def easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar, by Oudin's rule."""
    golden, century = year % 19, year // 100
    moon = (century - century // 4 - (8 * century + 13) // 25 + 19 * golden + 15) % 30
    # two corrections that keep the full moon from falling too late
    moon -= moon // 28 * (1 - 29 // (moon + 1) * ((21 - golden) // 11))
    sunday = moon - (year + year // 4 + moon + 2 - century + century // 4) % 7
    return date(year, 3, 28) + timedelta(days=sunday)


def _fixed(month: int, day: int) -> Callable[[int], date]:
    return lambda year: date(year, month, day)


def _by_weekday(month: int, weekday: int, nth: int) -> Callable[[int], date]:
    return lambda year: nth_weekday(year, month, weekday, nth)


def _from_easter(days: int) -> Callable[[int], date]:
    return lambda year: easter(year) + timedelta(days=days)


# Names as they are left when apostrophes and "the" are taken away.
HOLIDAYS: Mapping[str, Callable[[int], date]] = {
    **dict.fromkeys(("new years day", "new year", "new years"), _fixed(1, 1)),
    **dict.fromkeys(("epiphany", "twelfth night"), _fixed(1, 6)),
    "groundhog day": _fixed(2, 2),
    **dict.fromkeys(("valentines day", "valentines", "valentine day", "saint valentines day"), _fixed(2, 14)),
    "leap day": _fixed(2, 29),
    **dict.fromkeys(("saint patricks day", "st patricks day", "paddys day"), _fixed(3, 17)),
    **dict.fromkeys(("april fools day", "april fools"), _fixed(4, 1)),
    "earth day": _fixed(4, 22),
    "may day": _fixed(5, 1),
    "canada day": _fixed(7, 1),
    "independence day": _fixed(7, 4),
    "bastille day": _fixed(7, 14),
    **dict.fromkeys(("halloween", "all hallows eve"), _fixed(10, 31)),
    "all saints day": _fixed(11, 1),
    **dict.fromkeys(("bonfire night", "guy fawkes night", "guy fawkes day"), _fixed(11, 5)),
    **dict.fromkeys(("veterans day", "armistice day"), _fixed(11, 11)),
    **dict.fromkeys(("saint nicholas day", "st nicholas day"), _fixed(12, 6)),
    "christmas eve": _fixed(12, 24),
    **dict.fromkeys(("christmas", "christmas day", "xmas", "xmas day"), _fixed(12, 25)),
    "boxing day": _fixed(12, 26),
    **dict.fromkeys(("new years eve", "new year eve"), _fixed(12, 31)),
    **dict.fromkeys(("martin luther king day", "martin luther king junior day"), _by_weekday(1, MONDAY, 3)),
    "presidents day": _by_weekday(2, MONDAY, 3),
    "memorial day": _by_weekday(5, MONDAY, -1),
    "fathers day": _by_weekday(6, SUNDAY, 3),
    **dict.fromkeys(("labor day", "labour day"), _by_weekday(9, MONDAY, 1)),
    "columbus day": _by_weekday(10, MONDAY, 2),
    **dict.fromkeys(("thanksgiving", "thanksgiving day"), _by_weekday(11, THURSDAY, 4)),
    "black friday": lambda year: nth_weekday(year, 11, THURSDAY, 4) + timedelta(days=1),
    **dict.fromkeys(("pancake day", "shrove tuesday", "mardi gras"), _from_easter(-47)),
    "ash wednesday": _from_easter(-46),
    "palm sunday": _from_easter(-7),
    "maundy thursday": _from_easter(-3),
    "good friday": _from_easter(-2),
    **dict.fromkeys(("easter", "easter sunday", "easter day"), easter),
    "easter monday": _from_easter(1),
    "ascension day": _from_easter(39),
    **dict.fromkeys(("pentecost", "whit sunday"), _from_easter(49)),
    "whit monday": _from_easter(50),
}
_LONGEST_FIRST = sorted(HOLIDAYS, key=len, reverse=True)
# Leap day may be eight years away.
_YEARS = 9


def holiday_date(text: str, today: date) -> date | None:
    """The date of a holiday, the next one unless a year is named; None when `text` is none."""
    which, rest = "", text
    if match := re.fullmatch(r"(this|next|last)(?: years|) (?P<rest>.+)|(?:this )?coming (?P<coming>.+)", text):
        which, rest = match[1] or "", match["rest"] or match["coming"]
    name = next((name for name in _LONGEST_FIRST if rest == name or rest.startswith(f"{name} ")), None)
    if name is None:
        return None
    rule, late = HOLIDAYS[name], rest[len(name) :].strip()
    if which and text.startswith(f"{which} years "):
        late = f"{which} year"
    if late:
        year = said_year(late, today)
        return _in_year(rule, year) if year else None
    near = range(max(1, today.year - _YEARS), min(9999, today.year + _YEARS) + 1)
    dates = [day for day in (_in_year(rule, year) for year in near) if day]
    if which == "last":
        return max((day for day in dates if day < today), default=None)
    return min((day for day in dates if day > today or (day == today and which != "next")), default=None)


def _in_year(rule: Callable[[int], date], year: int) -> date | None:
    """None where the year has no such day."""
    try:
        return rule(year)
    except ValueError:
        return None
