"""A global hotkey on X11: the server is asked for this one key, so no other key is ever seen."""

from __future__ import annotations

import contextlib
import itertools
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QSocketNotifier, QTimer

from app.gui.desktop.backend import Backend, State, Status
from app.gui.desktop.keys import Key, Modifier

_LOCKS = (0xFF7F, 0xFF14)  # Num Lock, Scroll Lock
_ALT = (0xFFE9, 0xFFEA)
_SUPER = (0xFFEB, 0xFFEC)
REMAP_AFTER_MS = 200
_DEVICE = 0x100  # XKB's name for the keyboard that is used now


@dataclass(frozen=True)
class _Plan:
    """The numbers of the keys, and each state of the modifiers in which they count."""

    codes: list[int]
    modifiers: list[int]


class X11Backend(Backend):
    """Grabs the key in all states of the lock keys. The server tells nobody else of it meanwhile."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._x: Any = None
        self._key: Key | None = None
        self._notifier: QSocketNotifier | None = None
        self._plan: _Plan | None = None
        # One change of the layout comes as several events.
        self._remapper = QTimer(self)
        self._remapper.setSingleShot(True)
        self._remapper.setInterval(REMAP_AFTER_MS)
        self._remapper.timeout.connect(self._remap)

    def start(self, key: Key) -> None:
        self.stop()
        self._key = key
        try:
            import xcffib
            import xcffib.xkb
            import xcffib.xproto
        except (ImportError, OSError):
            # The package, or the library of the system that it loads.
            self.told.emit(Status(State.UNAVAILABLE))
            return
        try:
            self._x = xcffib.connect()
            self._no_repeats()
            self._plan = self._work_out(key)
            state = self._grab(self._plan)
        except xcffib.XcffibException:
            state = State.UNAVAILABLE
        if state == State.ON:
            self._notifier = QSocketNotifier(self._x.get_file_descriptor(), QSocketNotifier.Type.Read, self)
            self._notifier.activated.connect(self._drain)
            # Replies may have brought events along, which no longer wake the notifier.
            self._drain()
        else:
            self._disconnect()
        self.told.emit(Status(state, key.text))

    def stop(self) -> None:
        self._disconnect()
        self._key = None
        self._went(False)

    def _disconnect(self) -> None:
        self._remapper.stop()
        if self._notifier is not None:
            self._notifier.setEnabled(False)
            self._notifier.deleteLater()
            self._notifier = None
        if self._x is not None:
            # Ends the grabs too.
            with contextlib.suppress(Exception):
                self._x.disconnect()
            self._x = None

    def _no_repeats(self) -> None:
        """Have a key that is held down tell of its release once, at the end."""
        from xcffib import xkb

        extension = self._x(xkb.key)
        extension.UseExtension(1, 0).reply()
        repeat = xkb.PerClientFlag.DetectableAutoRepeat
        extension.PerClientFlags(_DEVICE, repeat, repeat, 0, 0, 0).reply()

    def _work_out(self, key: Key) -> _Plan:
        from xcffib import xproto

        bits = {Modifier.CTRL: xproto.ModMask.Control, Modifier.SHIFT: xproto.ModMask.Shift}
        bits[Modifier.ALT] = self._bit_of(_ALT) or xproto.ModMask._1
        bits[Modifier.META] = self._bit_of(_SUPER) or xproto.ModMask._4
        wanted = sum({bits[modifier] for modifier in key.modifiers})
        locks = {xproto.ModMask.Lock, *(self._bit_of((lock,)) for lock in _LOCKS)} - {0}
        more = {sum(some) for count in range(len(locks) + 1) for some in itertools.combinations(locks, count)}
        return _Plan(self._codes_of((key.keysym,)), sorted(wanted | one for one in more))

    def _grab(self, plan: _Plan) -> State:
        from xcffib import xproto

        if not plan.codes:
            return State.UNKNOWN_KEY
        mode = xproto.GrabMode.Async
        for screen, code, modifiers in itertools.product(self._x.get_setup().roots, plan.codes, plan.modifiers):
            request = self._x.core.GrabKey(False, screen.root, modifiers, code, mode, mode, is_checked=True)
            try:
                request.check()
            except xproto.AccessError:
                return State.TAKEN
        return State.ON

    def _codes_of(self, keysyms: tuple[int, ...]) -> list[int]:
        """The keys of this keyboard that give one of `keysyms`."""
        setup = self._x.get_setup()
        first, count = setup.min_keycode, setup.max_keycode - setup.min_keycode + 1
        reply = self._x.core.GetKeyboardMapping(first, count).reply()
        each = reply.keysyms_per_keycode
        rows = [reply.keysyms[at : at + each] for at in range(0, count * each, each)]
        # What a key gives by itself counts more than what it gives with Shift or in another layout.
        plain = [first + at for at, row in enumerate(rows) if row[0] in keysyms]
        return plain or [first + at for at, row in enumerate(rows) if any(keysym in row for keysym in keysyms)]

    def _bit_of(self, keysyms: tuple[int, ...]) -> int:
        """The modifier that one of `keysyms` sets; 0: none."""
        reply = self._x.core.GetModifierMapping().reply()
        each = reply.keycodes_per_modifier
        codes = self._codes_of(keysyms)
        for number in range(8):
            if any(code in codes for code in reply.keycodes[number * each : (number + 1) * each] if code):
                return 1 << number
        return 0

    def _drain(self) -> None:
        from xcffib import XcffibException, xproto

        codes = self._plan.codes if self._plan is not None else []
        try:
            while self._x is not None and (event := self._x.poll_for_event()) is not None:
                if isinstance(event, xproto.KeyReleaseEvent) and event.detail in codes:
                    self._went(False)
                elif isinstance(event, xproto.KeyPressEvent) and event.detail in codes:
                    self._went(True)
                elif isinstance(event, xproto.MappingNotifyEvent) and event.request != xproto.Mapping.Pointer:
                    self._remapper.start()
        except XcffibException:
            self.stop()
            self.told.emit(Status(State.UNAVAILABLE))

    def _remap(self) -> None:
        """Another keyboard layout: the key may be elsewhere now."""
        from xcffib import XcffibException

        try:
            moved = self._key is not None and self._x is not None and self._work_out(self._key) != self._plan
        except XcffibException:
            moved = False
        if moved and self._key is not None:
            self.start(self._key)
        else:
            self._drain()
