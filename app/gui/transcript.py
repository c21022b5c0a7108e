"""The transcript: both sides as bubbles, text that grows as it comes, scrolled as the user likes."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.gui import icons, theme
from app.gui.bubble import Bubble, Entry, Side
from app.gui.welcome import Welcome


class Transcript(QScrollArea):
    """Messages of the conversation.

    Signals: `entry_finished(Entry)` when a message will not change any more.
    """

    entry_finished = Signal(object)

    MARGIN = 16
    MOST = 1_000
    COMPACT_HEIGHT = 400
    NEAR = 24

    def __init__(self, welcome: Welcome, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("transcript")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Conversation"))
        self._body = QWidget()
        self._body.setObjectName("transcriptBody")
        self._rows = QVBoxLayout(self._body)
        self._rows.setSpacing(theme.GRID)
        self._welcome = welcome
        self._rows.addWidget(welcome, 1_000)
        self._rows.addStretch(1)
        self.setWidget(self._body)
        self._bubbles: list[Bubble] = []
        self._open: dict[tuple[int, Side], Bubble] = {}
        self._following = True
        self._moving = False
        bar = self.verticalScrollBar()
        bar.rangeChanged.connect(self._range_changed)
        bar.valueChanged.connect(self._scrolled)
        self._latest = QPushButton(self)
        self._latest.setProperty("kind", "square")
        self._latest.setIconSize(QSize(20, 20))
        self._latest.setFixedSize(42, 42)
        self._latest.setToolTip(self.tr("Go to the latest message (End)"))
        self._latest.setAccessibleName(self.tr("Go to the latest message"))
        self._latest.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._latest.clicked.connect(self.follow)
        self._latest.hide()
        self._dress()

    # --- what is in it

    def entries(self) -> list[Entry]:
        """All messages, oldest first."""
        return [bubble.entry for bubble in self._bubbles]

    def say_user(self, turn: int, text: str) -> None:
        """What the user said in `turn`; again to correct it. Empty text: spoken, in words not known."""
        self._put(Entry(turn, Side.USER, text))

    def add_reply(self, turn: int, text: str) -> None:
        """More of the assistant's words in `turn`."""
        if (turn, Side.USER) not in self._open:
            self.say_user(turn, "")
        old = self._open.get((turn, Side.ASSISTANT))
        before = old.entry.text if old else ""
        self._put(Entry(turn, Side.ASSISTANT, before + text if before else text.lstrip()))

    def explain_reply(self, turn: int, text: str) -> None:
        """A tool tip for the answer of `turn`."""
        bubble = self._open.get((turn, Side.ASSISTANT))
        if bubble is not None:
            bubble.setToolTip(text)

    def finish(self, turn: int, interrupted: bool = False, heard: str | None = None) -> None:
        """Close `turn`. `heard`, where given, is the part of the answer that reached the user's ears."""
        mine = self._open.pop((turn, Side.USER), None)
        if mine is not None:
            self.entry_finished.emit(mine.entry)
        theirs = self._open.pop((turn, Side.ASSISTANT), None)
        if theirs is not None:
            text = (theirs.entry.text if heard is None else heard).strip()
            if text:
                theirs.update_entry(replace(theirs.entry, text=text, interrupted=interrupted))
                self.entry_finished.emit(theirs.entry)
            else:
                self._remove(theirs)

    def discard(self, turn: int) -> None:
        """Take the open `turn` off, as it was no question."""
        for side in Side:
            bubble = self._open.pop((turn, side), None)
            if bubble is not None:
                self._remove(bubble)

    # --- scrolling

    def follow(self) -> None:
        """Go to the newest message and stay there."""
        self._following = True
        self._to_end()

    def is_following(self) -> bool:
        """Whether new text scrolls into view by itself."""
        return self._following

    def _range_changed(self) -> None:
        if self._following and self._bubbles:
            self._to_end()
        self._place_latest()

    def _to_end(self) -> None:
        self._moving = True
        bar = self.verticalScrollBar()
        bar.setValue(bar.maximum())
        self._moving = False
        self._place_latest()

    def _scrolled(self, value: int) -> None:
        if not self._moving:
            self._following = value >= self.verticalScrollBar().maximum() - self.NEAR
        self._place_latest()

    def _place_latest(self) -> None:
        area = self.viewport().geometry()
        self._latest.move(area.center().x() - 21, area.bottom() - 50)
        self._latest.setVisible(not self._following)

    # --- rows

    def _put(self, entry: Entry) -> None:
        bubble = self._open.get((entry.turn, entry.side))
        if bubble is not None:
            bubble.update_entry(entry)
            return
        self._welcome.hide()
        bubble = Bubble(entry, self._body)
        after = self._open.get((entry.turn, Side.ASSISTANT)) if entry.side == Side.USER else None
        # The user's words may be read only after the answer has begun: they still belong above it.
        index = self._bubbles.index(after) if after else len(self._bubbles)
        self._bubbles.insert(index, bubble)
        self._rows.insertWidget(index + 1, bubble)
        self._open[entry.turn, entry.side] = bubble
        bubble.fit(self._column())
        bubble.show()
        if entry.side == Side.USER:
            self.follow()
        if len(self._bubbles) > self.MOST:
            self._remove(self._bubbles[0])

    def _remove(self, bubble: Bubble) -> None:
        self._bubbles.remove(bubble)
        self._rows.removeWidget(bubble)
        bubble.deleteLater()
        self._welcome.setVisible(not self._bubbles)

    def _column(self) -> int:
        return min(self.viewport().width() - 2 * self.MARGIN, theme.COLUMN_WIDTH)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        side = (self.viewport().width() - self._column()) // 2
        self._rows.setContentsMargins(side, self.MARGIN, side, self.MARGIN)
        self._welcome.set_compact(self.viewport().height() < self.COMPACT_HEIGHT)
        for bubble in self._bubbles:
            bubble.fit(self._column())
        self._place_latest()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_latest"):
            self._dress()

    def _dress(self) -> None:
        self._latest.setIcon(icons.icon("down", theme.colours().text))
