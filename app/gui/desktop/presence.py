"""Joins the hotkey, the tray and the other instances to the window."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from app.gui.assistant import Assistant
from app.gui.desktop import instance, tray
from app.gui.desktop.hotkey import Hotkey
from app.gui.preferences.dialog import PreferencesWindow
from app.gui.status import Model
from app.gui.window import MainWindow
from app.settings import Settings

NOTICE_MS = 15_000


class Presence(QObject):
    """Banter on the desktop, while its window may be out of sight. Lives on the window's thread."""

    def __init__(
        self, window: MainWindow, assistant: Assistant, settings: Settings, first: instance.Instance | None = None
    ) -> None:
        """`first` hears what other instances want."""
        super().__init__(window)
        self._window = window
        self._assistant = assistant
        self._settings = settings
        self._first = first
        self._page: PreferencesWindow | None = None
        self.tray: tray.Tray | None = None
        self._passing: QSystemTrayIcon | None = None
        self._hider = QTimer(self)
        self._hider.setSingleShot(True)
        self._hider.setInterval(NOTICE_MS)
        self._hider.timeout.connect(self._hide_passing)
        self.hotkey = Hotkey(self)
        window.stays_running = lambda: self.tray is not None and tray.available()
        talk = window.dock.talk
        self.hotkey.pressed.connect(talk.press)
        self.hotkey.released.connect(talk.unpress)
        self.hotkey.status_changed.connect(self._show_status)
        window.situation_changed.connect(self._show_situation)
        window.went_out_of_sight.connect(self._explain)
        assistant.preferences.changed.connect(self._apply)
        assistant.preferences.made.connect(self._made)
        assistant.toolbox.ringer.rang.connect(self._notify)
        if first is not None:
            first.handle = self.handle
        self._apply(settings)

    def show_minimised(self) -> None:
        """Where the settings want it so: the window begins in the tray, or in the task bar where it has no tray."""
        if self._settings.start_minimised and self.tray is None:
            self._window.showMinimized()

    def show_window(self) -> None:
        """Bring the window to the front."""
        window = self._window
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.show()
        window.raise_()
        window.activateWindow()

    def handle(self, what: str) -> str:
        """Do what another instance wants; returns a sentence where that cannot be, otherwise ""."""
        match what:
            case instance.SHOW:
                self.show_window()
            case instance.QUIT:
                self._window.leave()
            case instance.TOGGLE_TALK:
                return self._toggle_talk()
            case _:
                return self.tr("This Banter is of another version: end it and start it again.")
        return ""

    def close(self) -> None:
        """Let go of the key and of the tray."""
        self._settings = replace(self._settings, close_to_tray=False)
        self.hotkey.close()
        self._drop_tray()
        self._hider.stop()
        self._hide_passing()
        if self._first is not None:
            self._first.handle = lambda what: ""

    def _toggle_talk(self) -> str:
        now, talk = self._window.situation(), self._window.dock.talk
        if talk.isEnabled():
            talk.toggle()
            return ""
        if now.model == Model.LOADING:
            return self.tr("Banter is still loading its model: try again in a moment.")
        if now.model == Model.FAILED:
            return self.tr("Banter's model is not running: its window says why.")
        if now.muted:
            return self.tr("The microphone is muted in Banter: unmute it first.")
        return self.tr("Banter has no microphone: plug one in and try again.")

    # --- settings

    def _apply(self, settings: Settings) -> None:
        self._settings = settings
        self.hotkey.set_key(settings.hotkey)
        there = tray.available()
        if settings.close_to_tray and there:
            if self.tray is None:
                self._make_tray()
        else:
            self._drop_tray()
        if self._page is not None:
            self._page.desktop.show_tray(there)

    def _made(self, page: PreferencesWindow) -> None:
        self._page = page
        page.desktop.choosing.connect(self.hotkey.pause)
        page.desktop.show_tray(tray.available())
        self._show_status()

    def _show_status(self) -> None:
        if self._page is not None:
            self._page.desktop.show_hotkey(self.hotkey.sentence())

    # --- tray

    def _make_tray(self) -> None:
        dock, window = self._window.dock, self._window
        self.tray = icon = tray.Tray(window.windowIcon(), self)
        icon.talk_clicked.connect(dock.talk.toggle)
        icon.stop_clicked.connect(window.stop_requested)
        icon.open_mic_switched.connect(dock.open_mic.setChecked)
        icon.muted.connect(dock.mute.setChecked)
        icon.show_clicked.connect(self.show_window)
        icon.settings_clicked.connect(self._assistant.preferences.open)
        icon.quit_clicked.connect(window.leave)
        self._show_situation()
        icon.icon.show()

    def _drop_tray(self) -> None:
        if self.tray is not None:
            self.tray.close()
            self.tray.deleteLater()
            self.tray = None

    def _show_situation(self) -> None:
        if self.tray is None and self._settings.close_to_tray and tray.available():
            # At the start of a session the tray may come later than we do.
            self._make_tray()
        elif self.tray is not None:
            self.tray.show_situation(self._window.situation(), self._window.dock.talk.is_held())

    def _notify(self, what: str) -> None:
        """Something rings: tell it where the user is looking, with an icon in the tray only as long as that takes."""
        QApplication.alert(self._window)
        if self.tray is None and not tray.available():
            return
        icon = self.tray.icon if self.tray is not None else self._passing
        if icon is None:
            icon = self._passing = QSystemTrayIcon(self._window.windowIcon(), self)
            icon.activated.connect(self.show_window)
        if icon is self._passing:
            icon.show()
            self._hider.start()
        if not icon.property("answers"):
            icon.setProperty("answers", True)
            icon.messageClicked.connect(self.show_window)
        icon.showMessage(self.tr("Banter rings"), what, self._window.windowIcon(), NOTICE_MS)

    def _hide_passing(self) -> None:
        if self._passing is not None:
            self._passing.hide()

    def _explain(self) -> None:
        if self._page is not None:
            self._page.close()
        if self.tray is not None and not self._settings.tray_explained:
            self.tray.explain()
            self._assistant.preferences.change({"tray_explained": True})
