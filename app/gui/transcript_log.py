"""Writes the conversation to a file as it happens, for users who keep notes and for programs that listen in.

Set `BANTER_TRANSCRIPT_LOG=FILE` before the start: every finished message is added to FILE as one JSON line
with `time` (ISO 8601, with the offset to UTC), `turn`, `who` ("user" or "assistant"), `text`, `interrupted`.
"""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject

from app.gui.bubble import Entry
from app.gui.sentences import shown
from app.gui.window import MainWindow

VARIABLE = "BANTER_TRANSCRIPT_LOG"


class TranscriptLog:
    """Appends messages to the file at `path`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @classmethod
    def from_environment(cls) -> TranscriptLog | None:
        """The log that the user asked for, or None."""
        name = os.environ.get(VARIABLE)
        return cls(Path(name).expanduser()) if name else None

    def add(self, entry: Entry) -> None:
        """Append `entry`. Raises OSError."""
        line = {
            "time": datetime.now().astimezone().isoformat(timespec="milliseconds"),
            "turn": entry.turn,
            "who": str(entry.side),
            "text": entry.text,
            "interrupted": entry.interrupted,
        }
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


class LogWriter(QObject):
    """Writes the log that the user asked for, if any, and says once where it cannot be written."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._log = TranscriptLog.from_environment()

    def add(self, entry: Entry) -> None:
        """Write `entry` down."""
        if self._log is None:
            return
        try:
            self._log.add(entry)
        except OSError as error:
            self._log = None
            reason = shown(error.strerror or type(error).__name__)
            text = self.tr("The transcript file cannot be written: {reason}.").format(reason=reason)
            self._window.show_notice("log", text)
