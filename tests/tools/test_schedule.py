"""Which day is meant, across the changes between summer and winter, and the zone of this computer."""

from __future__ import annotations

import os
import time as system_time
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tools.agenda.clock import SystemClock, SystemZone
from app.tools.agenda.records import Repeat, WallTime
from app.tools.agenda.schedule import WEEKDAYS, PassedError, gone_by, instant, resolve, rings_on

BERLIN = ZoneInfo("Europe/Berlin")
# A Wednesday.
NOON = datetime(2027, 3, 10, 12, 0, tzinfo=BERLIN)
SEVEN, EVENING = time(7, 0), time(18, 0)


@pytest.mark.parametrize(
    ("at", "day", "repeat", "expected"),
    [
        (SEVEN, None, Repeat.NEVER, date(2027, 3, 11)),
        (EVENING, None, Repeat.NEVER, date(2027, 3, 10)),
        (time(12, 0), None, Repeat.NEVER, date(2027, 3, 11)),
        (EVENING, "today", Repeat.NEVER, date(2027, 3, 10)),
        (SEVEN, "tomorrow", Repeat.NEVER, date(2027, 3, 11)),
        (EVENING, "wednesday", Repeat.NEVER, date(2027, 3, 10)),
        (SEVEN, "wednesday", Repeat.NEVER, date(2027, 3, 17)),
        (SEVEN, "tuesday", Repeat.NEVER, date(2027, 3, 16)),
        (SEVEN, None, Repeat.WEEKENDS, date(2027, 3, 13)),
        (SEVEN, "friday", Repeat.DAILY, date(2027, 3, 12)),
        (SEVEN, "saturday", Repeat.WEEKDAYS, date(2027, 3, 15)),
        (EVENING, None, Repeat.WEEKDAYS, date(2027, 3, 10)),
    ],
)
def test_the_next_time_it_comes_round(at: time, day: str | None, repeat: Repeat, expected: date) -> None:
    assert resolve(NOON, at, day, repeat) == WallTime(expected, at)


def test_a_time_of_today_that_has_gone_by_is_not_guessed() -> None:
    with pytest.raises(PassedError):
        resolve(NOON, SEVEN, "today")


def test_a_time_that_summer_skips_comes_an_hour_later() -> None:
    skipped = instant(WallTime(date(2027, 3, 28), time(2, 30)), BERLIN)
    assert skipped.astimezone(BERLIN).time() == time(3, 30)
    at_one = datetime(2027, 3, 28, 1, 0, tzinfo=BERLIN)
    assert skipped - at_one.astimezone(UTC) == timedelta(minutes=90)


def test_of_a_time_that_winter_repeats_the_first_counts() -> None:
    first = instant(WallTime(date(2027, 10, 31), time(2, 30)), BERLIN)
    assert first == datetime(2027, 10, 31, 0, 30, tzinfo=UTC)
    between = datetime(2027, 10, 31, 2, 45, tzinfo=BERLIN)
    assert resolve(between, time(2, 30)).day == date(2027, 11, 1)
    second_hour = datetime(2027, 10, 31, 2, 15, tzinfo=BERLIN, fold=1)
    assert resolve(second_hour, time(2, 30)).day == date(2027, 11, 1)


moments = st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1))
times = st.times().map(lambda one: one.replace(second=0, microsecond=0, tzinfo=None))


@given(moments, times, st.sampled_from([None, "tomorrow", *WEEKDAYS]), st.sampled_from(Repeat))
def test_it_is_ahead_and_never_further_than_asked(moment: datetime, at: time, day: str | None, repeat: Repeat) -> None:
    now = moment.replace(tzinfo=BERLIN)
    found = resolve(now, at, day, repeat)
    assert instant(found, BERLIN) > now.astimezone(UTC)
    assert found.time == at and rings_on(found.day, repeat)
    assert found.day - now.date() <= timedelta(days=7 if repeat is Repeat.NEVER else 13)
    if day in WEEKDAYS and repeat is Repeat.NEVER:
        assert WEEKDAYS[found.day.weekday()] == day


@given(moments, times, st.sampled_from([Repeat.DAILY, Repeat.WEEKDAYS, Repeat.WEEKENDS]), st.integers(0, 40))
def test_no_time_is_left_out_of_those_gone_by(moment: datetime, at: time, repeat: Repeat, days: int) -> None:
    begin = moment.replace(tzinfo=BERLIN)
    first = resolve(begin, at, None, repeat)
    now = (begin.astimezone(UTC) + timedelta(days=days)).astimezone(BERLIN)
    all_days = [first.day + timedelta(days=number) for number in range(60)]
    walls = [WallTime(one, at) for one in all_days if rings_on(one, repeat)]
    passed = [one for one in walls if instant(one, BERLIN) <= now.astimezone(UTC)]
    last, count, coming = gone_by(first, repeat, now)
    assert count == len(passed)
    assert last == (passed[-1] if passed else first)
    assert coming == walls[len(passed)]


def test_years_of_absence_are_not_counted_one_by_one() -> None:
    _, count, coming = gone_by(WallTime(date(1990, 1, 1), SEVEN), Repeat.DAILY, NOON)
    assert count == 366 and coming == WallTime(date(2027, 3, 11), SEVEN)


@pytest.fixture
def in_new_york() -> Iterator[None]:
    if not hasattr(system_time, "tzset"):
        pytest.skip("the zone of this system cannot be set for one process")
    before = os.environ.get("TZ")
    os.environ["TZ"] = "America/New_York"
    system_time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    system_time.tzset()


@pytest.mark.usefixtures("in_new_york")
def test_the_zone_of_the_system_knows_both_changes() -> None:
    zone, there = SystemZone(), ZoneInfo("America/New_York")
    moment = datetime(2027, 1, 1, tzinfo=UTC)
    while moment.year == 2027:
        ours, known = moment.astimezone(zone), moment.astimezone(there)
        assert (ours.replace(tzinfo=None), ours.fold, ours.utcoffset()) == (
            known.replace(tzinfo=None),
            known.fold,
            known.utcoffset(),
        )
        assert ours.astimezone(UTC) == moment
        moment += timedelta(minutes=30)


def test_the_clock_of_the_system_is_right() -> None:
    clock = SystemClock()
    assert abs(clock.now().timestamp() - system_time.time()) < 60.0
    assert clock.now().tzinfo is not None and clock.session
    first = clock.elapsed()
    assert clock.elapsed() >= first
