"""What can be done with one message: shown beside the bubble that the pointer or the focus is on."""

from __future__ import annotations

from PySide6.QtCore import QDateTime, QEvent, QLocale, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.gui import icons, theme
from app.gui.bubble import Bubble, Side

GAP = 6
BUTTON = 30
COPIED_MS = 1_500


class MessageActions(QWidget):
    """One small bar for the whole transcript, which wanders from bubble to bubble.

    Signals: `copied()`, `again_clicked()`, and `more_clicked(QPoint)` at a place on the screen, about `bubble()`.
    """

    copied = Signal()
    again_clicked = Signal()
    more_clicked = Signal(QPoint)

    def __init__(self, home: QWidget) -> None:
        """`home` is where it waits while no bubble needs it."""
        super().__init__(home)
        self._home = home
        self._bubble: Bubble | None = None
        self._time = QLabel()
        self._time.setProperty("muted", True)
        theme.set_size(self._time, 0.88)
        self._copy = self._button(self.tr("Copy (Ctrl+C)"), self.tr("Copy this message"))
        self._copy.clicked.connect(self.copy)
        self._again = self._button(self.tr("Say that again (Ctrl+R)"), self.tr("Say that again"))
        self._again.clicked.connect(self.again_clicked)
        self._more = self._button(self.tr("More (Menu key)"), self.tr("More about this message"))
        self._more.clicked.connect(lambda: self.more_clicked.emit(self._more.mapToGlobal(QPoint(0, BUTTON))))
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        for widget in (self._time, self._copy, self._again, self._more):
            row.addWidget(widget)
        self._done = QTimer(self)
        self._done.setSingleShot(True)
        self._done.setInterval(COPIED_MS)
        self._done.timeout.connect(self._dress)
        self._dress()
        self.hide()

    def _button(self, tip: str, name: str) -> QPushButton:
        button = QPushButton()
        button.setProperty("kind", "small")
        button.setIconSize(QSize(16, 16))
        button.setFixedSize(BUTTON, BUTTON)
        button.setToolTip(tip)
        button.setAccessibleName(name)
        # The message itself takes the keyboard's focus, and the keys in the tool tips work on it.
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return button

    def bubble(self) -> Bubble | None:
        """The bubble it is at."""
        return self._bubble

    def visit(self, bubble: Bubble) -> None:
        """Show up beside `bubble`."""
        self._bubble = bubble
        self.setParent(bubble)
        self._done.stop()
        self._dress()
        self.refresh(bubble)
        self.show()

    def refresh(self, bubble: Bubble) -> None:
        """The message of `bubble` has changed."""
        if bubble is self._bubble:
            entry = bubble.entry
            moment = QDateTime.fromSecsSinceEpoch(int(entry.time)).time()
            self._time.setText(QLocale().toString(moment, QLocale.FormatType.ShortFormat))
            self._again.setVisible(entry.sound and entry.side == Side.ASSISTANT)
            self.place()

    def leave(self) -> None:
        """Go home."""
        self._bubble = None
        self.hide()
        self.setParent(self._home)

    def copy(self) -> None:
        """Copy the message, and show that it was done."""
        self.copied.emit()
        self._copy.setIcon(icons.icon("done", theme.colours().accent, 16))
        self._done.start()

    def place(self) -> None:
        """Stand beside the bubble, at its lower edge; without the time where there is little room."""
        bubble = self._bubble
        if bubble is None:
            return
        box = bubble.frame_box()
        mine = bubble.entry.side == Side.USER
        room = (box.left() if mine else bubble.width() - box.right()) - GAP
        self._time.show()
        if self.sizeHint().width() > room:
            self._time.hide()
        self._row.activate()
        size = self.sizeHint()
        self.resize(size)
        x = box.left() - GAP - size.width() if mine else min(box.right() + GAP, bubble.width() - size.width())
        self.move(max(0, x), box.bottom() - size.height() - 3)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_done"):
            self._dress()

    def _dress(self) -> None:
        ink = theme.colours().muted
        self._copy.setIcon(icons.icon("copy", ink, 16))
        self._again.setIcon(icons.icon("again", ink, 16))
        self._more.setIcon(icons.icon("more", ink, 16))
