"""Behind the sound check: offers it, runs it on a thread of its own, and follows its advice."""

from __future__ import annotations

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from app.audio import check
from app.audio.catalogue import DeviceName, Found
from app.audio.check import CheckError, Findings, Trouble, Way, advise
from app.audio.tap import SoundTap
from app.audio.vad import SileroVad
from app.conversation.controller import Conversation
from app.conversation.events import Mode
from app.gui.devices import Devices
from app.gui.posting import Posting
from app.gui.preferences.preferences import Preferences
from app.gui.soundcheck.card import OfferCard
from app.gui.soundcheck.dialog import SoundCheckWindow
from app.gui.window import MainWindow
from app.settings import Mode as SavedMode
from app.settings import Settings, SoundDevice


def changes_for(way: Way) -> dict[str, object]:
    """The settings that make Banter listen in this way."""
    if way == Way.PUSH_TO_TALK:
        return {"mode": SavedMode.PUSH_TO_TALK}
    return {"mode": SavedMode.OPEN_MIC, "cancel_echo": way == Way.FULL_DUPLEX}


class SoundCheck(QObject):
    """The sound check of one main window. While its window is open the conversation does not listen."""

    def __init__(
        self,
        window: MainWindow,
        conversation: Conversation,
        devices: Devices,
        preferences: Preferences,
        settings: Callable[[], Settings],
        remember: Callable[..., None],
    ) -> None:
        """`settings` gives those in force; `remember(name=value)` changes one for good."""
        super().__init__(window)
        self._window = window
        self._conversation = conversation
        self._devices = devices
        self._preferences = preferences
        self._settings = settings
        self._remember = remember
        self._found = Found()
        self._reasons = {Trouble.NO_MICROPHONE: "", Trouble.NO_SPEAKER: ""}
        self._tap = SoundTap(lambda: devices.playback.reference)
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._findings: Findings | None = None
        self._post = Posting(self)
        self.dialog: SoundCheckWindow | None = None
        self.card: OfferCard | None = None
        preferences.check_requested.connect(self.open)
        if not settings().sound_checked:
            self._offer()

    def open(self) -> None:
        """Show the window of the check; nothing sounds before the user says so."""
        self._dismiss()
        if self.dialog is not None:
            self.dialog.raise_()
            return
        settings_window = self._preferences.dialog
        over: QWidget = settings_window if settings_window and settings_window.isVisible() else self._window
        dialog = self.dialog = SoundCheckWindow(over)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._show_devices()
        for picker in (dialog.microphones, dialog.speakers):
            picker.chosen.connect(self._choose)
        dialog.started.connect(self.start)
        dialog.used.connect(self._use)
        dialog.finished.connect(self._closed)
        self._conversation.stop()
        self._conversation.set_mode(Mode.MUTED)
        self._devices.watch("soundcheck", True)
        dialog.open()

    def start(self) -> None:
        """Play the sound and measure."""
        if self._thread is not None or self.dialog is None:
            return
        self._stopped.clear()
        self._devices.add_tap(self._tap)
        self.dialog.show_step(check.Step.LISTENING)
        self._thread = threading.Thread(target=self._run, name="sound-check", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop a check under way and put the window away."""
        if self.dialog is not None:
            self.dialog.close()
        thread = self._thread
        if thread is not None:
            thread.join(timeout=10.0)

    # --- shown from outside

    def show_level(self, decibels: float) -> None:
        """Loudness of the microphone in dB of full scale."""
        if self.dialog is not None:
            self.dialog.show_level(decibels)

    def devices_found(self, found: Found) -> None:
        """The devices there are now."""
        self._found = found
        self._show_devices()

    def device_changed(self, trouble: Trouble, sentence: str) -> None:
        """The microphone or the speaker came (""), or went away for the reason in `sentence`."""
        self._reasons[trouble] = sentence

    # --- inside

    def _offer(self) -> None:
        self.card = OfferCard()
        self.card.accepted.connect(self.open)
        self.card.declined.connect(self._dismiss)
        self._window.offers.addWidget(self.card)

    def _dismiss(self) -> None:
        """The offer was answered, in one way or the other."""
        card, self.card = self.card, None
        if card is not None:
            card.hide()
            card.deleteLater()
        if not self._settings().sound_checked:
            self._remember(sound_checked=True)

    def _show_devices(self) -> None:
        if self.dialog is None:
            return
        settings = self._settings()
        for picker, wanted in (
            (self.dialog.microphones, settings.microphone),
            (self.dialog.speakers, settings.speaker),
        ):
            picker.set_found(self._found)
            picker.set_wanted(DeviceName(wanted.name, wanted.host))

    def _choose(self, kind: str, device: DeviceName) -> None:
        name = "microphone" if kind == "input" else "speaker"
        self._preferences.change({name: SoundDevice(device.name, device.host)})
        if self.dialog is not None:
            self.dialog.show_ready()

    def _use(self) -> None:
        if self._findings is not None:
            self._preferences.change(changes_for(advise(self._findings)[0]))
        if self.dialog is not None:
            self.dialog.accept()

    def _in_use(self, way: Way) -> bool:
        settings = self._settings()
        return all(getattr(settings, name) == value for name, value in changes_for(way).items())

    def _closed(self) -> None:
        self._stopped.set()
        self.dialog = None
        self._devices.watch("soundcheck", False)
        muted = self._window.dock.is_muted()
        self._conversation.set_mode(Mode.MUTED if muted else Mode(self._settings().mode.value))

    def _run(self) -> None:
        outcome: Findings | Trouble
        try:
            outcome = check.run(
                self._devices.playback,
                self._tap,
                lambda: self._devices.microphone_open,
                SileroVad().probability,
                lambda step: self._post(lambda: self._show_step(step)),
                self._stopped,
            )
        except CheckError as error:
            outcome = error.trouble
        except (ImportError, FileNotFoundError):
            # Without the detector there is no microphone either, and its own notice says why.
            outcome = Trouble.NO_MICROPHONE
        self._devices.remove_tap(self._tap)
        self._post(lambda: self._show(outcome))

    def _show_step(self, step: check.Step) -> None:
        if self.dialog is not None and self._thread is not None:
            self.dialog.show_step(step)

    def _show(self, outcome: Findings | Trouble) -> None:
        self._thread = None
        if self.dialog is None or self._stopped.is_set():
            return
        if isinstance(outcome, Trouble):
            self.dialog.show_trouble(outcome, self._reasons.get(outcome, ""))
            return
        self._findings = outcome
        self.dialog.show_findings(outcome, self._in_use(advise(outcome)[0]))
