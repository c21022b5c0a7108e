"""What to do with a damaged file: put it aside, and save what can still be read from it."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.history.records import Message, Side
from app.history.store import Store

_MESSAGES = "SELECT id, key, conversation, side, text, time, heard, voice FROM message"


def set_aside(file: Path) -> Path:
    """Rename the damaged `file` and its journal; returns the new name. Raises OSError."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    for attempt in range(100):
        bad = file.with_name(f"{file.stem}-damaged-{stamp}{f'-{attempt}' if attempt else ''}{file.suffix}")
        if not bad.exists():
            break
    os.replace(file, bad)
    for end in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.replace(file.with_name(file.name + end), bad.with_name(bad.name + end))
    return bad


def read_into(bad: Path, store: Store) -> int:
    """Copy what is readable in `bad` to `store`; returns the number of messages. Raises only for `store`."""
    try:
        db = sqlite3.connect(f"{bad.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
    except sqlite3.Error:
        return 0
    try:
        return copy(db, store)
    finally:
        db.close()


def copy(db: sqlite3.Connection, store: Store) -> int:
    """Copy the conversations of `db` to `store`, but for the deleted ones; returns the number of messages.

    Where reading breaks off, it goes on from the other end.
    """
    hidden = {row[0] for row in _rows(db, "SELECT id FROM conversation WHERE deleted IS NOT NULL")}
    messages = {row[0]: row for row in _rows(db, f"{_MESSAGES} ORDER BY id")}
    for row in _rows(db, f"{_MESSAGES} ORDER BY id DESC"):
        if row[0] in messages:
            break
        messages[row[0]] = row
    count = 0
    for number in sorted(messages):
        _, key, conversation, side, text, when, heard, voice = messages[number]
        if conversation in hidden or side not in tuple(Side):
            continue
        sound = next(_rows(db, "SELECT flac FROM sound WHERE message = ?", number), (None,))[0]
        message = Message(key, Side(side), text, when, heard, voice)
        store.add(conversation, message, sound, sound_limit=2**62)
        count += 1
    for conversation, title in _rows(db, "SELECT id, title FROM conversation WHERE deleted IS NULL"):
        if title:
            store.rename(conversation, title)
    return count


def _rows(db: sqlite3.Connection, query: str, *values: Any) -> Iterator[tuple[Any, ...]]:
    """The rows of `query` as far as they can be read."""
    try:
        yield from db.execute(query, values)
    except (sqlite3.Error, UnicodeDecodeError):
        return
