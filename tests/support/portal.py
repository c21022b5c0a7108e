"""A private D-Bus for tests, and the GlobalShortcuts portal on it, as a desktop would offer it."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from app.gui.desktop.portal import BUS_NAME, PATH, REQUEST, SHORTCUTS

_servers: dict[str, subprocess.Popen[str]] = {}


def missing() -> str:
    """What this machine lacks for it, as one sentence; "" when nothing."""
    return "" if shutil.which("dbus-daemon") else "needs dbus-daemon: apt-get install dbus-daemon"


@contextmanager
def session_bus() -> Iterator[str]:
    """Start a bus, whose address it gives, and always stop it."""
    command = ["dbus-daemon", "--session", "--nofork", "--print-address=1", "--nopidfile"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout is not None
    address = server.stdout.readline().strip()
    _servers[address] = server
    try:
        yield address
    finally:
        stop_bus(address)
        server.stdout.close()
        del _servers[address]


def stop_bus(address: str) -> None:
    """End the bus, and with it everybody's connection."""
    _servers[address].terminate()
    _servers[address].wait(timeout=20)


class Portal:
    """Answers on a thread of its own. The user takes "Meta+T" instead of what was proposed, or `refuses`."""

    def __init__(self, address: str, refuses: bool = False) -> None:
        from jeepney import message_bus
        from jeepney.io.blocking import open_dbus_connection

        self.asked: dict[str, tuple[str, str]] = {}
        self._refuses = refuses
        self._session = ""
        self._client = ""
        self._bus = open_dbus_connection(address)
        self._bus.send_and_get_reply(message_bus.RequestName(BUS_NAME))
        self._thread = threading.Thread(target=self._serve, name="portal")

    def __enter__(self) -> Portal:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._quit = True
        self._thread.join()
        self._bus.close()

    _quit = False

    def tell(self, member: str, shortcut: str) -> None:
        """Send "Activated" or "Deactivated"."""
        self._signal(PATH, SHORTCUTS, member, "osta{sv}", (self._session, shortcut, 0, {}))

    def _serve(self) -> None:
        while not self._quit:
            try:
                message = self._bus.receive(timeout=0.05)
            except TimeoutError:
                continue
            except OSError:
                return
            self._answer(message)

    def _answer(self, message: Any) -> None:
        from jeepney import HeaderFields, MessageType, new_error, new_method_return

        if message.header.message_type != MessageType.method_call:
            return
        fields = message.header.fields
        member, self._client = fields[HeaderFields.member], fields[HeaderFields.sender]
        if fields[HeaderFields.interface] != SHORTCUTS:
            # As a portal of before 2025 that knows no registry.
            self._bus.send(new_error(message, "org.freedesktop.DBus.Error.UnknownMethod"))
            return
        options = message.body[-1]
        who = self._client.lstrip(":").replace(".", "_")
        request = f"{PATH}/request/{who}/{options['handle_token'][1]}"
        self._bus.send(new_method_return(message, "o", (request,)))
        if member == "CreateSession":
            self._session = f"{PATH}/session/{who}/{options['session_handle_token'][1]}"
            self._respond(request, 0, {"session_handle": ("s", self._session)})
            return
        assert member == "BindShortcuts" and message.body[0] == self._session
        for name, more in message.body[1]:
            self.asked[name] = (more["description"][1], more["preferred_trigger"][1])
        bound = [(name, {"trigger_description": ("s", "Meta+T")}) for name in self.asked]
        if self._refuses:
            self._respond(request, 1, {})
        else:
            self._respond(request, 0, {"shortcuts": ("a(sa{sv})", bound)})

    def _respond(self, request: str, code: int, results: dict[str, Any]) -> None:
        self._signal(request, REQUEST, "Response", "ua{sv}", (code, results))

    def _signal(self, path: str, interface: str, member: str, signature: str, body: tuple[Any, ...]) -> None:
        from jeepney import DBusAddress, HeaderFields, new_signal

        message = new_signal(DBusAddress(path, interface=interface), member, signature, body)
        message.header.fields[HeaderFields.destination] = self._client
        self._bus.send(message)
