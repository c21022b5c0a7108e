"""The top of the window: name, voice menu, volume, sound devices."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFont, QIcon, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QSlider, QWidget

from app.gui import icons, theme
from app.gui.sound_menu import SoundMenu
from app.gui.voice_menu import VoiceButton


class Header(QWidget):
    """Name, voice, volume, and the buttons of the settings and of the sound devices, whose choice is in `sound_menu`.

    Signals: `voice_chosen(str)`, `volume_changed(float)` with 0…1, `settings_clicked()`.
    """

    voice_chosen = Signal(str)
    volume_changed = Signal(float)
    settings_clicked = Signal()

    def __init__(self, picture: QIcon, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("header")
        mark = QLabel()
        mark.setPixmap(picture.pixmap(QSize(28, 28)))
        self._title = title = QLabel(self.tr("Banter"))
        title.setObjectName("title")
        theme.set_size(title, 1.15, QFont.Weight.DemiBold)
        self.voices = VoiceButton()
        self.voices.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.voices.panel.chosen.connect(self.voice_chosen)
        self.mute = QPushButton()
        self.mute.setProperty("kind", "bare")
        self.mute.setCheckable(True)
        self.mute.setIconSize(QSize(20, 20))
        self.mute.toggled.connect(self._mute_toggled)
        self.volume = QSlider(Qt.Orientation.Horizontal)
        self.volume.setRange(0, 100)
        self.volume.setPageStep(10)
        self.volume.setValue(100)
        self.volume.setMinimumWidth(44)
        self.volume.setMaximumWidth(80)
        self.volume.setAccessibleName(self.tr("Volume"))
        self.volume.valueChanged.connect(self._volume_changed)
        self.sound = QPushButton()
        self.sound.setProperty("kind", "bare")
        self.sound.setIconSize(QSize(20, 20))
        self.sound.setAccessibleName(self.tr("Microphone and speaker"))
        self.sound.setToolTip(self.tr("Choose microphone and speaker"))
        self.sound_menu = SoundMenu(self)
        self.sound.clicked.connect(lambda: self.sound_menu.open_under(self.sound))
        self.settings = QPushButton()
        self.settings.setProperty("kind", "bare")
        self.settings.setIconSize(QSize(20, 20))
        self.settings.setAccessibleName(self.tr("Settings"))
        self.settings.setToolTip(self.tr("Settings (Ctrl+,)"))
        self.settings.clicked.connect(self.settings_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 12, 16, 4)
        row.setSpacing(theme.GRID)
        row.addWidget(mark)
        row.addWidget(title)
        row.addStretch(1)
        row.addWidget(self.voices)
        row.addWidget(self.mute)
        row.addWidget(self.volume)
        row.addWidget(self.sound)
        row.addWidget(self.settings)
        self._row = row
        theme.events.dressed.connect(self._make_room)
        self._dress()

    def set_voices(self, voices: tuple[str, ...], current: str, own: tuple[str, ...] = ()) -> None:
        """Fill the menu; `own` are the user's, the first voice is the default and is chosen when `current` is not
        among them.
        """
        self.voices.set_voices(voices, current, own)

    def set_volume(self, volume: float) -> None:
        """Show `volume` 0…1."""
        self.volume.setValue(round(100 * volume))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def minimumSizeHint(self) -> QSize:
        return QSize(self._least() - self._title_width(), super().minimumSizeHint().height())

    def _make_room(self) -> None:
        """The name gives way where there is not enough room for all, as with large text."""
        self._title.setVisible(self.width() >= self._least())

    def _title_width(self) -> int:
        return self._title.sizeHint().width() + self._row.spacing()

    def _least(self) -> int:
        """Pixels for everything, the name included."""
        now = self._row.minimumSize().width()
        return now if not self._title.isHidden() else now + self._title_width()

    def _volume_changed(self, value: int) -> None:
        if value and self.mute.isChecked():
            self.mute.setChecked(False)
        self._tell()

    def _mute_toggled(self, muted: bool) -> None:
        self._tell()

    def _tell(self) -> None:
        muted = self.mute.isChecked()
        value = 0 if muted else self.volume.value()
        self._dress()
        self.volume_changed.emit(value / 100)

    def _dress(self) -> None:
        silent = self.mute.isChecked() or self.volume.value() == 0
        self.mute.setIcon(icons.icon("mute" if silent else "volume", theme.colours().text))
        self.sound.setIcon(icons.icon("headset", theme.colours().text))
        self.settings.setIcon(icons.icon("settings", theme.colours().text))
        what = self.tr("Unmute the answers") if self.mute.isChecked() else self.tr("Mute the answers")
        self.mute.setToolTip(what)
        self.mute.setAccessibleName(what)
        self.volume.setToolTip(self.tr("Volume: {percent} %").format(percent=self.volume.value()))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "volume"):
            self._dress()
