"""What the conversation needs from the outside: the model, the loudspeaker, the microphone's chunks, the
window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from app.conversation.events import Mode, State
from app.conversation.tools.usage import Usage
from app.omni.turn import Exchange, ModelInfo, TurnStats
from app.tools.call import Call
from app.tools.registry import Registry

Samples = NDArray[np.float32]


class Engine(Protocol):
    """The model's process. No call may block."""

    def start_turn(
        self,
        *,
        voice: str = "",
        history: tuple[Exchange, ...] = (),
        text: str | None = None,
        seed: int | None = None,
        say: str | None = None,
        image: bytes | None = None,
    ) -> int:
        """Open a turn and return its number; events of it carry that number. `say`: the words of the reply, which is
        only spoken; no audio follows. `image`: the picture that a typed question is about, as in `TurnRequest`.
        """
        ...

    def push_audio(self, turn: int, samples: Samples) -> None:
        """More of the question: float32 mono at 16 kHz."""
        ...

    def end_turn(self, turn: int, image: bytes | None = None) -> None:
        """The question is complete; `image` is the picture it is about."""
        ...

    def look(self, image: bytes) -> None:
        """A question about this picture may follow."""
        ...

    def cancel(self, turn: int) -> None:
        """Give the turn up."""
        ...

    def recognise(self, serial: int, samples: Samples) -> None:
        """What are the words in float32 mono at 16 kHz? `protocol.Recognised` with this `serial` follows, also in the
        midst of a turn.
        """
        ...


class Tools(Protocol):
    """What the model can call. No call may block."""

    @property
    def registry(self) -> Registry:
        """The tools that there are."""
        ...

    def run(self, number: int, call: Call) -> None:
        """Begin with a call; `Conversation.tool_ended` is to be called with its number once something came of it."""
        ...

    def cancel(self, number: int) -> None:
        """Nobody waits for this call, which changes nothing."""
        ...


class Brain(Protocol):
    """A larger model that may be asked. No call may block."""

    @property
    def source(self) -> str:
        """Where its words come from, as "From llama3 on this computer"."""
        ...

    def ask(self, number: int, question: str, history: Iterable[Exchange]) -> Callable[[], None]:
        """Ask `question`; returns what gives it up. `Conversation.brain_said` is to be called with `number` for each
        sentence of the answer, and `Conversation.brain_ended` at its end, both only until it is given up.
        """
        ...


class Player(Protocol):
    """The loudspeaker. No call may block."""

    def begin(self, turn: int) -> None:
        """Make `turn` the one that is played."""
        ...

    def write(self, turn: int, samples: Samples) -> None:
        """Queue float32 mono at 24 kHz; dropped unless `turn` is the one that is played."""
        ...

    def end(self, turn: int) -> None:
        """No more follows; `Conversation.playback_finished` is to be called when all has been heard."""
        ...

    def stop(self) -> None:
        """Silence, now."""
        ...

    def duck(self) -> None:
        """Play on much more quietly, until `resume` or the end of the turn."""
        ...

    def hold(self) -> None:
        """Silence, now; the rest of the turn is kept for `resume`."""
        ...

    def resume(self) -> None:
        """Go on as before `duck` or `hold`."""
        ...

    def played_samples(self, turn: int) -> int:
        """How much of `turn` has been played, in samples at 24 kHz."""
        ...


class Chunk(Protocol):
    """32 ms of the microphone: float32 [512] mono at 16 kHz with its loudness and probability of speech.

    `time` is when its end was heard, in seconds of the conversation's clock.

    `echo_free`: a voice in it is the user's, and not what the loudspeaker plays. Where it may be, it is no reason to
    stop the answer; and where the echo has not been `cancelled`, it is not listened to at all meanwhile. `settling`:
    the canceller has heard too little of the loudspeaker yet for `echo_free` to be relied on as later.
    """

    @property
    def samples(self) -> Samples: ...
    @property
    def time(self) -> float: ...
    @property
    def level_db(self) -> float: ...
    @property
    def speech(self) -> float: ...
    @property
    def echo_free(self) -> bool: ...
    @property
    def cancelled(self) -> bool: ...
    @property
    def settling(self) -> bool: ...


class Listener(Protocol):
    """The window's side. All calls come on the conversation's thread. `turn` numbers only rise."""

    def state_changed(self, state: State, mode: Mode) -> None:
        """Another state, or another mode."""
        ...

    def question(self, turn: int, text: str) -> None:
        """The user's words, once they are known. May come again with better words."""
        ...

    def picture_taken(self, turn: int, image: bytes) -> None:
        """The question of `turn` has been asked, and it is about this picture, which goes with no other one then."""
        ...

    def picture_returned(self, turn: int) -> None:
        """The picture that was taken with `turn` goes with the next question after all."""
        ...

    def reply_delta(self, turn: int, text: str) -> None:
        """More of the reply's text."""
        ...

    def tool_changed(self, turn: int, usage: Usage) -> None:
        """A tool is used for `turn`, or has got on; also after the turn is over."""
        ...

    def reply_sound(self, turn: int, samples: Samples) -> None:
        """The speech of the reply as far as it was heard, float32 at 24 kHz; comes just before `reply_done`."""
        ...

    def reply_done(self, turn: int, text: str, interrupted: bool) -> None:
        """The turn is over. `text` is what was heard of the reply; "" when it never began."""
        ...

    def reply_stats(self, turn: int, stats: TurnStats) -> None:
        """The model has finished generating; comes before `reply_done` unless the turn was cut off."""
        ...

    def turn_discarded(self, turn: int) -> None:
        """The turn was no question, or goes on in the next one: take it off the transcript."""
        ...

    def notice(self, sentence: str) -> None:
        """One sentence that matters now and not for long."""
        ...

    def microphone_level(self, decibels: float, speech: float) -> None:
        """Loudness of the microphone (dB of full scale) and probability of speech, each 32 ms."""
        ...

    def reply_level(self, decibels: float) -> None:
        """Loudness of the speech that is being played, with each microphone chunk or tick."""
        ...

    def microphone_changed(self, usable: bool, sentence: str) -> None:
        """The microphone came, or went away for the reason in `sentence`."""
        ...

    def half_duplex(self, reason: str) -> None:
        """Nothing is listened to while an answer is played, for this reason; "": it is again."""
        ...

    def speaker_changed(self, usable: bool, sentence: str) -> None:
        """The loudspeaker came, or went away for the reason in `sentence`; replies can still be read."""
        ...

    def model_progress(self, stage: str, fraction: float) -> None:
        """The model is being loaded."""
        ...

    def model_ready(self, info: ModelInfo) -> None:
        """The model can take turns."""
        ...

    def model_failed(self, sentence: str, fatal: bool) -> None:
        """Something is wrong with the model itself. `fatal`: it needs the user's help to come back."""
        ...
