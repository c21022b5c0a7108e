"""Pictures that are dropped on the window or pasted into it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QShortcut,
)
from PySide6.QtWidgets import QLineEdit, QWidget

from app.gui.pictures.reading import holds_picture, picture_in


class Intake(QObject):
    """Watches a window and the field in it that text is typed into.

    Signals: `file_given(Path)`, `image_given(QImage)`.
    """

    file_given = Signal(object)
    image_given = Signal(object)

    def __init__(self, window: QWidget, field: QLineEdit) -> None:
        super().__init__(window)
        self._field = field
        window.setAcceptDrops(True)
        window.installEventFilter(self)
        # It takes dropped and pasted words itself, so a picture has to be seen before it comes there.
        field.installEventFilter(self)
        paste = QShortcut(QKeySequence(QKeySequence.StandardKey.Paste), window)
        paste.activated.connect(self._paste)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDropEvent) and holds_picture(event.mimeData()):
            event.acceptProposedAction()
            if not isinstance(event, QDragEnterEvent | QDragMoveEvent):
                self._take(picture_in(event.mimeData()))
            return True
        if (
            watched is self._field
            and event.type() == QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
            and event.matches(QKeySequence.StandardKey.Paste)
        ):
            data = QGuiApplication.clipboard().mimeData()
            found = picture_in(data)
            # Programs that copy words often add a picture of them; whoever types wants the words.
            if isinstance(found, Path) or (found is not None and not data.hasText()):
                self._take(found)
                return True
        return False

    def _paste(self) -> None:
        self._take(picture_in(QGuiApplication.clipboard().mimeData()))

    def _take(self, found: object) -> None:
        if isinstance(found, Path):
            self.file_given.emit(found)
        elif found is not None:
            self.image_given.emit(found)
