"""What a newcomer sees before the first question."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QLabel, QLayoutItem, QPushButton, QVBoxLayout, QWidget

from app.gui import theme
from app.gui.item_layout import ItemLayout

HOW_WIDTH = 440
CHIPS_WIDTH = 560


class CentredFlow(ItemLayout):
    """Lays its items in rows, each row centred, and breaks into a new row where the width ends."""

    def __init__(self, spacing: int) -> None:
        super().__init__()
        self.setSpacing(spacing)

    def heightForWidth(self, width: int) -> int:
        return self._lay(QRect(0, 0, width, 0), place=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._lay(rect, place=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size

    def _lay(self, rect: QRect, place: bool) -> int:
        row: list[QLayoutItem] = []
        y, width = rect.y(), 0
        for item in [*self._items, None]:
            hint = item.sizeHint() if item else QSize()
            if row and (item is None or width + self.spacing() + hint.width() > rect.width()):
                x = rect.x() + max(0, (rect.width() - width) // 2)
                for one in row:
                    size = one.sizeHint()
                    if place:
                        fitted = size.boundedTo(QSize(rect.width(), size.height()))
                        one.setGeometry(QRect(QPoint(x, y), fitted))
                    x += size.width() + self.spacing()
                y += max(one.sizeHint().height() for one in row) + self.spacing()
                row, width = [], 0
            if item is not None:
                width += hint.width() + (self.spacing() if row else 0)
                row.append(item)
        return y - rect.y() - (self.spacing() if self._items else 0)


class Welcome(QWidget):
    """A greeting, how to begin, and a few questions to click.

    Signals: `question_chosen(str)`.
    """

    question_chosen = Signal(str)

    def __init__(self, picture: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = title = QLabel()
        theme.set_size(title, 1.7, QFont.Weight.DemiBold)
        title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._how = how = QLabel()
        how.setWordWrap(True)
        how.setProperty("muted", True)
        how.setAlignment(Qt.AlignmentFlag.AlignCenter)
        examples = QLabel(self.tr("Or try one of these"))
        examples.setProperty("muted", True)
        theme.set_size(examples, 0.9)
        examples.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._examples = chips = QWidget()
        flow = CentredFlow(theme.GRID)
        chips.setLayout(flow)
        self._chips: list[QPushButton] = []
        for question in self.questions():
            chip = QPushButton(question)
            chip.setProperty("kind", "chip")
            chip.setAccessibleName(self.tr("Ask: {question}").format(question=question))
            chip.clicked.connect(lambda _=False, q=question: self.question_chosen.emit(q))
            flow.addWidget(chip)
            self._chips.append(chip)
        self._column = column = QVBoxLayout(self)
        column.setSpacing(theme.GRID)
        column.addStretch(1)
        self._picture = picture
        column.addWidget(picture, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(theme.GRID)
        column.addWidget(title)
        column.addWidget(how, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(2 * theme.GRID)
        column.addWidget(examples)
        column.addWidget(chips, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)
        self.set_toggle(False)
        theme.events.dressed.connect(self._fit)

    def set_toggle(self, toggles: bool) -> None:
        """Whether Space is pressed once to begin and once to send, instead of being held."""
        if toggles:
            self._title.setText(self.tr("Press Space and ask"))
            how = self.tr("Speak, press it again when you have finished, and Banter answers aloud.")
        else:
            self._title.setText(self.tr("Hold Space and ask"))
            how = self.tr("Speak while you hold it, let go when you have finished, and Banter answers aloud.")
        also = self.tr("You can cut in at any time, type instead, or switch to the open microphone.")
        self._how.setText(self.tr("{how} {also}").format(how=how, also=also))
        self._fit()

    def minimumSizeHint(self) -> QSize:
        # Its parts have the sizes that fit now, which must not keep it from becoming narrower.
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        # What is centred and wraps is given the height of its widest shape, so the sizes are set here.
        for widget, most in ((self._how, HOW_WIDTH), (self._examples, CHIPS_WIDTH)):
            width = min(most, self.width())
            widget.setMinimumSize(0, 0)
            widget.setFixedSize(width, widget.heightForWidth(width))

    def questions(self) -> list[str]:
        """Example questions that the bundled model was trained on."""
        return [
            #: The bundled model understands English only: leave its questions as they are.
            self.tr("What's the capital of France?"),
            self.tr("Tell me a joke"),
            self.tr("How often is there a full moon?"),
            self.tr("I'm bored, what can I do?"),
            self.tr("How are you?"),
        ]

    def set_compact(self, compact: bool) -> None:
        """Leave the picture out where there is little room."""
        self._picture.setVisible(not compact)
        edge = 0 if compact else 2 * theme.GRID
        self._column.setContentsMargins(0, edge, 0, edge)

    def set_ready(self, ready: bool) -> None:
        """Whether a question can be asked now."""
        for chip in self._chips:
            chip.setEnabled(ready)
