"""Short notes in the user's own words: taken and read by voice, listed, exported and deleted in a window."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from app.tools.agenda.clock import Clock
from app.tools.agenda.speech import read_out
from app.tools.agenda.store import Store
from app.tools.agenda.tools import card_line, speaking_of_the_file
from app.tools.registry import load_descriptions
from app.tools.tool import Arguments, Result, Tool, ToolFailure
from app.tools.words.lists import counted
from app.tools.words.numbers import cardinal
from app.tools.words.plain import plain
from app.tools.words.reading import words_of

NOTES_MOST = 2_000
# Of a long one only the beginning is read out.
READ_WORDS_MOST = 30
_FILLERS = frozenset({"the", "my", "a", "an", "about", "on", "of", "for", "our", "some"})


@dataclass(frozen=True)
class Note:
    """One note. `written` is aware, in the clock's zone."""

    id: int
    text: str
    written: datetime


class FullError(Exception):
    """There are as many notes as there may be."""


class Notes:
    """The notes in the file of the agenda. Any thread may call; every method may raise StoreError."""

    def __init__(self, store: Store, clock: Clock, on_change: Callable[[], None] = lambda: None) -> None:
        """`on_change` is called after every change, on the thread that made it."""
        self.on_change = on_change
        self._store = store
        self._clock = clock

    def add(self, text: str) -> None:
        """Keep `text`. Raises FullError."""

        def add(db: sqlite3.Connection) -> None:
            if db.execute("SELECT count(*) FROM note").fetchone()[0] >= NOTES_MOST:
                raise FullError
            db.execute("INSERT INTO note (text, written) VALUES (?, ?)", (text, self._clock.now().timestamp()))

        self._store.change(add)
        self.on_change()

    def all(self) -> list[Note]:
        """Every note, in the order in which they were taken."""
        zone = self._clock.now().tzinfo
        rows = self._store.read(lambda db: db.execute("SELECT id, text, written FROM note ORDER BY id").fetchall())
        return [Note(number, text, datetime.fromtimestamp(when, UTC).astimezone(zone)) for number, text, when in rows]

    def about(self, subject: str) -> list[Note]:
        """Those with all the words of `subject`, whatever their case and number."""
        wanted = _stems(subject)
        return [note for note in self.all() if wanted <= _stems(note.text)]

    def delete(self, numbers: Sequence[int]) -> int:
        """Delete for good; returns how many there were."""
        values = [(number,) for number in numbers]
        count = self._store.change(lambda db: db.executemany("DELETE FROM note WHERE id = ?", values).rowcount)
        self._store.wipe_deleted()
        self.on_change()
        return count

    def markdown(self) -> str:
        """All notes as a Markdown document, one list per day, oldest first."""
        lines = ["# Notes"]
        day = None
        for note in self.all():
            if note.written.date() != day:
                day = note.written.date()
                lines += ["", f"## {day.isoformat()}", ""]
            # A note of several lines stays one item of the list.
            text = "\n  ".join(_escaped(line) for line in note.text.splitlines())
            lines.append(f"- {note.written:%H:%M} {text}")
        return "\n".join(lines) + "\n"


def _escaped(line: str) -> str:
    return re.sub(r"([\\`*_\[\]<>#|~])", r"\\\1", line.strip())


def _stems(text: str) -> set[str]:
    words = {word for word in words_of(plain(text)) if word not in _FILLERS}
    return {word.removesuffix("'s").removesuffix("s") if len(word) > 3 else word for word in words}


def note_tools(notes: Notes) -> list[Tool]:
    """Taking and reading notes by voice."""

    def take(arguments: Arguments) -> Result:
        text = " ".join(arguments["text"].split())
        if not text:
            raise ToolFailure
        try:
            notes.add(text)
        except FullError:
            raise ToolFailure(f"You have {cardinal(NOTES_MOST)} notes already, so please delete some first.") from None
        return Result({"text": text, "spoken_text": _short(text)}, card_line(text))

    def read(arguments: Arguments) -> Result:
        subject = arguments.get("query", "")
        about = f" about {plain(subject)}" if subject else ""
        found = notes.about(subject) if subject else notes.all()
        if arguments.get("which") == "latest":
            if not found:
                raise ToolFailure(f"You have no notes{about}.")
            last = found[-1].text
            return Result({"count": len(found), "spoken_latest": _short(last)}, card_line(last))
        lines = [note.text for note in found]
        return Result({"count": len(found), "spoken_summary": _summary(found, about)}, card_line(*lines))

    descriptions = load_descriptions()
    return [
        Tool(descriptions["take_note"], speaking_of_the_file(take)),
        Tool(descriptions["read_notes"], speaking_of_the_file(read)),
    ]


def _summary(notes: Sequence[Note], about: str) -> str:
    if not notes:
        return f"no notes{about}"
    # What was noted last matters most.
    return f"{counted(len(notes), 'note')}{about}, {read_out([_short(note.text) for note in reversed(notes)])}"


def _short(text: str) -> str:
    words = plain(text).rstrip(".").split()
    if len(words) <= READ_WORDS_MOST:
        return " ".join(words)
    return " ".join(words[:READ_WORDS_MOST]) + " and so on"
