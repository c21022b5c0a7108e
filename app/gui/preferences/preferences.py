"""Makes the settings take effect: at the start, and at once when the user changes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication

from app.audio.catalogue import DeviceName, Found, Kind
from app.conversation.controller import Conversation
from app.conversation.manner import timing_for
from app.engine.host import EngineHost
from app.gui import appearance
from app.gui.devices import Devices
from app.gui.preferences.dialog import PreferencesWindow
from app.gui.retention import Retention
from app.gui.window import MainWindow
from app.settings import Mode, Settings, SoundDevice, Talk


class Preferences(QObject):
    """Behind the window of the settings, which is made when it is first asked for.

    What has a control in the main window too goes through that one, so that both always show the same.

    Signals: `check_requested()` for the sound check; `models_requested()` for the window of the models;
    `changed(Settings)`, whoever has changed them; `made(PreferencesWindow)` when the window is made.
    """

    check_requested = Signal()
    models_requested = Signal()
    changed = Signal(object)
    made = Signal(object)

    def __init__(
        self,
        window: MainWindow,
        conversation: Conversation,
        host: EngineHost,
        devices: Devices,
        retention: Retention,
        settings: Settings,
        remember: Callable[..., None],
    ) -> None:
        """`remember(name=value)` changes a setting for good, and calls `settings_changed`."""
        super().__init__(window)
        self._window = window
        self._conversation = conversation
        self._host = host
        self._devices = devices
        self._retention = retention
        self._settings = settings
        self._remember = remember
        self._found = Found()
        self._echo = ""
        self.dialog: PreferencesWindow | None = None
        self._conversation.set_timing(timing_for(settings.patience, settings.barge_in))
        self._host.seed = settings.seed
        self._devices.clean(settings.cancel_echo, settings.suppress_noise)
        window.show_toggle(settings.talk == Talk.TOGGLE)
        window.transcript.show_latencies(settings.show_latency)
        window.settings_requested.connect(self.open)
        window.header.mute.toggled.connect(self._show_muted)
        self._app().styleHints().colorSchemeChanged.connect(self._dress)

    def open(self) -> None:
        """Show the settings, in front of everything."""
        if self.dialog is None:
            self.dialog = PreferencesWindow(self._window)
            self.dialog.changed.connect(self.change)
            self.dialog.sound.check_clicked.connect(self.check_requested)
            self.dialog.answers.models_clicked.connect(self.models_requested)
            self.dialog.sound.muted.connect(self._window.header.mute.setChecked)
            self.dialog.privacy.delete_all_clicked.connect(lambda: self._retention.delete_all(self.dialog))
            self.dialog.show_settings(self._settings)
            self.dialog.sound.show_found(self._found)
            self.dialog.sound.show_echo(self._echo)
            self._show_muted(self._window.header.mute.isChecked())
            self.made.emit(self.dialog)
        self.dialog.setWindowState(self.dialog.windowState() & ~Qt.WindowState.WindowMinimized)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    def close(self) -> None:
        """Put the window away."""
        self._app().styleHints().colorSchemeChanged.disconnect(self._dress)
        if self.dialog is not None:
            self.dialog.close()

    # --- shown from outside

    def settings_changed(self, settings: Settings) -> None:
        """These settings hold now, whoever has changed them."""
        self._settings = settings
        if self.dialog is not None:
            self.dialog.show_settings(settings)
        self.changed.emit(settings)

    def devices_found(self, found: Found) -> None:
        """The devices there are now."""
        self._found = found
        if self.dialog is not None:
            self.dialog.sound.show_found(found)

    def echo_changed(self, reason: str) -> None:
        """Why the echo is not cancelled, "" when it is."""
        self._echo = reason if self._settings.cancel_echo else ""
        if self.dialog is not None:
            self.dialog.sound.show_echo(self._echo)

    def _show_muted(self, muted: bool) -> None:
        if self.dialog is not None:
            self.dialog.sound.show_muted(muted)

    # --- changed by the user

    def change(self, changes: dict[str, Any]) -> None:
        """Make `changes` (values by the names of settings) take effect and be kept."""
        plain = {}
        for name, value in changes.items():
            match name:
                case "volume":
                    self._window.header.set_volume(value)
                case "microphone" | "speaker":
                    self._choose("input" if name == "microphone" else "output", value)
                case "mode":
                    self._window.dock.open_mic.setChecked(value == Mode.OPEN_MIC)
                case "keep":
                    self._retention.choose(value, self.dialog)
                case "keep_sound":
                    self._retention.switch_sound(value)
                case _:
                    plain[name] = value
        if plain:
            before = self._settings
            self._remember(**plain)
            self._take_effect(before, self._settings)
        if self.dialog is not None:
            # What has been asked back about is not in force yet.
            self.dialog.show_settings(self._settings)

    def _choose(self, kind: Kind, device: SoundDevice) -> None:
        self._window.header.sound_menu.choose(kind, DeviceName(device.name, device.host))

    def _take_effect(self, before: Settings, now: Settings) -> None:
        def differs(*names: str) -> bool:
            return any(getattr(before, name) != getattr(now, name) for name in names)

        if differs("patience", "barge_in"):
            self._conversation.set_timing(timing_for(now.patience, now.barge_in))
        if differs("seed"):
            self._host.seed = now.seed
        if differs("cancel_echo", "suppress_noise"):
            self._devices.clean(now.cancel_echo, now.suppress_noise)
        if differs("talk"):
            self._window.show_toggle(now.talk == Talk.TOGGLE)
        if differs("show_latency"):
            self._window.transcript.show_latencies(now.show_latency)
        if differs("theme", "text_size", "reduced_motion"):
            self._dress()

    def _dress(self) -> None:
        appearance.apply(self._app(), self._settings)

    def _app(self) -> QApplication:
        return cast(QApplication, QApplication.instance())
