"""What rings, and when: the agenda as a window and the tools use it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from typing import TypeVar

from app.tools.agenda import rows, schedule
from app.tools.agenda.clock import Clock
from app.tools.agenda.records import Entry, Kind, Repeat, Ringing, WallTime
from app.tools.agenda.rows import Row
from app.tools.agenda.store import Store, StoreError

T = TypeVar("T")

# Whoever is there notices within this time; what is later was missed.
LATE_S = 60.0
# Clocks that are put right by less than this are no jump.
JUMP_S = 2.0
ENTRIES_MOST = 200
# Of how many programs the file remembers the clocks.
SESSIONS_MOST = 8


class FullError(Exception):
    """There are as many entries as there may be."""


class AlarmClock:
    """The agenda with its clock. Methods may be called from any thread and are short.

    A window asks `next_due` and calls `due` then, and at least every 30 s besides: the wall clock may have been put,
    the computer may have slept, and another program may have added something. At its start it also asks `ringing`,
    for what was never dismissed. `on_change` is called after every change, on the thread that made it.
    Methods raise StoreError where the file cannot be used, but for `due`, `next_due` and `dismiss`: what is known to be
    due rings whatever happens to the file.
    """

    def __init__(self, store: Store, clock: Clock, on_change: Callable[[], None] = lambda: None) -> None:
        self.on_change = on_change
        self._store = store
        self._clock = clock
        self._lock = threading.RLock()
        # For the time in which the file cannot be used: what waited when it was last read, what has rung out of that,
        # and what of it was dismissed.
        self._known: list[Row] = []
        self._told: set[tuple[int, datetime]] = set()
        self._stopped: set[int] = set()

    def now(self) -> datetime:
        """The wall clock, aware."""
        return self._clock.now()

    # --- setting

    def add_timer(self, seconds: int, label: str = "") -> Entry:
        """Ring when `seconds` have passed. Raises StoreError, FullError."""
        due = self.now().timestamp() + seconds
        return self._add(lambda db: rows.insert(db, Kind.TIMER, label, due, seconds=seconds))

    def add_alarm(self, at: WallTime, repeat: Repeat = Repeat.NEVER, label: str = "") -> Entry:
        """Ring at `at`, and with `repeat` again. Raises StoreError, FullError."""
        return self._add(lambda db: rows.insert(db, Kind.ALARM, label, at, repeat=repeat))

    def add_reminder(self, task: str, when: WallTime | timedelta) -> Entry:
        """Remind of `task` at a time or after a while. Raises StoreError, FullError."""
        due = self.now().timestamp() + when.total_seconds() if isinstance(when, timedelta) else when
        return self._add(lambda db: rows.insert(db, Kind.REMINDER, task, due))

    def cancel(self, numbers: Iterable[int]) -> int:
        """Remove entries, whether they wait or ring already; returns how many there were. Raises StoreError."""
        wanted = [(number,) for number in numbers]
        return self._change(lambda db: db.executemany("DELETE FROM entry WHERE id = ?", wanted).rowcount)

    # --- reading

    def listing(self, kind: Kind | None = None) -> list[Entry]:
        """What will ring, soonest first. Raises StoreError."""
        zone = self._zone()
        entries = [row.entry(zone) for row in self._waiting()]
        # Times of one zone are compared as the clock shows them, which winter repeats.
        return sorted((one for one in entries if kind in (None, one.kind)), key=lambda one: one.due.timestamp())

    def ringing(self) -> list[Ringing]:
        """What rings and was neither dismissed nor snoozed, in the order in which it was due. Raises StoreError."""
        zone = self._zone()
        return [row.ringing(zone) for row in self._store.read(rows.ringing)]

    def next_due(self) -> datetime | None:
        """When the next entry is due, by the wall clock: aware; None where nothing waits. It may have gone by."""
        zone = self._zone()
        try:
            waiting = self._waiting()
        except StoreError:
            waiting = [row for row in self._known if (row.id, row.instant(zone)) not in self._told]
        first = min((row.instant(zone) for row in waiting), default=None)
        return None if first is None else first.astimezone(zone)

    # --- ringing

    def due(self) -> list[Ringing]:
        """What has begun to ring since the last call, of whichever program; everything comes once."""
        now = self.now()
        with self._lock:
            try:
                nothing = not self._stopped and all(row.instant(self._zone()) > now for row in self._waiting())
                if nothing:
                    return []
                fresh = self._change(lambda db: self._begin(db, now))
            except StoreError:
                return self._from_memory(now)
            self._told.clear()
            self._stopped.clear()
            return fresh

    def dismiss(self, number: int) -> None:
        """Let it be quiet; what does not ring is left alone."""
        with self._lock:
            try:
                self._change(lambda db: _stop(db, number))
            except StoreError:
                # It is quiet all the same, and the file learns of it later.
                self._stopped.add(number)

    def snooze(self, number: int, minutes: float) -> Entry | None:
        """Let it be quiet and ring again in `minutes`; None where it does not ring. Raises StoreError."""
        due = self.now().timestamp() + minutes * 60.0

        def later(db: sqlite3.Connection) -> Row | None:
            done = db.execute(
                "UPDATE entry SET state = 'waiting', due = ?, snoozed = 1, times = 1, missed = 0"
                " WHERE state = 'ringing' AND (id = ? OR id = ? OR parent = ?) RETURNING id",
                (due, number, -number, -number),
            ).fetchall()
            return rows.one(db, done[0][0]) if done else None

        row = self._change(later)
        return None if row is None else row.entry(self._zone())

    # --- inside

    def _add(self, insert: Callable[[sqlite3.Connection], int]) -> Entry:
        def add(db: sqlite3.Connection) -> Row:
            if db.execute("SELECT count(*) FROM entry").fetchone()[0] >= ENTRIES_MOST:
                raise FullError
            row = rows.one(db, insert(db))
            assert row is not None
            return row

        return self._change(add).entry(self._zone())

    def _zone(self) -> tzinfo:
        zone = self.now().tzinfo
        assert zone is not None
        return zone

    def _waiting(self) -> list[Row]:
        if self._store.read(self._jump) != 0.0 and self._store.change(self._follow_clock):
            self.on_change()
        self._known = self._store.read(rows.waiting)
        return self._known

    def _change(self, change: Callable[[sqlite3.Connection], T]) -> T:
        def whole(db: sqlite3.Connection) -> T:
            self._follow_clock(db)
            result = change(db)
            self._known = rows.waiting(db)
            return result

        result = self._store.change(whole)
        self.on_change()
        return result

    def _jump(self, db: sqlite3.Connection) -> float | None:
        """Seconds by which the wall clock was put since this session first looked; 0.0 for none, None before that."""
        ahead = self._ahead()
        row = db.execute("SELECT ahead FROM clock WHERE session = ?", (self._clock.session,)).fetchone()
        if row is None:
            return None
        return ahead - row[0] if abs(ahead - row[0]) > JUMP_S else 0.0

    def _follow_clock(self, db: sqlite3.Connection) -> bool:
        """Move what counts the time that passes along with a wall clock that was put; returns whether it was."""
        jump = self._jump(db)
        if jump == 0.0:
            return False
        if jump is not None:
            db.execute("UPDATE entry SET due = due + ? WHERE state = 'waiting' AND due IS NOT NULL", (jump,))
            # Programs in another session have seen the same jump, and must not move everything once more.
            db.execute("DELETE FROM clock")
        db.execute("INSERT INTO clock VALUES (?, ?)", (self._clock.session, self._ahead()))
        db.execute("DELETE FROM clock WHERE rowid <= (SELECT max(rowid) FROM clock) - ?", (SESSIONS_MOST,))
        return jump is not None

    def _ahead(self) -> float:
        return self.now().timestamp() - self._clock.elapsed()

    def _begin(self, db: sqlite3.Connection, now: datetime) -> list[Ringing]:
        zone = self._zone()
        begun: list[int] = []
        for row in rows.waiting(db):
            due = row.instant(zone)
            if due > now:
                continue
            number, told = self._ring(db, row, now)
            if not told:
                begun.append(number)
        for number in self._stopped:
            _stop(db, number)
        return [row.ringing(zone) for row in rows.ringing(db) if row.id in begun]

    def _ring(self, db: sqlite3.Connection, row: Row, now: datetime) -> tuple[int, bool]:
        """Let `row` ring; returns the number of what rings, and whether it was told of already."""
        zone = self._zone()
        due, times, coming = _last(row, now)
        told = (row.id, row.instant(zone)) in self._told
        missed = (now - due).total_seconds() > LATE_S and not told
        if coming is None:
            rows.begin_ringing(db, row, due.timestamp(), missed)
            return row.id, told
        return rows.ring_once(db, row, due.timestamp(), missed, times, coming), told

    def _from_memory(self, now: datetime) -> list[Ringing]:
        zone = self._zone()
        fresh = []
        for row in self._known:
            key = (row.id, row.instant(zone))
            if key[1] > now or key in self._told:
                continue
            self._told.add(key)
            due, times, _ = _last(row, now)
            late = (now - due).total_seconds() > LATE_S
            # Its own number would mean the alarm itself, where that repeats.
            seen = replace(row.ringing(zone), id=-row.id, due=due.astimezone(zone), missed=late, times=times)
            fresh.append(seen)
        return sorted(fresh, key=lambda one: one.due.timestamp())


def _last(row: Row, now: datetime) -> tuple[datetime, int, WallTime | None]:
    """When `row` was due for the last time, how often, and when it comes again."""
    zone = now.tzinfo
    assert zone is not None
    if row.wall is None or row.repeat is Repeat.NEVER:
        return row.instant(zone), 1, None
    last, times, coming = schedule.gone_by(row.wall, row.repeat, now)
    return schedule.instant(last, zone), times, coming


def _stop(db: sqlite3.Connection, number: int) -> None:
    # A negative number is that of what rang while the file could not be used: the entry, or one time of it.
    db.execute(
        "DELETE FROM entry WHERE state = 'ringing' AND (id = ? OR id = ? OR parent = ?)", (number, -number, -number)
    )
