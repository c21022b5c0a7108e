"""Dialogs that hold nothing up, one at a time."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog


class OneDialog:
    """Shows the dialogs of one owner: the next one closes the one before, and each is gone when it is closed."""

    def __init__(self) -> None:
        self._shown: QDialog | None = None

    def open(self, dialog: QDialog) -> None:
        """Show `dialog` and go on."""
        self.close()
        self._shown = dialog
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(lambda: self._forget(dialog))
        dialog.open()

    def close(self) -> None:
        """Close the dialog that is open, if one is."""
        if self._shown is not None:
            self._shown.close()

    def _forget(self, dialog: QDialog) -> None:
        if self._shown is dialog:
            self._shown = None
