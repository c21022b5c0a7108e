"""The tools with what they need of the window: built beside it, so that it is up before them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from random import Random

from PySide6.QtCore import QObject

from app.conversation.controller import Conversation
from app.conversation.tools.runner import ToolRunner
from app.gui.posting import Posting
from app.gui.preferences.preferences import Preferences
from app.gui.sentences import shown
from app.gui.tools.notes import NotesWindow
from app.gui.tools.ringing import Ringer
from app.gui.window import MainWindow
from app.settings import Settings
from app.tools.agenda.alarm_clock import AlarmClock
from app.tools.agenda.clock import SystemClock
from app.tools.agenda.store import Store
from app.tools.builtin import pure_tools
from app.tools.household import Household, state_tools
from app.tools.notes import Notes
from app.tools.registry import Registry
from app.tools.system.mixers import Level

# The window asks too, and must not stand still for another program.
PATIENCE_S = 0.25


class OwnVolume:
    """The volume of Banter's own voice as a mixer, for where the computer's cannot be reached. Any thread."""

    def __init__(self, window: MainWindow, post: Callable[[Callable[[], None]], None]) -> None:
        self._header = window.header
        self._post = post
        self._level = Level(self._header.volume.value(), self._header.mute.isChecked())
        window.volume_changed.connect(self._changed)

    def read(self) -> Level:
        """As it is now."""
        return self._level

    def write(self, level: Level) -> None:
        """Set it soon."""
        self._level = level
        self._post(lambda: self._set(level))

    def _changed(self) -> None:
        self._level = Level(self._header.volume.value(), self._header.mute.isChecked())

    def _set(self, level: Level) -> None:
        self._header.set_volume(level.percent / 100)
        self._header.mute.setChecked(level.muted)


class Toolbox(QObject):
    """What the model can use, what rings, and the notes. Lives on the window's thread."""

    def __init__(
        self,
        window: MainWindow,
        conversation: Conversation,
        preferences: Preferences,
        file: Path | None,
        settings: Settings,
    ) -> None:
        """`file` keeps timers, alarms, reminders and notes; None keeps them in memory."""
        super().__init__(window)
        self._window = window
        self._conversation = conversation
        self._weather = settings.weather and not settings.offline
        self._post = post = Posting(self)
        self._clock = SystemClock()
        self._store = Store(file, on_notice=lambda sentence: post(lambda: self._tell(sentence)), patience_s=PATIENCE_S)
        alarms = AlarmClock(self._store, self._clock, on_change=lambda: post(self._agenda_changed))
        self.notes = Notes(self._store, self._clock, on_change=lambda: post(self._notes_changed))
        self.ringer = Ringer(window, conversation, alarms)
        self._notes_window: NotesWindow | None = None
        self._household = Household(
            alarms,
            self.notes,
            voices=lambda: window.header.voices.names,
            use_voice=lambda name: post(lambda: self._use_voice(name)),
            network_allowed=lambda: self._weather,
            own_volume=OwnVolume(window, post),
        )
        self._ready = False
        preferences.changed.connect(self._settings_changed)
        window.sidebar.notes_clicked.connect(self.open_notes)

    def start(self) -> None:
        """Build the tools in the background, then let the model use them and ring what is due."""
        threading.Thread(target=self._build, name="tools", daemon=True).start()

    def close(self) -> None:
        """Put everything away; what is kept stays in its file."""
        self._post.close()
        self.ringer.close()
        if self._notes_window is not None:
            self._notes_window.close()
        self._store.close()

    def open_notes(self) -> None:
        """Show the notes, in front of everything."""
        if self._notes_window is None:
            self._notes_window = NotesWindow(self.notes, self._window)
        self._notes_window.refresh()
        self._notes_window.show()
        self._notes_window.raise_()
        self._notes_window.activateWindow()

    # --- inside

    def _build(self) -> None:
        registry = Registry([*pure_tools(self._clock.now, Random()), *state_tools(self._household)])
        runner = ToolRunner(registry, self._conversation.tool_ended)
        self._post(lambda: self._begin(runner))

    def _begin(self, runner: ToolRunner) -> None:
        self._conversation.attach_tools(runner)
        self._ready = True
        self.ringer.start()

    def _use_voice(self, name: str) -> None:
        row = self._window.header.voices.panel.rows.get(name)
        if row is not None:
            row.choose.click()

    def _settings_changed(self, settings: Settings) -> None:
        self._weather = settings.weather and not settings.offline

    def _agenda_changed(self) -> None:
        if self._ready:
            self.ringer.refresh()

    def _notes_changed(self) -> None:
        if self._notes_window is not None:
            self._notes_window.refresh()

    def _tell(self, sentence: str) -> None:
        self._window.show_notice("agenda", shown(sentence))
