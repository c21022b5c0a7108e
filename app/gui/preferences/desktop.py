"""Banter beside other programs: the key that works everywhere, the tray, and the start."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QSizePolicy

from app.gui.preferences.key_field import KeyField
from app.gui.preferences.page import Page
from app.gui.preferences.parts import Switch
from app.settings import Settings


class DesktopPage(Page):
    """Hotkey, tray and start.

    Signals: `choosing(bool)` while the user chooses keys, which must reach this window meanwhile.
    """

    choosing = Signal(bool)
    FIELDS = ("hotkey", "close_to_tray", "start_minimised")

    def build(self) -> None:
        self._status = ""
        card = self.card(self.tr("From any program"))
        self.key = KeyField()
        self.key.chosen.connect(lambda text: self.changed.emit({"hotkey": text}))
        self.key.refused.connect(self._refused)
        self.key.waiting.connect(self.choosing)
        self.clear = QPushButton(self.tr("Remove"))
        self.clear.setToolTip(self.tr("Use no key"))
        self.clear.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.clear.clicked.connect(lambda: self.changed.emit({"hotkey": ""}))
        self._key_note = card.row(self.tr("&Key for talking"), self.key, " ", self.clear)
        card = self.card(self.tr("Window"))
        self.close_to_tray = Switch()
        self.close_to_tray.clicked.connect(lambda on: self.changed.emit({"close_to_tray": on}))
        self._tray_note = card.row(self.tr("Keep running in the &tray when closed"), self.close_to_tray, " ")
        self.start_minimised = Switch()
        self.start_minimised.clicked.connect(lambda on: self.changed.emit({"start_minimised": on}))
        card.row(
            self.tr("Start &minimised"),
            self.start_minimised,
            self.tr("In the tray if it keeps running there, otherwise in the task bar."),
        )

    def show_settings(self, settings: Settings) -> None:
        self.key.set_keys(settings.hotkey)
        self.clear.setEnabled(bool(settings.hotkey))
        self.close_to_tray.setChecked(settings.close_to_tray)
        self.start_minimised.setChecked(settings.start_minimised)

    def show_hotkey(self, sentence: str) -> None:
        """What there is to say about the key."""
        self._status = sentence
        self._say(sentence)

    def show_tray(self, there: bool) -> None:
        """Whether this desktop has a tray."""
        if there:
            text = self.tr("It still hears its key; its icon's menu ends it.")
        else:
            text = self.tr("This desktop shows no tray, so closing the window ends Banter.")
        self._tray_note.setText(text)
        self.close_to_tray.setAccessibleDescription(text)

    def _refused(self) -> None:
        self._say(
            self.tr(
                "Take a letter, a digit or Space together with Ctrl, Alt or Meta, or one of F1 to F24, Pause or Insert."
            )
        )

    def _say(self, sentence: str) -> None:
        self._key_note.setText(sentence)
        self.key.setAccessibleDescription(sentence)
