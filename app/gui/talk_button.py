"""Hold to talk, or press to begin and to end: a button for the mouse or a finger, and Space for the keyboard."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
    QWidget,
)

_TYPING = (QLineEdit, QTextEdit, QPlainTextEdit, QAbstractSpinBox)


class TalkButton(QPushButton):
    """The hold-to-talk button. It stays held when the pressed mouse leaves it, as a hand may wander.

    Signals: `held()` and `let_go()`, always in pairs, whatever holds it: mouse or Space. Where it `toggles`, one
    press holds it and the next lets it go.
    """

    held = Signal()
    let_go = Signal()

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setProperty("kind", "primary")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._holding = False
        self._latched = False
        self.toggles = False

    @property
    def stays(self) -> bool:
        """Whether it stays held without a finger on it."""
        return self.toggles or self._latched

    def toggle(self) -> None:
        """One call holds it and the next lets it go, whatever a finger does."""
        if self._holding:
            self.release()
        else:
            self._latched = True
            self.hold()
            self._latched = self._holding

    def press(self) -> None:
        """The mouse or the key went down on it."""
        if self.toggles and self._holding:
            self.release()
        else:
            self.hold()

    def unpress(self) -> None:
        """The mouse or the key went up."""
        if not self.toggles:
            self.release()

    def is_held(self) -> bool:
        """Whether somebody holds it."""
        return self._holding

    def hold(self) -> None:
        """Begin to talk, unless it is held already or switched off."""
        if not self._holding and self.isEnabled():
            self._set(True)
            self.held.emit()

    def release(self) -> None:
        """End of talking."""
        if self._holding:
            self._latched = False
            self._set(False)
            self.let_go.emit()

    def _set(self, holding: bool) -> None:
        self._holding = holding
        self.setDown(holding)
        self.setProperty("held", holding)
        self.style().unpolish(self)
        self.style().polish(self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.press()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.unpress()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.release()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.EnabledChange and not self.isEnabled():
            self.release()


class SpaceKey(QObject):
    """Makes Space hold `button` anywhere in `window` but in a text field, and Enter press the focused button.

    A key that repeats counts once. The button is let go when the window loses the focus, because the key's
    release is then told to another program.
    """

    def __init__(self, window: QWidget, button: TalkButton) -> None:
        super().__init__(window)
        self._window = window
        self._button = button
        self._down = False
        QApplication.instance().installEventFilter(self)  # type: ignore[union-attr]

    def detach(self) -> None:
        """Stop watching the keyboard."""
        QApplication.instance().removeEventFilter(self)  # type: ignore[union-attr]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.WindowDeactivate and watched is self._window:
            self._let_go()
            return False
        if kind not in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease) or not isinstance(watched, QWidget):
            return False
        if not isinstance(event, QKeyEvent) or watched.window() is not self._window:
            return False
        if event.key() == Qt.Key.Key_Space:
            return self._space(event, watched)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and kind == QEvent.Type.KeyPress:
            return self._enter(watched)
        return False

    def _space(self, event: QKeyEvent, watched: QWidget) -> bool:
        pressed = event.type() == QEvent.Type.KeyPress
        if self._down:
            if not pressed and not event.isAutoRepeat():
                self._let_go()
            return True
        typing = isinstance(watched, _TYPING) or isinstance(QApplication.focusWidget(), _TYPING)
        if typing or event.modifiers():
            return False
        if pressed and not event.isAutoRepeat():
            self._down = True
            self._button.press()
        return True

    def _let_go(self) -> None:
        if self._down:
            self._down = False
            self._button.unpress()

    def _enter(self, watched: QObject) -> bool:
        if not isinstance(watched, QAbstractButton) or isinstance(watched, TalkButton):
            return False
        watched.click()
        return True
