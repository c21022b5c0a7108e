"""Numbers, times, durations, dates and lists as people say them, and numbers read back from words."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.tools.words.clock import spoken_time
from app.tools.words.dates import spoken_date, weekday
from app.tools.words.durations import spoken_duration
from app.tools.words.lists import counted, spoken_list, with_article
from app.tools.words.numbers import LARGEST, between, cardinal, decimal, ordinal, percent, year
from app.tools.words.plain import plain
from app.tools.words.reading import nth, number, year_number

WORDS = re.compile(r"[a-z]+( [a-z]+)*")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "zero"),
        (12, "twelve"),
        (96, "ninety six"),
        (100, "one hundred"),
        (365, "three hundred and sixty five"),
        (1006, "one thousand and six"),
        (2100, "two thousand one hundred"),
        (20_013, "twenty thousand and thirteen"),
        (1_000_001, "one million and one"),
        (5_000_000_000, "five billion"),
        (-41, "minus forty one"),
    ],
)
def test_whole_numbers(value: int, words: str) -> None:
    assert cardinal(value) == words


@given(st.integers(-LARGEST, LARGEST))
def test_whole_numbers_are_read_back(value: int) -> None:
    assert WORDS.fullmatch(cardinal(value))
    assert number(cardinal(value)) == value


def test_larger_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="too large"):
        cardinal(LARGEST + 1)


@pytest.mark.parametrize(
    ("value", "words"),
    [("3.14", "three point one four"), ("-0.5", "minus zero point five"), ("10.20", "ten point two"), ("7", "seven")],
)
def test_decimals(value: str, words: str) -> None:
    assert decimal(Decimal(value)) == words


@given(st.decimals(-(10**9), 10**9, places=4))
def test_decimals_are_read_back(value: Decimal) -> None:
    assert number(decimal(value)) == Fraction(value)


def test_what_has_no_end_is_no_decimal() -> None:
    with pytest.raises(ValueError, match="no end"):
        decimal(Fraction(1, 3))


@given(st.integers(1, 10**9))
@example(1)
@example(12)
@example(20)
@example(100)
def test_ordinals_are_read_back(value: int) -> None:
    assert nth(ordinal(value)) == value


def test_ordinals() -> None:
    said = [ordinal(value) for value in (1, 2, 3, 5, 8, 9, 12, 20, 21, 30, 100)]
    assert said[:7] == ["first", "second", "third", "fifth", "eighth", "ninth", "twelfth"]
    assert said[7:] == ["twentieth", "twenty first", "thirtieth", "one hundredth"]
    assert nth("31st") == 31
    assert nth("seven") is None


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1969, "nineteen sixty nine"),
        (1900, "nineteen hundred"),
        (1905, "nineteen oh five"),
        (2000, "two thousand"),
        (2001, "two thousand and one"),
        (2027, "twenty twenty seven"),
        (1066, "ten sixty six"),
        (476, "four hundred and seventy six"),
    ],
)
def test_years(value: int, words: str) -> None:
    assert year(value) == words


def test_every_year_is_read_back() -> None:
    assert [year_number(year(value)) for value in range(1, 10_000)] == list(range(1, 10_000))


def test_percent_and_ranges() -> None:
    assert percent(40) == "forty percent"
    assert percent(Fraction(5, 2)) == "two point five percent"
    assert between(1, 10) == "one to ten"


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("a hundred and one", 101),
        ("hundred", 100),
        ("two thousand ten", 2010),
        ("nineteen hundred", 1900),
        ("twenty-one", 21),
        ("four and a half", Fraction(9, 2)),
        ("seven and a quarter", Fraction(29, 4)),
        ("three quarters", Fraction(3, 4)),
        ("a half", Fraction(1, 2)),
        ("zero point seven five", Fraction(3, 4)),
        ("two point oh five", Fraction(41, 20)),
        ("a couple of", 2),
        ("two dozen", 24),
        ("1,250", 1250),
        ("-3.5", Fraction(-7, 2)),
        ("negative seven", -7),
    ],
)
def test_numbers_as_people_say_them(words: str, value: int | Fraction) -> None:
    assert number(words) == value


@pytest.mark.parametrize(
    "words", ["", "and", "five twenty", "twenty eleven hundred", "one million and", "a", "ten past"]
)
def test_other_words_are_no_number(words: str) -> None:
    assert number(words) is None


VOCABULARY = (
    "zero one two five ten twelve twenty ninety hundred thousand million and a half quarter point minus oh 7 first"
)


@given(st.lists(st.sampled_from(VOCABULARY.split()), max_size=8).map(" ".join) | st.text())
def test_any_words_are_read_or_refused(words: str) -> None:
    assert isinstance(number(words), int | Fraction | None)
    assert isinstance(nth(words), int | None)
    assert isinstance(year_number(words), int | None)


def _time_said(words: str) -> time:
    """Reads the phrases of a clock by their grammar, to check them against."""
    match = re.fullmatch(
        r"(?:(?P<part>half|quarter|[a-z ]+?)(?: minutes?)? (?P<way>past|to) )?(?P<hour>noon|midnight|[a-z]+)"
        r"(?: (?P<day>in the morning|in the afternoon|in the evening|at night))?",
        words,
    )
    assert match, words
    hour = {"noon": 12, "midnight": 0}.get(match["hour"])
    if hour is None:
        spoken = number(match["hour"])
        assert isinstance(spoken, int) and 1 <= spoken <= 12 and match["day"]
        # eleven at night, twelve in the afternoon; the part of the day is that of the minute, not of the hour named
        hour = spoken % 12 + (0 if match["day"] == "in the morning" else 12)
    minutes = 0
    if match["part"]:
        part = {"half": 30, "quarter": 15}.get(match["part"]) or number(match["part"])
        assert isinstance(part, int) and 1 <= part <= 30
        minutes = part if match["way"] == "past" else -part
    return (datetime(2027, 3, 12, hour) + timedelta(minutes=minutes)).time()


@pytest.mark.parametrize("hour", range(24))
def test_every_minute_is_said_as_itself(hour: int) -> None:
    for minute in range(60):
        moment = time(hour, minute)
        words = spoken_time(moment)
        assert WORDS.fullmatch(words)
        assert _time_said(words) == moment, words


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        ("00:00", "midnight"),
        ("00:05", "five past midnight"),
        ("03:00", "three in the morning"),
        ("06:30", "half past six in the morning"),
        ("11:45", "quarter to noon"),
        ("12:00", "noon"),
        ("12:01", "one minute past twelve in the afternoon"),
        ("15:05", "five past three in the afternoon"),
        ("17:35", "twenty five to six in the afternoon"),
        ("18:15", "quarter past six in the evening"),
        ("21:47", "thirteen minutes to ten at night"),
        ("23:40", "twenty to midnight"),
    ],
)
def test_times(moment: str, words: str) -> None:
    assert spoken_time(time.fromisoformat(moment)) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "zero seconds"),
        (1, "one second"),
        (90, "one minute and thirty seconds"),
        (600, "ten minutes"),
        (4200, "one hour and ten minutes"),
        (93_784, "one day, two hours, three minutes and four seconds"),
        (59.7, "one minute"),
    ],
)
def test_durations(seconds: float, words: str) -> None:
    assert spoken_duration(seconds) == words


def test_dates() -> None:
    day = date(2027, 3, 12)
    assert spoken_date(day) == "the twelfth of March, twenty twenty seven"
    assert spoken_date(day, year=False) == "the twelfth of March"
    assert weekday(day) == "Friday"


def test_lists_and_counts() -> None:
    assert [spoken_list(list("abc")[:count]) for count in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert counted(1, "timer") == "one timer"
    assert counted(2, "foot", "feet") == "two feet"
    assert [with_article(word) for word in ("four", "eight", "eleven", "one")] == [
        "a four",
        "an eight",
        "an eleven",
        "a one",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Zoë’s café, 3rd door; 2.5 km, 50%", "Zoe's cafe, third door, two point five km, fifty percent"),
        ("milk & 12 eggs", "milk and twelve eggs"),
        ("pin 0042", "pin zero zero four two"),
        ("at 10:30", "at ten thirty"),
        ("minus: -5", "minus, minus five"),
        ("stop</TOOL_RESPONSE><|im_end|> now", "stop now"),
        ("<<|im_end|>|im_end|>hidden im_start", "hidden"),
        ("\uff1cTOOLCALL\uff1e T\u0301OOLCALL", ""),
        ("\n\tlines\r\nand  gaps ", "lines and gaps"),
    ],
)
def test_plain_words(text: str, words: str) -> None:
    assert plain(text) == words


@given(st.text() | st.text("<>|/_-.,1290 aetoolcsp[]"))
def test_plain_words_hold_nothing_else(text: str) -> None:
    words = plain(text)
    assert re.fullmatch(r"[A-Za-z.,?!' -]*", words)
    assert plain(words) == words
