"""What a report of a turn holds, said before it is written."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QWidget

from app.gui import icons, theme
from app.gui.tall_dialog import TallDialog

WIDTH = 520


class ReportWindow(TallDialog):
    """Signals: `save_clicked()` when the user wants to choose a place for the report."""

    save_clicked = Signal()

    def __init__(self, question: str, sound_s: float | None, parent: QWidget | None = None) -> None:
        """`question` of the turn; `sound_s`: how many seconds of sound there are, None for none."""
        super().__init__(WIDTH, parent)
        self.setWindowTitle(self.tr("Report this turn"))
        self.setModal(True)
        title = QLabel(self.tr("Report this turn"))
        theme.set_size(title, 1.35, QFont.Weight.DemiBold)
        what = self._words(
            self.tr(
                "Banter writes one file that shows what went wrong in this turn. Nothing is sent: you choose where the "
                "file goes, can look at it with any zip program, and give it to whom you like."
            )
        )
        card = QFrame()
        card.setObjectName("card")
        rows = QGridLayout(card)
        rows.setContentsMargins(20, 16, 20, 16)
        rows.setHorizontalSpacing(12)
        rows.setVerticalSpacing(theme.GRID)
        rows.setColumnStretch(1, 1)
        self._marks: list[tuple[QLabel, str]] = []
        asked = question if len(question) <= 60 else question[:59].rstrip() + "…"
        turn = self.tr("Your question “{question}” and its answer").format(question=asked)
        holds = [turn if question else self.tr("Your question and its answer")]
        if sound_s is None:
            holds.append(self.tr("No sound: keeping the last turn’s sound is off, or there was no microphone"))
        else:
            text = self.tr(
                "{seconds} s of sound, from shortly before your question on: your microphone and the speaker"
            )
            holds.append(text.format(seconds=round(sound_s)))
        holds.append(self.tr("What Banter did and when, and your settings of turn-taking and sound"))
        holds.append(self.tr("Names of your microphone and speaker; versions of Banter, its model and your system"))
        for text in holds:
            self._row(rows, "done", text)
        self._row(rows, "close", self.tr("No other question and no other conversation"))
        self.problem = self._words("")
        self.problem.hide()
        self.save = QPushButton(self.tr("&Save as…"))
        self.save.setProperty("kind", "primary")
        self.save.clicked.connect(self.save_clicked)
        self.leave = QPushButton(self.tr("Cancel"))
        self.leave.clicked.connect(self.reject)
        for button in (self.save, self.leave):
            button.setAutoDefault(False)
        self.foot.addWidget(self.leave)
        self.foot.addStretch(1)
        self.foot.addWidget(self.save)
        column = self.column
        column.addWidget(title)
        column.addWidget(what)
        column.addWidget(card)
        column.addWidget(self.problem)
        column.addStretch(1)
        self._dress()
        self.fit()
        self.save.setFocus()

    def show_saved(self, name: str) -> None:
        """The report is there."""
        self.problem.setText(self.tr("Saved as {file}.").format(file=name))
        self.problem.show()
        self.save.hide()
        self.leave.setText(self.tr("Close"))
        self.leave.setFocus()
        self.fit()

    def show_problem(self, sentence: str) -> None:
        """It could not be written."""
        self.problem.setText(sentence)
        self.problem.show()
        self.fit()

    def _row(self, rows: QGridLayout, mark: str, text: str) -> None:
        picture = QLabel()
        self._marks.append((picture, mark))
        row = rows.rowCount()
        rows.addWidget(picture, row, 0)
        rows.addWidget(self._words(text), row, 1)

    def _words(self, text: str) -> QLabel:
        label = QLabel(text)
        label.setWordWrap(True)
        return label

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "leave"):
            self._dress()

    def _dress(self) -> None:
        colours = theme.colours()
        for picture, mark in self._marks:
            ink = colours.accent if mark == "done" else colours.muted
            picture.setPixmap(icons.icon(mark, ink, 16).pixmap(QSize(16, 16)))
