"""The main window. It shows what it is told and says what the user wants; it knows no engine, no device."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QIcon, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMainWindow, QVBoxLayout, QWidget

from app.gui import theme
from app.gui.dock import Dock
from app.gui.header import Header
from app.gui.status import Model, Situation, line
from app.gui.talk_button import SpaceKey
from app.gui.transcript import Transcript
from app.gui.welcome import Welcome
from app.paths import assets_dir
from app.settings import WindowGeometry

MINIMUM = QSize(420, 560)
QUIET_DB = -120.0


class MainWindow(QMainWindow):
    """The window of a conversation.

    Signals: `question_asked(str)`, `stop_requested()`, `open_mic_switched(bool)`, `voice_chosen(str)`,
    `volume_changed(float)` 0…1, `retry_requested()` of what a notice tells, `closed()`. Talking is in
    `dock.talk`: `held()` and `let_go()`.
    """

    question_asked = Signal(str)
    stop_requested = Signal()
    open_mic_switched = Signal(bool)
    voice_chosen = Signal(str)
    volume_changed = Signal(float)
    retry_requested = Signal()
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setWindowTitle(self.tr("Banter"))
        picture = QIcon(str(assets_dir() / "icons" / "banter.svg"))
        self.setWindowIcon(picture)
        self.setMinimumSize(MINIMUM)
        self._situation = Situation()
        emblem = QLabel()
        emblem.setPixmap(picture.pixmap(QSize(72, 72)))
        self.header = Header(picture)
        self.welcome = Welcome(emblem)
        self.transcript = Transcript(self.welcome)
        self.dock = Dock()
        self._centre = QHBoxLayout()
        self._centre.addWidget(self.dock)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.transcript, 1)
        column.addLayout(self._centre)
        self.setCentralWidget(body)
        self.space_key = SpaceKey(self, self.dock.talk)
        self._connect()
        self._order_tabs()
        self.transcript.setFocus()
        self._show_situation()

    # --- shown from outside

    def situation(self) -> Situation:
        """What the status line is worked out from."""
        return self._situation

    def show_progress(self, stage: str, fraction: float) -> None:
        """The model is being loaded."""
        self._change(model=Model.LOADING, stage=stage, fraction=fraction)

    def show_ready(self, voices: tuple[str, ...], voice: str) -> None:
        """The model is loaded; `voice` is the one to show as chosen."""
        self.header.set_voices(voices, voice)
        self._change(model=Model.READY, problem="")

    def show_model_failed(self, sentence: str) -> None:
        """The model will not come without the user's help."""
        self._change(model=Model.FAILED, problem=sentence)

    def show_activity(self, activity: str) -> None:
        """The conversation's state by its name: idle, listening, thinking or speaking."""
        problem = self._situation.problem if activity == "idle" else ""
        self._change(activity=activity, problem=problem)
        if activity not in ("listening", "speaking"):
            self.dock.orb.set_level(QUIET_DB)

    def show_problem(self, sentence: str) -> None:
        """Something did not work this once; it stays until the next question."""
        self._change(problem=sentence)

    def show_notice(self, key: str, sentence: str, retry: bool = False) -> None:
        """A notice that stays; an empty sentence takes the one of that key away. `retry` offers a button."""
        self.dock.notices.put(key, sentence, retry)

    def show_microphone(self, usable: bool) -> None:
        """Whether a microphone can be used."""
        self.dock.set_microphone(usable)
        self.dock.meter.set_live(usable)
        self._change(microphone=usable)

    def show_open_mic(self, on: bool) -> None:
        """Whether the open microphone is on."""
        self.dock.set_open_mic(on)
        self._change(open_mic=on)

    def show_microphone_level(self, decibels: float) -> None:
        """Loudness of the microphone in dB of full scale."""
        self.dock.meter.set_level(decibels)
        if self._situation.activity == "listening":
            self.dock.orb.set_level(decibels)

    def show_reply_level(self, decibels: float) -> None:
        """Loudness of the speech that is being played, in dB of full scale."""
        if self._situation.activity == "speaking":
            self.dock.orb.set_level(decibels)

    # --- size and place

    def geometry_to_save(self) -> WindowGeometry:
        """Where the window is, to be restored at the next start."""
        box = self.normalGeometry() if self.isMaximized() else self.geometry()
        return WindowGeometry(box.width(), box.height(), box.x(), box.y(), self.isMaximized())

    def restore_geometry(self, wanted: WindowGeometry) -> None:
        """Put the window where it was, as far as the screens of today allow."""
        screen = QGuiApplication.primaryScreen().availableGeometry()
        self.resize(min(wanted.width, screen.width()), min(wanted.height, screen.height()))
        if wanted.x is not None and wanted.y is not None:
            box = QRect(wanted.x, wanted.y, wanted.width, wanted.height)
            if any(s.availableGeometry().contains(box.center()) for s in QGuiApplication.screens()):
                self.move(wanted.x, wanted.y)
        if wanted.maximized:
            self.setWindowState(self.windowState() | Qt.WindowState.WindowMaximized)

    # --- inside

    def _connect(self) -> None:
        dock = self.dock
        dock.question_entered.connect(self._ask)
        self.welcome.question_chosen.connect(self._ask)
        dock.notices.retry_clicked.connect(self.retry_requested)
        dock.stop_clicked.connect(self.stop_requested)
        dock.open_mic_switched.connect(self._open_mic_switched)
        dock.talk.held.connect(self._show_situation)
        dock.talk.let_go.connect(self._show_situation)
        self.header.voice_chosen.connect(self.voice_chosen)
        self.header.volume_changed.connect(self.volume_changed)
        for keys, action in {
            "Esc": self._escape,
            "Ctrl+M": dock.open_mic.click,
            "Ctrl+L": dock.field.setFocus,
            "End": self.transcript.follow,
        }.items():
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setAutoRepeat(False)
            shortcut.activated.connect(action)
        close = QShortcut(QKeySequence(QKeySequence.StandardKey.Quit), self)
        close.activated.connect(self.close)

    def _order_tabs(self) -> None:
        dock, header = self.dock, self.header
        order = [dock.talk, dock.open_mic, dock.stop, dock.field, dock.send]
        order += [header.voices, header.mute, header.volume, self.transcript]
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)

    def _ask(self, text: str) -> None:
        self._change(problem="")
        self.question_asked.emit(text)

    def _escape(self) -> None:
        if self.dock.stop.isEnabled():
            self.stop_requested.emit()
        elif self.dock.field.hasFocus():
            self.transcript.setFocus()

    def _open_mic_switched(self, on: bool) -> None:
        self._change(open_mic=on)
        self.open_mic_switched.emit(on)

    def _change(self, **parts: object) -> None:
        self._situation = replace(self._situation, **parts)  # type: ignore[arg-type]
        self._show_situation()

    def _show_situation(self) -> None:
        now = self._situation
        loading = now.model == Model.LOADING
        ready = now.model == Model.READY
        self.dock.show_line(line(now), now.fraction if loading else None)
        self.dock.set_ready(ready)
        self.dock.set_busy(ready and now.activity != "idle")
        self.dock.talk.setEnabled(ready and now.microphone)
        self.welcome.set_ready(ready)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        side = max(12, (self.width() - theme.COLUMN_WIDTH - 32) // 2)
        self._centre.setContentsMargins(side, 0, side, 12)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange:
            self.dock.orb.set_resting(self.isMinimized())

    def closeEvent(self, event: QCloseEvent) -> None:
        self.space_key.detach()
        super().closeEvent(event)
        self.closed.emit()
