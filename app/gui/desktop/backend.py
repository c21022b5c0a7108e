"""What all ways to a global hotkey have in common."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QObject, Signal

from app.gui.desktop.keys import Key


class State(StrEnum):
    """Whether the hotkey works."""

    OFF = "off"
    WAITING = "waiting"
    ON = "on"
    TAKEN = "taken"
    REFUSED = "refused"
    NO_PERMISSION = "no_permission"
    UNKNOWN_KEY = "unknown_key"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True)
class Status:
    """`state`, and with it the keys in the system's own words where it may have chosen others."""

    state: State = State.OFF
    keys: str = ""


class Backend(QObject):
    """One way to learn of a key while other programs have the keyboard. Lives on the window's thread.

    Signals: `pressed()` and `released()`, always in pairs, however long the key repeats; `told(Status)`.
    """

    pressed = Signal()
    released = Signal()
    told = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._down = False

    def start(self, key: Key) -> None:
        """Watch `key` from now on. Never raises: what goes wrong is told."""
        raise NotImplementedError

    def stop(self) -> None:
        """Watch nothing any more. A key that is down counts as released."""
        raise NotImplementedError

    def _went(self, down: bool) -> None:
        """The key went down or up; repeats do no harm."""
        if down != self._down:
            self._down = down
            (self.pressed if down else self.released).emit()
