"""Which devices, how loud, and what is taken out of the microphone."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton

from app.audio.catalogue import DeviceName, Found
from app.gui.device_picker import DevicePicker
from app.gui.preferences.page import Page
from app.gui.preferences.parts import Scale, Switch
from app.settings import Settings, SoundDevice


class SoundPage(Page):
    """Devices, volume and echo.

    Signals: `muted(bool)` of the answers, which is not kept; `check_clicked()` for the sound check.
    """

    muted = Signal(bool)
    check_clicked = Signal()
    FIELDS = ("microphone", "speaker", "volume", "cancel_echo", "suppress_noise")

    def build(self) -> None:
        self.microphones, self.speakers = DevicePicker("input"), DevicePicker("output")
        card = self.card(self.tr("Devices"))
        card.row(self.tr("&Microphone"), self.microphones)
        card.row(self.tr("&Speaker"), self.speakers)
        for picker in (self.microphones, self.speakers):
            picker.chosen.connect(self._device_chosen)
        self.check = QPushButton(self.tr("&Check the sound…"))
        self.check.setToolTip(self.tr("Finds out how you talk best here; nothing sounds before you start it"))
        self.check.clicked.connect(self.check_clicked)
        card.add(self.check, Qt.AlignmentFlag.AlignLeft)
        card = self.card(self.tr("Answers"))
        self.volume = Scale(range(0, 101))
        self.volume.moved.connect(lambda percent: self.changed.emit({"volume": percent / 100}))
        card.row(self.tr("&Volume"), self.volume)
        self.volume.slider.setAccessibleName(self.tr("Volume"))
        self.mute = Switch()
        self.mute.clicked.connect(self.muted)
        card.row(self.tr("M&ute the answers"), self.mute, self.tr("They can still be read."))
        card = self.card(self.tr("What the microphone hears"))
        self.echo = Switch()
        self.echo.clicked.connect(lambda on: self.changed.emit({"cancel_echo": on}))
        self._echo_note = card.row(self.tr("Cancel the &echo of the loudspeakers"), self.echo, self._echo_hint(""))
        self.noise = Switch()
        self.noise.clicked.connect(lambda on: self.changed.emit({"suppress_noise": on}))
        card.row(
            self.tr("Suppress steady &noise"),
            self.noise,
            self.tr("For fans and traffic. It costs a little of your voice. Needs the echo canceller."),
        )

    def show_settings(self, settings: Settings) -> None:
        self.microphones.set_wanted(DeviceName(settings.microphone.name, settings.microphone.host))
        self.speakers.set_wanted(DeviceName(settings.speaker.name, settings.speaker.host))
        self.volume.set_value(round(100 * settings.volume))
        self.echo.setChecked(settings.cancel_echo)
        self.noise.setChecked(settings.suppress_noise)
        self.noise.setEnabled(settings.cancel_echo)

    def show_muted(self, muted: bool) -> None:
        """Whether the answers are muted."""
        self.mute.setChecked(muted)

    def show_found(self, found: Found) -> None:
        """The devices there are now."""
        self.microphones.set_found(found)
        self.speakers.set_found(found)

    def show_echo(self, reason: str) -> None:
        """Why the echo is not cancelled though it should be; "" when it is."""
        text = self._echo_hint(reason)
        self._echo_note.setText(text)
        self.echo.setAccessibleDescription(text)

    def restore(self) -> None:
        super().restore()
        self.muted.emit(False)

    def _device_chosen(self, kind: str, device: DeviceName) -> None:
        name = "microphone" if kind == "input" else "speaker"
        self.changed.emit({name: SoundDevice(device.name, device.host)})

    def _echo_hint(self, reason: str) -> str:
        if reason:
            return self.tr("It cannot be done here: {reason}.").format(reason=reason)
        return self.tr("So that you can speak over an answer. Without it, Banter does not listen while it speaks.")
