"""One message of the transcript."""

from __future__ import annotations

import html
import re
import time
import uuid
from dataclasses import dataclass, field

from PySide6.QtCore import QCoreApplication, QDateTime, QEvent, QLocale, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QEnterEvent,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

from app.conversation.latency import Latency
from app.gui import theme
from app.gui.latency import LatencyLine, summary
from app.gui.pictures.thumbnail import Thumbnail
from app.gui.tools.card import ToolCards, described
from app.history.records import Side, ToolUse

__all__ = ["Bubble", "Entry", "Side"]


@dataclass(frozen=True)
class Entry:
    """One message as plain data. `interrupted`: the user cut the answer short, and never heard `rest`.

    `key` tells it from all other messages ever; `time` is in seconds since 1970; `sound`: it can be played
    again. `tools` are those that were used for a question, `picture` what it is about, as a small JPEG file.
    """

    turn: int
    side: Side
    text: str
    interrupted: bool = False
    rest: str = field(default="", compare=False)
    key: str = field(default_factory=lambda: uuid.uuid4().hex, compare=False)
    time: float = field(default_factory=time.time, compare=False)
    sound: bool = field(default=False, compare=False)
    tools: tuple[ToolUse, ...] = ()
    picture: bytes = field(default=b"", repr=False)


# A word that may be too long for a line: no spaces, and no Chinese, which breaks anywhere.
_LONG_WORD = re.compile(r"[^\s\u2e80-\u9fff\uff00-\uffef]{16,}")
# Takes no room, and a line may break at it.
_BREAK = "\u200b"


class _Words(QLabel):
    """Words that are copied without the breaks that were put into them."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy) and self.hasSelectedText():
            QGuiApplication.clipboard().setText(self.selectedText().replace(_BREAK, ""))
        else:
            super().keyPressEvent(event)


class Bubble(QWidget):
    """A message on its own row: the user's at the right, the assistant's at the left; selectable.

    It lays itself out: nested layouts would settle only some turns of the event loop after each new word.

    Signals: `entered(bool)` when the pointer or the keyboard's focus has come (True) or gone; `menu_wanted(QPoint)`
    at a place on the screen.
    """

    entered = Signal(bool)
    menu_wanted = Signal(QPoint)

    PADDING = 14
    EDGE = 10
    PICTURE = QSize(260, 200)

    def __init__(self, entry: Entry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entry = entry
        self._frame = QFrame(self)
        self._frame.setProperty("bubble", "mine" if entry.side == Side.USER else "theirs")
        self._text = _Words(self._frame)
        theme.set_size(self._text, 1.05)
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setCursor(Qt.CursorShape.IBeamCursor)
        # The message's own menu has all that the label's has.
        self._text.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self._mark = QLabel(self._frame)
        self._mark.setProperty("muted", True)
        theme.set_size(self._mark, 0.88)
        self._plain = ""
        self._shown = "", ""
        self._about = ""
        self.latency: Latency | None = None
        self._foot: LatencyLine | None = None
        self._cards: ToolCards | None = None
        self._picture: Thumbnail | None = None
        self._top = theme.GRID if entry.side == Side.USER else 0
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._width = 0
        self._show()

    def update_entry(self, entry: Entry) -> None:
        """Show `entry` in place of the former one; a selection in the text is kept where it can be."""
        before, self.entry = self.entry, entry
        if entry != before or entry.rest != before.rest:
            self._show()

    def explain(self, text: str) -> None:
        """More about the message, for its tool tip."""
        self._about = text
        self._show_tool_tip()

    def show_latency(self, shown: bool, opened: bool = False) -> None:
        """Whether its `latency`, where that is known, stands below the answer; `opened` with all its parts."""
        if self._foot is None and shown and self.latency is not None:
            self._foot = LatencyLine(self.latency, self._frame)
            self._foot.resized.connect(lambda: self.fit(self._width))
        if self._foot is not None:
            self._foot.setVisible(shown)
            if opened:
                self._foot.open()
        self._show_tool_tip()
        if self._width:
            self.fit(self._width)

    def selected_text(self) -> str:
        """What of it the user has selected."""
        return self._text.selectedText().replace(_BREAK, "")

    def frame_box(self) -> QRect:
        """Where the bubble proper is within the row."""
        return self._frame.geometry()

    def fit(self, width: int) -> None:
        """Make the bubble as wide as its text wants, at most 82 % of `width` pixels, and high enough."""
        self._width = width
        room = self._room()
        self._write()
        wanted = self._text.fontMetrics().boundingRect(
            QRect(0, 0, room, 100_000), Qt.TextFlag.TextWordWrap, self._plain
        )
        lines = self._text.heightForWidth(room)
        chosen = min(room, wanted.width())
        # A label lays its text out a little wider than its font metrics say.
        while chosen < room and self._text.heightForWidth(chosen) > lines:
            chosen += 1
        chosen = max(chosen, 16)
        top = self.EDGE
        if self._picture is not None:
            shown = self._picture.fitting(self.PICTURE.boundedTo(QSize(room, self.PICTURE.height())))
            self._picture.setGeometry(self.PADDING, top + 4, shown.width(), shown.height())
            top += 4 + shown.height() + theme.GRID
            chosen = max(chosen, shown.width())
        height = self._text.heightForWidth(chosen)
        self._text.setGeometry(self.PADDING, top, chosen, height)
        bottom = top + height
        if not self._mark.isHidden():
            mark = self._mark.sizeHint()
            self._mark.setGeometry(self.PADDING, bottom + 4, mark.width(), mark.height())
            bottom += 4 + mark.height()
            chosen = max(chosen, mark.width())
        if self._foot is not None and not self._foot.isHidden():
            chosen = max(chosen, min(self._foot.wanted_width(), room))
            foot = self._foot.height_for(chosen)
            self._foot.setGeometry(self.PADDING, bottom + 6, chosen, foot)
            bottom += 6 + foot
        self._frame.resize(chosen + 2 * self.PADDING, bottom + self.EDGE)
        height = self._top + self._frame.height()
        if self._cards is not None:
            across = self._cards.wanted_width(room + 2 * self.PADDING)
            self._cards.setGeometry(0, height + theme.GRID, across, self._cards.height_for(across))
            height += theme.GRID + self._cards.height()
        self.setFixedHeight(height)
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        room = self.width() - self._frame.width()
        self._frame.move(room if self.entry.side == Side.USER else 0, self._top)

    def _show(self) -> None:
        translate = QCoreApplication.translate
        entry = self.entry
        mine = entry.side == Side.USER
        words = entry.text or (translate("Bubble", "Spoken question") if mine else "")
        rest = entry.rest.strip() if entry.interrupted else ""
        cut = bool(rest)
        self._shown = words, rest
        self._write()
        self._mark.setText(
            translate("Bubble", "Interrupted at the mark") if cut else translate("Bubble", "Interrupted")
        )
        self._mark.setVisible(self.entry.interrupted)
        self._text.setVisible(bool(self._plain))
        who = translate("Bubble", "You said") if mine else translate("Bubble", "Banter said")
        state = ", " + translate("Bubble", "interrupted") if self.entry.interrupted else ""
        about = ", " + translate("Bubble", "with a picture") if entry.picture else ""
        spoken = f"{who}{about}: {words}{state}"
        self._text.setAccessibleName(spoken)
        self.setAccessibleName("; ".join((spoken, *map(described, entry.tools))))
        self._show_tools()
        self._show_picture()
        self._show_tool_tip()
        if self._width:
            self.fit(self._width)

    def _room(self) -> int:
        """Pixels that a line of text may have, 0 before the width is known."""
        return round(self._width * 0.82) - 2 * self.PADDING if self._width else 0

    def _write(self) -> None:
        """Set the text; of words that are wider than a line, each letter may begin another one."""

        def breakable(match: re.Match[str]) -> str:
            word = match[0]
            # Not after the first few letters, which would stay behind on the line before.
            fits = not room or metrics.horizontalAdvance(word) <= room
            return word if fits else word[:8] + _BREAK + _BREAK.join(word[8:])

        room, metrics = self._room(), self._text.fontMetrics()
        words, rest = (_LONG_WORD.sub(breakable, text) for text in self._shown)
        text = _cut_text(words, rest) if rest else words
        if text == self._text.text():
            return
        selected = self._text.selectionStart(), len(self._text.selectedText())
        self._plain = f"{words} | {rest}" if rest else words
        self._text.setTextFormat(Qt.TextFormat.RichText if rest else Qt.TextFormat.PlainText)
        self._text.setText(text)
        if selected[0] >= 0:
            self._text.setSelection(*selected)

    def _show_tools(self) -> None:
        if self._cards is None and self.entry.tools:
            self._cards = ToolCards(self)
            self._cards.show()
        if self._cards is not None:
            self._cards.show_uses(self.entry.tools)

    def _show_picture(self) -> None:
        if self._picture is None and self.entry.picture:
            self._picture = Thumbnail(self._frame)
            self._picture.show_jpeg(self.entry.picture)
            self._picture.show()
        elif self._picture is not None and not self.entry.picture:
            self._picture.hide()
            self._picture.deleteLater()
            self._picture = None

    def _show_tool_tip(self) -> None:
        moment = QDateTime.fromSecsSinceEpoch(int(self.entry.time))
        when = QLocale().toString(moment, QLocale.FormatType.ShortFormat)
        time = summary(self.latency) if self.latency is not None else ""
        self.setToolTip("\n".join(filter(None, (when, time, self._about))))

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.entered.emit(True)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.entered.emit(False)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_wanted.emit(event.globalPos())

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._set_chosen(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._set_chosen(False)

    def _set_chosen(self, chosen: bool) -> None:
        self._frame.setProperty("chosen", chosen)
        self._frame.style().unpolish(self._frame)
        self._frame.style().polish(self._frame)
        self.entered.emit(chosen)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_top") and self.entry.rest:
            self._show()


def _cut_text(heard: str, rest: str) -> str:
    """What was heard, a mark, and the rest in a quieter colour."""
    colours = theme.colours()
    before, after = (html.escape(text).replace("\n", "<br>") for text in (heard, rest))
    return (
        f'{before} <span style="color: {colours.danger}; font-weight: 600">|</span> '
        f'<span style="color: {colours.muted}">{after}</span>'
    )
