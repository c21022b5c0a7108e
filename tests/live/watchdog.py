"""Watches how long the window's thread takes for one thing while an answer is spoken."""

from __future__ import annotations

import sys
import time

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

from app.gui.window import MainWindow

LOOK_MS = 5


class Watchdog(QObject):
    """Looks every 5 ms. Counts the thread's own work between two looks, which another program cannot lengthen, and
    the time on the wall, which it can; both go to stderr at the end.
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        self._before: tuple[float, float] | None = None
        self._busiest = self._slowest = 0.0
        self._looks = 0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._look)
        self._timer.start(LOOK_MS)

    def report(self) -> None:
        """Say what was seen."""
        self._timer.stop()
        print(
            f"busiest {self._busiest:.1f} ms, slowest {self._slowest:.1f} ms, {self._looks} looks",
            file=sys.stderr,
            flush=True,
        )

    def _look(self) -> None:
        windows = [one for one in self._app.topLevelWidgets() if isinstance(one, MainWindow)]
        if not windows or windows[0].situation().activity != "speaking":
            self._before = None
            return
        now = (time.thread_time(), time.monotonic())
        if self._before is not None:
            self._looks += 1
            self._busiest = max(self._busiest, 1_000 * (now[0] - self._before[0]))
            self._slowest = max(self._slowest, 1_000 * (now[1] - self._before[1]))
        self._before = now
