"""The window of the models: a list of them, and how they are fetched and kept."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.gui import theme
from app.gui.models.card import ModelCard
from app.gui.models.rows import Act, Row
from app.gui.preferences.page import Page, without_shortcut
from app.gui.preferences.parts import Choice, Segments, Switch
from app.hub.sources import MODELSCOPE, is_address
from app.settings import Settings

SIZE = QSize(692, 720)
LEAST_HEIGHT = 420
_OTHER = "other"
_BEGINNING = "https://"
_AFTER = (0, 5, 15, 60)


class ModelsPage(Page):
    """The list and, below it, the settings of the models.

    Signals: `wanted(str, Act)` for a model by its name.
    """

    wanted = Signal(str, object)
    FIELDS = ("mirror", "offline", "unload_after")

    def build(self) -> None:
        self.cards: dict[str, ModelCard] = {}
        self.disk = QLabel()
        self.disk.setProperty("muted", True)
        self.disk.setWordWrap(True)
        self._column.addWidget(self.disk)
        holder = QWidget()
        self._list = QVBoxLayout(holder)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(12)
        self._column.addWidget(holder)
        card = self.card(self.tr("Downloads"))
        self.mirror = Segments(
            (
                ("", self.tr("Hugging Face"), self.tr("Or what the variable HF_ENDPOINT names")),
                (MODELSCOPE, self.tr("ModelScope"), self.tr("Often faster in China")),
                (_OTHER, self.tr("Another address"), self.tr("A mirror that answers as Hugging Face does")),
            )
        )
        self.mirror.chosen.connect(self._mirror_chosen)
        card.row(self.tr("&From where"), self.mirror)
        self.address = QLineEdit()
        self.address.setPlaceholderText(_BEGINNING)
        self.address.setAccessibleName(self.tr("Address of the mirror"))
        self.address.editingFinished.connect(self._address_entered)
        card.add(self.address)
        self.wrong = QLabel(self.tr("An address begins with https:// or http://."))
        self.wrong.setProperty("bad", True)
        self.wrong.setWordWrap(True)
        self.wrong.hide()
        card.add(self.wrong)
        self.offline = Switch()
        self.offline.clicked.connect(lambda on: self.changed.emit({"offline": on}))
        card.row(
            self.tr("Stay &offline"),
            self.offline,
            self.tr("Banter then connects to nothing at all: no downloads, no weather, no model elsewhere."),
        )
        card = self.card(self.tr("Memory"))
        self.unload = Choice(
            [(0, self.tr("Never")), *((n, self.tr("After {count} minutes").format(count=n)) for n in _AFTER[1:])]
        )
        self.unload.activated.connect(lambda at: self.changed.emit({"unload_after": self.unload.itemData(at)}))
        card.row(
            self.tr("&Put the model away when it is not used"),
            self.unload,
            self.tr("That frees its memory. It comes back when you talk; nothing you say meanwhile is lost."),
        )

    def show_settings(self, settings: Settings) -> None:
        known = settings.mirror if settings.mirror in ("", MODELSCOPE) else _OTHER
        self.mirror.set_value(known)
        self.address.setVisible(known == _OTHER)
        if known == _OTHER and not self.address.hasFocus():
            self.address.setText(settings.mirror)
        self.wrong.hide()
        self.offline.setChecked(settings.offline)
        if self.unload.findData(settings.unload_after) < 0:
            words = self.tr("After {count} minutes").format(count=settings.unload_after)
            self.unload.addItem(words, settings.unload_after)
        self.unload.set_value(settings.unload_after)

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show these models, in this order."""
        for id in [id for id in self.cards if id not in {row.id for row in rows}]:
            card = self.cards.pop(id)
            self._list.removeWidget(card)
            card.hide()
            card.deleteLater()
        for place, row in enumerate(rows):
            if row.id not in self.cards:
                card = self.cards[row.id] = ModelCard()
                card.wanted.connect(lambda act, id=row.id: self.wanted.emit(id, act))
                self._list.insertWidget(place, card)
            self.cards[row.id].show_row(row)

    def show_disk(self, text: str) -> None:
        """How much room there is."""
        self.disk.setText(text)

    def _mirror_chosen(self, value: object) -> None:
        if value == _OTHER:
            # In force once there is an address.
            self.address.show()
            self.address.setFocus()
        else:
            self.changed.emit({"mirror": value})

    def _address_entered(self) -> None:
        text = self.address.text().strip().rstrip("/")
        self.wrong.setVisible(bool(text) and not is_address(text))
        if is_address(text):
            self.changed.emit({"mirror": text})


class ModelsWindow(QWidget):
    """The window.

    Signals: `wanted(str, Act)` for a model by its name, `import_clicked()`, `changed(dict)` from the names of settings
    to their new values.
    """

    wanted = Signal(str, object)
    import_clicked = Signal()
    changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("preferences")
        self.setWindowTitle(self.tr("Models"))
        self.page = ModelsPage(self.tr("Models"))
        self.page.wanted.connect(self.wanted)
        self.page.changed.connect(self.changed)
        self.bring = QPushButton(self.tr("&Import from a folder…"))
        self.bring.setToolTip(self.tr("For a model that you have carried here from another computer"))
        self.bring.setAccessibleName(without_shortcut(self.bring.text()))
        self.bring.clicked.connect(self.import_clicked)
        self.done = QPushButton(self.tr("Close"))
        self.done.clicked.connect(self.close)
        self.message = QLabel()
        self.message.setWordWrap(True)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.hide()
        foot = QHBoxLayout()
        foot.addWidget(self.bring)
        foot.addStretch(1)
        foot.addWidget(self.done)
        below = QVBoxLayout()
        below.setContentsMargins(24, 12, 24, 16)
        below.addWidget(self.message)
        below.addLayout(foot)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.page, 1)
        column.addLayout(below)
        for keys in (QKeySequence(Qt.Key.Key_Escape), QKeySequence(QKeySequence.StandardKey.Close)):
            QShortcut(keys, self).activated.connect(self.close)
        self._fit()
        theme.events.dressed.connect(self._fit)

    def show_settings(self, settings: Settings) -> None:
        """Show `settings` without telling anybody."""
        self.page.show_settings(settings)

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show these models."""
        self.page.show_rows(rows)
        self._fit()

    def show_disk(self, text: str) -> None:
        """How much room there is."""
        self.page.show_disk(text)

    def show_message(self, text: str, bad: bool = False) -> None:
        """Say something below the list; "" nothing."""
        self.message.setText(text)
        self.message.setProperty("bad", bad)
        self.message.style().unpolish(self.message)
        self.message.style().polish(self.message)
        self.message.setVisible(bool(text))

    def button(self, id: str, act: Act) -> QPushButton:
        """The button of a model."""
        return self.page.cards[id].buttons[act]

    def _fit(self) -> None:
        screen = (self.screen() or QGuiApplication.primaryScreen()).availableGeometry()
        least = max(self.page.minimumContentWidth(), self.bring.sizeHint().width() + self.done.sizeHint().width() + 64)
        self.setMinimumSize(min(least, screen.width()), min(LEAST_HEIGHT, screen.height()))
        if not self.isVisible():
            self.resize(SIZE.expandedTo(self.minimumSize()).boundedTo(screen.size()))
