"""The list of kept conversations: one row each, with its title and when it was, or what a search found in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QDateTime,
    QLocale,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QContextMenuEvent, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.gui import theme
from app.history.records import TITLE_LENGTH, Summary
from app.history.search import MATCH_BEGIN, MATCH_END

Index = QModelIndex | QPersistentModelIndex
SUMMARY = Qt.ItemDataRole.UserRole
DAY_S = 86_400
MORE_WIDTH = 36


class ConversationModel(QAbstractListModel):
    """The conversations of the list.

    Signals: `renamed(str, str)` id and new title, when the user has typed one.
    """

    renamed = Signal(str, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows: list[Summary] = []

    def show(self, rows: Sequence[Summary]) -> None:
        """Show these."""
        if list(rows) != self._rows:
            self.beginResetModel()
            self._rows = list(rows)
            self.endResetModel()

    def row_of(self, conversation: str | None) -> int | None:
        """Where the conversation is in the list."""
        return next((row for row, one in enumerate(self._rows) if one.id == conversation), None)

    def summary(self, index: Index) -> Summary:
        """The conversation at `index`, which must be valid."""
        return self._rows[index.row()]

    def title(self, summary: Summary) -> str:
        """Its title, or words in the place of one."""
        return summary.title or self.tr("Conversation without words")

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        one = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return self.title(one)
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{self.title(one)}, {when(one.changed)}"
            case Qt.ItemDataRole.ToolTipRole:
                moment = QDateTime.fromSecsSinceEpoch(int(one.changed))
                return f"{self.title(one)}\n{QLocale().toString(moment, QLocale.FormatType.ShortFormat)}"
            case Qt.ItemDataRole.UserRole:
                return one
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        title = " ".join(str(value).split())
        one = self._rows[index.row()]
        if not title or title == one.title:
            return False
        self._rows[index.row()] = Summary(one.id, title, one.begun, one.changed, one.found)
        self.dataChanged.emit(index, index)
        self.renamed.emit(one.id, title)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable


def when(seconds: float, now: float | None = None) -> str:
    """A moment as people say it: the time today, the day this week, the date before that."""
    moment = QDateTime.fromSecsSinceEpoch(int(seconds))
    today = QDateTime.currentDateTime() if now is None else QDateTime.fromSecsSinceEpoch(int(now))
    days = moment.date().daysTo(today.date())
    locale = QLocale()
    if days <= 0:
        return locale.toString(moment.time(), QLocale.FormatType.ShortFormat)
    if days == 1:
        return QCoreApplication.translate("ConversationList", "Yesterday")
    if days < 7:
        return locale.dayName(moment.date().dayOfWeek())
    return locale.toString(moment.date(), QLocale.FormatType.ShortFormat)


class Row(QStyledItemDelegate):
    """Paints a row and edits its title."""

    EDGE = 10

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, round(option.fontMetrics.height() * 1.95) + 2 * self.EDGE)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        view = self.parent()
        assert isinstance(view, ConversationList)
        one = index.data(SUMMARY)
        colours = theme.colours()
        box = option.rect.adjusted(0, 1, 0, -1)
        current = one.id == view.current()
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if current or hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colours.mine if current else colours.raised))
            painter.drawRoundedRect(QRectF(box), 10, 10)
        if focused:
            painter.setPen(QColor(colours.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 10, 10)
        ink = QColor(colours.mine_text if current else colours.text)
        quiet = QColor(colours.mine_text if current else colours.muted)
        more = hovered or focused
        words = box.adjusted(self.EDGE, self.EDGE - 3, -(MORE_WIDTH if more else self.EDGE), 3 - self.EDGE)
        font = QFont(option.font)
        if current:
            font.setWeight(QFont.Weight.DemiBold)
        self._draw(painter, words, Qt.AlignmentFlag.AlignTop, font, ink, index.data())
        small = theme.sized(option.font, 0.88)
        if one.found:
            self._draw_found(painter, words, small, quiet, ink, one.found)
        else:
            self._draw(painter, words, Qt.AlignmentFlag.AlignBottom, small, quiet, when(one.changed))
        if more:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ink)
            middle = more_box(option.rect).center()
            for step in (-5, 0, 5):
                painter.drawEllipse(QRectF(middle.x() + step - 1.4, middle.y() - 1.4, 2.8, 2.8))
        painter.restore()

    def _draw(self, painter: QPainter, box: QRect, edge: Qt.AlignmentFlag, font: QFont, ink: QColor, text: str) -> None:
        painter.setFont(font)
        painter.setPen(ink)
        fitted = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, edge | Qt.AlignmentFlag.AlignLeft, fitted)

    def _draw_found(self, painter: QPainter, box: QRect, font: QFont, ink: QColor, strong: QColor, found: str) -> None:
        """The piece of text, its matches in bold, beginning near the first match."""
        bold = theme.sized(font, 1.0, QFont.Weight.Bold)
        before, _, rest = found.replace("\n", " ").partition(MATCH_BEGIN)
        room = box.width() // 3
        metrics = QFontMetrics(font)
        x = box.left()
        pieces = [(metrics.elidedText(before, Qt.TextElideMode.ElideLeft, room), False)]
        for part in rest.split(MATCH_BEGIN):
            match, _, after = part.partition(MATCH_END)
            pieces += [(match, True), (after, False)]
        for text, matched in pieces:
            its = bold if matched else font
            left = box.right() - x
            if left <= 0 or not text:
                continue
            self._draw(
                painter,
                QRect(x, box.top(), left, box.height()),
                Qt.AlignmentFlag.AlignBottom,
                its,
                strong if matched else ink,
                text,
            )
            x += QFontMetrics(its).horizontalAdvance(text)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setMaxLength(2 * TITLE_LENGTH)
        editor.setObjectName("rename")
        editor.setAccessibleName(self.tr("Name of the conversation"))
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        editor.setGeometry(option.rect.adjusted(2, 5, -2, -5))


def more_box(row: QRect) -> QRect:
    """Where the three dots of a row are."""
    return QRect(row.right() - MORE_WIDTH, row.top(), MORE_WIDTH, row.height())


class ConversationList(QListView):
    """The list itself.

    Signals: `opened(str)` the id of the conversation to open; `menu_wanted(str, QPoint)` a menu for it at a
    place of the screen; `delete_wanted(str)`.
    """

    opened = Signal(str)
    menu_wanted = Signal(str, QPoint)
    delete_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = ConversationModel(self)
        self._current: str | None = None
        self.setModel(self.rows)
        self.setItemDelegate(Row(self))
        self.setObjectName("conversations")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setEditTriggers(QListView.EditTrigger.EditKeyPressed)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Conversations"))

    def show_rows(self, rows: Sequence[Summary]) -> None:
        """Show these; whoever moves through the list by keyboard stays on the same conversation."""
        index = self.currentIndex()
        chosen = self.rows.summary(index).id if index.isValid() else None
        self.rows.show(rows)
        row = self.rows.row_of(chosen)
        if self.hasFocus() and row is not None and not self.currentIndex().isValid():
            self.setCurrentIndex(self.rows.index(row))

    def current(self) -> str | None:
        """The conversation that is open."""
        return self._current

    def set_current(self, conversation: str | None) -> None:
        """Mark the conversation that is open."""
        self._current = conversation
        self.viewport().update()

    def is_renaming(self) -> bool:
        """Whether the user is typing a title."""
        return self.state() == QListView.State.EditingState

    def rename(self, conversation: str) -> None:
        """Let the user type another title."""
        row = self.rows.row_of(conversation)
        if row is not None:
            index = self.rows.index(row)
            self.setCurrentIndex(index)
            self.edit(index)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        if event.button() != Qt.MouseButton.LeftButton or not index.isValid():
            return
        one = self.rows.summary(index)
        box = more_box(self.visualRect(index))
        if box.contains(event.position().toPoint()):
            self.menu_wanted.emit(one.id, self.viewport().mapToGlobal(box.bottomLeft()))
        else:
            self.opened.emit(one.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if index.isValid() and not self.is_renaming():
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.opened.emit(self.rows.summary(index).id)
                return
            if event.key() == Qt.Key.Key_Delete:
                self.delete_wanted.emit(self.rows.summary(index).id)
                return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        if index.isValid():
            place = self.viewport().mapToGlobal(self.visualRect(index).center()) if by_key else event.globalPos()
            self.menu_wanted.emit(self.rows.summary(index).id, place)
