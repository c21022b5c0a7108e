"""The voice studio: record or drop a clip, see what the coach says, choose the part, name it, listen, save.

It shows what it is told and says what the user wants; the work is done in `work`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QKeySequence,
    QMouseEvent,
    QShortcut,
)
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.gui import icons, theme
from app.gui.device_picker import DevicePicker
from app.gui.orb import LevelMeter
from app.gui.preferences.page import Card
from app.gui.preferences.parts import Tick
from app.gui.studio.coach import Coach
from app.gui.studio.waveform import Waveform
from app.voices.checks import Check, usable
from app.voices.clip import Clip
from app.voices.file import MOST_NAME

SIZE = QSize(660, 940)


class ConsentLabel(QLabel):
    """The words of a check box that may need more than one line; a click on them is one on the box."""

    def __init__(self, text: str, box: QCheckBox) -> None:
        super().__init__(text)
        self._box = box
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._box.click()


class StudioWindow(QDialog):
    """The window.

    Signals: `record_clicked()` to begin and to end, `clip_dropped(Path)`, `browse_clicked()`, `stretch_moved(float)`,
    `clip_clicked()` and `voice_clicked()` to listen or to stop, `save_clicked()`, `export_clicked()`,
    `import_clicked()`, `closed()`. The microphone is chosen in `microphones`.
    """

    record_clicked = Signal()
    clip_dropped = Signal(object)
    browse_clicked = Signal()
    stretch_moved = Signal(float)
    clip_clicked = Signal()
    voice_clicked = Signal()
    save_clicked = Signal()
    export_clicked = Signal()
    import_clicked = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("preferences")
        self.setWindowTitle(self.tr("Voice studio"))
        self.setAcceptDrops(True)
        self._clip: Clip | None = None
        self._usable = self._recording = self._busy = self._able = False
        self.wave = Waveform()
        self.wave.moved.connect(self.stretch_moved)
        self.record = QPushButton()
        self.record.setProperty("kind", "primary")
        self.record.clicked.connect(self.record_clicked)
        self.browse = QPushButton(self.tr("Choose a file…"))
        self.browse.setToolTip(self.tr("A sound file: wav, mp3, m4a, ogg or flac (Ctrl+O)"))
        self.browse.clicked.connect(self.browse_clicked)
        self.meter = LevelMeter()
        self.left = QLabel()
        self.left.setProperty("muted", True)
        self.microphones = DevicePicker("input")
        self.coach = Coach()
        self.name = QLineEdit()
        self.name.setMaxLength(MOST_NAME)
        self.name.setPlaceholderText(self.tr("How the voice is called in the menu"))
        self.name.setAccessibleName(self.tr("Name of the voice"))
        self.name.textChanged.connect(self._allow)
        self.consent = Tick()
        words = self.tr("This is my voice, or I have the speaker's permission.")
        self.consent.setAccessibleName(words)
        self.consent.toggled.connect(self._allow)
        self._consent_words = ConsentLabel(words, self.consent)
        self.play_clip = QPushButton(self.tr("A: the recording"))
        self.play_clip.clicked.connect(self.clip_clicked)
        self.play_voice = QPushButton(self.tr("B: the voice made from it"))
        self.play_voice.clicked.connect(self.voice_clicked)
        self._players = (self.play_clip, self.play_voice)
        self._sounding = (False, False, False)
        self._message = QLabel()
        self._message.setWordWrap(True)
        self._message.setTextFormat(Qt.TextFormat.PlainText)
        self._message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._missing = QLabel()
        self._missing.setWordWrap(True)
        self._missing.setProperty("muted", True)
        self.bring = QPushButton(self.tr("Import…"))
        self.bring.setToolTip(self.tr("Take in a voice file, or a voices.pt of MiniMind-O"))
        self.bring.clicked.connect(self.import_clicked)
        self.export = QPushButton(self.tr("Export…"))
        self.export.setToolTip(self.tr("Save this voice as a file to take elsewhere"))
        self.export.clicked.connect(self.export_clicked)
        self.leave = QPushButton(self.tr("Close"))
        self.leave.clicked.connect(self.close)
        self.save = QPushButton(self.tr("Save the voice"))
        self.save.setProperty("kind", "primary")
        self.save.clicked.connect(self.save_clicked)
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(False)
        self._arrange()
        QShortcut(QKeySequence(QKeySequence.StandardKey.Open), self).activated.connect(self.browse_clicked)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Close), self).activated.connect(self.close)
        self.show_clip(None)
        self.show_ready_to_record()
        self.show_preview(False, False, False)
        self._fit()
        theme.events.dressed.connect(self._fit)

    # --- shown from outside

    def show_able(self, able: bool, reason: str = "") -> None:
        """Whether the model can make voices, and why not; clips can be looked at all the same."""
        self._able = able
        if reason:
            self.show_message(reason, bad=True)
        self._allow()

    def show_microphone(self, usable: bool) -> None:
        """Whether a microphone can be used."""
        self.record.setEnabled(usable)
        self.meter.set_live(usable)

    def show_recording(self, levels: NDArray[np.float32], level_db: float, longest_s: float, left_s: float) -> None:
        """A recording is under way: its loudness so far and now, and how long it may still be."""
        if not self._recording:
            self._recording = True
            self.consent.setChecked(False)
            self._clip = None
            self.coach.show_checks(())
            self.show_message("")
        self.wave.show_recording(levels, longest_s)
        self.meter.set_level(level_db)
        self.left.setText(self.tr("{seconds} s left").format(seconds=max(0, round(left_s))))
        self._label_record()
        self._allow()

    def show_ready_to_record(self) -> None:
        """No recording is under way."""
        self._recording = False
        self.left.setText("")
        self._label_record()
        self._allow()

    def show_clip(
        self, clip: Clip | None, start_s: float = 0.0, stretch_s: float = 0.0, checks: Sequence[Check] = ()
    ) -> None:
        """Show `clip`, the part that the voice is made from, and what the coach says."""
        self._clip = clip
        self._usable = clip is not None and bool(clip.speech.any()) and usable(tuple(checks))
        self.wave.show_clip(clip, start_s, stretch_s)
        self.coach.show_checks(checks)
        self._allow()

    def show_busy(self, busy: bool, text: str = "") -> None:
        """Something is being worked out, which `text` tells."""
        self._busy = busy
        self.show_message(text)
        self._allow()

    def show_message(self, text: str, bad: bool = False) -> None:
        """One sentence at the bottom; "" for none. It is read out, as it comes unasked."""
        self._message.setText(text)
        self._message.setAccessibleName(text)
        self._message.setVisible(bool(text))
        self._message.setProperty("bad", bad)
        self._message.style().unpolish(self._message)
        self._message.style().polish(self._message)

    def message(self) -> str:
        """The sentence at the bottom."""
        return self._message.text()

    def show_preview(self, clip: bool, preparing: bool, voice: bool) -> None:
        """Whether the clip is heard, the made voice is being prepared, or heard."""
        self._sounding = (clip, preparing, voice)
        stops = (self.tr("Stop the recording"), self.tr("Stop the voice"))
        starts = (self.tr("Listen to the recording"), self.tr("Listen to the voice made from it"))
        for button, on, stop, start in zip(self._players, (clip, preparing or voice), stops, starts, strict=True):
            button.setAccessibleName(stop if on else start)
            button.setToolTip(stop if on else start)
        self._dress_players()

    # --- inside

    def _arrange(self) -> None:
        self._body = body = QWidget()
        body.setObjectName("pageBody")
        column = QVBoxLayout(body)
        column.setContentsMargins(24, 20, 24, 12)
        column.setSpacing(2 * theme.GRID)
        column.addWidget(self._clip_card())
        column.addWidget(self._voice_card())
        column.addStretch(1)
        self._scroll = scroll = QScrollArea()
        scroll.setObjectName("page")
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(body)
        foot = QHBoxLayout()
        foot.setContentsMargins(24, 8, 24, 16)
        foot.setSpacing(theme.GRID)
        for widget in (self.bring, self.export):
            foot.addWidget(widget)
        foot.addStretch(1)
        for widget in (self.leave, self.save):
            foot.addWidget(widget)
        note = QVBoxLayout()
        note.setContentsMargins(24, 8, 24, 0)
        note.setSpacing(2)
        note.addWidget(self._message)
        note.addWidget(self._missing)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(scroll, 1)
        outer.addLayout(note)
        outer.addLayout(foot)

    def _clip_card(self) -> Card:
        card = Card(self.tr("1. A few seconds of speech"))
        hint = QLabel(
            self.tr(
                "Read this aloud, or anything you like: “The old boat left the harbour before dawn, and by noon the "
                "wind had turned. We shared the last of the bread and watched the shore go by.”"
            )
        )
        hint.setWordWrap(True)
        hint.setProperty("muted", True)
        card.add(hint)
        card.add(self.wave)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        row.addWidget(self.record)
        row.addWidget(self.browse)
        row.addStretch(1)
        row.addWidget(self.left)
        row.addWidget(self.meter, 0, Qt.AlignmentFlag.AlignVCenter)
        card.add(_held(row))
        label = QLabel(self.tr("&Microphone"))
        label.setBuddy(self.microphones)
        label.setProperty("muted", True)
        devices = QHBoxLayout()
        devices.setSpacing(12)
        devices.addWidget(label)
        devices.addWidget(self.microphones, 1)
        card.add(_held(devices))
        card.add(self.coach)
        return card

    def _voice_card(self) -> Card:
        card = Card(self.tr("2. Your voice"))
        card.row(self.tr("&Name"), self.name)
        listen = QHBoxLayout()
        listen.setSpacing(theme.GRID)
        listen.addWidget(self.play_clip, 1)
        listen.addWidget(self.play_voice, 1)
        card.add(_held(listen))
        consent = QHBoxLayout()
        consent.setSpacing(10)
        consent.addWidget(self.consent, 0, Qt.AlignmentFlag.AlignVCenter)
        consent.addWidget(self._consent_words, 1)
        card.add(_held(consent))
        note = QLabel(self.tr("The recording is not kept. The voice stays on this computer unless you export it."))
        note.setWordWrap(True)
        note.setProperty("muted", True)
        theme.set_size(note, 0.92)
        card.add(note)
        return card

    def _label_record(self) -> None:
        again = self._clip is not None
        text = self.tr("Stop") if self._recording else self.tr("Record again") if again else self.tr("Record")
        self.record.setText(text)
        self.record.setProperty("held", self._recording)
        self.record.style().unpolish(self.record)
        self.record.style().polish(self.record)
        c = theme.colours()
        picture = "stop" if self._recording else "record"
        self.record.setIcon(icons.icon(picture, c.surface if self._recording else c.on_accent, 18))

    def _allow(self) -> None:
        """What can be done now."""
        made = self._usable and self._able and not self._recording and not self._busy
        ready = made and bool(self.name.text().strip()) and self.consent.isChecked()
        self.play_clip.setEnabled(self._clip is not None and not self._recording)
        self.play_voice.setEnabled(made)
        self.save.setEnabled(ready)
        self.export.setEnabled(ready)
        self.browse.setEnabled(not self._recording and not self._busy)
        # On a low screen, what is still to be done may be out of sight.
        missing = self._still_missing() if made and not ready else ""
        self._missing.setText(missing)
        self._missing.setVisible(bool(missing))
        self.save.setToolTip(missing or self.tr("Put the voice into the menu"))
        c = theme.colours()
        for button, picture in ((self.bring, "import"), (self.export, "export"), (self.browse, "file")):
            button.setIcon(icons.icon(picture, c.text if button.isEnabled() else c.muted, 18))
        self._dress_players()

    def _dress_players(self) -> None:
        c = theme.colours()
        clip, preparing, voice = self._sounding
        pictures = ("stop" if clip else "play", "stop" if voice else "wait" if preparing else "play")
        for button, picture in zip(self._players, pictures, strict=True):
            button.setIcon(icons.icon(picture, c.text if button.isEnabled() else c.muted, 18))

    def _still_missing(self) -> str:
        if self.name.text().strip():
            return self.tr("To save it, tick that you have permission.")
        if self.consent.isChecked():
            return self.tr("To save it, give it a name.")
        return self.tr("To save it, give it a name and tick that you have permission.")

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if not self._recording and any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        files = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if files:
            event.acceptProposedAction()
            self.clip_dropped.emit(Path(files[0]))

    def closeEvent(self, event: QCloseEvent) -> None:
        # Not Qt's own: it would call `reject`, which closes.
        event.accept()
        self.closed.emit()

    def reject(self) -> None:
        # Esc: QDialog would only hide the window, and nobody would be told.
        self.close()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_scroll"):
            self._label_record()
            self._allow()

    def _fit(self) -> None:
        screen = (self.screen() or QGuiApplication.primaryScreen()).availableGeometry()
        body = self._body.minimumSizeHint().width() + self._scroll.verticalScrollBar().sizeHint().width()
        buttons = (self.bring, self.export, self.leave, self.save)
        foot = sum(button.sizeHint().width() + theme.GRID for button in buttons)
        self.setMinimumSize(min(max(body, foot + 64), screen.width()), min(420, screen.height()))
        if not self.isVisible():
            self.resize(SIZE.expandedTo(self.minimumSize()).boundedTo(screen.size()))


def _held(row: QHBoxLayout) -> QWidget:
    """A widget around `row`, which cards take."""
    row.setContentsMargins(0, 0, 0, 0)
    holder = QWidget()
    holder.setLayout(row)
    return holder
