"""How one model answers: how daring, after how much of the conversation, and what it is told about itself."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QSpinBox, QWidget

from app.gui import theme
from app.gui.preferences.page import Card
from app.gui.preferences.parts import Scale, Segments
from app.gui.tall_dialog import TallDialog
from app.settings import MOST_HISTORY_TURNS, MOST_SYSTEM, MOST_TEMPERATURE, Answering

WIDTH = 560
# What is offered first to whoever wants something else.
_TEMPERATURE, _TURNS = 0.7, 3


class AnswersDialog(TallDialog):
    """Whatever is changed is in force from the next question on.

    Signals: `changed(Answering)`.
    """

    changed = Signal(object)

    def __init__(self, model: str, now: Answering, *, has_system: bool, parent: QWidget | None = None) -> None:
        """`has_system`: the model has learnt to heed a system prompt."""
        super().__init__(WIDTH, parent)
        self.setWindowTitle(self.tr("Answers of {model}").format(model=model))
        self.setModal(True)
        self._now = now
        title = QLabel(self.tr("Answers of {model}").format(model=model))
        title.setWordWrap(True)
        theme.set_size(title, 1.35, QFont.Weight.DemiBold)
        card = Card()
        self.variety = Segments(
            (
                (False, self.tr("As in the settings"), self.tr("The same for all models")),
                (True, self.tr("Choose"), self.tr("Set the temperature of this model")),
            )
        )
        self.temperature = Scale(range(0, round(10 * MOST_TEMPERATURE) + 1), "{tenth:.1f}")
        card.row(self.tr("&Variety of the words (temperature)"), self.variety, "", self.temperature)
        self.temperature.slider.setAccessibleName(self.tr("Temperature"))
        self.memory = Segments(
            (
                (False, self.tr("As many as fit"), self.tr("What the makers of the model recommend")),
                (True, self.tr("Choose"), self.tr("Say how many")),
            )
        )
        self.turns = QSpinBox()
        self.turns.setRange(0, MOST_HISTORY_TURNS)
        self.turns.lineEdit().setTextMargins(10, 0, 10, 0)
        self.turns.setAccessibleName(self.tr("Earlier questions"))
        card.row(
            self.tr("&Earlier questions that it remembers"),
            self.memory,
            self.tr("Small models answer better with few of them."),
            self.turns,
        )
        self.system = QPlainTextEdit(now.system)
        self.system.setTabChangesFocus(True)
        self.system.setPlaceholderText(self.tr("You are a friendly assistant who answers briefly."))
        self.system.setFixedHeight(round(96 * theme.text_scale()))
        if has_system:
            card.row(
                self.tr("&What it is told about itself (system prompt)"),
                self.system,
                self.tr("In the language that it is to speak. Empty: nothing."),
            )
        else:
            self.system.hide()
        self.leave = QPushButton(self.tr("Close"))
        self.leave.setToolTip(self.tr("Everything is saved already (Esc)"))
        self.leave.clicked.connect(self.accept)
        self.foot.addStretch(1)
        self.foot.addWidget(self.leave)
        self.column.addWidget(title)
        self.column.addWidget(card)
        self.column.addStretch(1)
        self._show()
        self.variety.chosen.connect(lambda on: self._change(temperature=_TEMPERATURE if on else None))
        self.temperature.moved.connect(lambda tenths: self._change(temperature=tenths / 10))
        self.memory.chosen.connect(lambda on: self._change(history_turns=_TURNS if on else None))
        self.turns.valueChanged.connect(lambda count: self._change(history_turns=count))
        self.system.textChanged.connect(self._written)
        self.fit()

    def _written(self) -> None:
        text = self.system.toPlainText()
        if len(text) > MOST_SYSTEM:
            self.system.setPlainText(text[:MOST_SYSTEM])
            return
        self._change(system=text.strip())

    def _change(self, **changes: object) -> None:
        self._now = replace(self._now, **changes)  # type: ignore[arg-type]
        self._show()
        self.changed.emit(self._now)

    def _show(self) -> None:
        now = self._now
        self.variety.set_value(now.temperature is not None)
        self.temperature.setVisible(now.temperature is not None)
        if now.temperature is not None:
            self.temperature.set_value(round(10 * now.temperature))
        self.memory.set_value(now.history_turns is not None)
        self.turns.setVisible(now.history_turns is not None)
        if now.history_turns is not None and now.history_turns != self.turns.value():
            self.turns.blockSignals(True)
            self.turns.setValue(now.history_turns)
            self.turns.blockSignals(False)
