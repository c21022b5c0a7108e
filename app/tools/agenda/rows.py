"""Entries as rows of the file."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, tzinfo

from app.tools.agenda import schedule
from app.tools.agenda.records import Entry, Kind, Repeat, Ringing, WallTime

_COLUMNS = "id, kind, label, due, seconds, day, time, repeat, parent, snoozed, times, missed"


@dataclass(frozen=True)
class Row:
    """One entry. `due`: seconds since 1970, None where `wall` says when."""

    id: int
    kind: Kind
    label: str
    due: float | None
    seconds: int | None
    wall: WallTime | None
    time: time | None
    repeat: Repeat
    parent: int | None
    snoozed: bool
    times: int
    missed: bool

    def instant(self, zone: tzinfo) -> datetime:
        """When it is due, in UTC."""
        if self.due is not None:
            return datetime.fromtimestamp(self.due, UTC)
        assert self.wall is not None
        return schedule.instant(self.wall, zone)

    def entry(self, zone: tzinfo) -> Entry:
        """As something that will ring."""
        due = self.instant(zone).astimezone(zone)
        return Entry(self.id, self.kind, self.label, due, self.seconds, self.time, self.repeat, self.snoozed)

    def ringing(self, zone: tzinfo) -> Ringing:
        """As something that rings."""
        due = self.instant(zone).astimezone(zone)
        return Ringing(self.id, self.kind, self.label, due, self.seconds, self.time, self.missed, self.times)


def waiting(db: sqlite3.Connection) -> list[Row]:
    """All that will ring, in the order in which they were set."""
    return _rows(db, "state = 'waiting'")


def ringing(db: sqlite3.Connection) -> list[Row]:
    """All that ring, the first one first."""
    return sorted(_rows(db, "state = 'ringing'"), key=lambda row: (row.due or 0.0, row.id))


def one(db: sqlite3.Connection, number: int) -> Row | None:
    """The entry of that number."""
    return next(iter(_rows(db, "id = ?", number)), None)


def insert(
    db: sqlite3.Connection,
    kind: Kind,
    label: str,
    due: float | WallTime,
    *,
    seconds: int | None = None,
    repeat: Repeat = Repeat.NEVER,
) -> int:
    """Add an entry that waits; returns its number."""
    wall = due if isinstance(due, WallTime) else None
    added = db.execute(
        "INSERT INTO entry (kind, label, state, due, seconds, day, time, repeat)"
        " VALUES (?, ?, 'waiting', ?, ?, ?, ?, ?)",
        (
            str(kind),
            label,
            None if isinstance(due, WallTime) else due,
            seconds,
            wall.day.isoformat() if wall else None,
            wall.time.isoformat("seconds") if wall else None,
            str(repeat),
        ),
    )
    assert added.lastrowid is not None
    return added.lastrowid


def begin_ringing(db: sqlite3.Connection, row: Row, due: float, missed: bool) -> None:
    """Let it ring, for good: something that rings once."""
    db.execute(
        "UPDATE entry SET state = 'ringing', due = ?, day = NULL, missed = ? WHERE id = ?", (due, missed, row.id)
    )


def ring_once(db: sqlite3.Connection, row: Row, due: float, missed: bool, times: int, coming: WallTime) -> int:
    """Let an alarm that repeats ring, and wait for the next time; returns the number of what rings.

    What still rings of it from before goes on as this one.
    """
    before = db.execute("SELECT sum(times) FROM entry WHERE parent = ? AND state = 'ringing'", (row.id,)).fetchone()[0]
    db.execute("DELETE FROM entry WHERE parent = ? AND state = 'ringing'", (row.id,))
    added = db.execute(
        "INSERT INTO entry (kind, label, state, due, time, repeat, parent, times, missed)"
        " SELECT kind, label, 'ringing', ?, time, '', id, ?, ? FROM entry WHERE id = ?",
        (due, times + (before or 0), missed, row.id),
    )
    db.execute("UPDATE entry SET day = ? WHERE id = ?", (coming.day.isoformat(), row.id))
    assert added.lastrowid is not None
    return added.lastrowid


def _rows(db: sqlite3.Connection, where: str, *values: object) -> list[Row]:
    return [_row(*values) for values in db.execute(f"SELECT {_COLUMNS} FROM entry WHERE {where} ORDER BY id", values)]


def _row(
    number: int,
    kind: str,
    label: str,
    due: float | None,
    seconds: int | None,
    day: str | None,
    at: str | None,
    repeat: str,
    parent: int | None,
    snoozed: int,
    times: int,
    missed: int,
) -> Row:
    clock = time.fromisoformat(at) if at else None
    wall = WallTime(date.fromisoformat(day), clock) if day and clock and due is None else None
    return Row(
        number,
        Kind(kind),
        label,
        due,
        seconds,
        wall,
        clock,
        Repeat(repeat),
        parent,
        bool(snoozed),
        times,
        bool(missed),
    )
