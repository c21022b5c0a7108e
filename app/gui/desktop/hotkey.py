"""The global hotkey: the way to it that this desktop offers, and what to tell the user about it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.gui.desktop import keys
from app.gui.desktop.backend import Backend, State, Status
from app.gui.desktop.hook import HookBackend
from app.gui.desktop.portal import PortalBackend
from app.gui.desktop.x11 import X11Backend

translate = QCoreApplication.translate


def backend_for(platform: str, environment: Mapping[str, str]) -> type[Backend] | None:
    """How to learn of a key on this system (`sys.platform`); None where there is no screen."""
    if not platform.startswith("linux"):
        return HookBackend
    # Under Wayland there often is an X server too, which is told only of the keys of its own windows.
    if environment.get("WAYLAND_DISPLAY"):
        return PortalBackend
    return X11Backend if environment.get("DISPLAY") else None


class Hotkey(QObject):
    """One key that works whichever program has the keyboard.

    Signals: `pressed()` and `released()` in pairs; `status_changed()`.
    """

    pressed = Signal()
    released = Signal()
    status_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.status = Status()
        self._text = ""
        self._paused = False
        make = backend_for(sys.platform, os.environ)
        self._backend = make(self) if make is not None else None
        if self._backend is not None:
            self._backend.pressed.connect(self.pressed)
            self._backend.released.connect(self.released)
            self._backend.told.connect(self._told)

    def set_key(self, text: str) -> None:
        """Watch this key (portable text such as "Ctrl+Alt+Space") from now on, "" none."""
        if text != self._text:
            self._text = text
            self._apply()

    def pause(self, paused: bool) -> None:
        """Let the key go for as long as the user is choosing one."""
        if paused != self._paused:
            self._paused = paused
            self._apply()

    def close(self) -> None:
        """Watch nothing any more."""
        self._text = ""
        if self._backend is not None:
            self._backend.stop()

    def sentence(self) -> str:
        """What the settings say about it."""
        match self.status.state:
            case State.OFF:
                return translate("Hotkey", "Choose a key that starts your question from any program.")
            case State.WAITING:
                return translate("Hotkey", "Waiting for your desktop to allow the key…")
            case State.ON:
                return translate("Hotkey", "{keys} works in every program.").format(keys=keys.shown(self.status.keys))
            case State.TAKEN:
                return translate("Hotkey", "Another program uses this key already: choose another one.")
            case State.REFUSED:
                return translate("Hotkey", "Your desktop did not allow the key: choose it again to be asked once more.")
            case State.NO_PERMISSION:
                return translate(
                    "Hotkey",
                    "Your system does not let Banter see the key yet: allow it in System Settings, Privacy & Security, "
                    "Accessibility, then start Banter again.",
                )
            case State.UNKNOWN_KEY:
                return translate("Hotkey", "This key cannot be used here: choose another one.")
        text = translate(
            "Hotkey",
            "No key can be watched here: in your system's keyboard settings, set one for the command {command}",
        )
        return text.format(command="banter --toggle-talk")

    def _apply(self) -> None:
        if self._backend is None:
            self._told(Status(State.UNAVAILABLE if self._text else State.OFF))
            return
        key = keys.parse(self._text)
        if key is not None and not self._paused:
            self._backend.start(key)
            return
        self._backend.stop()
        if not self._paused:
            self._told(Status(State.UNKNOWN_KEY if self._text else State.OFF))

    def _told(self, status: Status) -> None:
        self.status = status
        self.status_changed.emit()
