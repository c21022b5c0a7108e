"""Conversations in one SQLite file. One thread at a time; every method may raise sqlite3.Error."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from app import database
from app.database import PATIENCE_S
from app.history import schema, search, tool_uses
from app.history.records import PICTURE_MOST_BYTES, Message, Side, Summary, ToolUse, title_from

LIST_MOST = 2_000
FOUND_MOST = 100
# Words of a message shown around what was found.
_FOUND_WORDS = 12
_MESSAGE = "m.key, m.side, m.text, m.time, m.heard, m.voice, s.message IS NOT NULL, m.tools, p.jpeg"


class Store:
    """The kept conversations. `file` None keeps them in memory.

    A conversation has a row from its first message on. Deleting only hides it, so that it can be undone,
    until `purge`.
    """

    def __init__(self, file: Path | None, patience_s: float = PATIENCE_S) -> None:
        """Open `file`, made where it is missing. `patience_s` is how long to wait for another program's lock.

        Raises OSError, sqlite3.Error, `schema.NewerFileError`.
        """
        self.file = file
        self.db = database.connect(file, patience_s)
        try:
            self._prepare()
        except BaseException:
            self.db.close()
            raise

    def _prepare(self) -> None:
        db = self.db
        db.create_function("holds", 2, lambda text, part: part in str(text).casefold(), deterministic=True)
        schema.migrate(db)
        database.check(db)

    def close(self) -> None:
        """Close the file."""
        self.db.close()

    def size(self) -> int:
        """Bytes in use."""
        return database.size(self.db)

    # --- changing

    def add(self, conversation: str, message: Message, flac: bytes | None = None, sound_limit: int = 0) -> None:
        """Append `message`; a message whose key is known already is left alone.

        `flac` is its sound. Sounds of older messages go once all sounds together exceed `sound_limit` bytes.
        """
        with database.transaction(self.db):
            self._ensure(conversation, message.time)
            row = self.db.execute(
                "INSERT OR IGNORE INTO message (key, conversation, side, time, text, heard, voice, tools)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    message.key,
                    conversation,
                    str(message.side),
                    message.time,
                    message.text,
                    message.heard,
                    message.voice,
                    tool_uses.packed(message.tools),
                ),
            )
            if not row.rowcount:
                return
            number = row.lastrowid
            self.db.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (number, search.indexed(message.text)))
            self.db.execute(
                "UPDATE conversation SET changed = max(changed, ?) WHERE id = ?", (message.time, conversation)
            )
            if message.side == Side.USER and message.text:
                self.db.execute(
                    "UPDATE conversation SET title = ? WHERE id = ? AND title = ''",
                    (title_from(message.text), conversation),
                )
            if 0 < len(message.picture) <= PICTURE_MOST_BYTES:
                self.db.execute("INSERT INTO picture VALUES (?, ?)", (number, message.picture))
            if flac and len(flac) <= sound_limit:
                self.db.execute("INSERT INTO sound VALUES (?, ?, ?)", (number, len(flac), flac))
                self._limit_sounds(sound_limit)

    def set_tools(self, key: str, tools: tuple[ToolUse, ...]) -> None:
        """What was used for a message has ended since it was kept."""
        self.db.execute("UPDATE message SET tools = ? WHERE key = ?", (tool_uses.packed(tools), key))

    def rename(self, conversation: str, title: str) -> None:
        """Call it `title`."""
        self.db.execute("UPDATE conversation SET title = ? WHERE id = ?", (title, conversation))

    def delete(self, conversation: str, when: float | None = None) -> None:
        """Hide it; `purge` makes it final."""
        moment = time.time() if when is None else when
        self.db.execute("UPDATE conversation SET deleted = ? WHERE id = ?", (moment, conversation))

    def restore(self, conversation: str) -> None:
        """Take `delete` back."""
        self.db.execute("UPDATE conversation SET deleted = NULL WHERE id = ?", (conversation,))

    def purge(self, unchanged_since: float | None = None, *, everything: bool = False) -> None:
        """Remove for good what was deleted, and conversations without a message since `unchanged_since`."""
        with database.transaction(self.db):
            gone = self.db.execute(
                "DELETE FROM conversation WHERE ? OR deleted IS NOT NULL OR changed < ?",
                (everything, float("-inf") if unchanged_since is None else unchanged_since),
            ).rowcount
            if gone:
                # The index only notes that words have gone, until its parts are merged.
                self.db.execute("INSERT INTO words (words) VALUES ('optimize')")
        if self.file is not None:
            # Until it is folded into the file, the journal still holds what was deleted.
            self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def drop_sounds(self) -> None:
        """Forget how the answers sounded; the words stay."""
        self.db.execute("DELETE FROM sound")

    # --- reading

    def conversations(self) -> list[Summary]:
        """All conversations, the one spoken in last first."""
        rows = self.db.execute(
            "SELECT id, title, begun, changed FROM conversation WHERE deleted IS NULL"
            " ORDER BY changed DESC, rowid DESC LIMIT ?",
            (LIST_MOST,),
        )
        return [Summary(*row) for row in rows]

    def search(self, typed: str) -> list[Summary]:
        """Conversations with a message that holds all the words typed, or a title that holds the text."""
        text = " ".join(typed.split()).casefold()
        if not text:
            return self.conversations()
        wanted = search.query(typed)
        found: dict[str, int] = {}
        if wanted:
            rows = self.db.execute(
                "SELECT m.conversation, max(m.id) FROM words JOIN message m ON m.id = words.rowid"
                " JOIN conversation c ON c.id = m.conversation"
                " WHERE words MATCH ? AND c.deleted IS NULL GROUP BY m.conversation ORDER BY c.changed DESC LIMIT ?",
                (wanted, FOUND_MOST),
            )
            found = dict(rows.fetchall())
        titled = self.db.execute(
            "SELECT id FROM conversation WHERE deleted IS NULL AND holds(title, ?) ORDER BY changed DESC LIMIT ?",
            (text, FOUND_MOST),
        )
        ids = [*found, *(row[0] for row in titled if row[0] not in found)]
        result = [self._summary(one, self._piece(found.get(one), wanted)) for one in ids]
        return sorted(result, key=lambda summary: summary.changed, reverse=True)[:FOUND_MOST]

    def messages(self, conversation: str, most: int | None = None) -> list[Message]:
        """The last `most` messages, by default all, oldest first."""
        rows = self.db.execute(
            f"SELECT {_MESSAGE} FROM message m LEFT JOIN sound s ON s.message = m.id"
            " LEFT JOIN picture p ON p.message = m.id WHERE m.conversation = ? ORDER BY m.id DESC LIMIT ?",
            (conversation, -1 if most is None else most),
        ).fetchall()
        return [
            Message(key, Side(side), text, when, heard, voice, bool(sound), tool_uses.unpacked(tools), picture or b"")
            for key, side, text, when, heard, voice, sound, tools, picture in reversed(rows)
        ]

    def summary(self, conversation: str) -> Summary | None:
        """The one conversation, unless it is gone or deleted."""
        row = self.db.execute(
            "SELECT id, title, begun, changed FROM conversation WHERE id = ? AND deleted IS NULL", (conversation,)
        ).fetchone()
        return Summary(*row) if row else None

    def sound(self, key: str) -> bytes | None:
        """How the message sounded, as FLAC, where that was kept."""
        row = self.db.execute(
            "SELECT flac FROM sound JOIN message m ON m.id = sound.message WHERE m.key = ?", (key,)
        ).fetchone()
        return row[0] if row else None

    # --- inside

    def _ensure(self, conversation: str, when: float) -> None:
        self.db.execute(
            "INSERT OR IGNORE INTO conversation (id, begun, changed) VALUES (?, ?, ?)", (conversation, when, when)
        )

    def _summary(self, conversation: str, found: str) -> Summary:
        row = self.db.execute(
            "SELECT id, title, begun, changed FROM conversation WHERE id = ?", (conversation,)
        ).fetchone()
        return replace(Summary(*row), found=found)

    def _piece(self, message: int | None, wanted: str) -> str:
        if message is None:
            return ""
        row = self.db.execute(
            "SELECT snippet(words, 0, ?, ?, '…', ?) FROM words WHERE words MATCH ? AND rowid = ?",
            (search.MATCH_BEGIN, search.MATCH_END, _FOUND_WORDS, wanted, message),
        ).fetchone()
        return search.shown(row[0]) if row else ""

    def _limit_sounds(self, limit: int) -> None:
        total = self.db.execute("SELECT total(size) FROM sound").fetchone()[0]
        while total > limit:
            message, size = self.db.execute("SELECT message, size FROM sound ORDER BY message LIMIT 1").fetchone()
            self.db.execute("DELETE FROM sound WHERE message = ?", (message,))
            total -= size
