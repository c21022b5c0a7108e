"""How daring the answers are, and whether they can be repeated."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QSpinBox

from app.gui.preferences.page import Page
from app.gui.preferences.parts import Scale, Segments
from app.settings import MOST_SEED, MOST_TEMPERATURE, Settings

# What is offered first to whoever wants something else than the model's own.
TEMPERATURE = 0.7
SEED = 1


class AnswersPage(Page):
    """Temperature and seed.

    Signals: `models_clicked()`.
    """

    models_clicked = Signal()
    FIELDS = ("temperature", "seed")

    def build(self) -> None:
        card = self.card()
        self.models = QPushButton(self.tr("&Models…"))
        self.models.setToolTip(self.tr("Download, import and choose the model that answers (Ctrl+Shift+O)"))
        self.models.clicked.connect(self.models_clicked)
        card.row(
            self.tr("Which model answers"),
            self.models,
            self.tr("A larger one knows more, speaks Chinese too, and needs more memory and a faster computer."),
        )
        card = self.card()
        self.variety = Segments(
            (
                (False, self.tr("Model’s own"), self.tr("What the makers of the model recommend")),
                (True, self.tr("Choose"), self.tr("Set the temperature yourself")),
            )
        )
        self.variety.chosen.connect(self._variety_chosen)
        self.temperature = Scale(range(0, round(10 * MOST_TEMPERATURE) + 1), "{tenth:.1f}")
        self.temperature.moved.connect(lambda tenths: self.changed.emit({"temperature": tenths / 10}))
        card.row(
            self.tr("&Variety of the words (temperature)"),
            self.variety,
            self.tr("0 always takes the likeliest word; more makes answers livelier, and wrong more often."),
            self.temperature,
        )
        self.temperature.slider.setAccessibleName(self.tr("Temperature"))
        self.repeat = Segments(
            (
                (False, self.tr("New each time"), self.tr("Each answer is made afresh")),
                (True, self.tr("Repeatable"), self.tr("The same question in the same place gets the same answer")),
            )
        )
        self.repeat.chosen.connect(self._repeat_chosen)
        self.seed = QSpinBox()
        self.seed.setRange(0, MOST_SEED)
        self.seed.lineEdit().setTextMargins(10, 0, 10, 0)
        self.seed.setAccessibleName(self.tr("Seed"))
        self.seed.setToolTip(self.tr("The number that all chance is drawn from"))
        self.seed.valueChanged.connect(lambda value: self.changed.emit({"seed": value}))
        card.row(
            self.tr("&Chance (seed)"),
            self.repeat,
            self.tr("With the same number, the same question after the same conversation gets the same answer."),
            self.seed,
        )

    def show_settings(self, settings: Settings) -> None:
        chosen, fixed = settings.temperature is not None, settings.seed is not None
        self.variety.set_value(chosen)
        self.temperature.setVisible(chosen)
        if settings.temperature is not None:
            self.temperature.set_value(round(10 * settings.temperature))
        self.repeat.set_value(fixed)
        self.seed.setVisible(fixed)
        if settings.seed is not None and settings.seed != self.seed.value():
            self.seed.blockSignals(True)
            self.seed.setValue(settings.seed)
            self.seed.blockSignals(False)

    def _variety_chosen(self, chosen: object) -> None:
        self.changed.emit({"temperature": TEMPERATURE if chosen else None})

    def _repeat_chosen(self, fixed: object) -> None:
        self.changed.emit({"seed": SEED if fixed else None})
