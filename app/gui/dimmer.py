"""What lies over the part of a window that cannot be used now."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget


class Dimmer(QWidget):
    """Lies over what cannot be used now.

    Signals: `clicked()`.
    """

    clicked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), QColor(0, 0, 0, 110))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.clicked.emit()
