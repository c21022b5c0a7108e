"""A field that takes the keys that are pressed in it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QKeyCombination, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QPushButton, QWidget

from app.gui.desktop import keys

_MODIFIERS = (Qt.Key.Key_Control, Qt.Key.Key_Shift, Qt.Key.Key_Alt, Qt.Key.Key_Meta, Qt.Key.Key_AltGr)


class KeyField(QPushButton):
    """Press it, then the keys. Escape, or leaving it, keeps what there was.

    Signals: `chosen(str)`, keys as portable text; `refused()` when keys cannot be a hotkey; `waiting(bool)`: it
    begins, or ceases, to take keys.
    """

    chosen = Signal(str)
    refused = Signal()
    waiting = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self._waits = False
        self.setAutoDefault(False)
        self.clicked.connect(lambda: self._wait(True))
        self._show()

    def set_keys(self, text: str) -> None:
        """Show these keys (portable text, "" none), without telling anybody."""
        self._text = text
        self._show()

    def is_waiting(self) -> bool:
        """Whether it takes keys now."""
        return self._waits

    def sizeHint(self) -> QSize:
        # Nothing beside it moves when its words change.
        hint = super().sizeHint()
        widest = max(self.fontMetrics().horizontalAdvance(words) for words in (self._asking(), self._none()))
        return QSize(max(hint.width(), widest + 40), hint.height())

    def event(self, event: QEvent) -> bool:
        if self._waits and isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.ShortcutOverride:
                # Not even the window's own shortcuts come first.
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self._take(event)
                return True
            if event.type() == QEvent.Type.KeyRelease:
                self._show()
                return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        super().mousePressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._wait(False)

    def _wait(self, waits: bool) -> None:
        if waits != self._waits:
            self._waits = waits
            self._show()
            self.waiting.emit(waits)

    def _take(self, event: QKeyEvent) -> None:
        if event.isAutoRepeat():
            return
        key, modifiers = Qt.Key(event.key()), event.modifiers()
        if key in _MODIFIERS:
            held = QKeySequence(QKeyCombination(modifiers, Qt.Key(0))).toString(QKeySequence.SequenceFormat.NativeText)
            self.setText(held + "…")
            return
        if key == Qt.Key.Key_Escape and not modifiers:
            self._wait(False)
            return
        found = keys.of(event.keyCombination())
        if found is None:
            self._show()
            self.refused.emit()
            return
        self._text = found.text
        self._wait(False)
        self.chosen.emit(found.text)

    def _show(self) -> None:
        if self._waits:
            self.setText(self._asking())
        else:
            self.setText(keys.shown(self._text) if self._text else self._none())
        self.setProperty("waits", self._waits)
        self.style().unpolish(self)
        self.style().polish(self)

    def _asking(self) -> str:
        return self.tr("Press the keys… (Esc: leave it)")

    def _none(self) -> str:
        return self.tr("No key: choose one…")
