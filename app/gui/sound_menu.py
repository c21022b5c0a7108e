"""Which microphone and which loudspeaker: a small panel that opens under its button."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QFrame, QLabel, QVBoxLayout, QWidget

from app.audio.catalogue import DEFAULT, DeviceName, Found, Kind
from app.gui import theme
from app.gui.menus import ArrowMenu

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
        self.microphones = self._menu(self.tr("Microphone"))
        self.speakers = self._menu(self.tr("Speaker"))
        self._found = Found()
        self._wanted: dict[Kind, DeviceName] = {"input": DEFAULT, "output": DEFAULT}
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 16)
        column.setSpacing(4)
        for menu in (self.microphones, self.speakers):
            label = QLabel(menu.accessibleName())
            label.setFont(theme.sized(self.font(), 0.92))
            label.setProperty("muted", True)
            label.setBuddy(menu)
            column.addWidget(label)
            column.addWidget(menu)
            if menu is self.microphones:
                column.addSpacing(theme.GRID)
        self.microphones.activated.connect(lambda index: self._activated("input", index))
        self.speakers.activated.connect(lambda index: self._activated("output", index))
        self._fill()

    def set_found(self, found: Found) -> None:
        """The devices there are now."""
        self._found = found
        self._fill()

    def set_wanted(self, kind: Kind, device: DeviceName) -> None:
        """Show `device` as the chosen one, whether it is there or not."""
        self._wanted[kind] = device
        self._fill()

    def open_under(self, button: QWidget) -> None:
        """Show the panel under `button`, its right edge on the button's."""
        self.adjustSize()
        corner = button.mapToGlobal(QPoint(button.width() - self.width(), button.height() + 6))
        screen = button.screen().availableGeometry()
        x = min(max(corner.x(), screen.left() + 4), screen.right() - self.width() - 4)
        self.move(x, corner.y())
        self.show()
        self.microphones.setFocus()

    def _menu(self, name: str) -> QComboBox:
        menu = ArrowMenu()
        menu.setAccessibleName(name)
        # A long name is cut in the closed menu; its tool tip has the whole.
        menu.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        menu.setMinimumContentsLength(12)
        return menu

    def _fill(self) -> None:
        kinds: tuple[tuple[Kind, QComboBox], ...] = (("input", self.microphones), ("output", self.speakers))
        for kind, menu in kinds:
            wanted, default = self._wanted[kind], self._found.default(kind)
            known = default is not None and default.name not in ("default", "")
            text = self.tr("System default ({name})") if known else self.tr("System default")
            rows = [(text.format(name=default.name if default else ""), DEFAULT)]
            devices = self._found.of(kind)
            names = [device.name for device in devices]
            for device in devices:
                twice = names.count(device.name) > 1
                rows.append((f"{device.name} ({device.host})" if twice else device.name, device))
            if wanted != DEFAULT and wanted not in devices:
                rows.append((self.tr("{name} (not connected)").format(name=wanted.name), wanted))
            if [(menu.itemText(i), menu.itemData(i)) for i in range(menu.count())] != rows:
                menu.clear()
                for row, device in rows:
                    menu.addItem(row, device)
                    menu.setItemData(menu.count() - 1, row, Qt.ItemDataRole.ToolTipRole)
            menu.setCurrentIndex([device for _, device in rows].index(wanted))
            menu.setToolTip(menu.currentText())

    def _activated(self, kind: Kind, index: int) -> None:
        menu = self.microphones if kind == "input" else self.speakers
        device = menu.itemData(index)
        if device != self._wanted[kind]:
            self.set_wanted(kind, device)
            self.chosen.emit(kind, device)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)
