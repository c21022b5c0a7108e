"""Which microphone and which loudspeaker: a small panel that opens under its button."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from app.audio.catalogue import DeviceName, Found, Kind
from app.gui import theme
from app.gui.device_picker import DevicePicker

WIDTH = 340


class SoundMenu(QFrame):
    """The panel. It shows the devices it is told and says which one the user wants.

    Signals: `chosen(kind, DeviceName)`, kind "input" or "output".
    """

    chosen = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("panel")
        self.setFixedWidth(WIDTH)
        self.microphones = DevicePicker("input")
        self.speakers = DevicePicker("output")
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 16)
        column.setSpacing(4)
        for menu in (self.microphones, self.speakers):
            label = QLabel(menu.accessibleName())
            theme.set_size(label, 0.92)
            label.setProperty("muted", True)
            label.setBuddy(menu)
            column.addWidget(label)
            column.addWidget(menu)
            if menu is self.microphones:
                column.addSpacing(theme.GRID)
            menu.chosen.connect(self.chosen)

    def set_found(self, found: Found) -> None:
        """The devices there are now."""
        for menu in (self.microphones, self.speakers):
            menu.set_found(found)

    def set_wanted(self, kind: Kind, device: DeviceName) -> None:
        """Show `device` as the chosen one, whether it is there or not."""
        menu = self.microphones if kind == "input" else self.speakers
        menu.set_wanted(device)

    def choose(self, kind: Kind, device: DeviceName) -> None:
        """Take `device`, as if it had been chosen here."""
        self.set_wanted(kind, device)
        self.chosen.emit(kind, device)

    def open_under(self, button: QWidget) -> None:
        """Show the panel under `button`, its right edge on the button's."""
        self.adjustSize()
        corner = button.mapToGlobal(QPoint(button.width() - self.width(), button.height() + 6))
        screen = button.screen().availableGeometry()
        x = min(max(corner.x(), screen.left() + 4), screen.right() - self.width() - 4)
        self.move(x, corner.y())
        self.show()
        self.microphones.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)
