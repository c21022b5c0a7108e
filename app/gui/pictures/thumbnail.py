"""A small picture with round corners."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

_ROUND = 8


class Thumbnail(QLabel):
    """Shows a JPEG file as large as it is made, sides as they are. Its accessible name says that it is a picture."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._image = QImage()
        self.setAccessibleName(self.tr("Picture"))

    def show_jpeg(self, jpeg: bytes) -> None:
        """Show this picture; what cannot be read shows as nothing."""
        self._image = QImage.fromData(jpeg)
        self.update()

    def fitting(self, most: QSize) -> QSize:
        """How large it can be within `most`, never larger than it is by itself."""
        size = self._image.size().boundedTo(most) if not self._image.isNull() else QSize(0, 0)
        shown = self._image.size().scaled(size, Qt.AspectRatioMode.KeepAspectRatio)
        return shown.expandedTo(QSize(1, 1)) if not self._image.isNull() else shown

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._image.isNull():
            return
        ratio = self.devicePixelRatioF()
        shown = self._image.scaled(
            self.size() * ratio, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
        )
        shown.setDevicePixelRatio(ratio)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shape = QPainterPath()
        shape.addRoundedRect(QRectF(self.rect()), _ROUND, _ROUND)
        painter.setClipPath(shape)
        painter.drawImage(0, 0, shown)
        painter.end()
