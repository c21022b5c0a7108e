"""The larger model: whether it is asked, where it is, and whether it answers."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QMenu, QPushButton, QVBoxLayout, QWidget

from app.brain.address import DEFAULT, BrainError, read_address
from app.gui import icons, theme
from app.gui.preferences.page import Page
from app.gui.preferences.parts import Segments, Switch
from app.settings import BrainScope, Settings


class LargerModelPage(Page):
    """Switch, what is asked, address, model and a trial.

    Signals: `list_clicked()` for the models there are; `trial_clicked()`.
    """

    list_clicked = Signal()
    trial_clicked = Signal()
    FIELDS = ("brain", "brain_address", "brain_model", "brain_scope", "brain_anywhere")

    def build(self) -> None:
        card = self.card()
        self.on = Switch()
        self.on.clicked.connect(lambda on: self.changed.emit({"brain": on}))
        card.row(
            self.tr("Ask a &larger model"),
            self.on,
            self.tr(
                "One that runs on this computer in a program like Ollama, llama.cpp or LM Studio. Banter speaks its "
                "answers and marks where they come from."
            ),
        )
        self.scope = Segments(
            (
                (
                    BrainScope.UNKNOWN,
                    self.tr("What Banter does not know"),
                    self.tr("Banter answers by itself what it knows, which is faster"),
                ),
                (
                    BrainScope.EVERYTHING,
                    self.tr("Everything"),
                    self.tr("Only what Banter’s tools do, such as timers, is not asked"),
                ),
            )
        )
        self.scope.chosen.connect(lambda value: self.changed.emit({"brain_scope": value}))
        self._scope_note = card.row(self.tr("&What it is asked"), self.scope, " ")
        card = self.card(self.tr("Where it is"))
        self.address = QLineEdit()
        self.address.setPlaceholderText(DEFAULT)
        self.address.editingFinished.connect(self._address_edited)
        card.row(
            self.tr("&Address"),
            self.address,
            self.tr("Port 11434 for Ollama, 8080 for llama.cpp, 1234 for LM Studio, unless you have changed it."),
        )
        self.anywhere = Switch()
        self.anywhere.clicked.connect(lambda on: self.changed.emit({"brain_anywhere": on}))
        self._elsewhere = QWidget()
        self._anywhere_note = self._warn()
        card.add(self._elsewhere)
        self.model = QLineEdit()
        self.model.editingFinished.connect(self._model_edited)
        self.list = QPushButton(self.tr("&Choose…"))
        self.list.setToolTip(self.tr("Ask the program which models it has"))
        self.list.clicked.connect(self.list_clicked)
        self.trial = QPushButton(self.tr("&Try it"))
        self.trial.setToolTip(self.tr("Ask the model to say hello"))
        self.trial.clicked.connect(self.trial_clicked)
        buttons = QWidget()
        beside = QHBoxLayout(buttons)
        beside.setContentsMargins(0, 0, 0, 0)
        beside.setSpacing(theme.GRID)
        beside.addWidget(self.list)
        beside.addWidget(self.trial)
        card.row(self.tr("&Model"), self.model, more=buttons)
        self._result = QWidget()
        self._mark, self._words = QLabel(), QLabel()
        self._words.setWordWrap(True)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        row = QHBoxLayout(self._result)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GRID)
        row.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._words, 1)
        self._result.hide()
        card.add(self._result)
        self._tells = True
        self._found: bool | None = None
        self._menu: QMenu | None = None

    def show_settings(self, settings: Settings) -> None:
        self.on.setChecked(settings.brain)
        self.scope.set_value(settings.brain_scope)
        self._show_scope()
        for field, text in ((self.address, settings.brain_address), (self.model, settings.brain_model)):
            if not field.hasFocus() or not field.isModified():
                field.setText(text)
        self.anywhere.setChecked(settings.brain_anywhere)
        self._show_elsewhere(settings)

    def show_telling(self, tells: bool) -> None:
        """Whether the model in use tells when it does not know."""
        self._tells = tells
        self._show_scope()

    def show_busy(self, words: str) -> None:
        """Something is being waited for."""
        self.list.setEnabled(False)
        self.trial.setEnabled(False)
        self._show_result(None, words)

    def show_result(self, good: bool, words: str) -> None:
        """What came of it; "" for nothing to tell."""
        self.list.setEnabled(True)
        self.trial.setEnabled(True)
        self._show_result(good, words)

    def offer(self, names: list[str]) -> None:
        """Let the user choose one of these models."""
        self.show_result(True, "")
        menu = self._menu = QMenu(self)
        for name in names:
            # An ampersand would mark a key.
            action = menu.addAction(name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(name == self.model.text())
            action.triggered.connect(lambda _=False, name=name: self._take_model(name))
        menu.popup(self.list.mapToGlobal(QPoint(0, self.list.height() + 4)))

    @property
    def menu(self) -> QMenu | None:
        """The models that were offered last."""
        return self._menu

    # --- inside

    def _warn(self) -> QLabel:
        label = QLabel(self.tr("Allow a&nother computer"))
        label.setBuddy(self.anywhere)
        label.setWordWrap(True)
        self.anywhere.setAccessibleName(self.tr("Allow another computer"))
        note = QLabel()
        note.setWordWrap(True)
        theme.set_size(note, 0.92)
        self._sign = QLabel()
        row = QHBoxLayout(self._elsewhere)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GRID)
        words = _column(label, note)
        row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(words, 1)
        row.addSpacing(theme.GRID)
        row.addWidget(self.anywhere, 0, Qt.AlignmentFlag.AlignVCenter)
        return note

    def _show_scope(self) -> None:
        if self.scope.value() == BrainScope.EVERYTHING:
            note = self.tr("Banter listens, uses its tools and speaks; the answers are the larger model’s.")
        elif self._tells:
            note = self.tr("Only when Banter would say that it does not know, or cannot do it.")
        else:
            note = self.tr("The model in use does not tell when it does not know, so choose “Everything”.")
        self._scope_note.setText(note)
        self.scope.setAccessibleDescription(note)

    def _show_elsewhere(self, settings: Settings) -> None:
        host = ""
        try:
            address = read_address(settings.brain_address)
            host = "" if address.is_here else address.host
        except BrainError:
            # The main window and the trial say so.
            pass
        note = self.tr(
            "This address is another computer: with this, your questions, and what was said before them, leave this "
            "computer and go to {host}."
        ).format(host=host)
        self._elsewhere.setVisible(bool(host))
        self._anywhere_note.setText(note)
        self.anywhere.setAccessibleDescription(note)

    def _address_edited(self) -> None:
        if self.address.isModified():
            self.address.setModified(False)
            self.changed.emit({"brain_address": self.address.text().strip() or DEFAULT})

    def _model_edited(self) -> None:
        if self.model.isModified():
            self._take_model(self.model.text().strip())

    def _take_model(self, name: str) -> None:
        self.model.setModified(False)
        self.model.setText(name)
        self.changed.emit({"brain_model": name})

    def _show_result(self, good: bool | None, words: str) -> None:
        self._found = good
        self._words.setText(words)
        self._result.setVisible(bool(words))
        self._dress()
        if words:
            # Only when it has been laid out.
            QTimer.singleShot(0, self, self._scroll_to_result)

    def _scroll_to_result(self) -> None:
        bottom = self._result.mapTo(self._body, self._result.rect().bottomLeft()).y() + 3 * theme.GRID
        bar = self.verticalScrollBar()
        bar.setValue(max(bar.value(), bottom - self.viewport().height()))

    def result(self) -> str:
        """What is told about the last trial or list."""
        return self._words.text()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_menu"):
            self._dress()

    def _dress(self) -> None:
        c = theme.colours()
        name, ink = {None: ("wait", c.muted), True: ("good", c.accent), False: ("bad", c.danger)}[self._found]
        self._mark.setPixmap(icons.icon(name, ink, 20).pixmap(QSize(20, 20)))
        self._sign.setPixmap(icons.icon("fair", c.danger, 20).pixmap(QSize(20, 20)))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._dress()


def _column(*labels: QLabel) -> QWidget:
    widget = QWidget()
    column = QVBoxLayout(widget)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(2)
    for label in labels:
        column.addWidget(label)
    return widget
