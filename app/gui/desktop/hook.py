"""A global hotkey on Windows and macOS, by the keyboard hook of pynput."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from app.gui.desktop.backend import Backend, State, Status
from app.gui.desktop.keys import Key, Modifier

# On a Mac, what Qt calls Ctrl is the Command key.
_MODIFIERS = {
    Modifier.CTRL: "cmd" if sys.platform == "darwin" else "ctrl",
    Modifier.META: "ctrl" if sys.platform == "darwin" else "cmd",
    Modifier.ALT: "alt",
    Modifier.SHIFT: "shift",
}


class HookBackend(Backend):
    """Sees all keys, on pynput's thread, and compares them with the one wanted; nothing is kept of the others."""

    _moved = Signal(object, bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._listener: Any = None
        self._moved.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def start(self, key: Key) -> None:
        self.stop()
        try:
            from pynput import keyboard
        except Exception:
            # ImportError, or whatever its backend raises where there is no keyboard to be had.
            self.told.emit(Status(State.UNAVAILABLE))
            return
        named = getattr(keyboard.Key, key.hook, None) if len(key.hook) > 1 else keyboard.KeyCode.from_char(key.hook)
        if named is None:
            self.told.emit(Status(State.UNKNOWN_KEY, key.text))
            return
        wanted = {getattr(keyboard.Key, _MODIFIERS[modifier]) for modifier in key.modifiers}
        all_modifiers = {getattr(keyboard.Key, name) for name in _MODIFIERS.values()}
        held: set[Any] = set()

        def on_press(pressed: Any) -> None:
            plain = listener.canonical(pressed)
            if plain in all_modifiers:
                held.add(plain)
            elif named in (plain, pressed) and held == wanted:
                self._tell(listener, True)

        def on_release(released: Any) -> None:
            plain = listener.canonical(released)
            held.discard(plain)
            if named in (plain, released):
                self._tell(listener, False)

        listener = keyboard.Listener(on_press=on_press, on_release=on_release)
        # A hook must not keep the program alive.
        listener.daemon = True
        try:
            listener.start()
            listener.wait()
        except Exception:
            self.told.emit(Status(State.UNAVAILABLE))
            return
        self._listener = listener
        # Only a Mac has this, and there the hook is deaf until the user allows it.
        allowed = getattr(listener, "IS_TRUSTED", True)
        self.told.emit(Status(State.ON if allowed else State.NO_PERMISSION, key.text))

    def stop(self) -> None:
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.stop()
            listener.join(2.0)
        self._went(False)

    def _tell(self, listener: Any, down: bool) -> None:
        # On another thread; Qt may have deleted this object meanwhile.
        with contextlib.suppress(RuntimeError):
            self._moved.emit(listener, down)

    def _take(self, listener: Any, down: bool) -> None:
        if listener is self._listener:
            self._went(down)
