"""Whatever order things happen in, nothing set is lost, and nothing rings twice or before its time."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from datetime import date, time, timedelta
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule

from app.tools.agenda.alarm_clock import JUMP_S, AlarmClock
from app.tools.agenda.records import Entry, Repeat, Ringing
from app.tools.agenda.schedule import resolve
from app.tools.agenda.store import Store
from tests.support.virtual_clock import VirtualClock

TIMES = [time(2, 30), time(7, 0), time(12, 0), time(23, 59)]


@dataclass
class Expected:
    """One entry as it ought to be. `at`: the reading of the elapsed seconds at which it is due, None by wall clock."""

    label: str
    at: float | None
    state: str = "waiting"


class AnyOrder(RuleBasedStateMachine):
    """Two programs share the file; labels are unique, so they tell entries apart."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.clock = VirtualClock()
        self.stores: list[Store] = []
        self.programs = [self.program(), self.program()]
        self.expected: dict[str, Expected] = {}
        self.daily: dict[str, list[date]] = {}
        self.numbers: dict[str, int] = {}
        self.count = 0
        # By how much small corrections of the wall clock, which are no jump, can have moved a timer.
        self.slack = 0.0

    def program(self) -> AlarmClock:
        self.stores.append(Store(self.folder / "agenda.db"))
        return AlarmClock(self.stores[-1], self.clock)

    def teardown(self) -> None:
        for store in getattr(self, "stores", []):
            store.close()
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)

    entries = Bundle("entries")
    who = st.integers(0, 1)

    def new(self, entry: Entry, at: float | None) -> str:
        self.expected[entry.label] = Expected(entry.label, at)
        self.numbers[entry.label] = entry.id
        return entry.label

    def label(self) -> str:
        self.count += 1
        return f"entry {self.count}"

    @rule(target=entries, who=who, seconds=st.integers(1, 86_400))
    def set_timer(self, who: int, seconds: int) -> str:
        timer = self.programs[who].add_timer(seconds, self.label())
        return self.new(timer, self.clock.elapsed() + seconds)

    @rule(target=entries, who=who, seconds=st.integers(1, 604_800))
    def remind_later(self, who: int, seconds: int) -> str:
        reminder = self.programs[who].add_reminder(self.label(), timedelta(seconds=seconds))
        return self.new(reminder, self.clock.elapsed() + seconds)

    @rule(target=entries, who=who, at=st.sampled_from(TIMES))
    def set_alarm(self, who: int, at: time) -> str:
        return self.new(self.programs[who].add_alarm(resolve(self.clock.now(), at), label=self.label()), None)

    @rule(who=who, at=st.sampled_from(TIMES), repeat=st.sampled_from(list(Repeat)[1:]))
    def set_repeating(self, who: int, at: time, repeat: Repeat) -> None:
        label = self.label()
        self.programs[who].add_alarm(resolve(self.clock.now(), at, None, repeat), repeat, label)
        self.daily[label] = []

    @rule(who=who, gone=consumes(entries))
    def cancel(self, who: int, gone: str) -> None:
        known = self.expected[gone].state != "gone"
        assert self.programs[who].cancel([self.numbers[gone]]) == known
        self.expected[gone].state = "gone"

    @rule(who=who, which=entries)
    def dismiss(self, who: int, which: str) -> None:
        self.programs[who].dismiss(self.numbers[which])
        if self.expected[which].state == "ringing":
            self.expected[which].state = "gone"

    @rule(who=who, which=entries, minutes=st.integers(1, 30))
    def snooze(self, who: int, which: str, minutes: int) -> None:
        snoozed = self.programs[who].snooze(self.numbers[which], minutes)
        expected = self.expected[which]
        assert (snoozed is not None) == (expected.state == "ringing")
        if snoozed is not None:
            expected.state, expected.at = "waiting", self.clock.elapsed() + minutes * 60

    @rule(seconds=st.one_of(st.integers(1, 7200), st.integers(80_000, 300_000)))
    def time_passes(self, seconds: int) -> None:
        self.clock.pass_time(seconds=seconds)
        self.look(0)

    @rule(seconds=st.integers(-200_000, 200_000), looked=st.booleans())
    def clock_is_put(self, seconds: int, looked: bool) -> None:
        if abs(seconds) <= JUMP_S:
            self.slack += abs(seconds)
        # Within one session of the system somebody has looked at the clock before it was put.
        self.programs[0].next_due()
        self.clock.put(seconds=seconds)
        if looked:
            self.look(1)

    @rule(seconds=st.integers(1, 7200))
    def nobody_is_there(self, seconds: int) -> None:
        self.clock.pass_time(seconds=seconds)

    @rule(who=who, reboot=st.booleans())
    def restart(self, who: int, reboot: bool) -> None:
        if reboot:
            before = self.clock.elapsed()
            self.clock.restart()
            for expected in self.expected.values():
                if expected.at is not None:
                    expected.at += self.clock.elapsed() - before
            self.programs = [self.program(), self.program()]
        else:
            self.programs[who] = self.program()

    @rule(who=who)
    def look(self, who: int) -> None:
        alarms = self.programs[who]
        fresh = alarms.due()
        for one in fresh:
            self.rings(one)
        for expected in self.expected.values():
            if expected.state == "waiting" and expected.at is not None:
                assert expected.at > self.clock.elapsed() - self.slack - 0.001, f"{expected.label} ought to ring"
        coming = alarms.next_due()
        assert coming is None or coming > self.clock.now()

    def rings(self, one: Ringing) -> None:
        if one.label in self.daily:
            assert one.due.date() not in self.daily[one.label][-1:], "rings twice on one day"
            assert self.daily[one.label] == [] or one.due.date() > self.daily[one.label][-1]
            self.daily[one.label].append(one.due.date())
            return
        expected = self.expected[one.label]
        assert expected.state == "waiting", f"{one.label} rings although {expected.state}"
        if expected.at is not None:
            assert expected.at <= self.clock.elapsed() + self.slack + 0.001, f"{one.label} rings too early"
        expected.state = "ringing"

    @invariant()
    def nothing_is_lost(self) -> None:
        if not hasattr(self, "expected"):
            return
        for alarms in self.programs:
            waiting = sorted(one.label for one in alarms.listing() if one.label not in self.daily)
            assert waiting == sorted(one.label for one in self.expected.values() if one.state == "waiting")
            ringing = sorted(one.label for one in alarms.ringing() if one.label not in self.daily)
            assert ringing == sorted(one.label for one in self.expected.values() if one.state == "ringing")
            repeating = sorted(one.label for one in alarms.listing() if one.repeat is not Repeat.NEVER)
            assert repeating == sorted(self.daily)


AnyOrder.TestCase.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
TestAnyOrder = pytest.mark.slow(AnyOrder.TestCase)
