"""A conversation on the virtual clock: a user, the microphone, the turns, the model, the loudspeaker.

Everything but the devices is what the app itself runs: the speech detector, the turn machine, the controller, the
history, and the engine, here in this process. The clock moves by 32 ms chunks of the microphone; what the model and
the loudspeaker do lies between them at its own time. The devices are given the delays that the app asks of real ones
(20 ms for the microphone, 30 ms for the loudspeaker).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import soxr

from app.audio.capture import CHUNK
from app.conversation.controller import Conversation
from app.conversation.events import Mode, State
from app.conversation.ports import Samples
from app.conversation.timing import CHUNK_S, Timing
from app.engine import protocol
from app.engine.factory import Engine
from app.omni.turn import FRAME_SAMPLES, INPUT_RATE, OUTPUT_RATE
from app.replay.microphone import DELAY_S, Echo, Microphone
from app.replay.model import Compute, VirtualModel
from app.replay.record import Record
from app.replay.speaker import VirtualSpeaker
from app.replay.timeline import Timeline
from app.replay.user import User

_TICK_S = 0.05
# So long nothing must happen after the user's last word before it is all over.
_SETTLE_S = 0.5


@dataclass(frozen=True)
class Terms:
    """How a conversation is run. `tail_s`: how long to go on after the user's last sample, at most."""

    compute: Compute = field(default_factory=Compute)
    seed: int | None = None
    voice: str = ""
    tail_s: float = 30.0
    echo: Echo | None = None


@dataclass(frozen=True)
class Performance:
    """What came of it: both sides as float32 at 24 kHz of the same length, and what happened."""

    user: Samples
    assistant: Samples
    record: Record
    underruns: int

    @property
    def seconds(self) -> float:
        """The length of both sides."""
        return len(self.user) / OUTPUT_RATE


def perform(user: User, engine: Engine, terms: Terms) -> Performance:
    """Let `user` talk to `engine`. Raises `EchoError` where an echo is to be cancelled and cannot be."""
    return _Stage(user, engine, terms).run()


class _Stage:
    def __init__(self, user: User, engine: Engine, terms: Terms) -> None:
        self._user = user
        self._terms = terms
        self._timeline = Timeline()
        self._record = Record(self._timeline)
        self._model = VirtualModel(engine, self._timeline, self._record, terms.compute, terms.seed)
        self._conversation = Conversation(
            self._record,
            post=lambda act: act(),
            mode=Mode.OPEN_MIC,
            voice=terms.voice,
            clock=self._timeline.now,
        )
        self._speaker = VirtualSpeaker(
            self._timeline, self._record, self._conversation.playback_finished, user.reply_starts
        )
        self._microphone = Microphone(self._speaker, self._record, self._conversation.chunk, terms.echo, Timing())
        self._said: list[Samples] = []
        self._record.to_conversation = self._conversation.engine_event
        self._conversation.attach_engine(self._model)
        self._conversation.attach_player(self._speaker)
        self._conversation.engine_event(protocol.Ready(engine.info, 0.0))

    def run(self) -> Performance:
        self._timeline.at(CHUNK_S + DELAY_S, self._hear)
        self._timeline.at(_TICK_S, lambda: self._tick(1))
        self._timeline.run(self._is_over)
        self._microphone.finish()
        count = self._length()
        assistant = self._speaker.heard(0, count)
        self._record.find_sound(self._speaker.heard)
        said = np.concatenate([*self._said, np.zeros(INPUT_RATE, np.float32)])
        user = np.asarray(soxr.resample(said, INPUT_RATE, OUTPUT_RATE), np.float32)
        user = np.concatenate((user, np.zeros(max(0, count - len(user)), np.float32)))[:count]
        return Performance(user, assistant, self._record, self._speaker.underruns)

    def _hear(self) -> None:
        block = len(self._said)
        samples = self._user.take(block * CHUNK, CHUNK)
        self._said.append(samples)
        self._microphone.hear(block, samples)
        self._timeline.at((block + 2) * CHUNK_S + DELAY_S, self._hear)

    def _tick(self, number: int) -> None:
        self._conversation.tick()
        self._timeline.at((number + 1) * _TICK_S, lambda: self._tick(number + 1))

    def _is_over(self) -> bool:
        now, end = self._timeline.now() - DELAY_S, self._user.end / INPUT_RATE
        if now < end:
            return False
        if now >= end + self._terms.tail_s:
            return True
        quiet = self._conversation.state == State.IDLE and not self._model.busy
        return quiet and now >= max(end, self._speaker.sounded_until / OUTPUT_RATE) + _SETTLE_S

    def _length(self) -> int:
        """To the end of the user's side, and on to the end of the last 80 ms of the assistant's, within the tail."""
        end = math.ceil(self._user.end * OUTPUT_RATE / INPUT_RATE)
        until = math.ceil(self._speaker.sounded_until / FRAME_SAMPLES) * FRAME_SAMPLES
        return max(end, min(until, end + round(self._terms.tail_s * OUTPUT_RATE)))
