"""The tables, and how those of an older version become those of today."""

from __future__ import annotations

import sqlite3

from app import database
from app.database import NewerFileError, Step

__all__ = ["STEPS", "NewerFileError", "migrate"]


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


def _tools(db: sqlite3.Connection) -> None:
    # A JSON list of objects with "tool", "state" and "summary"; "" where a question needed none.
    db.execute("ALTER TABLE message ADD COLUMN tools TEXT NOT NULL DEFAULT ''")


def _pictures(db: sqlite3.Connection) -> None:
    db.execute(
        """CREATE TABLE picture (
            message INTEGER PRIMARY KEY REFERENCES message (id) ON DELETE CASCADE,
            jpeg BLOB NOT NULL)"""
    )


# Step N makes version N+1 out of version N; a published step is never changed, only followed by another.
STEPS: tuple[Step, ...] = (_first, _tools, _pictures)


def migrate(db: sqlite3.Connection, steps: tuple[Step, ...] = STEPS) -> None:
    """Bring the tables up to date, as `database.migrate` does."""
    database.migrate(db, steps)
