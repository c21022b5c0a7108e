"""Ctrl-C and a polite kill close the window, as its own button does."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name))


class Interrupts(QObject):
    """Calls `on_interrupt` on the window's thread when the process is told to leave.

    Python runs signal handlers only between its own instructions, and Qt's event loop has none while it
    waits. So the interpreter writes a byte into a socket, and Qt wakes up for it.
    """

    def __init__(self, on_interrupt: Callable[[], object]) -> None:
        super().__init__()
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._on_interrupt = on_interrupt
        self._before_fd = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        self._before = {number: signal.signal(number, self._ignore) for number in _SIGNALS}
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._woken)

    def close(self) -> None:
        """Put everything back as it was."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._before_fd)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._reader.close()
        self._writer.close()

    def _woken(self) -> None:
        if any(number in _SIGNALS for number in self._reader.recv(64)):
            self._on_interrupt()

    def _ignore(self, number: int, frame: FrameType | None) -> None:
        """The byte in the socket does the work."""
