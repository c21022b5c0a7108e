"""A global hotkey on Wayland, by the GlobalShortcuts portal: the desktop asks the user and tells of the key alone."""

from __future__ import annotations

import contextlib
import itertools
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, QSocketNotifier

from app.gui.desktop.backend import Backend, State, Status
from app.gui.desktop.keys import Key, Modifier

APP_ID = "banter"
SHORTCUT = "talk"
BUS_NAME = "org.freedesktop.portal.Desktop"
PATH = "/org/freedesktop/portal/desktop"
SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"
REQUEST = "org.freedesktop.portal.Request"
REGISTRY = "org.freedesktop.host.portal.Registry"
_WORDS = {Modifier.CTRL: "CTRL", Modifier.ALT: "ALT", Modifier.SHIFT: "SHIFT", Modifier.META: "LOGO"}
_tokens = itertools.count(1)


def trigger(key: Key) -> str:
    """`key` in the portal's words: "CTRL+ALT+space"."""
    return "+".join([word for modifier, word in _WORDS.items() if modifier in key.modifiers] + [key.name])


class PortalBackend(Backend):
    """One session with the portal on the session's D-Bus.

    The wish is only a proposal: the desktop may show a question, and take other keys as the user says there.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bus: Any = None
        self._notifier: QSocketNotifier | None = None
        self._key: Key | None = None
        self._session = ""
        # The serial number of a call, or the path of a request, and what is to be done with its answer.
        self._calls: dict[int, Any] = {}
        self._requests: dict[str, Any] = {}

    def start(self, key: Key) -> None:
        self.stop()
        self._key = key
        try:
            from jeepney import MatchRule, message_bus
            from jeepney.io.blocking import open_dbus_connection

            self._bus = open_dbus_connection("SESSION")
        except (ImportError, OSError, KeyError, ValueError, RuntimeError):
            # No package, no bus, or an address that is none.
            self.told.emit(Status(State.UNAVAILABLE))
            return
        self._notifier = QSocketNotifier(self._bus.sock.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._drain)
        self.told.emit(Status(State.WAITING, key.text))
        for interface in (SHORTCUTS, REQUEST):
            rule = MatchRule(type="signal", sender=BUS_NAME, interface=interface)
            self._send(message_bus.AddMatch(rule), lambda body: None)
        # Newer portals want to know whose keys these are; older ones have no such method.
        self._call(REGISTRY, "Register", "sa{sv}", (APP_ID, {}), lambda body: None, must=False)
        token = f"banter{next(_tokens)}"
        options = {"session_handle_token": ("s", token)}
        self._request("CreateSession", "a{sv}", (), options, self._created)

    def stop(self) -> None:
        if self._notifier is not None:
            self._notifier.setEnabled(False)
            self._notifier.deleteLater()
            self._notifier = None
        if self._bus is not None:
            # Ends the session too.
            with contextlib.suppress(OSError):
                self._bus.close()
            self._bus = None
        self._calls.clear()
        self._requests.clear()
        self._session = ""
        self._key = None
        self._went(False)

    # --- what is asked

    def _created(self, results: dict[str, Any]) -> None:
        assert self._key is not None
        self._session = results["session_handle"][1]
        words = QCoreApplication.translate("Desktop", "Talk to Banter")
        shortcut = (SHORTCUT, {"description": ("s", words), "preferred_trigger": ("s", trigger(self._key))})
        before = (self._session, [shortcut], "")
        self._request("BindShortcuts", "oa(sa{sv})sa{sv}", before, {}, self._bound)

    def _bound(self, results: dict[str, Any]) -> None:
        assert self._key is not None
        taken = dict(results.get("shortcuts", ("", []))[1])
        if SHORTCUT not in taken:
            self._fail(State.REFUSED)
            return
        keys = taken[SHORTCUT].get("trigger_description", ("s", ""))[1]
        self.told.emit(Status(State.ON, keys or self._key.text))

    def _request(
        self, method: str, signature: str, before: tuple[Any, ...], options: dict[str, Any], done: Any
    ) -> None:
        """Call a method that answers later, by the signal `Response` of a request."""
        if self._bus is None:
            return
        token = f"banter{next(_tokens)}"
        sender = self._bus.unique_name.lstrip(":").replace(".", "_")
        path = f"{PATH}/request/{sender}/{token}"
        self._requests[path] = done

        def called(body: tuple[Any, ...]) -> None:
            # Old portals choose the path themselves.
            if body and body[0] != path and path in self._requests:
                self._requests[body[0]] = self._requests.pop(path)

        options = options | {"handle_token": ("s", token)}
        self._call(SHORTCUTS, method, signature, (*before, options), called)

    def _call(
        self, interface: str, method: str, signature: str, body: tuple[Any, ...], done: Any, must: bool = True
    ) -> None:
        from jeepney import DBusAddress, new_method_call

        address = DBusAddress(PATH, bus_name=BUS_NAME, interface=interface)
        self._send(new_method_call(address, method, signature, body), done, must)

    def _send(self, message: Any, done: Any, must: bool = True) -> None:
        if self._bus is None:
            return
        serial = next(self._bus.outgoing_serial)
        self._calls[serial] = (done, must)
        try:
            self._bus.send(message, serial=serial)
        except OSError:
            self._fail(State.UNAVAILABLE)

    # --- what is answered

    def _drain(self) -> None:
        while self._bus is not None:
            try:
                message = self._bus.receive(timeout=0)
            except TimeoutError:
                return
            except (OSError, EOFError):
                self._fail(State.UNAVAILABLE)
                return
            self._take(message)

    def _take(self, message: Any) -> None:
        from jeepney import HeaderFields, MessageType

        fields = message.header.fields
        kind = message.header.message_type
        if kind in (MessageType.method_return, MessageType.error):
            done, must = self._calls.pop(fields.get(HeaderFields.reply_serial), (None, False))
            if kind == MessageType.method_return and done is not None:
                done(message.body)
            elif kind == MessageType.error and must:
                self._fail(State.UNAVAILABLE)
        elif kind == MessageType.signal:
            self._signal(fields.get(HeaderFields.member), fields.get(HeaderFields.path), message.body)

    def _signal(self, member: str, path: str, body: tuple[Any, ...]) -> None:
        if member == "Response" and path in self._requests:
            done = self._requests.pop(path)
            code, results = body
            if code == 0:
                done(results)
            else:
                self._fail(State.REFUSED)
        elif member in ("Activated", "Deactivated") and body[:2] == (self._session, SHORTCUT):
            self._went(member == "Activated")
        elif member == "ShortcutsChanged" and body[0] == self._session:
            self._bound({"shortcuts": ("a(sa{sv})", body[1])})

    def _fail(self, state: State) -> None:
        self.stop()
        self.told.emit(Status(state))
