"""The tables, and how those of an older version become those of today."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable


class NewerFileError(Exception):
    """The file was written by a newer program; touching it could lose something."""


def _first(db: sqlite3.Connection) -> None:
    for statement in (
        """CREATE TABLE conversation (
            id TEXT PRIMARY KEY,
            title TEXT NOT NULL DEFAULT '',
            begun REAL NOT NULL,
            changed REAL NOT NULL,
            deleted REAL)""",
        "CREATE INDEX conversation_changed ON conversation (changed)",
        # `heard`: characters of `text` that were spoken; NULL where all of it was.
        """CREATE TABLE message (
            id INTEGER PRIMARY KEY,
            key TEXT NOT NULL UNIQUE,
            conversation TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
            side TEXT NOT NULL CHECK (side IN ('user', 'assistant')),
            time REAL NOT NULL,
            text TEXT NOT NULL,
            heard INTEGER,
            voice TEXT NOT NULL DEFAULT '')""",
        "CREATE INDEX message_conversation ON message (conversation, id)",
        """CREATE TABLE sound (
            message INTEGER PRIMARY KEY REFERENCES message (id) ON DELETE CASCADE,
            size INTEGER NOT NULL,
            flac BLOB NOT NULL)""",
        """CREATE VIRTUAL TABLE words USING fts5
            (text, tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3')""",
        """CREATE TRIGGER message_gone AFTER DELETE ON message BEGIN
            DELETE FROM words WHERE rowid = old.id;
        END""",
    ):
        db.execute(statement)


# Step N makes version N+1 out of version N; a published step is never changed, only followed by another.
STEPS: tuple[Callable[[sqlite3.Connection], None], ...] = (_first,)


def migrate(db: sqlite3.Connection, steps: tuple[Callable[[sqlite3.Connection], None], ...] = STEPS) -> None:
    """Bring the tables up to date, all steps or none. `db` must be in autocommit mode.

    Raises `NewerFileError`, sqlite3.Error.
    """
    version = _version(db)
    if version > len(steps):
        raise NewerFileError
    if version == len(steps):
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        # Somebody else may have done it while this one waited for the lock.
        for step in steps[_version(db) :]:
            step(db)
        db.execute(f"PRAGMA user_version = {len(steps)}")
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])
