"""What can still be read from a damaged file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from app.database import open_damaged, readable_rows
from app.history import tool_uses
from app.history.records import Message, Side
from app.history.store import Store

_MESSAGES = "SELECT id, key, conversation, side, text, time, heard, voice, {tools} FROM message"


def read_into(bad: Path, store: Store) -> int:
    """Copy what is readable in `bad` to `store`; returns the number of messages. Raises only for `store`."""
    try:
        db = open_damaged(bad)
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
    hidden = {row[0] for row in readable_rows(db, "SELECT id FROM conversation WHERE deleted IS NOT NULL")}
    # Files of the first version know no tools.
    columns = {row[0] for row in readable_rows(db, "SELECT name FROM pragma_table_info('message')")}
    select = _MESSAGES.format(tools="tools" if "tools" in columns else "''")
    messages = {row[0]: row for row in readable_rows(db, f"{select} ORDER BY id")}
    for row in readable_rows(db, f"{select} ORDER BY id DESC"):
        if row[0] in messages:
            break
        messages[row[0]] = row
    count = 0
    for number in sorted(messages):
        _, key, conversation, side, text, when, heard, voice, tools = messages[number]
        if conversation in hidden or side not in tuple(Side):
            continue
        sound = next(readable_rows(db, "SELECT flac FROM sound WHERE message = ?", number), (None,))[0]
        picture = next(readable_rows(db, "SELECT jpeg FROM picture WHERE message = ?", number), (b"",))[0]
        message = Message(key, Side(side), text, when, heard, voice, tools=tool_uses.unpacked(tools), picture=picture)
        store.add(conversation, message, sound, sound_limit=2**62)
        count += 1
    for conversation, title in readable_rows(db, "SELECT id, title FROM conversation WHERE deleted IS NULL"):
        if title:
            store.rename(conversation, title)
    return count
