"""The menu of microphones, or that of loudspeakers."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from app.audio.catalogue import DEFAULT, DeviceName, Found, Kind
from app.gui.menus import ArrowMenu


class DevicePicker(ArrowMenu):
    """Shows the devices of one kind that it is told, the system's default first, and says which one is wanted.

    Signals: `chosen(kind, DeviceName)` by the user.
    """

    chosen = Signal(str, object)

    def __init__(self, kind: Kind, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind: Kind = kind
        self._found = Found()
        self._wanted = DEFAULT
        self.setAccessibleName(self.tr("Microphone") if kind == "input" else self.tr("Speaker"))
        # A long name is cut in the closed menu; its tool tip has the whole.
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(12)
        self.activated.connect(self._activated)
        self._fill()

    def set_found(self, found: Found) -> None:
        """The devices there are now."""
        self._found = found
        self._fill()

    def set_wanted(self, device: DeviceName) -> None:
        """Show `device` as the chosen one, whether it is there or not."""
        self._wanted = device
        self._fill()

    def _fill(self) -> None:
        wanted, default = self._wanted, self._found.default(self._kind)
        known = default is not None and default.name not in ("default", "")
        text = self.tr("System default ({name})") if known else self.tr("System default")
        rows = [(text.format(name=default.name if default else ""), DEFAULT)]
        devices = self._found.of(self._kind)
        names = [device.name for device in devices]
        for device in devices:
            twice = names.count(device.name) > 1
            rows.append((f"{device.name} ({device.host})" if twice else device.name, device))
        if wanted != DEFAULT and wanted not in devices:
            rows.append((self.tr("{name} (not connected)").format(name=wanted.name), wanted))
        if [(self.itemText(i), self.itemData(i)) for i in range(self.count())] != rows:
            self.clear()
            for row, device in rows:
                self.addItem(row, device)
                self.setItemData(self.count() - 1, row, Qt.ItemDataRole.ToolTipRole)
        self.setCurrentIndex([device for _, device in rows].index(wanted))
        self.setToolTip(self.currentText())

    def _activated(self, index: int) -> None:
        device = self.itemData(index)
        if device != self._wanted:
            self.set_wanted(device)
            self.chosen.emit(self._kind, device)
