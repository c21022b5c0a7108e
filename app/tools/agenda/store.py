"""The file of timers, alarms, reminders and notes. Several threads and several programs may use it at once."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from app import database
from app.database import NewerFileError, Step

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

_log = logging.getLogger(__name__)
_ENTRY = "id, kind, label, state, due, seconds, day, time, repeat, parent, snoozed, times, missed"


class StoreError(Exception):
    """The file cannot be used. The text is a sentence for the user, fit to be spoken."""


def _first(db: sqlite3.Connection) -> None:
    # `due`: seconds since 1970, where time that passes counts and where it rings already; otherwise `day` and `time`
    # say it, as the wall clock will show it. `parent`: the alarm that repeats and of which this is one time.
    db.execute(
        """CREATE TABLE entry (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL CHECK (kind IN ('timer', 'alarm', 'reminder')),
            label TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('waiting', 'ringing')),
            due REAL,
            seconds INTEGER,
            day TEXT CHECK (day IS NULL OR date(day) = day),
            time TEXT CHECK (time IS NULL OR time(time) = time),
            repeat TEXT NOT NULL CHECK (repeat IN ('', 'daily', 'weekdays', 'weekends')),
            parent INTEGER,
            snoozed INTEGER NOT NULL DEFAULT 0,
            times INTEGER NOT NULL DEFAULT 1,
            missed INTEGER NOT NULL DEFAULT 0,
            CHECK (due IS NOT NULL OR (state = 'waiting' AND day IS NOT NULL AND time IS NOT NULL)))"""
    )
    db.execute("CREATE TABLE note (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL, written REAL NOT NULL)")
    # How far the wall clock was ahead of the elapsed seconds of a session, so that a jump shows.
    db.execute("CREATE TABLE clock (session TEXT NOT NULL UNIQUE, ahead REAL NOT NULL)")


STEPS: tuple[Step, ...] = (_first,)


class Store:
    """Runs work on the file, one at a time; whatever fails raises StoreError, and the next work tries anew.

    A damaged file is put aside, what is readable in it is saved, and `on_notice` gets one sentence about it, on the
    thread that found out. `file` None keeps everything in memory.
    """

    def __init__(
        self,
        file: Path | None,
        *,
        on_notice: Callable[[str], None] = lambda sentence: None,
        patience_s: float = database.PATIENCE_S,
    ) -> None:
        self._file = file
        self._on_notice = on_notice
        self._patience_s = patience_s
        self._lock = threading.RLock()
        self._db: sqlite3.Connection | None = None

    def read(self, question: Work[T]) -> T:
        """The answer to `question`, which changes nothing. Raises StoreError."""
        return self._run(question)

    def change(self, change: Work[T]) -> T:
        """Do `change`, all of it or nothing; no other program writes meanwhile. Raises StoreError."""

        def whole(db: sqlite3.Connection) -> T:
            with database.transaction(db):
                return change(db)

        return self._run(whole)

    def wipe_deleted(self) -> None:
        """Until it is folded into the file, the journal still holds what was deleted. Raises StoreError."""
        self._run(lambda db: db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())

    def close(self) -> None:
        """Close the file; work that comes later opens it again."""
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None

    def _run(self, work: Work[T]) -> T:
        with self._lock:
            try:
                try:
                    return work(self._opened())
                except sqlite3.DatabaseError as error:
                    if not database.is_damage(error) or self._file is None:
                        raise
                    self._renew(self._file)
                return work(self._opened())
            except (sqlite3.Error, OSError, NewerFileError) as error:
                _log.warning("the agenda: %s", error)
                raise StoreError(sentence(error)) from error

    def _opened(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = self._open()
        return self._db

    def _open(self) -> sqlite3.Connection:
        db = database.connect(self._file, self._patience_s)
        try:
            database.migrate(db, STEPS)
            database.check(db)
        except BaseException:
            db.close()
            raise
        return db

    def _renew(self, file: Path) -> None:
        """A new file in the place of the damaged one."""
        self.close()
        bad = database.set_aside(file)
        self._db = self._open()
        entries, notes = _saved(bad, self._db)
        what = f"{_counted(entries, 'entry', 'entries')} and {_counted(notes, 'note', 'notes')} could be saved from it"
        saved = what if entries or notes else "nothing in it could be read"
        self._on_notice(f"The file of your timers, reminders and notes was damaged: {saved}. It is kept as {bad}.")


def _counted(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"


def _saved(bad: Path, db: sqlite3.Connection) -> tuple[int, int]:
    """Copy the readable entries and notes of `bad`; returns how many of each."""
    try:
        source = database.open_damaged(bad)
    except sqlite3.Error:
        return 0, 0
    try:
        return _copied(source, db, "entry", _ENTRY), _copied(source, db, "note", "id, text, written")
    finally:
        source.close()


def _copied(source: sqlite3.Connection, db: sqlite3.Connection, table: str, columns: str) -> int:
    count = 0
    marks = ", ".join("?" * (columns.count(",") + 1))
    # Where reading breaks off, it goes on from the other end.
    for order in ("", " DESC"):
        for row in database.readable_rows(source, f"SELECT {columns} FROM {table} ORDER BY id{order}"):
            with contextlib.suppress(sqlite3.IntegrityError):
                done = db.execute(f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({marks})", row)
                count += done.rowcount
    return count


def sentence(error: Exception) -> str:
    """Why the file cannot be used, and what to do."""
    if isinstance(error, NewerFileError):
        return "A newer Banter keeps your timers and notes, so please update this one."
    match database.code(error):
        case sqlite3.SQLITE_FULL:
            return "I could not save that because the disk is full, so please free some space."
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return "Another program is using the file of your timers and notes. Please try again in a moment."
        case _:
            reason = str(getattr(error, "strerror", None) or error).rstrip(".").lower()
            return f"I could not use the file of your timers and notes, {reason}."
