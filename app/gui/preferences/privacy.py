"""What is kept of conversations, and for how long."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.gui import icons, theme
from app.gui.preferences.page import Page
from app.gui.preferences.parts import Choice, Switch
from app.gui.preferences.promise import promise
from app.settings import Keep, Settings


class PrivacyPage(Page):
    """Retention and deletion.

    Signals: `delete_all_clicked()`.
    """

    delete_all_clicked = Signal()
    FIELDS = ("keep", "keep_sound", "keep_turn_sound", "weather")

    def build(self) -> None:
        self.card().add(self._promise())
        card = self.card(self.tr("Conversations"))
        self.keep = Choice(
            (
                (Keep.FOREVER, self.tr("For ever")),
                (Keep.MONTH, self.tr("For 30 days")),
                (Keep.WEEK, self.tr("For 7 days")),
                (Keep.NOT_AT_ALL, self.tr("Not at all: only until Banter closes")),
            )
        )
        self.keep.activated.connect(lambda index: self.changed.emit({"keep": self.keep.itemData(index)}))
        card.row(
            self.tr("&Keep conversations"),
            self.keep,
            self.tr("Counted from their last message. Older ones are deleted."),
        )
        self.sound = Switch()
        self.sound.clicked.connect(lambda on: self.changed.emit({"keep_sound": on}))
        card.row(
            self.tr("Keep the &sound of answers too"),
            self.sound,
            self.tr("So that they can be played again later; up to 200 MB. Your own voice is not kept with them."),
        )
        self.delete = QPushButton(self.tr("&Delete all conversations…"))
        self.delete.setProperty("kind", "danger")
        self.delete.setToolTip(self.tr("You are asked once more before anything is deleted"))
        self.delete.clicked.connect(self.delete_all_clicked)
        card.add(self.delete, Qt.AlignmentFlag.AlignLeft)
        card = self.card(self.tr("Reports"))
        self.turn_sound = Switch()
        self.turn_sound.clicked.connect(lambda on: self.changed.emit({"keep_turn_sound": on}))
        card.row(
            self.tr("Keep the last turn’s sound for &reports"),
            self.turn_sound,
            self.tr(
                "In memory only, until the next turn or until Banter closes, so that “Report this turn” in the menu of "
                "a message can save what was heard. Nothing is ever sent."
            ),
        )
        card = self.card(self.tr("Network"))
        self.weather = Switch()
        self.weather.clicked.connect(lambda on: self.changed.emit({"weather": on}))
        card.row(
            self.tr("Ask for the &weather in the network"),
            self.weather,
            self.tr(
                "Only when you ask for it: the name of the place then goes to open-meteo.com, and nothing else does."
            ),
        )
        self._dress()

    def show_settings(self, settings: Settings) -> None:
        self.keep.set_value(settings.keep)
        self.sound.setChecked(settings.keep_sound)
        self.turn_sound.setChecked(settings.keep_turn_sound)
        self.weather.setChecked(settings.weather)
        headline, more = promise(settings)
        self._headline.setText(headline)
        self._more.setText(more)
        self.sound.setEnabled(settings.keep != Keep.NOT_AT_ALL)

    def _promise(self) -> QWidget:
        promise = QWidget()
        self._lock = QLabel()
        headline = self._headline = QLabel()
        headline.setWordWrap(True)
        theme.set_size(headline, 1.05, QFont.Weight.DemiBold)
        more = self._more = QLabel()
        more.setProperty("muted", True)
        more.setWordWrap(True)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(headline)
        words.addWidget(more)
        row = QHBoxLayout(promise)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(14)
        row.addWidget(self._lock, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addLayout(words, 1)
        return promise

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "delete"):
            self._dress()

    def _dress(self) -> None:
        self._lock.setPixmap(icons.icon("privacy", theme.colours().accent, 28).pixmap(QSize(28, 28)))
