"""The window of the sound check."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.audio.check import Findings, Step, Trouble, advise
from app.audio.level import FLOOR_DB
from app.gui import theme
from app.gui.device_picker import DevicePicker
from app.gui.orb import LevelMeter
from app.gui.soundcheck import words
from app.gui.tall_dialog import TallDialog

WIDTH = 560
# With less than this the meter says nothing in words either.
_HEARD_DB = -50.0
_STEPS = (Step.LISTENING, Step.PLAYING, Step.WORKING)


class SoundCheckWindow(TallDialog):
    """Shows what it is told and says what the user wants; it knows no device.

    Signals: `started()` when the user wants the sound played, `used()` when the advice is to be followed. The pickers
    have signals of their own.
    """

    started = Signal()
    used = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(WIDTH, parent)
        self.setWindowTitle(self.tr("Sound check"))
        self.setModal(True)
        self._title = QLabel(self.tr("How do you talk best here?"))
        theme.set_size(self._title, 1.35, QFont.Weight.DemiBold)
        self._what = self._note(
            self.tr(
                "Banter listens to the room for two seconds and then plays a chirp and a soft rushing, as loud as its "
                "answers, for six. Nothing of it is kept."
            )
        )
        self.microphones, self.speakers = DevicePicker("input"), DevicePicker("output")
        self.meter = LevelMeter()
        self._level = self._note("")
        self._busy = QProgressBar()
        self._busy.setRange(0, len(_STEPS))
        self._busy.setTextVisible(False)
        self._step = QLabel()
        self._step.setWordWrap(True)
        self._result = QFrame()
        self._result.setObjectName("card")
        self._headline = QLabel()
        self._headline.setWordWrap(True)
        theme.set_size(self._headline, 1.12, QFont.Weight.DemiBold)
        self._reason = QLabel()
        self._reason.setWordWrap(True)
        self._facts = QWidget()
        self.start = QPushButton(self.tr("Check the &sound"))
        self.start.setProperty("kind", "primary")
        self.start.clicked.connect(self.started)
        self.use = QPushButton(self.tr("&Use this"))
        self.use.setProperty("kind", "primary")
        self.use.clicked.connect(self.used)
        self.leave = QPushButton(self.tr("Close"))
        self.leave.clicked.connect(self.reject)
        for button in (self.start, self.use, self.leave):
            button.setAutoDefault(False)
        self._arrange()
        # A level is a matter of the moment: without news of it there is none.
        self._stale = QTimer(self)
        self._stale.setSingleShot(True)
        self._stale.setInterval(700)
        self._stale.timeout.connect(lambda: self._show_level(None))
        self._show_level(None)
        self.show_ready()

    # --- shown from outside

    def show_ready(self) -> None:
        """Nothing has been found yet."""
        self._state(running=False, result=False)
        self.start.setFocus()

    def show_step(self, step: Step) -> None:
        """The check is under way."""
        self._step.setText(words.step(step))
        self._busy.setValue(_STEPS.index(step) + 1)
        self._busy.setAccessibleName(words.step(step))
        self._state(running=True, result=False)

    def show_trouble(self, trouble: Trouble, sentence: str = "") -> None:
        """The check could not be done; `sentence` says more than `trouble` does, where there is one."""
        self._headline.setText(self.tr("That did not work"))
        self._reason.setText(sentence or words.trouble(trouble))
        self._fill(())
        self._state(running=False, result=True)
        self.use.hide()
        self.start.setFocus()

    def show_findings(self, found: Findings, in_use: bool) -> None:
        """What was found, and what it means. `in_use`: the user talks that way already."""
        way, why = advise(found)
        name = words.headline(way)
        self._headline.setText(self.tr("{way}: as you have it").format(way=name) if in_use else name)
        self._reason.setText(words.reason(why, found))
        self._fill(words.facts(found))
        self._state(running=False, result=True)
        self.use.setVisible(not in_use)
        (self.leave if in_use else self.use).setFocus()

    def show_level(self, decibels: float) -> None:
        """Loudness of the microphone in dB of full scale, as it comes in."""
        self._stale.start()
        self._show_level(decibels)

    def result_text(self) -> str:
        """All that is said about the result; "" before there is one."""
        return "" if self._result.isHidden() else f"{self._headline.text()}\n{self._reason.text()}"

    # --- inside

    def _show_level(self, decibels: float | None) -> None:
        if decibels is None:
            text = self.tr("No microphone is being heard.")
        elif decibels <= FLOOR_DB:
            text = self.tr("The microphone is silent.")
        elif decibels < _HEARD_DB:
            text = self.tr("Say something: the bars should move.")
        else:
            text = self.tr("Your microphone hears something.")
        if text != self._level.text() and (decibels is None or decibels >= _HEARD_DB or not self._heard_lately()):
            self._level.setText(text)
        self.meter.set_live(True)
        # What is not heard at all does not die away.
        for _ in range(self.meter.SEGMENTS if decibels is None else 1):
            self.meter.set_level(FLOOR_DB if decibels is None else decibels)

    def _heard_lately(self) -> bool:
        return self.meter.lit() > 0

    def _state(self, running: bool, result: bool) -> None:
        self._busy.setVisible(running)
        self._step.setVisible(running)
        self._result.setVisible(result)
        self.use.setVisible(result)
        for picker in (self.microphones, self.speakers):
            picker.setEnabled(not running)
        self.start.setEnabled(not running)
        self.start.setText(self.tr("Check &again") if result else self.tr("Check the &sound"))
        self.start.setProperty("kind", "" if result else "primary")
        self.start.style().unpolish(self.start)
        self.start.style().polish(self.start)
        self.fit()

    def _fill(self, rows: Sequence[tuple[str, str]]) -> None:
        # A new one, since a grid keeps the room of its former rows.
        before, self._facts = self._facts, QWidget()
        grid = QGridLayout(self._facts)
        grid.setContentsMargins(0, 6, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(0, 1)
        for number, (name, value) in enumerate(rows):
            what = QLabel(value)
            what.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            what.setAccessibleName(f"{name}: {value}")
            grid.addWidget(self._note(name), number, 0)
            grid.addWidget(what, number, 1)
        self._card.replaceWidget(before, self._facts)
        before.hide()
        before.deleteLater()
        self._facts.setVisible(bool(rows))

    def _note(self, text: str) -> QLabel:
        label = QLabel(text)
        label.setProperty("muted", True)
        label.setWordWrap(True)
        return label

    def _arrange(self) -> None:
        devices = QGridLayout()
        devices.setHorizontalSpacing(16)
        devices.setVerticalSpacing(theme.GRID)
        devices.setColumnStretch(1, 1)
        for row, picker in enumerate((self.microphones, self.speakers)):
            label = QLabel(picker.accessibleName())
            label.setBuddy(picker)
            devices.addWidget(label, row, 0)
            devices.addWidget(picker, row, 1)
        level = QHBoxLayout()
        level.setSpacing(12)
        level.addWidget(self.meter)
        level.addWidget(self._level, 1)
        devices.addWidget(QLabel(self.tr("Level")), 2, 0)
        devices.addLayout(level, 2, 1)
        card = self._card = QVBoxLayout(self._result)
        card.setContentsMargins(20, 16, 20, 16)
        card.setSpacing(6)
        card.addWidget(self._headline)
        card.addWidget(self._reason)
        card.addWidget(self._facts)
        self.foot.addWidget(self.leave)
        self.foot.addStretch(1)
        self.foot.addWidget(self.start)
        self.foot.addWidget(self.use)
        column = self.column
        column.addWidget(self._title)
        column.addWidget(self._what)
        column.addLayout(devices)
        column.addWidget(self._busy)
        column.addWidget(self._step)
        column.addWidget(self._result)
        column.addStretch(1)
