"""The transcript: both sides as bubbles, text that grows as it comes, scrolled as the user likes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QGuiApplication, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.conversation.latency import Latency
from app.gui import icons, theme
from app.gui.bubble import Bubble, Entry, Side
from app.gui.message_actions import MessageActions
from app.gui.message_menu import Choices, message_menu
from app.gui.welcome import Welcome
from app.history.records import ToolUse


class Transcript(QScrollArea):
    """Messages of the conversation.

    Signals: `entry_finished(Entry)` when a message will not change any more; `again_wanted(Entry)` when the
    user wants to hear one once more; `report_wanted(Entry)` when its turn is to be reported; `cleared()`;
    `tools_changed(Entry)` when a tool of a finished message has ended.

    With the keyboard, Ctrl+Up and Ctrl+Down choose a message, Ctrl+C copies it, Ctrl+R says it again, and the menu key
    of the keyboard (Shift+F10) shows what else there is.
    """

    entry_finished = Signal(object)
    again_wanted = Signal(object)
    report_wanted = Signal(object)
    cleared = Signal()
    tools_changed = Signal(object)

    MARGIN = 16
    # With more, each new word would take too long to lay out.
    MOST = 300
    # Rows of the layout that stand before the messages: the welcome and the note about earlier ones.
    ABOVE = 2
    COMPACT_HEIGHT = 400
    NEAR = 24
    # Of an old conversation: shown at once, and with each turn of the event loop, so that nothing stalls.
    FIRST_FILLED = 8
    THEN_FILLED = 2

    def __init__(self, welcome: Welcome, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("transcript")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # In a low window, what the dock has to say comes first.
        self.setMinimumHeight(1)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Conversation"))
        self._body = QWidget()
        self._body.setObjectName("transcriptBody")
        self._rows = QVBoxLayout(self._body)
        self._rows.setSpacing(theme.GRID)
        self._welcome = welcome
        self._rows.addWidget(welcome, 1_000)
        self._earlier = QLabel(self.tr("Earlier messages are not shown here, but search and export have them."))
        self._earlier.setProperty("muted", True)
        self._earlier.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._earlier.setWordWrap(True)
        self._earlier.hide()
        self._rows.addWidget(self._earlier)
        self._rows.addStretch(1)
        self.setWidget(self._body)
        self._bubbles: list[Bubble] = []
        self._open: dict[tuple[int, Side], Bubble] = {}
        self._following = True
        self._moving = False
        self._to_fill: list[Entry] = []
        self._filler = QTimer(self)
        self._filler.setInterval(0)
        self._filler.timeout.connect(self._fill)
        # How far from the end the user has scrolled: kept while older messages come in above.
        self._from_end = 0
        self._actions = MessageActions(self._body)
        self._actions.copied.connect(self._copy)
        self._actions.again_clicked.connect(self._say_again)
        self._actions.more_clicked.connect(self._show_menu)
        # Whether the turn of a message can be reported.
        self.reportable: Callable[[Entry], bool] = lambda entry: False
        self._latencies = False
        self._uses: dict[int, int] = {}
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
        theme.events.dressed.connect(self._fit)

    # --- what is in it

    def entries(self) -> list[Entry]:
        """All messages, oldest first."""
        return [bubble.entry for bubble in self._bubbles]

    def say_user(self, turn: int, text: str | None = None, *, picture: bytes | None = None) -> None:
        """What the user said in `turn`, about this `picture` (a JPEG file); again to correct it, None as it was before.

        Empty text: spoken, in words not known.
        """
        old = self._open.get((turn, Side.USER))
        entry = Entry(turn, Side.USER, "") if old is None else old.entry
        text, picture = entry.text if text is None else text, entry.picture if picture is None else picture
        self._put(replace(entry, text=text, picture=picture))

    def add_reply(self, turn: int, text: str) -> None:
        """More of the assistant's words in `turn`."""
        if (turn, Side.USER) not in self._open:
            self.say_user(turn, "")
        old = self._open.get((turn, Side.ASSISTANT))
        before = old.entry.text if old else ""
        self._put(Entry(turn, Side.ASSISTANT, before + text if before else text.lstrip()))

    def use_tool(self, turn: int, number: int, use: ToolUse) -> None:
        """A tool is used for `turn`, or has got on; `number` tells its uses apart. May come after `finish`."""
        mine = (one for one in reversed(self._bubbles) if (one.entry.turn, one.entry.side) == (turn, Side.USER))
        bubble = next(mine, None)
        if bubble is None:
            if number in self._uses:
                # Its conversation is not shown any more.
                return
            self.say_user(turn, "")
            bubble = self._open[turn, Side.USER]
        tools = bubble.entry.tools
        at = self._uses.setdefault(number, len(tools))
        bubble.update_entry(replace(bubble.entry, tools=(*tools[:at], use, *tools[at + 1 :])))
        if (turn, Side.USER) not in self._open:
            self.tools_changed.emit(bubble.entry)

    def explain_reply(self, turn: int, text: str) -> None:
        """A tool tip for the answer of `turn`."""
        bubble = self._open.get((turn, Side.ASSISTANT))
        if bubble is not None:
            bubble.explain(text)

    def time_reply(self, turn: int, latency: Latency) -> None:
        """How long the answer of `turn` took."""
        bubble = self._open.get((turn, Side.ASSISTANT))
        if bubble is not None:
            bubble.latency = latency
            bubble.show_latency(self._latencies)

    def show_latencies(self, shown: bool) -> None:
        """Whether that stands below each answer; otherwise it is in the tool tip and the menu."""
        self._latencies = shown
        for bubble in self._bubbles:
            bubble.show_latency(shown)

    def finish(self, turn: int, interrupted: bool = False, heard: str | None = None, sound: bool = False) -> None:
        """Close `turn`. `heard`, where given, is the part of the answer that reached the user's ears; `sound`:
        it can be said again.
        """
        mine = self._open.pop((turn, Side.USER), None)
        if mine is not None:
            self.entry_finished.emit(mine.entry)
        theirs = self._open.pop((turn, Side.ASSISTANT), None)
        if theirs is not None:
            whole = theirs.entry.text.strip()
            text = (whole if heard is None else heard).strip()
            if text:
                rest = whole[len(text) :] if interrupted and whole.startswith(text) else ""
                theirs.update_entry(replace(theirs.entry, text=text, interrupted=interrupted, rest=rest, sound=sound))
                self._actions.refresh(theirs)
                self.entry_finished.emit(theirs.entry)
            else:
                self._remove(theirs)

    def discard(self, turn: int) -> None:
        """Take the open `turn` off, as it was no question."""
        for side in Side:
            bubble = self._open.pop((turn, side), None)
            if bubble is not None:
                self._remove(bubble)

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Show these, oldest first, in place of what is there; a turn under way must have been ended before."""
        self.clear()
        self._to_fill = list(entries[-self.MOST :])
        self._earlier.setVisible(len(entries) > self.MOST)
        for _ in range(self.FIRST_FILLED):
            self._fill_one()
        self.follow()
        self._filler.start()

    def clear(self) -> None:
        """Take everything off."""
        self._filler.stop()
        self._to_fill = []
        self._open.clear()
        self._actions.leave()
        for bubble in self._bubbles:
            self._rows.removeWidget(bubble)
            bubble.hide()
            bubble.deleteLater()
        self._bubbles.clear()
        self._earlier.hide()
        self._welcome.show()
        self.follow()
        self.cleared.emit()

    def _fill(self) -> None:
        if not self._to_fill:
            # Only now, as the layout has made room for the last ones meanwhile.
            self._filler.stop()
            return
        for _ in range(self.THEN_FILLED):
            self._fill_one()

    def _fill_one(self) -> None:
        if self._to_fill:
            self._welcome.hide()
            bubble = self._new_bubble(self._to_fill.pop())
            self._bubbles.insert(0, bubble)
            self._rows.insertWidget(self.ABOVE, bubble)
            bubble.show()

    # --- one message

    def _new_bubble(self, entry: Entry) -> Bubble:
        bubble = Bubble(entry, self._body)
        bubble.entered.connect(lambda entered, b=bubble: self._bubble_entered(b, entered))
        bubble.menu_wanted.connect(lambda at, b=bubble: self._show_menu(at, b))
        bubble.fit(self._column())
        return bubble

    def _bubble_entered(self, bubble: Bubble, entered: bool) -> None:
        if entered:
            self._actions.visit(bubble)
        elif self._actions.bubble() is bubble and not bubble.hasFocus():
            self._actions.leave()

    def _copy(self) -> None:
        bubble = self._actions.bubble()
        if bubble is not None:
            QGuiApplication.clipboard().setText(bubble.entry.text + bubble.entry.rest)

    def _show_menu(self, at: QPoint, bubble: Bubble | None = None) -> None:
        bubble = bubble or self._actions.bubble()
        if bubble is None:
            return
        entry, selected = bubble.entry, bubble.selected_text()
        text = selected.replace("\N{PARAGRAPH SEPARATOR}", "\n") or entry.text + entry.rest
        again = entry.sound and entry.side == Side.ASSISTANT
        choices = Choices(
            lambda: QGuiApplication.clipboard().setText(text),
            (lambda: self.again_wanted.emit(entry)) if again else None,
            (lambda: bubble.show_latency(True, opened=True)) if bubble.latency else None,
            (lambda: self.report_wanted.emit(entry)) if self.reportable(entry) else None,
        )
        message_menu(self, choices).popup(at)

    def _say_again(self) -> None:
        bubble = self._actions.bubble()
        if bubble is not None and bubble.entry.sound:
            self.again_wanted.emit(bubble.entry)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bubble = self._actions.bubble()
        if event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
                self._choose(-1 if event.key() == Qt.Key.Key_Up else 1)
                return
            if event.key() == Qt.Key.Key_C and bubble is not None:
                self._actions.copy()
                return
            if event.key() == Qt.Key.Key_R and bubble is not None:
                self._say_again()
                return
        super().keyPressEvent(event)

    def _choose(self, step: int) -> None:
        """Give the focus to the message above or below; from outside, to the last one."""
        if not self._bubbles:
            return
        now = next((index for index, bubble in enumerate(self._bubbles) if bubble.hasFocus()), None)
        index = len(self._bubbles) - 1 if now is None else min(max(now + step, 0), len(self._bubbles) - 1)
        self._bubbles[index].setFocus()
        self.ensureWidgetVisible(self._bubbles[index], 0, self.MARGIN)

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
        elif self._filler.isActive():
            self._move(self.verticalScrollBar().maximum() - self._from_end)
        self._place_latest()

    def _to_end(self) -> None:
        self._move(self.verticalScrollBar().maximum())

    def _move(self, value: int) -> None:
        self._moving = True
        self.verticalScrollBar().setValue(value)
        self._moving = False
        self._place_latest()

    def _scrolled(self, value: int) -> None:
        if not self._moving:
            self._from_end = self.verticalScrollBar().maximum() - value
            self._following = self._from_end <= self.NEAR
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
        bubble = self._new_bubble(entry)
        after = self._open.get((entry.turn, Side.ASSISTANT)) if entry.side == Side.USER else None
        # The user's words may be read only after the answer has begun: they still belong above it.
        index = self._bubbles.index(after) if after else len(self._bubbles)
        self._bubbles.insert(index, bubble)
        self._rows.insertWidget(index + self.ABOVE, bubble)
        self._open[entry.turn, entry.side] = bubble
        bubble.show()
        if entry.side == Side.USER:
            self.follow()
        if len(self._bubbles) + len(self._to_fill) > self.MOST:
            self._earlier.show()
            if self._to_fill:
                del self._to_fill[0]
                return
            self._remove(self._bubbles[0])

    def _remove(self, bubble: Bubble) -> None:
        if self._actions.bubble() is bubble:
            self._actions.leave()
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
        self._fit()
        self._place_latest()

    def _fit(self) -> None:
        """Each bubble as large as its text wants it now."""
        for bubble in self._bubbles:
            bubble.fit(self._column())
        self._actions.place()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        # It has the focus most of the time, so it is shown only to whoever comes here by the keyboard.
        self._show_ring(event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._show_ring(False)

    def _show_ring(self, shown: bool) -> None:
        if bool(self.property("ring")) != shown:
            self.setProperty("ring", shown)
            self.style().unpolish(self)
            self.style().polish(self)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_latest"):
            self._dress()

    def _dress(self) -> None:
        self._latest.setIcon(icons.icon("down", theme.colours().text))
