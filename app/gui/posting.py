"""From any thread to the window's: what must touch a widget is handed over here."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal


class Posting(QObject):
    """Call it with a function, from any thread: the functions run on the thread this lives on, in order.

    What comes in quick succession runs in one go, since each waking of that thread costs more than most functions.
    """

    _posted = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._closed = False
        self._waiting: deque[Callable[[], object]] = deque()
        self._told = False
        self._posted.connect(self._run, Qt.ConnectionType.QueuedConnection)

    def __call__(self, function: Callable[[], object]) -> None:
        """Run `function` soon."""
        self._waiting.append(function)
        if not self._told:
            self._told = True
            self._tell()

    def _tell(self) -> None:
        # Qt deletes this object at the very end, while another thread may still be on its last piece of work.
        with contextlib.suppress(RuntimeError):
            self._posted.emit()

    def close(self) -> None:
        """Run nothing any more, not even what waits."""
        self._closed = True

    def _run(self) -> None:
        self._told = False
        # No more than there are now: the window has other things to do too.
        for _ in range(len(self._waiting)):
            if not self._waiting:
                # One of them ran a loop of its own, which ran the others.
                return
            function = self._waiting.popleft()
            if self._closed:
                continue
            try:
                function()
            except BaseException:
                # The others are not to wait for the next one.
                self._tell()
                raise
