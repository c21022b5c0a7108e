"""Stops work that runs on another thread, even where it waits for the network."""

from __future__ import annotations

import contextlib
import socket
import threading

from app.hub.errors import Stopped


class Control:
    """One piece of work and the way to stop it. Any thread may call `stop`; the rest belongs to the work."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []

    @property
    def stopped(self) -> bool:
        """Whether the work is to end."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """End the work: whatever waits for the network is cut off."""
        self._stopped.set()
        with self._lock:
            for one in self._sockets:
                _cut(one)

    def check(self) -> None:
        """Raise Stopped where the work is to end."""
        if self.stopped:
            raise Stopped

    def wait(self, seconds: float) -> None:
        """Let time pass. Raises Stopped."""
        if self._stopped.wait(seconds):
            raise Stopped

    def opened(self, connection: socket.socket) -> None:
        """This connection is to be cut by `stop`."""
        with self._lock:
            self._sockets = [one for one in self._sockets if one.fileno() >= 0]
            self._sockets.append(connection)
        if self.stopped:
            _cut(connection)


def _cut(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
