"""Which model answers: changes it while the conversation goes on, and gives its memory back when nobody talks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversation.controller import Conversation
from app.conversation.events import State
from app.engine.host import EngineHost
from app.engine.protocol import Event, Waking
from app.gui.models.rows import Use
from app.gui.sentences import shown
from app.gui.window import MainWindow
from app.settings import Settings

_MINUTE_MS = 60_000


class Choice:
    """A model that can be loaded: its name here, how it is called, and its folder."""

    def __init__(self, id: str, title: str, folder: Path) -> None:
        self.id, self.title, self.folder = id, title, folder


class ModelSwitch(QObject):
    """Lives on the window's thread.

    Signals: `changed()` when another model is loaded or answers; `answers(str)` with the name of a model that the user
    has chosen, once it is ready.
    """

    changed = Signal()
    answers = Signal(str)

    def __init__(
        self,
        window: MainWindow,
        conversation: Conversation,
        host: EngineHost,
        own_voices: Path,
        settings: Settings,
        busy: Callable[[], bool],
    ) -> None:
        """`busy()`: the model is needed although no turn is under way."""
        super().__init__(window)
        self._window = window
        self._conversation = conversation
        self._host = host
        self._own_voices = own_voices
        self._settings = settings
        self._busy = busy
        # The one that answers or answered last, and the one that is being loaded.
        self._current: Choice | None = None
        self._wanted: Choice | None = None
        # Tried in this order where the wanted one cannot be loaded; the last of them is always there.
        self._instead: list[Choice] = []
        self._resort: Choice | None = None
        self._idle = QTimer(self)
        self._idle.setSingleShot(True)
        self._idle.timeout.connect(self._put_away)
        self._apply()

    # --- which one

    def set_resort(self, choice: Choice) -> None:
        """Where no other model can be loaded, this one is."""
        self._resort = choice

    def use(self, choice: Choice) -> None:
        """Load this model. Where it cannot be, the one that answers now goes on, or the last resort."""
        chain = [one for one in (self._current, self._resort) if one is not None and one.id != choice.id]
        self._instead = list({one.id: one for one in chain}.values())
        self._window.show_notice("model", "")
        self._load(choice)

    def reload(self) -> None:
        """Try the same one again."""
        choice = self._wanted or self._current
        if choice is not None:
            self._load(choice)

    def state_of(self, id: str) -> Use:
        """Whether this model answers."""
        if self._wanted is not None:
            return Use.LOADING if self._wanted.id == id else Use.NO
        return Use.YES if self._current is not None and self._current.id == id else Use.NO

    def ready(self) -> None:
        """The model is loaded."""
        chosen, self._wanted = self._wanted, None
        if chosen is not None:
            self._current = chosen
            self._instead = [one for one in (self._resort,) if one is not None and one.id != chosen.id]
            self._apply()
            self.answers.emit(chosen.id)
        self._rest()
        self.changed.emit()

    def fell_back(self, sentence: str) -> bool:
        """The model cannot be loaded, for the reason in `sentence`; True: another one is loaded in its place."""
        failed = self._wanted or self._current
        if failed is None or not self._instead:
            self.changed.emit()
            return False
        other = self._instead.pop(0)
        text = self.tr("{model} could not be loaded, so {other} answers. {reason}")
        self._window.show_notice("switch", text.format(model=failed.title, other=other.title, reason=shown(sentence)))
        self._load(other, keep_notice=True)
        return True

    def _load(self, choice: Choice, keep_notice: bool = False) -> None:
        self._wanted = choice
        self._idle.stop()
        if not keep_notice:
            self._window.show_notice("switch", "")
        self._window.show_notice("waking", "")
        self._host.load(choice.folder, own_voices=self._own_voices)
        self.changed.emit()

    # --- how it answers

    def settings_changed(self, settings: Settings) -> None:
        """These settings hold now."""
        self._settings = settings
        self._apply()
        self._rest()

    def _apply(self) -> None:
        own = self._settings.answering_of(self._current.id if self._current is not None else "")
        self._host.temperature, self._host.system, self._host.history_turns = (
            own.temperature,
            own.system,
            own.history_turns,
        )

    # --- memory

    def state_changed(self, state: State) -> None:
        """What the conversation is doing now."""
        if state == State.THINKING:
            # It has been read, as something else was asked.
            self._window.show_notice("switch", "")
        self._rest(state)

    def engine_event(self, event: Event) -> None:
        """What the model says."""
        if isinstance(event, Waking):
            text = self.tr("The model had been put away and is coming back. What you say meanwhile is not lost.")
            self._window.show_notice("waking", "" if event.fraction >= 1 else text)

    def _rest(self, state: State | None = None) -> None:
        """Wait from now on, where nobody talks."""
        minutes = self._settings.unload_after
        idle = (state or self._conversation.state) == State.IDLE
        if minutes and idle and self._wanted is None and self._current is not None:
            self._idle.start(minutes * _MINUTE_MS)
        else:
            self._idle.stop()

    def _put_away(self) -> None:
        if self._busy() or self._conversation.state != State.IDLE or not self._host.unload():
            self._rest()

    def close(self) -> None:
        """Nothing is put away any more."""
        self._idle.stop()
