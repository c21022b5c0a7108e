"""The quiet offer of a sound check, at the first start."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.gui import icons, theme


class OfferCard(QFrame):
    """Stands above the dock and holds nothing up.

    Signals: `accepted()`, `declined()`.
    """

    accepted = Signal()
    declined = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._picture = QLabel()
        headline = QLabel(self.tr("Check your microphone and speaker?"))
        headline.setWordWrap(True)
        theme.set_size(headline, 1.0, QFont.Weight.DemiBold)
        more = QLabel(self.tr("It takes ten seconds and finds out how you talk best here. You start the sound."))
        more.setProperty("muted", True)
        more.setWordWrap(True)
        theme.set_size(more, 0.92)
        self.setAccessibleName(headline.text())
        self.check = QPushButton(self.tr("Check the sound"))
        self.check.setProperty("kind", "chip")
        self.check.clicked.connect(self.accepted)
        self.later = QPushButton()
        self.later.setProperty("kind", "bare")
        self.later.setToolTip(self.tr("Not now; it is in the settings under Sound"))
        self.later.setAccessibleName(self.tr("Do without the sound check"))
        self.later.clicked.connect(self.declined)
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(headline)
        words.addWidget(more)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 10, 8, 10)
        row.setSpacing(12)
        row.addWidget(self._picture)
        row.addLayout(words, 1)
        row.addWidget(self.check)
        row.addWidget(self.later)
        self._dress()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "later"):
            self._dress()

    def _dress(self) -> None:
        self._picture.setPixmap(icons.icon("headset", theme.colours().accent, 24).pixmap(QSize(24, 24)))
        self.later.setIcon(icons.icon("close", theme.colours().text, 16))
        self._picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
