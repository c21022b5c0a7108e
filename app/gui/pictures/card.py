"""The picture that goes with the next question, above the talk button."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.gui import icons, theme
from app.gui.buttons import bare_button
from app.gui.pictures.thumbnail import Thumbnail

_MOST = QSize(96, 64)


class PictureCard(QFrame):
    """Hidden while there is no picture. Signals: `removed()` by the user."""

    removed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tool")
        self._thumbnail = Thumbnail()
        headline = QLabel(self.tr("Goes with your next question"))
        theme.set_size(headline, 1.0, QFont.Weight.DemiBold)
        hint = QLabel(self.tr("Ask about it aloud or in writing"))
        hint.setProperty("muted", True)
        for label in (headline, hint):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.remove = bare_button(self.tr("Remove the picture"), self.tr("Remove the picture"), 16)
        self.remove.clicked.connect(self.removed)
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addStretch(1)
        words.addWidget(headline)
        words.addWidget(hint)
        words.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 8, 8, 8)
        row.setSpacing(12)
        row.addWidget(self._thumbnail)
        row.addLayout(words, 1)
        row.addWidget(self.remove, 0, Qt.AlignmentFlag.AlignTop)
        self.setAccessibleName(self.tr("Picture for your next question"))
        self._dress()
        self.hide()

    def show_jpeg(self, jpeg: bytes) -> None:
        """Show this picture."""
        self._thumbnail.show_jpeg(jpeg)
        self._thumbnail.setFixedSize(self._thumbnail.fitting(_MOST))
        self.show()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "remove"):
            self._dress()

    def _dress(self) -> None:
        self.remove.setIcon(icons.icon("close", theme.colours().text, 16))
