"""Timers, alarms, reminders and notes by voice: what is set, and what is said about it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from app.tools.agenda.alarm_clock import AlarmClock
from app.tools.agenda.records import Kind, Repeat
from app.tools.agenda.speech import announcement, turned_round
from app.tools.agenda.store import Store
from app.tools.agenda.tools import agenda_tools
from app.tools.notes import Notes, note_tools
from app.tools.tool import MissingArgument, Result, ToolFailure
from tests.support.virtual_clock import VirtualClock


class Desk:
    """The tools as the model calls them, at noon on a Wednesday in March."""

    def __init__(self, file: Path) -> None:
        self.clock = VirtualClock()
        self.store = Store(file, patience_s=0.01)
        self.alarms = AlarmClock(self.store, self.clock)
        self.notes = Notes(self.store, self.clock)
        self.tools = {one.name: one for one in agenda_tools(self.alarms) + note_tools(self.notes)}

    def call(self, name: str, **arguments: Any) -> Result:
        description = self.tools[name].description
        Draft202012Validator(description.parameters).validate(arguments)
        result = self.tools[name].run(arguments)
        spoken = [text for field, text in result.data.items() if field.startswith("spoken_")]
        assert all(re.fullmatch(r"[A-Za-z.,?!' ]+", text) for text in spoken), spoken
        assert "\n" not in result.summary and len(result.summary) <= 120
        fields = {frozenset(re.findall(r"\{(\w+)\}", one)) for one in description.answer_templates}
        assert any(needed <= set(result.data) for needed in fields), "no answer fits"
        return result

    def say(self, name: str, field: str, **arguments: Any) -> str:
        return str(self.call(name, **arguments).data[field])

    def asked(self, name: str, **arguments: Any) -> tuple[str, str]:
        with pytest.raises(MissingArgument) as question:
            self.call(name, **arguments)
        return question.value.argument, question.value.question

    def fails(self, name: str, **arguments: Any) -> str:
        with pytest.raises(ToolFailure) as failure:
            self.call(name, **arguments)
        return str(failure.value)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path / "agenda.db")
    yield desk
    desk.store.close()


def test_a_timer_is_set_with_and_without_a_label(desk: Desk) -> None:
    assert desk.call("set_timer", seconds=600, label="the pasta timer").data == {
        "seconds": 600,
        "spoken_duration": "ten minutes",
        "label": "pasta",
    }
    assert "label" not in desk.call("set_timer", seconds=5400).data
    assert [(one.label, one.seconds) for one in desk.alarms.listing()] == [("pasta", 600), ("", 5400)]


def test_timers_are_told_with_what_is_left(desk: Desk) -> None:
    assert desk.say("list_timers", "spoken_summary") == "no timers running"
    desk.call("set_timer", seconds=600)
    desk.clock.pass_time(seconds=510)
    assert desk.say("list_timers", "spoken_summary") == "one timer with one minute and thirty seconds left"
    desk.call("set_timer", seconds=290, label="tea")
    assert desk.say("list_timers", "spoken_summary") == (
        "two timers, a ten minute one with one minute and thirty seconds left and tea with five minutes left"
    )
    assert desk.say("list_timers", "spoken_summary", label="tea") == "one tea timer with five minutes left"
    assert desk.call("list_timers", label="pizza").data == {"count": 0, "spoken_summary": "no pizza timer running"}
    desk.clock.pass_time(seconds=95)
    desk.alarms.due()
    assert desk.say("list_timers", "spoken_summary").startswith("two timers, a ten minute one that is ringing and tea")


def test_the_timer_that_is_meant_is_cancelled(desk: Desk) -> None:
    assert desk.fails("cancel_timer") == "There is no timer running."
    desk.call("set_timer", seconds=600, label="pasta")
    assert desk.call("cancel_timer").data == {"cancelled": 1, "spoken_cancelled": "the pasta timer"}
    for label in ("pasta", "pasta sauce", "tea"):
        desk.call("set_timer", seconds=600, label=label)
    desk.call("set_timer", seconds=300)
    assert desk.asked("cancel_timer") == (
        "label",
        "Which one shall I cancel, the five minute timer, the pasta timer, the pasta sauce timer or the tea timer?",
    )
    assert desk.say("cancel_timer", "spoken_cancelled", label="the pasta one") == "the pasta timer"
    assert desk.say("cancel_timer", "spoken_cancelled", label="paster source") == "the pasta sauce timer"
    assert desk.fails("cancel_timer", label="bread") == "I found no bread timer to cancel."
    assert desk.say("cancel_timer", "spoken_cancelled", label="five minutes") == "the five minute timer"
    assert desk.say("cancel_timer", "spoken_cancelled", all=True) == "the tea timer"


def test_timers_of_one_name_are_cancelled_together_or_not_at_all(desk: Desk) -> None:
    for _ in range(2):
        desk.call("set_timer", seconds=60, label="egg")
    desk.call("set_timer", seconds=60, label="toast")
    assert desk.asked("cancel_timer", label="egg") == ("all", "There are two egg timers. Shall I cancel both?")
    assert desk.say("cancel_timer", "spoken_cancelled", label="egg", all=True) == "both egg timers"
    assert [one.label for one in desk.alarms.listing()] == ["toast"]


def test_stop_the_timer_means_the_one_that_rings(desk: Desk) -> None:
    desk.call("set_timer", seconds=60, label="egg")
    desk.call("set_timer", seconds=600, label="roast")
    desk.clock.pass_time(minutes=1)
    desk.alarms.due()
    assert desk.say("cancel_timer", "spoken_cancelled") == "the egg timer"
    assert desk.alarms.ringing() == [] and len(desk.alarms.listing()) == 1


@pytest.mark.parametrize(
    ("arguments", "day", "due"),
    [
        ({"time": "06:30"}, "tomorrow", "Thu 11 06:30"),
        ({"time": "18:05"}, "today", "Wed 10 18:05"),
        ({"time": "07:00", "day": "friday"}, "on Friday", "Fri 12 07:00"),
        ({"time": "07:00", "day": "wednesday"}, "next Wednesday", "Wed 17 07:00"),
        ({"time": "07:00", "repeat": "weekdays"}, "on weekdays", "Thu 11 07:00"),
        ({"time": "07:00", "repeat": "weekends"}, "on weekends", "Sat 13 07:00"),
        ({"time": "13:00", "repeat": "daily"}, "every day", "Wed 10 13:00"),
    ],
)
def test_an_alarm_rings_at_the_next_such_time(desk: Desk, arguments: dict[str, str], day: str, due: str) -> None:
    result = desk.call("set_alarm", **arguments)
    assert result.data["spoken_day"] == day and result.data["time"] == arguments["time"]
    [alarm] = desk.alarms.listing(Kind.ALARM)
    assert (f"{alarm.due:%a %d %H:%M}", alarm.repeat) == (due, Repeat(arguments.get("repeat", "")))


def test_a_time_of_today_that_has_gone_by_is_asked_about(desk: Desk) -> None:
    asked = ("day", "Today, seven in the morning has gone by. Which day shall I take?")
    assert desk.asked("set_alarm", time="07:00", day="today") == asked
    assert desk.asked("add_reminder", task="stretch", time="07:00", day="today") == asked
    assert desk.alarms.listing() == []


@pytest.mark.parametrize(
    ("arguments", "when", "due"),
    [
        ({"time": "17:00"}, "at five in the afternoon", "Wed 17:00"),
        ({"time": "09:30"}, "tomorrow at half past nine in the morning", "Thu 09:30"),
        ({"day": "tomorrow"}, "tomorrow at nine in the morning", "Thu 09:00"),
        ({"day": "today"}, "at six in the evening", "Wed 18:00"),
        ({"day": "monday", "time": "12:00"}, "on Monday at noon", "Mon 12:00"),
        ({"in_seconds": 7200}, "in two hours", "Wed 14:00"),
    ],
)
def test_a_reminder_comes_when_it_was_asked_for(desk: Desk, arguments: dict[str, Any], when: str, due: str) -> None:
    data = desk.call("add_reminder", task="to call my mum", **arguments).data
    assert data == {"task": "call my mum", "spoken_task": "call your mum", "spoken_when": when}
    [reminder] = desk.alarms.listing()
    assert (f"{reminder.due:%a %H:%M}", reminder.label) == (due, "call my mum")


def test_late_in_the_evening_today_is_in_an_hour(desk: Desk) -> None:
    desk.clock.pass_to(2027, 3, 10, 21)
    assert desk.say("add_reminder", "spoken_when", task="stretch", day="today") == "at ten at night"


def test_two_times_for_one_reminder_are_not_guessed(desk: Desk) -> None:
    argument, _ = desk.asked("add_reminder", task="stretch", time="17:00", in_seconds=60)
    assert argument == "time" and desk.alarms.listing() == []


def test_reminders_are_read_out_day_by_day_or_all(desk: Desk) -> None:
    assert desk.say("list_reminders", "spoken_summary", day="friday") == "no reminders for Friday"
    desk.call("add_reminder", task="call my mum", time="17:00")
    desk.call("add_reminder", task="water the plants", day="tomorrow", time="18:00")
    desk.call("add_reminder", task="turn it off", in_seconds=600)
    assert desk.say("list_reminders", "spoken_summary") == (
        "three reminders, turn it off in ten minutes, call your mum at five in the afternoon"
        " and water the plants tomorrow at six in the evening"
    )
    assert desk.say("list_reminders", "spoken_summary", day="thursday") == (
        "one reminder for tomorrow, water the plants at six in the evening"
    )
    for number in range(8):
        desk.call("add_reminder", task=f"do thing {number}", day="tomorrow")
    spoken = desk.say("list_reminders", "spoken_summary")
    assert spoken.startswith("eleven reminders, turn it off") and spoken.endswith(" and six more")


@pytest.mark.parametrize(
    ("said", "turned"),
    [
        ("call my mum", "call your mum"),
        ("tell Anna I'm late, and that I am sorry", "tell Anna you're late, and that you are sorry"),
        ("email myself the list", "email yourself the list"),
        ("My keys", "your keys"),
        ("buy mints and a mineral water", "buy mints and a mineral water"),
        ("ask who was there", "ask who was there"),
    ],
)
def test_the_first_person_is_turned_round(said: str, turned: str) -> None:
    assert turned_round(said) == turned


@given(st.text())
def test_turning_round_takes_any_text(text: str) -> None:
    turned_round(text)


def test_what_rings_says_what_it_is(desk: Desk) -> None:
    desk.call("set_timer", seconds=600, label="pasta")
    desk.call("add_reminder", task="call my mum", in_seconds=600)
    desk.call("set_alarm", time="12:10")
    desk.clock.pass_time(minutes=10)
    said = {announcement(one, desk.clock.now()) for one in desk.alarms.due()}
    assert said == {
        "Your pasta timer is done.",
        "Here is your reminder, call your mum.",
        "It is ten past twelve in the afternoon, and this is your alarm.",
    }


def test_what_was_missed_says_when_it_rang(desk: Desk) -> None:
    desk.call("set_timer", seconds=600)
    desk.call("add_reminder", task="call my mum", time="17:00")
    desk.call("set_alarm", time="07:00", repeat="daily")
    desk.clock.pass_time(days=2)
    assert [announcement(one, desk.clock.now()) for one in desk.alarms.due()] == [
        "Your ten minute timer rang while I was away, on Wednesday at ten past twelve in the afternoon.",
        "A reminder was due while I was away, on Wednesday at five in the afternoon, call your mum.",
        "Your alarm rang two times while I was away, the last time at seven in the morning.",
    ]


def test_a_locked_file_is_a_spoken_failure(desk: Desk, tmp_path: Path) -> None:
    desk.call("set_timer", seconds=60)
    other = sqlite3.connect(tmp_path / "agenda.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    for name, arguments in (("set_timer", {"seconds": 5}), ("take_note", {"text": "milk"})):
        assert desk.fails(name, **arguments).startswith("Another program is using the file")
    other.close()
    assert len(desk.alarms.listing()) == 1 and desk.notes.all() == []


def test_too_many_entries_are_a_spoken_failure(desk: Desk) -> None:
    for _ in range(200):
        desk.alarms.add_reminder("task", timedelta(days=1))
    assert desk.fails("set_timer", seconds=60) == "You have two hundred of them, so please cancel some first."


# --- notes


def test_notes_are_taken_read_and_found(desk: Desk) -> None:
    assert desk.say("read_notes", "spoken_summary", which="all") == "no notes"
    assert desk.fails("read_notes", which="latest") == "You have no notes."
    desk.call("take_note", text="the key is under the pot")
    desk.call("take_note", text="Buy 3 Printers for  Zoë's office.")
    assert desk.call("read_notes", which="all").data == {
        "count": 2,
        "spoken_summary": "two notes, Buy three Printers for Zoe's office and the key is under the pot",
    }
    assert desk.call("read_notes", which="latest").data == {
        "count": 2,
        "spoken_latest": "Buy three Printers for Zoe's office",
    }
    assert desk.say("read_notes", "spoken_summary", query="the pots") == (
        "one note about the pots, the key is under the pot"
    )
    assert desk.say("read_notes", "spoken_summary", query="my printer").startswith("one note about my printer, Buy")
    assert desk.say("read_notes", "spoken_summary", query="bike") == "no notes about bike"
    assert [note.text for note in desk.notes.all()] == ["the key is under the pot", "Buy 3 Printers for Zoë's office."]


def test_many_and_long_notes_are_cut_for_the_ear(desk: Desk) -> None:
    for number in range(12):
        desk.call("take_note", text=f"note {number} " + "very " * 60)
    spoken = desk.say("read_notes", "spoken_summary", which="all")
    assert spoken.startswith("twelve notes, note eleven very") and spoken.endswith(" and eleven more")
    assert len(spoken) < 250


def test_deleted_notes_are_gone_from_the_disk(desk: Desk, tmp_path: Path) -> None:
    desk.call("take_note", text="my locker code is a secret")
    [note] = desk.notes.all()
    assert desk.notes.delete([note.id, 999]) == 1
    assert desk.notes.all() == []
    assert not any(b"locker" in file.read_bytes() for file in tmp_path.iterdir())


def test_notes_become_a_markdown_document(desk: Desk) -> None:
    desk.call("take_note", text="the key is under the *blue* pot")
    desk.clock.pass_to(2027, 3, 12, 8, 5)
    desk.notes.add("two\nlines")
    assert desk.notes.markdown() == (
        "# Notes\n\n## 2027-03-10\n\n- 12:00 the key is under the \\*blue\\* pot\n\n"
        "## 2027-03-12\n\n- 08:05 two\n  lines\n"
    )
