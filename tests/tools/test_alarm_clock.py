"""What rings, when and how often: restarts, absence, clocks that are put, other programs, a file in trouble."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from app.tools.agenda.alarm_clock import ENTRIES_MOST, AlarmClock, FullError
from app.tools.agenda.records import Kind, Repeat, WallTime
from app.tools.agenda.schedule import resolve
from app.tools.agenda.store import Store, StoreError
from tests.support.virtual_clock import VirtualClock

SEVEN = time(7, 0)


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "agenda.db"


Opener = Callable[..., AlarmClock]


@pytest.fixture
def opened(file: Path, clock: VirtualClock) -> Iterator[Opener]:
    """Opens the file once more, as another program or another start does."""
    stores: list[Store] = []

    def open_file(at: VirtualClock = clock, on_change: Callable[[], None] = lambda: None, **more: Any) -> AlarmClock:
        stores.append(Store(file, **more))
        return AlarmClock(stores[-1], at, on_change)

    yield open_file
    for store in stores:
        store.close()


@pytest.fixture
def alarms(opened: Opener) -> AlarmClock:
    return opened()


def labels(alarms: AlarmClock) -> list[str]:
    return [one.label for one in alarms.due()]


def test_a_timer_rings_once_when_its_time_has_passed(alarms: AlarmClock, clock: VirtualClock) -> None:
    alarms.add_timer(120, "tea")
    assert alarms.next_due() == clock.now() + timedelta(minutes=2)
    clock.pass_time(seconds=119)
    assert alarms.due() == []
    clock.pass_time(seconds=1)
    [tea] = alarms.due()
    assert (tea.kind, tea.label, tea.seconds, tea.missed) == (Kind.TIMER, "tea", 120, False)
    assert alarms.due() == [] and alarms.listing() == [] and alarms.next_due() is None
    assert alarms.ringing() == [tea]
    alarms.dismiss(tea.id)
    assert alarms.ringing() == []


def test_everything_survives_a_restart(alarms: AlarmClock, opened: Opener, clock: VirtualClock) -> None:
    alarms.add_timer(600, "pasta")
    alarms.add_alarm(resolve(clock.now(), SEVEN, None, Repeat.DAILY), Repeat.DAILY)
    alarms.add_reminder("call my mum", timedelta(hours=1))
    alarms.add_timer(1, "rang before")
    clock.pass_time(seconds=2)
    [before] = alarms.due()
    listed = alarms.listing()
    assert [one.label for one in listed] == ["pasta", "call my mum", ""]
    clock.restart()
    again = opened()
    assert again.listing() == listed
    assert again.due() == [] and again.ringing() == [before], "not dismissed, so it still rings, but not anew"


def test_what_came_due_while_nobody_was_there_is_said_to_be_missed(
    alarms: AlarmClock, opened: Opener, clock: VirtualClock
) -> None:
    alarms.add_timer(60, "tea")
    alarms.add_alarm(resolve(clock.now(), SEVEN, None, Repeat.DAILY), Repeat.DAILY)
    alarms.add_timer(3 * 86_400 + 30, "just now")
    clock.pass_time(days=3, seconds=40)
    clock.restart()
    tea, alarm, recent = opened().due()
    assert (tea.label, tea.missed) == ("tea", True)
    assert tea.due == datetime(2027, 3, 10, 12, 1, tzinfo=clock.zone)
    assert (alarm.missed, alarm.times, alarm.due.date()) == (True, 3, date(2027, 3, 13))
    assert (recent.label, recent.missed) == ("just now", False)
    [waiting] = alarms.listing()
    assert waiting.repeat is Repeat.DAILY and waiting.due == datetime(2027, 3, 14, 7, 0, tzinfo=clock.zone)


@pytest.mark.parametrize("hours", [-5, 5, 24 * 400])
def test_a_timer_counts_the_time_that_passes_when_the_wall_clock_is_put(
    alarms: AlarmClock, clock: VirtualClock, hours: int
) -> None:
    alarms.add_timer(600, "pasta")
    clock.pass_time(minutes=4)
    clock.put(hours=hours)
    assert alarms.due() == []
    assert alarms.next_due() == clock.now() + timedelta(minutes=6)
    clock.pass_time(minutes=6)
    assert labels(alarms) == ["pasta"]


def test_two_programs_that_see_one_jump_move_the_timer_once(opened: Opener, clock: VirtualClock) -> None:
    # Where a session is but one program, as on Windows.
    other = VirtualClock()
    other.session = "second"
    first, second = opened(), opened(other)
    first.add_timer(600, "pasta")
    assert second.next_due() == first.next_due()
    for one in (clock, other):
        one.put(hours=3)
    assert first.next_due() == second.next_due() == first.next_due() == clock.now() + timedelta(minutes=10)


def test_an_alarm_follows_the_wall_clock_and_the_zone(alarms: AlarmClock, clock: VirtualClock) -> None:
    alarms.add_alarm(WallTime(date(2027, 3, 10), time(18, 0)))
    clock.put(hours=2)
    assert alarms.next_due() == clock.now() + timedelta(hours=4)
    clock.zone = ZoneInfo("Europe/London")
    assert alarms.next_due() == clock.now() + timedelta(hours=5)
    clock.pass_time(hours=5)
    assert [one.due.hour for one in alarms.due()] == [18]


def test_a_clock_put_back_makes_no_alarm_ring_again(alarms: AlarmClock, clock: VirtualClock) -> None:
    alarms.add_alarm(WallTime(date(2027, 3, 10), time(13, 0)))
    alarms.add_alarm(WallTime(date(2027, 3, 10), time(13, 0)), Repeat.DAILY)
    clock.pass_time(hours=1)
    assert len(alarms.due()) == 2
    clock.put(minutes=-30)
    clock.pass_time(minutes=40)
    assert alarms.due() == []
    assert alarms.next_due() == datetime(2027, 3, 11, 13, 0, tzinfo=clock.zone)


def test_alarms_that_repeat_keep_their_time_when_summer_comes(alarms: AlarmClock, clock: VirtualClock) -> None:
    alarms.add_alarm(resolve(clock.now(), time(2, 30), "saturday", Repeat.WEEKENDS), Repeat.WEEKENDS)
    rung = []
    while clock.now().date() < date(2027, 4, 5):
        clock.pass_time(minutes=15)
        rung += [one.due for one in alarms.due()]
    assert [(one.day, one.hour, one.minute) for one in rung] == [
        (13, 2, 30), (14, 2, 30), (20, 2, 30), (21, 2, 30), (27, 2, 30), (28, 3, 30), (3, 2, 30), (4, 2, 30),
    ]  # fmt: skip


def test_an_alarm_in_the_hour_that_winter_repeats_rings_once(alarms: AlarmClock, clock: VirtualClock) -> None:
    clock.pass_to(2027, 10, 30, 12, 0)
    alarms.add_alarm(resolve(clock.now(), time(2, 30), None, Repeat.DAILY), Repeat.DAILY)
    rung = []
    for _ in range(4 * 24):
        clock.pass_time(minutes=15)
        rung += alarms.due()
    assert [one.due.isoformat() for one in rung] == ["2027-10-31T02:30:00+02:00"]


def test_snoozed_it_rings_again_after_the_time_that_passes(alarms: AlarmClock, clock: VirtualClock) -> None:
    alarms.add_alarm(WallTime(date(2027, 3, 11), SEVEN), Repeat.DAILY)
    clock.pass_to(2027, 3, 11, 7)
    [ringing] = alarms.due()
    later = alarms.snooze(ringing.id, 9)
    assert later is not None and later.snoozed and later.due == clock.now() + timedelta(minutes=9)
    assert alarms.ringing() == [] and len(alarms.listing()) == 2
    clock.put(hours=1)
    clock.pass_time(minutes=9)
    [again] = alarms.due()
    assert again.time == SEVEN
    alarms.dismiss(again.id)
    assert alarms.snooze(again.id, 9) is None, "it does not ring any more"
    clock.pass_to(2027, 3, 12, 7)
    assert len(alarms.due()) == 1, "the next day is not snoozed"


def test_an_alarm_nobody_dismisses_is_one_that_rang_several_times(alarms: AlarmClock, clock: VirtualClock) -> None:
    alarms.add_alarm(WallTime(date(2027, 3, 11), SEVEN), Repeat.DAILY)
    for day in (11, 12, 13):
        clock.pass_to(2027, 3, day, 7)
        assert len(alarms.due()) == 1
    [ringing] = alarms.ringing()
    assert ringing.times == 3 and ringing.due.day == 13


def test_cancelling_takes_what_waits_and_what_rings(alarms: AlarmClock, clock: VirtualClock) -> None:
    tea, pasta = alarms.add_timer(60, "tea"), alarms.add_timer(600, "pasta")
    clock.pass_time(minutes=1)
    alarms.due()
    assert alarms.cancel([tea.id, pasta.id, 999]) == 2
    assert alarms.ringing() == [] and alarms.listing() == []


def test_dismissing_never_takes_what_still_waits(alarms: AlarmClock, clock: VirtualClock) -> None:
    timer = alarms.add_timer(60)
    for number in (timer.id, -timer.id):
        alarms.dismiss(number)
    assert [one.id for one in alarms.listing()] == [timer.id]


def test_every_change_is_told_and_looking_is_none(opened: Opener, clock: VirtualClock) -> None:
    changes: list[int] = []
    alarms = opened(on_change=lambda: changes.append(1))
    alarms.listing()
    alarms.due()
    assert changes == []
    timer = alarms.add_timer(60)
    clock.pass_time(minutes=1)
    alarms.due()
    alarms.snooze(timer.id, 1)
    alarms.cancel([timer.id])
    assert len(changes) == 4


def test_two_programs_ring_what_either_has_set_only_once(opened: Opener, clock: VirtualClock) -> None:
    first, second = opened(), opened()
    first.add_timer(60, "one")
    second.add_timer(60, "two")
    clock.pass_time(minutes=1)
    assert sorted(labels(first) + labels(second)) == ["one", "two"]


def test_there_is_an_end_to_how_much_can_be_set(alarms: AlarmClock) -> None:
    for _ in range(ENTRIES_MOST):
        alarms.add_timer(60)
    with pytest.raises(FullError):
        alarms.add_timer(60)


def lock(file: Path) -> Callable[[], None]:
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    return other.close


def test_what_is_due_rings_once_although_the_file_is_locked(opened: Opener, file: Path, clock: VirtualClock) -> None:
    alarms = opened(patience_s=0.01)
    alarms.add_timer(60, "tea")
    alarms.add_timer(180, "pasta")
    alarms.add_alarm(WallTime(date(2027, 3, 10), time(12, 1)), Repeat.DAILY)
    release = lock(file)
    with pytest.raises(StoreError, match="Another program is using the file"):
        alarms.add_timer(5)
    clock.pass_time(minutes=1)
    tea, alarm = alarms.due()
    assert tea.label == "tea" and alarm.kind is Kind.ALARM
    assert alarms.due() == []
    alarms.dismiss(alarm.id)
    release()
    assert alarms.due() == []
    assert [one.label for one in alarms.ringing()] == ["tea"]
    alarms.dismiss(tea.id)
    assert alarms.ringing() == []
    clock.pass_time(minutes=2)
    assert labels(alarms) == ["pasta"]
    assert [one.repeat for one in alarms.listing()] == [Repeat.DAILY], "dismissing the ringing kept the alarm"


def test_a_damaged_file_is_put_aside_and_what_is_readable_saved(
    opened: Opener, file: Path, clock: VirtualClock
) -> None:
    store = Store(file)
    alarms = AlarmClock(store, clock)
    for number in range(150):
        alarms.add_timer(3600 + number, f"timer number {number} with a long name")
    store.wipe_deleted()
    store.close()
    # A page in the middle of the table's leaves, as a bad block of the disk makes it.
    with file.open("r+b") as broken:
        broken.seek(4096 * 6)
        broken.write(b"\xff" * 4096)
    notices: list[str] = []
    saved = opened(on_notice=notices.append).listing()
    assert 0 < len(saved) < 150
    [bad] = file.parent.glob("agenda-damaged-*.db")
    assert notices == [
        f"The file of your timers, reminders and notes was damaged: {len(saved)} entries and 0 notes could be saved"
        f" from it. It is kept as {bad}."
    ]


def test_a_file_that_is_no_database_is_kept(opened: Opener, file: Path) -> None:
    file.write_bytes(b"my shopping list\n" * 400)
    notices: list[str] = []
    alarms = opened(on_notice=notices.append)
    alarms.add_timer(60)
    assert len(alarms.listing()) == 1
    [bad] = file.parent.glob("agenda-damaged-*.db")
    assert bad.read_bytes().startswith(b"my shopping list") and "nothing in it could be read" in notices[0]


def test_a_file_of_a_newer_banter_is_left_alone(alarms: AlarmClock, opened: Opener, file: Path) -> None:
    alarms.add_timer(60)
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(StoreError, match="please update this one"):
        opened().add_timer(60)
    assert opened().due() == []


def test_a_full_disk_says_so(file: Path, clock: VirtualClock) -> None:
    store = Store(file)
    alarms = AlarmClock(store, clock)
    alarms.add_timer(60, "tea")
    pages = store.read(lambda db: db.execute("PRAGMA page_count").fetchone()[0])
    # SQLite's own limit gives the very error of a full disk.
    store.read(lambda db: db.execute(f"PRAGMA max_page_count = {pages}").fetchone())
    with pytest.raises(StoreError, match="the disk is full"):
        for _ in range(ENTRIES_MOST):
            alarms.add_reminder("much " * 400, timedelta(days=1))
    clock.pass_time(minutes=1)
    assert labels(alarms) == ["tea"]
    store.close()
