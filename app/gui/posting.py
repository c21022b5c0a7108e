"""From any thread to the window's: what must touch a widget is handed over here."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal


class Posting(QObject):
    """Call it with a function, from any thread: the functions run on the thread this lives on, in order."""

    _posted = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._closed = False
        self._posted.connect(self._run, Qt.ConnectionType.QueuedConnection)

    def __call__(self, function: Callable[[], object]) -> None:
        """Run `function` soon."""
        # Qt deletes this object at the very end, while another thread may still be on its last piece of work.
        with contextlib.suppress(RuntimeError):
            self._posted.emit(function)

    def close(self) -> None:
        """Run nothing any more, not even what waits."""
        self._closed = True

    def _run(self, function: Callable[[], object]) -> None:
        if not self._closed:
            function()
