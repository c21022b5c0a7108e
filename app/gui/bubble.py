"""One message of the transcript."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QCoreApplication, QRect, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

from app.gui import theme


class Side(StrEnum):
    """Who said it."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True)
class Entry:
    """One message as plain data. `interrupted`: the user cut the answer short."""

    turn: int
    side: Side
    text: str
    interrupted: bool = False


class Bubble(QWidget):
    """A message on its own row: the user's at the right, the assistant's at the left; selectable.

    It lays itself out: nested layouts would settle only some turns of the event loop after each new word.
    """

    PADDING = 14
    EDGE = 10

    def __init__(self, entry: Entry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entry = entry
        self._frame = QFrame(self)
        self._frame.setProperty("bubble", "mine" if entry.side == Side.USER else "theirs")
        self._text = QLabel(self._frame)
        self._text.setFont(theme.sized(self.font(), 1.05))
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setCursor(Qt.CursorShape.IBeamCursor)
        self._mark = QLabel(self._frame)
        self._mark.setProperty("muted", True)
        self._mark.setFont(theme.sized(self.font(), 0.88))
        self._top = theme.GRID if entry.side == Side.USER else 0
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._width = 0
        self._show()

    def update_entry(self, entry: Entry) -> None:
        """Show `entry` in place of the former one; a selection in the text is kept where it can be."""
        if entry != self.entry:
            self.entry = entry
            self._show()

    def fit(self, width: int) -> None:
        """Make the bubble as wide as its text wants, at most 82 % of `width` pixels, and high enough."""
        self._width = width
        room = round(width * 0.82) - 2 * self.PADDING
        wanted = self._text.fontMetrics().boundingRect(
            QRect(0, 0, room, 100_000), Qt.TextFlag.TextWordWrap, self._text.text()
        )
        lines = self._text.heightForWidth(room)
        chosen = min(room, wanted.width())
        # A label lays its text out a little wider than its font metrics say.
        while chosen < room and self._text.heightForWidth(chosen) > lines:
            chosen += 1
        chosen = max(chosen, 16)
        height = self._text.heightForWidth(chosen)
        self._text.setGeometry(self.PADDING, self.EDGE, chosen, height)
        bottom = self.EDGE + height
        if not self._mark.isHidden():
            mark = self._mark.sizeHint()
            self._mark.setGeometry(self.PADDING, bottom + 4, mark.width(), mark.height())
            bottom += 4 + mark.height()
            chosen = max(chosen, mark.width())
        self._frame.resize(chosen + 2 * self.PADDING, bottom + self.EDGE)
        self.setFixedHeight(self._top + self._frame.height())
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        room = self.width() - self._frame.width()
        self._frame.move(room if self.entry.side == Side.USER else 0, self._top)

    def _show(self) -> None:
        tr = QCoreApplication.translate
        mine = self.entry.side == Side.USER
        selected = self._text.selectionStart(), len(self._text.selectedText())
        self._text.setText(self.entry.text or (tr("Bubble", "Spoken question") if mine else ""))
        if selected[0] >= 0:
            self._text.setSelection(*selected)
        self._mark.setText(tr("Bubble", "Interrupted"))
        self._mark.setVisible(self.entry.interrupted)
        self._text.setVisible(bool(self._text.text()))
        who = tr("Bubble", "You said") if mine else tr("Bubble", "Banter said")
        state = ", " + tr("Bubble", "interrupted") if self.entry.interrupted else ""
        self.setAccessibleName(f"{who}: {self._text.text()}{state}")
        self._text.setAccessibleName(self.accessibleName())
        if self._width:
            self.fit(self._width)
