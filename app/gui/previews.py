"""Lets a voice be heard: the model says a short sentence in it, through the loudspeaker that answers use."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from app.conversation.controller import Conversation
from app.conversation.events import State
from app.engine.host import EngineHost
from app.engine.protocol import AudioFrame, Event, Failed, TurnDone
from app.gui.sentences import shown
from app.omni.turn import TRIAL_VOICE, StopReason

# What the model is asked, in a language that it speaks. Not shown to the user, so not translated.
_QUESTIONS = {"en": "How are you?", "zh": "你好吗"}
_SEED = 1

Samples = NDArray[np.float32]


class Previews(QObject):
    """One preview at a time, on the window's thread. Whatever stops an answer stops it, too.

    Signals: `changed(key, preparing, playing)`, the key being a voice or what `play` was given, "" when nothing goes
    on; `failed(str)` with one sentence.
    """

    changed = Signal(str, bool, bool)
    failed = Signal(str)

    def __init__(self, conversation: Conversation, host: EngineHost, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._conversation = conversation
        self._host = host
        self._question = _QUESTIONS["en"]
        self._known: dict[str, Samples] = {}
        self._key = ""
        self._turn: int | None = None
        self._pieces: list[Samples] = []
        self._playing = False

    @property
    def key(self) -> str:
        """What is being prepared or heard, "" for nothing."""
        return self._key

    def set_languages(self, languages: tuple[str, ...]) -> None:
        """Ask in the first of these that is known; earlier previews are forgotten, as the voices may be others."""
        self._question = next((_QUESTIONS[one] for one in languages if one in _QUESTIONS), _QUESTIONS["en"])
        self._known.clear()

    def forget(self, voice: str) -> None:
        """Make the next preview of `voice` afresh."""
        self._known.pop(voice, None)

    def toggle(self, voice: str) -> None:
        """Let `voice` be heard, or stop it."""
        if self._key == voice:
            self.stop()
            return
        self.stop()
        known = self._known.get(voice)
        if known is not None:
            self._play(voice, known)
        elif not self._conversation.ready or self._conversation.state == State.LISTENING:
            self._refuse()
        else:
            # The model answers one question at a time.
            self._conversation.stop()
            self._turn = self._host.start_turn(voice=voice, text=self._question, seed=_SEED)
            self._pieces = []
            self._tell(voice, preparing=True)

    def play(self, key: str, samples: Samples) -> None:
        """Let `samples` (float32 at 24 kHz) be heard under `key`, or stop them."""
        if self._key == key:
            self.stop()
        else:
            self.stop()
            self._play(key, samples)

    def stop(self) -> None:
        """Stop whatever goes on."""
        if not self._key:
            return
        turn, self._turn = self._turn, None
        if turn is not None:
            self._host.cancel(turn)
        was_playing = self._playing
        self._tell("")
        if was_playing:
            self._conversation.stop()

    # --- from outside, on the window's thread

    def engine_event(self, event: Event) -> bool:
        """Take what the model says of a preview; False where it is about something else."""
        if self._turn is None or getattr(event, "turn", None) != self._turn:
            return False
        match event:
            case AudioFrame():
                self._pieces.append(np.frombuffer(event.samples, "<f4"))
            case TurnDone():
                self._done(event.stats.stop_reason)
            case Failed():
                self._turn = None
                self._tell("")
                self.failed.emit(shown(event.message))
        return True

    def state_changed(self, state: State) -> None:
        """What the conversation is doing now."""
        if not self._key:
            return
        if self._playing and state != State.SPEAKING and state != State.THINKING:
            self._tell("")
        elif self._turn is not None and state != State.IDLE:
            # A question has taken the model away.
            self._turn = None
            self._tell("")

    # --- inside

    def _done(self, reason: StopReason) -> None:
        self._turn = None
        key, samples = self._key, np.concatenate(self._pieces) if self._pieces else np.zeros(0, np.float32)
        if reason in (StopReason.ERROR, StopReason.CANCELLED) or not len(samples):
            self._tell("")
            if reason != StopReason.CANCELLED:
                self.failed.emit(self.tr("The model could not speak in this voice: try another one."))
            return
        if key != TRIAL_VOICE:
            self._known[key] = samples
        self._play(key, samples)

    def _play(self, key: str, samples: Samples) -> None:
        # The state changes within the call, and must not be taken for the end.
        self._key, self._playing = "", False
        if self._conversation.say_again(samples):
            self._tell(key, playing=True)
        else:
            self._refuse()

    def _refuse(self) -> None:
        self._tell("")
        self.failed.emit(
            self.tr("A voice can be heard when there is a loudspeaker, the model is ready and you are not talking.")
        )

    def _tell(self, key: str, preparing: bool = False, playing: bool = False) -> None:
        self._key, self._playing = key, playing
        self.changed.emit(key, preparing, playing)
