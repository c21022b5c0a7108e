"""The main window. It shows what it is told and says what the user wants; it knows no engine, no device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QGuiApplication,
    QIcon,
    QKeySequence,
    QResizeEvent,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMainWindow, QVBoxLayout, QWidget

from app.gui import icons, theme
from app.gui.buttons import bare_button
from app.gui.dimmer import Dimmer
from app.gui.dock import Dock
from app.gui.header import Header
from app.gui.sidebar import Sidebar, wanted_width
from app.gui.status import Model, Situation, line
from app.gui.talk_button import SpaceKey
from app.gui.transcript import Transcript
from app.gui.welcome import Welcome
from app.paths import assets_dir
from app.settings import WindowGeometry

MINIMUM = QSize(480, 560)
# With less than this left, the sidebar lies over the conversation instead of beside it.
BESIDE_SIDEBAR = 460
QUIET_DB = -120.0


def _no() -> bool:
    return False


class MainWindow(QMainWindow):
    """The window of a conversation.

    Signals: `question_asked(str)`, `stop_requested()`, `open_mic_switched(bool)`, `muted(bool)` of the
    microphone, `voice_chosen(str)`, `volume_changed(float)` 0…1, `retry_requested()` of what a notice tells,
    `new_conversation_requested()`, `settings_requested()`, `sidebar_switched(bool)` by the user, `situation_changed()`,
    `went_out_of_sight()` instead of being closed where `stays_running()` says so, `closed()`.
    Talking is in `dock.talk`: `held()` and `let_go()`; what happens to kept conversations is in `sidebar`.
    """

    question_asked = Signal(str)
    stop_requested = Signal()
    open_mic_switched = Signal(bool)
    muted = Signal(bool)
    voice_chosen = Signal(str)
    volume_changed = Signal(float)
    retry_requested = Signal()
    new_conversation_requested = Signal()
    settings_requested = Signal()
    sidebar_switched = Signal(bool)
    situation_changed = Signal()
    went_out_of_sight = Signal()
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.stays_running: Callable[[], bool] = _no
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
        self.unfold = bare_button(self.tr("Show the conversations (F9)"), self.tr("Show the conversations"))
        self.unfold.clicked.connect(lambda: self._switch_sidebar(True))
        top = QHBoxLayout()
        top.setContentsMargins(12, 0, 0, 0)
        top.setSpacing(0)
        # The header's own margins are not even, so the button takes the same ones.
        beside = QVBoxLayout()
        beside.setContentsMargins(0, 12, 0, 4)
        beside.addWidget(self.unfold)
        top.addLayout(beside)
        top.addWidget(self.header, 1)
        column = QVBoxLayout()
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.transcript, 1)
        # Cards that offer something.
        self.offers = QVBoxLayout()
        self.offers.setSpacing(theme.GRID)
        column.addLayout(self.offers)
        column.addLayout(self._centre)
        self._body = body = QWidget()
        self._across = QHBoxLayout(body)
        self._across.setContentsMargins(0, 0, 0, 0)
        self._across.setSpacing(0)
        self._across.addLayout(column, 1)
        # In a narrow window the sidebar lies over the rest, which is dimmed and closes it when clicked.
        self.dimmer = Dimmer(body)
        self.dimmer.clicked.connect(lambda: self._switch_sidebar(False))
        self.sidebar = Sidebar(body)
        self.sidebar.close_clicked.connect(lambda: self._switch_sidebar(False))
        self._sidebar_shown = False
        self.sidebar.hide()
        self.setCentralWidget(body)
        self.space_key = SpaceKey(self, self.dock.talk)
        self._dress()
        self._connect()
        self._order_tabs()
        self.transcript.setFocus()
        self._show_situation()
        theme.events.dressed.connect(self._fit)

    # --- shown from outside

    def situation(self) -> Situation:
        """What the status line is worked out from."""
        return self._situation

    def show_progress(self, stage: str, fraction: float) -> None:
        """The model is being loaded."""
        self._change(model=Model.LOADING, stage=stage, fraction=fraction)

    def show_ready(self, voices: tuple[str, ...], voice: str, own: tuple[str, ...] = ()) -> None:
        """The model is loaded; `voice` is the one to show as chosen, `own` are the user's own."""
        self.header.set_voices(voices, voice, own)
        self._change(model=Model.READY, problem="")

    def show_model_failed(self, sentence: str) -> None:
        """The model will not come without the user's help."""
        self._change(model=Model.FAILED, problem=sentence)

    def show_activity(self, activity: str) -> None:
        """The conversation's state by its name: idle, listening, thinking or speaking."""
        problem = self._situation.problem if activity == "idle" else ""
        if activity != "listening" and self.dock.talk.stays:
            # Nobody holds it with a finger, so nobody would let it go.
            self.dock.talk.release()
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
        self.dock.meter.set_live(usable and not self.dock.is_muted())
        self._change(microphone=usable)

    def show_open_mic(self, on: bool) -> None:
        """Whether the open microphone is on."""
        self.dock.set_open_mic(on)
        self._change(open_mic=on)

    def show_toggle(self, toggles: bool) -> None:
        """Whether the talk button is pressed once to begin and once to send, instead of being held."""
        self.dock.set_toggle(toggles)
        self.welcome.set_toggle(toggles)
        self._change(toggle=toggles)

    def show_half_duplex(self, reason: str) -> None:
        """Why the microphone is ignored while an answer is played; "" when it is not."""
        self._change(half_duplex=reason)

    def show_microphone_level(self, decibels: float) -> None:
        """Loudness of the microphone in dB of full scale."""
        self.dock.meter.set_level(decibels)
        if self._situation.activity == "listening":
            self.dock.orb.set_level(decibels)

    def show_reply_level(self, decibels: float) -> None:
        """Loudness of the speech that is being played, in dB of full scale."""
        if self._situation.activity == "speaking":
            self.dock.orb.set_level(decibels)

    def offer(self, card: QWidget, shown: bool) -> None:
        """Show `card` above the dock, or put it away."""
        if shown and self.offers.indexOf(card) < 0:
            self.offers.insertWidget(0, card)
        elif not shown:
            self.offers.removeWidget(card)
        card.setVisible(shown)
        self._place_sidebar()

    # --- the sidebar

    def show_sidebar(self, shown: bool) -> None:
        """Show the sidebar or put it away, without telling anybody."""
        self._sidebar_shown = shown
        self._place_sidebar()

    def sidebar_done(self) -> None:
        """The user has found what was wanted in the sidebar: where it covers the rest, it goes away."""
        if self._sidebar_shown and not self._sidebar_fits():
            self._switch_sidebar(False)

    def _switch_sidebar(self, shown: bool) -> None:
        self.show_sidebar(shown)
        if not shown:
            self.transcript.setFocus()
        elif not self._sidebar_fits():
            self.sidebar.search()
        self.sidebar_switched.emit(shown)

    def _search(self) -> None:
        if not self._sidebar_shown:
            self._switch_sidebar(True)
        self.sidebar.search()

    def _sidebar_fits(self) -> bool:
        return self.width() >= wanted_width() + BESIDE_SIDEBAR

    def _place_sidebar(self) -> None:
        """Beside the rest where there is room for both, otherwise over it."""
        shown, beside = self._sidebar_shown, self._sidebar_fits()
        self.unfold.setVisible(not (shown and beside))
        self.dimmer.setVisible(shown and not beside)
        self.sidebar.setVisible(shown)
        in_row = self._across.indexOf(self.sidebar) >= 0
        if beside and shown and not in_row:
            self._across.insertWidget(0, self.sidebar)
        elif in_row and not (beside and shown):
            self._across.removeWidget(self.sidebar)
        if shown and not beside:
            height = self._body.height()
            self.dimmer.setGeometry(0, 0, self.width(), height)
            self.dimmer.raise_()
            self.sidebar.setGeometry(0, 0, wanted_width(), height)
            self.sidebar.raise_()
        room = self.width() - (wanted_width() if shown and beside else 0)
        side = max(12, (room - theme.COLUMN_WIDTH - 32) // 2)
        self._centre.setContentsMargins(side, 0, side, 12)
        self.offers.setContentsMargins(side, 0, side, theme.GRID if self.offers.count() else 0)

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
        dock.muted.connect(self._muted)
        dock.talk.held.connect(self._show_situation)
        dock.talk.let_go.connect(self._show_situation)
        self.header.voice_chosen.connect(self.voice_chosen)
        self.header.volume_changed.connect(self.volume_changed)
        self.header.settings_clicked.connect(self.settings_requested)
        for keys, action in {
            "Esc": self._escape,
            "Ctrl+M": dock.open_mic.click,
            "Ctrl+Shift+M": dock.mute.click,
            "Ctrl+L": dock.field.setFocus,
            "Ctrl+N": self.new_conversation_requested.emit,
            "Ctrl+F": self._search,
            "Ctrl+Shift+N": self.sidebar.notes_clicked.emit,
            "Ctrl+,": self.settings_requested.emit,
            "F9": lambda: self._switch_sidebar(not self._sidebar_shown),
            "End": self.transcript.follow,
        }.items():
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setAutoRepeat(False)
            shortcut.activated.connect(action)
        close = QShortcut(QKeySequence(QKeySequence.StandardKey.Quit), self)
        close.activated.connect(self.leave)

    def _order_tabs(self) -> None:
        dock, header = self.dock, self.header
        order = [dock.talk, dock.open_mic, dock.mute, dock.stop, dock.field, dock.send]
        order += [header.voices, header.mute, header.volume, header.sound, header.settings, self.transcript]
        sidebar = self.sidebar
        order += [self.unfold, sidebar.fold, sidebar.new, sidebar.field, sidebar.list, sidebar.notes, sidebar.keeping]
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)

    def _ask(self, text: str) -> None:
        self._change(problem="")
        self.question_asked.emit(text)

    def _escape(self) -> None:
        if self.sidebar.field.hasFocus() and self.sidebar.field.text():
            self.sidebar.field.clear()
        elif self.dimmer.isVisible():
            self._switch_sidebar(False)
        elif self.dock.stop.isEnabled():
            self.stop_requested.emit()
        elif self.dock.field.hasFocus():
            self.transcript.setFocus()

    def _open_mic_switched(self, on: bool) -> None:
        self._change(open_mic=on)
        self.open_mic_switched.emit(on)

    def _muted(self, muted: bool) -> None:
        self.dock.meter.set_live(self._situation.microphone and not muted)
        self._change(muted=muted)
        self.muted.emit(muted)

    def _change(self, **parts: object) -> None:
        self._situation = replace(self._situation, **parts)  # type: ignore[arg-type]
        self._show_situation()

    def _show_situation(self) -> None:
        now = self._situation
        loading = now.model == Model.LOADING
        ready = now.model == Model.READY
        self.dock.show_line(line(now), now.fraction if loading else None)
        # Its icon is coloured with the others' below.
        self.dock.talk.setEnabled(ready and now.microphone and not now.muted)
        self.dock.set_ready(ready)
        self.dock.set_busy(ready and now.activity != "idle")
        self.welcome.set_ready(ready)
        self.situation_changed.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # Only now all its parts have their fonts.
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_sidebar()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange:
            self.dock.orb.set_resting(self.isMinimized())
        elif event.type() == QEvent.Type.PaletteChange and hasattr(self, "unfold"):
            self._dress()

    def _fit(self) -> None:
        """Text may have become larger or smaller."""
        least = MINIMUM.expandedTo(self._body.minimumSizeHint())
        self.setMinimumSize(least.boundedTo(self.screen().availableGeometry().size()))
        self._place_sidebar()

    def _dress(self) -> None:
        self.unfold.setIcon(icons.icon("sidebar", theme.colours().text))

    def leave(self) -> None:
        """Close it for good."""
        self.stays_running = _no
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.stays_running():
            event.ignore()
            self.hide()
            self.went_out_of_sight.emit()
            return
        self.space_key.detach()
        super().closeEvent(event)
        self.closed.emit()
