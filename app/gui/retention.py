"""How long conversations are kept, and what is asked before any are deleted."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from app.gui.window import MainWindow
from app.history.keeper import DAY_S
from app.history.records import Summary
from app.settings import Keep, Settings

if TYPE_CHECKING:
    from app.gui.kept import Kept

DAYS = {Keep.MONTH: 30.0, Keep.WEEK: 7.0}


class Retention(QObject):
    """The user's choice, made in the sidebar or in the settings."""

    def __init__(
        self, window: MainWindow, kept: Kept, file: Path | None, settings: Settings, remember: Callable[..., None]
    ) -> None:
        """`file` is where conversations are kept, if at all; `remember(name=value)` changes a setting for good."""
        super().__init__(window)
        self._window = window
        self._kept = kept
        self._file = file
        self._keep = settings.keep
        self._keep_sound = settings.keep_sound
        self._remember = remember
        self._question: QMessageBox | None = None
        sidebar = window.sidebar
        sidebar.show_keeping(settings.keep, settings.keep_sound)
        sidebar.keep_chosen.connect(self.choose)
        sidebar.sound_switched.connect(self.switch_sound)

    @property
    def keeps_sound(self) -> bool:
        """Whether the sound of new answers is kept."""
        return self._keep_sound and self._keep != Keep.NOT_AT_ALL

    def choose(self, keep: Keep, over: QWidget | None = None) -> None:
        """Keep conversations for so long, once the user has agreed to what is deleted by that.

        The question opens `over` that window, by default the main one.
        """
        self._window.sidebar.show_keeping(self._keep, self._keep_sound)
        if keep == self._keep:
            return
        oldest = time.time() - DAYS.get(keep, 0.0) * DAY_S

        def goes(one: Summary) -> bool:
            return keep != Keep.FOREVER and (keep == Keep.NOT_AT_ALL or one.changed < oldest)

        def answer(gone: int) -> None:
            if not gone:
                self.set_keep(keep)
                return
            if keep == Keep.NOT_AT_ALL:
                what = self.tr("All kept conversations are deleted, and this cannot be undone.")
            else:
                what = self.tr("What is older than {days} days is deleted, and this cannot be undone.")
            one = self.tr("Delete one conversation now?")
            text = one if gone == 1 else self.tr("Delete %n conversations now?", "", gone)
            self._confirm(over, text, what.format(days=round(DAYS.get(keep, 0.0))), lambda: self.set_keep(keep))

        self._kept.count(goes, answer)

    def set_keep(self, keep: Keep) -> None:
        """Keep conversations for so long from now on; what is older goes at once."""
        self._keep = keep
        self._remember(keep=keep)
        self._kept.keep_in(None if keep == Keep.NOT_AT_ALL else self._file, DAYS.get(keep))
        self._window.sidebar.show_keeping(keep, self._keep_sound)

    def switch_sound(self, on: bool) -> None:
        """Whether to keep the sound of new answers, too."""
        self._keep_sound = on
        self._remember(keep_sound=on)
        self._window.sidebar.show_keeping(self._keep, on)

    def delete_all(self, over: QWidget | None = None) -> None:
        """Delete all conversations, once the user has agreed."""

        what = self.tr("They and the sound that was kept with them are deleted, and this cannot be undone.")
        self._confirm(over, self.tr("Delete all conversations?"), what, self._kept.forget_all)

    def _confirm(self, over: QWidget | None, text: str, consequence: str, agreed: Callable[[], None]) -> None:
        if self._question is not None:
            self._question.close()
        self._question = box = QMessageBox(over or self._window)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setText(text)
        box.setInformativeText(consequence)
        delete = box.addButton(self.tr("Delete"), QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(QMessageBox.StandardButton.Cancel)
        delete.clicked.connect(agreed)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.finished.connect(lambda: self._closed(box))
        box.open()

    def _closed(self, box: QMessageBox) -> None:
        if self._question is box:
            self._question = None
