"""What the window relies on in PySide6 itself."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication


class _Source(QObject):
    happened = Signal(object)


def test_emitting_a_signal_keeps_the_count_of_true(qapp: QApplication) -> None:
    """PySide6 6.12.0 loses a reference to True with each `emit`: Python 3.11 aborts after some hundred signals."""
    source = _Source()
    before = sys.getrefcount(True)
    for _ in range(100):
        source.happened.emit(None)
    assert sys.getrefcount(True) > before - 50, "take another PySide6 than 6.12.0 for Python 3.11"
