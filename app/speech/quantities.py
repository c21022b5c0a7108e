"""Numbers in English text as words, with what stands beside them: dates, times of day, money, units."""

from __future__ import annotations

import re
from collections.abc import Callable

from app.speech.numerals import cardinal, decimal, digits, ordinal, plural, year

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_MONTH = "(?P<month>" + "|".join(f"{name[:3]}(?:{name[3:]})?" if name != "May" else name for name in _MONTHS) + r")\b"
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
_SCALE = r"(?:\s?(?P<scale>hundred|thousand|million|billion|trillion|bn\b|mn\b|k\b|m\b|b\b))?"
_SCALES = {"bn": "billion", "b": "billion", "mn": "million", "m": "million", "k": "thousand"}

# One of them, several of them, a hundredth of one.
_MONEY = {
    "$": ("dollar", "dollars", "cent"),
    "US$": ("dollar", "dollars", "cent"),
    "USD": ("dollar", "dollars", "cent"),
    "€": ("euro", "euros", "cent"),
    "EUR": ("euro", "euros", "cent"),
    "£": ("pound", "pounds", "penny"),
    "GBP": ("pound", "pounds", "penny"),
    "¥": ("yen", "yen", ""),
    "JPY": ("yen", "yen", ""),
    "CHF": ("franc", "francs", "centime"),
    "₹": ("rupee", "rupees", "paisa"),
    "INR": ("rupee", "rupees", "paisa"),
}
# Until which hour.
_DAY_PARTS = (
    (5, "at night"),
    (12, "in the morning"),
    (18, "in the afternoon"),
    (22, "in the evening"),
    (24, "at night"),
)
_UNITS = {
    "km": "kilometre", "m": "metre", "cm": "centimetre", "mm": "millimetre", "nm": "nanometre", "mi": "mile",
    "ft": "foot", "yd": "yard", "kg": "kilogram", "g": "gram", "mg": "milligram", "lb": "pound", "lbs": "pound",
    "oz": "ounce", "l": "litre", "L": "litre", "ml": "millilitre", "mL": "millilitre", "cl": "centilitre",
    "tbsp": "tablespoon", "tsp": "teaspoon",
    "h": "hour", "hr": "hour", "hrs": "hour", "min": "minute", "mins": "minute", "s": "second", "sec": "second",
    "secs": "second", "ms": "millisecond", "Hz": "hertz", "kHz": "kilohertz", "MHz": "megahertz", "GHz": "gigahertz",
    "kB": "kilobyte", "KB": "kilobyte", "MB": "megabyte", "GB": "gigabyte", "TB": "terabyte", "W": "watt",
    "kW": "kilowatt", "MW": "megawatt", "kWh": "kilowatt hour", "V": "volt", "mAh": "milliamp hour", "dB": "decibel",
    "kcal": "kilocalorie", "cal": "calorie", "ha": "hectare", "px": "pixel", "hPa": "hectopascal",
    "km/h": "kilometre per hour", "kph": "kilometre per hour", "mph": "mile per hour", "m/s": "metre per second",
    "°C": "degree Celsius", "°F": "degree Fahrenheit", "℃": "degree Celsius", "℉": "degree Fahrenheit",
    "Mbps": "megabit per second", "Mbit/s": "megabit per second", "fps": "frame per second",
}  # fmt: skip
_SAME = ("hertz", "kilohertz", "megahertz", "gigahertz")
_POWERS = {"2": ("square", "squared"), "²": ("square", "squared"), "3": ("cubic", "cubed"), "³": ("cubic", "cubed")}
_LENGTHS = ("km", "m", "cm", "mm", "mi", "ft", "yd")
_FRACTIONS = {
    "½": "one half", "⅓": "one third", "⅔": "two thirds", "¼": "one quarter", "¾": "three quarters",
    "⅕": "one fifth", "⅛": "one eighth",
}  # fmt: skip


def _units() -> str:
    return "|".join(re.escape(unit) for unit in sorted(_UNITS, key=len, reverse=True))


def _month_name(found: re.Match[str]) -> str:
    return next(name for name in _MONTHS if name.startswith(found["month"][:3]))


def _date(found: re.Match[str]) -> str:
    parts = found.groupdict()
    name = _MONTHS[int(parts["number"]) - 1] if parts.get("number") else _month_name(found)
    day, when = f"the {ordinal(int(parts['day']))} of {name}", parts.get("year")
    return f"{day}, {year(int(when))}" if when else day


def _month_and_year(found: re.Match[str]) -> str:
    return f"{_month_name(found)} {year(int(found['year']))}"


def _time(found: re.Match[str]) -> str:
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    half = (found["half"] or "").lower().replace(".", "")
    if not half and (hour > 12 or hour == 0):
        half = "pm" if hour > 12 else "am"
    clock = hour % 12 + (12 if half == "pm" else 0) if half else hour
    words = cardinal(hour % 12 or 12)
    if minute:
        words += f" {'oh ' if minute < 10 else ''}{cardinal(minute)}"
    if not half:
        return words if minute else f"{words} o'clock"
    if clock % 12 == 0 and not minute:
        return "twelve noon" if clock else "midnight"
    return f"{words} {next(part for until, part in _DAY_PARTS if clock < until)}"


def _length_of_time(found: re.Match[str]) -> str:
    names = ("hour", "minute", "second")
    parts = [_counted(str(int(found[name])), name, plural(name)) for name in names if int(found[name])]
    return " ".join(parts) or "zero seconds"


def _money(found: re.Match[str]) -> str:
    one, several, part = _MONEY[found["sign"]]
    amount, scale = found["amount"], found["scale"]
    if scale:
        return f"{decimal(amount)} {_SCALES.get(scale.lower(), scale)} {several}"
    whole, _, cents = amount.replace(",", "").partition(".")
    if part and len(cents) == 2:
        hundredths = _counted(str(int(cents)), part, "pence" if part == "penny" else plural(part))
        if not whole.strip("0"):
            return hundredths
        words = _counted(whole, one, several)
        return f"{words} and {hundredths}" if int(cents) else words
    return _counted(amount, one, several)


def _measure(found: re.Match[str]) -> str:
    amount, unit, power = found["amount"], found["unit"], found["power"]
    name = _UNITS[unit]
    head, per, tail = name.partition(" per ")
    if head.startswith("degree"):
        several = head.replace("degree", "degrees")
    else:
        several = head if head in _SAME else "feet" if head == "foot" else plural(head)
    sign = "minus " if found["minus"] else ""
    words = sign + _counted(amount, head, several) + per + tail
    if not power:
        return words
    before, behind = _POWERS[power[-1]]
    return words.replace(head[:3], f"{before} {head[:3]}", 1) if unit in _LENGTHS else f"{words} {behind}"


def _counted(amount: str, one: str, several: str) -> str:
    return f"{decimal(amount)} {one if amount == '1' else several}"


def _fraction(found: re.Match[str]) -> str:
    above, below = int(found[1]), int(found[2])
    if (above, below) == (24, 7) or above == below:
        return f"{cardinal(above)} {cardinal(below)}"
    if not 2 <= below <= 20 or above > below:
        return f"{cardinal(above)} over {cardinal(below)}"
    name = {2: "half", 4: "quarter"}.get(below, ordinal(below))
    several = "halves" if below == 2 else plural(name)
    return f"{cardinal(above)} {name if above == 1 else several}"


def _decade(found: re.Match[str]) -> str:
    number = int(found[1])
    words = year(number) if number >= 1000 else cardinal(number)
    return plural(words)


def _plain(found: re.Match[str]) -> str:
    text = found["amount"]
    sign = "minus " if found["minus"] else ""
    if not sign and re.fullmatch(r"1[1-9]\d\d|20\d\d", text):
        return year(int(text))
    return sign + decimal(text)


_BEFORE, _AFTER = r"(?<![\w.,:/])", r"(?![\w:/]|[.,]\d)"
_YEAR = r"(?P<year>1\d{3}|20\d{2})"
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_MINUS = r"(?P<minus>(?<![\w)])[-−])?"
_AMOUNT = rf"(?P<amount>{_NUMBER})"
_MONEY_SIGN = "(?P<sign>US\\$|[$€£¥₹]|\\b(?:USD|EUR|GBP|JPY|CHF|INR)\\b)"

_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"[½⅓⅔¼¾⅕⅛]", lambda found: f" {_FRACTIONS[found[0]]} "),
        (rf"{_BEFORE}(?P<year>\d{{4}})-(?P<number>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])(?=T|{_AFTER})", _date),
        (rf"{_BEFORE}(?P<day>1[3-9]|2\d|3[01])[/.](?P<number>0?[1-9]|1[0-2])[/.]{_YEAR}{_AFTER}", _date),
        (rf"{_BEFORE}(?P<number>0?[1-9]|1[0-2])/(?P<day>1[3-9]|2\d|3[01])/{_YEAR}{_AFTER}", _date),
        (rf"\b(?:the )?{_DAY} (?:of )?{_MONTH}(?:,? {_YEAR}\b)?", _date),
        (rf"\b{_MONTH} (?:the )?{_DAY}(?:,? {_YEAR}\b|(?![\w:]))", _date),
        (rf"\b{_MONTH},? {_YEAR}\b", _month_and_year),
        (rf"{_BEFORE}(?P<hour>\d{{1,2}}):(?P<minute>[0-5]\d):(?P<second>[0-5]\d){_AFTER}", _length_of_time),
        (rf"{_BEFORE}(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?:\s?(?P<half>[ap]m|[AP]M)\b)?(?![\w:])", _time),
        (rf"{_BEFORE}(?P<hour>0?[1-9]|1[0-2])(?P<minute>)\s?(?P<half>[ap]m|[AP]M)\b", _time),
        (r"(?<![\w.])'?(1[1-9]\d0|20\d0|[2-9]0)'?s\b", _decade),
        (rf"{_MONEY_SIGN}\s?{_AMOUNT}{_SCALE}", _money),
        (rf"{_BEFORE}{_AMOUNT}{_SCALE}\s?{_MONEY_SIGN}", _money),
        (rf"{_BEFORE}{_MINUS}{_AMOUNT}\s?(?P<unit>{_units()})(?P<power>[²³]|\^?[23])?(?![\w°])", _measure),
        (
            rf"{_BEFORE}(\d{{1,3}}(?:,\d{{3}}){{1,3}}|\d{{1,12}})(?:st|nd|rd|th)\b",
            lambda f: ordinal(int(f[1].replace(",", ""))),
        ),
        (r"(?<![\w.])\(?\+?\d[\d ()-]{5,18}\d\b", lambda found: _telephone(found[0])),
        (rf"{_BEFORE}(\d{{1,3}})/(\d{{1,3}}){_AFTER}", _fraction),
        (r"(?<=\d)\s?[-–]\s?(?=\d)", lambda found: " to "),
        (r"(?<=\d)\s?[*xX×]\s?(?=\d)", lambda found: " times "),
        (r"(?<=[\w)])²|(?<=\w)\^2\b", lambda found: " squared "),
        (r"(?<=[\w)])³|(?<=\w)\^3\b", lambda found: " cubed "),
        (r"\d+(?:\.\d+){2,}", lambda found: " point ".join(decimal(part) for part in found[0].split("."))),
        (rf"{_MINUS}{_AMOUNT}", _plain),
    )
)


def _telephone(text: str) -> str:
    """A number to dial, in groups of digits; anything else is left for the other rules."""
    count = sum(sign.isdecimal() for sign in text)
    dialled = text.startswith(("+", "0")) or re.fullmatch(r"\(?\d{3}\)?[ -]\d{3}-\d{4}|\d{3}-\d{4}", text)
    if not dialled or not 7 <= count <= 15:
        return text
    groups = re.findall(r"\d+", text)
    return ("plus " if text.startswith("+") else "") + ", ".join(digits(group) for group in groups)


def spell_numbers(text: str) -> str:
    """Every number of the text in words, with a space where it touches a letter ("A4" is "A four")."""
    for pattern, words in _RULES:
        text = pattern.sub(lambda found, words=words: _spaced(words(found), found), text)  # type: ignore[misc]
    return text


def _spaced(words: str, found: re.Match[str]) -> str:
    """The words with a space where letters would touch them."""
    before, after = found.string[: found.start()][-1:], found.string[found.end() :][:1]
    return (" " if before.isalnum() else "") + words + (" " if after.isalpha() or after.isdecimal() else "")
