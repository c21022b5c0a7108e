"""Dates in people's own words, as seen from Friday the twelfth of March 2027."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tools.dates.holidays import HOLIDAYS, easter
from app.tools.dates.phrases import find_date
from app.tools.dates.spans import Span, moved, span
from app.tools.tool import MissingArgument, ToolFailure
from app.tools.words.dates import MONTHS, WEEKDAYS, spoken_date
from app.tools.words.numbers import cardinal

TODAY = date(2027, 3, 12)


@pytest.mark.parametrize(
    ("phrase", "day"),
    [
        ("today", "2027-03-12"),
        ("tomorrow", "2027-03-13"),
        ("the day after tomorrow", "2027-03-14"),
        ("um, the day before yesterday", "2027-03-10"),
        ("2027-07-04", "2027-07-04"),
        ("Friday", "2027-03-19"),
        ("next Friday", "2027-03-19"),
        ("this Friday", "2027-03-12"),
        ("last Friday", "2027-03-05"),
        ("this coming Sunday", "2027-03-14"),
        ("Friday after next", "2027-03-26"),
        ("Monday of next week", "2027-03-15"),
        ("Friday the thirteenth", "2027-08-13"),
        ("Sunday the fourth of July", "2027-07-04"),
        ("the first Monday of September", "2027-09-06"),
        ("the last Friday of next month", "2027-04-30"),
        ("the fourth of July", "2027-07-04"),
        ("July fourth 2028", "2028-07-04"),
        ("July 4", "2027-07-04"),
        ("the 3rd of May, 2031", "2031-05-03"),
        ("Jan 5th", "2028-01-05"),
        ("the fourth", "2027-04-04"),
        ("the thirty first", "2027-03-31"),
        ("the twelfth", "2027-03-12"),
        ("February twenty ninth", "2028-02-29"),
        ("the first of next month", "2027-04-01"),
        ("the last day of this month", "2027-03-31"),
        ("the end of the month", "2027-03-31"),
        ("the last day of February 2028", "2028-02-29"),
        ("the last day of the year", "2027-12-31"),
        ("the first day of next year", "2028-01-01"),
        ("the twentieth of July nineteen sixty nine", "1969-07-20"),
        ("June second two thousand and ten", "2010-06-02"),
        ("August eighteenth two thousand and one", "2001-08-18"),
        ("May twenty twenty twenty seven", "2027-05-20"),
        ("Christmas", "2027-12-25"),
        ("last Christmas", "2026-12-25"),
        ("Christmas Eve next year", "2028-12-24"),
        ("this year's Christmas", "2027-12-25"),
        ("New Year's Day", "2028-01-01"),
        ("Valentine’s Day", "2028-02-14"),
        ("Easter", "2027-03-28"),
        ("Thanksgiving twenty thirty", "2030-11-28"),
        ("in ten days", "2027-03-22"),
        ("a hundred days from now", "2027-06-20"),
        ("in one hundred and two days", "2027-06-22"),
        ("three weeks from Monday", "2027-04-05"),
        ("a week from tomorrow", "2027-03-20"),
        ("a week on Friday", "2027-03-26"),
        ("a week tomorrow", "2027-03-20"),
        ("in a fortnight's time", "2027-03-26"),
        ("in two weeks and three days", "2027-03-29"),
        ("a month from now", "2027-04-12"),
        ("in a year and a half", "2028-09-12"),
        ("two years ago", "2025-03-12"),
        ("three days before Christmas", "2027-12-22"),
        ("the day after Christmas", "2027-12-26"),
        ("two days after the first Monday of May", "2027-05-05"),
        ("next month", "2027-04-12"),
    ],
)
def test_phrases(phrase: str, day: str) -> None:
    assert find_date(phrase, TODAY) == date.fromisoformat(day)


@pytest.mark.parametrize(
    "phrase", ["", "banana", "Easter banana", "the ides of March", "the day after", "week", "2027-13-01"]
)
def test_what_is_no_date_fails_politely(phrase: str) -> None:
    with pytest.raises(ToolFailure):
        find_date(phrase, TODAY)


@pytest.mark.parametrize(
    ("phrase", "answer"),
    [
        ("the thirty first of June", "There is no thirty first of June."),
        ("February 29 2027", "There is no twenty ninth of February in twenty twenty seven."),
        ("in ten million years", "That is too far away for my calendar."),
    ],
)
def test_dates_that_do_not_exist_are_said_to(phrase: str, answer: str) -> None:
    with pytest.raises(ToolFailure) as caught:
        find_date(phrase, TODAY)
    assert str(caught.value) == answer


@pytest.mark.parametrize(
    ("phrase", "question"),
    [
        ("my birthday", "I don't know that one. Which date is your birthday?"),
        ("our wedding anniversary", "I don't know that one. Which date is your wedding anniversary?"),
        ("in July", "Which day of July do you mean?"),
    ],
)
def test_what_only_the_user_knows_is_asked(phrase: str, question: str) -> None:
    with pytest.raises(MissingArgument) as caught:
        find_date(phrase, TODAY)
    assert (caught.value.argument, caught.value.question) == ("date_phrase", question)


@given(st.dates(date(1100, 1, 1)))
def test_spoken_dates_are_understood(day: date) -> None:
    assert find_date(spoken_date(day), TODAY) == day


@given(st.dates(date(1900, 1, 1), date(2200, 1, 1)), st.integers(0, 366 * 8))
def test_a_date_without_a_year_is_the_next_one(today: date, ahead: int) -> None:
    day = today + timedelta(days=ahead)
    found = find_date(spoken_date(day, year=False), today)
    assert today <= found <= day
    assert (found.month, found.day) == (day.month, day.day)


@given(st.integers(0, 5000), st.sampled_from(["in {} days", "{} days from now", "{} days from today"]))
def test_days_are_counted(count: int, phrase: str) -> None:
    assert find_date(phrase.format(cardinal(count)), TODAY) == TODAY + timedelta(days=count)


@given(st.dates(date(1900, 1, 1), date(2200, 1, 1)), st.sampled_from(WEEKDAYS))
def test_weekdays_are_the_next_ones(today: date, name: str) -> None:
    found = find_date(f"next {name}", today)
    assert 1 <= (found - today).days <= 7
    assert WEEKDAYS[found.weekday()] == name
    assert find_date(f"last {name}", today) < today


@pytest.mark.parametrize("name", HOLIDAYS)
def test_every_holiday_is_found(name: str) -> None:
    found = find_date(name, TODAY)
    assert TODAY <= found <= TODAY + timedelta(days=366 * 2)
    assert find_date(f"last {name}", TODAY) < TODAY


@pytest.mark.parametrize(
    ("year", "day"),
    [(1961, "04-02"), (1981, "04-19"), (2008, "03-23"), (2024, "03-31"), (2038, "04-25"), (2049, "04-18")],
)
def test_easter(year: int, day: str) -> None:
    assert easter(year).isoformat() == f"{year}-{day}"


def test_months_end_where_they_end() -> None:
    assert moved(date(2027, 1, 31), Span(1, 0)) == date(2027, 2, 28)
    assert moved(date(2027, 3, 31), Span(1, 0), -1) == date(2027, 2, 28)
    assert span("a year and a half") == Span(18, 0)
    assert span("half a week") is span("a day or two") is span("") is None


GLUE = """next last this in from after before ago and a the of on my day week days months years century million second
thirty first 29 2028 nineteen sixty oh today tomorrow"""
PIECES = [*WEEKDAYS, *MONTHS, *HOLIDAYS, *GLUE.split()]


@given(
    st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join) | st.text(),
    st.sampled_from([TODAY, date.min, date.max, date(2028, 2, 29)]),
)
def test_any_phrase_is_a_date_or_a_polite_answer(phrase: str, today: date) -> None:
    try:
        found = find_date(phrase[:60], today)
    except (ToolFailure, MissingArgument):
        return
    assert isinstance(found, date)
