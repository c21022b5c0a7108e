"""A conversation on the virtual clock: a user, the microphone, the turns, the model, the loudspeaker.

Everything but the devices is what the app itself runs: the speech detector, the turn machine, the controller, the
history, and the engine, here in this process. The clock moves by 32 ms chunks of the microphone; what the model and
the loudspeaker do lies between them at its own time. The devices are given the delays that the app asks of real ones
(20 ms for the microphone, 30 ms for the loudspeaker).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import soxr

from app.audio.capture import CHUNK
from app.conversation.controller import Conversation
from app.conversation.events import Mode, State
from app.conversation.journal import Journal, Line, TurnLog
from app.conversation.ports import Samples
from app.conversation.timing import CHUNK_S, Timing
from app.engine import protocol
from app.engine.factory import Engine
from app.omni.turn import FRAME_SAMPLES, INPUT_RATE, OUTPUT_RATE
from app.replay.microphone import DELAY_S, Echo, Microphone, Recorded
from app.replay.model import Compute, VirtualModel
from app.replay.record import Record
from app.replay.speaker import VirtualSpeaker
from app.replay.timeline import Timeline
from app.replay.user import User

_TICK_S = 0.05
# So long nothing must happen after the user's last word before it is all over.
_SETTLE_S = 0.5


@dataclass(frozen=True)
class Deed:
    """Something the user does to the conversation, `at` seconds after the start."""

    at: float
    act: Callable[[Conversation], object]


@dataclass(frozen=True)
class Terms:
    """How a conversation is run. `tail_s`: how long to go on after the user's last sample, at most; `deeds`: what the
    user does besides speaking.
    """

    compute: Compute = field(default_factory=Compute)
    seed: int | None = None
    voice: str = ""
    tail_s: float = 30.0
    echo: Echo | Recorded | None = None
    mode: Mode = Mode.OPEN_MIC
    timing: Timing = field(default_factory=Timing)
    deeds: tuple[Deed, ...] = ()


@dataclass(frozen=True)
class Performance:
    """What came of it: both sides as float32 at 24 kHz of the same length, and what happened. `lines`: the same in the
    words of the state machine.
    """

    user: Samples
    assistant: Samples
    record: Record
    underruns: int
    lines: tuple[Line, ...] = ()

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
            mode=terms.mode,
            voice=terms.voice,
            clock=self._timeline.now,
        )
        self._speaker = VirtualSpeaker(
            self._timeline, self._record, self._conversation.playback_finished, user.reply_starts
        )
        self._microphone = Microphone(self._speaker, self._record, self._conversation.chunk, terms.echo, terms.timing)
        self._conversation.set_timing(terms.timing)
        self._lines: list[Line] = []
        self._conversation.watch = Journal(terms.mode, on_end=self._note)
        self._said: list[Samples] = []
        self._record.to_conversation = self._conversation.engine_event
        self._conversation.attach_engine(self._model)
        self._conversation.attach_player(self._speaker)
        self._conversation.engine_event(protocol.Ready(engine.info, 0.0))

    def run(self) -> Performance:
        self._timeline.at(CHUNK_S + DELAY_S, self._hear)
        self._timeline.at(_TICK_S, lambda: self._tick(1))
        for deed in self._terms.deeds:
            self._timeline.at(deed.at, lambda act=deed.act: act(self._conversation))  # type: ignore[misc]
        self._timeline.run(self._is_over)
        self._microphone.finish()
        count = self._length()
        assistant = self._speaker.heard(0, count)
        self._record.find_sound(self._speaker.heard)
        said = np.concatenate([*self._said, np.zeros(INPUT_RATE, np.float32)])
        user = np.asarray(soxr.resample(said, INPUT_RATE, OUTPUT_RATE), np.float32)
        user = np.concatenate((user, np.zeros(max(0, count - len(user)), np.float32)))[:count]
        return Performance(user, assistant, self._record, self._speaker.underruns, tuple(self._lines))

    def _note(self, log: TurnLog | None) -> None:
        self._lines += log.lines if log else ()

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
        if any(deed.at >= now for deed in self._terms.deeds):
            return False
        quiet = self._conversation.state == State.IDLE and not self._model.busy
        return quiet and now >= max(end, self._speaker.sounded_until / OUTPUT_RATE) + _SETTLE_S

    def _length(self) -> int:
        """To the end of the user's side, and on to the end of the last 80 ms of the assistant's, within the tail."""
        end = math.ceil(self._user.end * OUTPUT_RATE / INPUT_RATE)
        until = math.ceil(self._speaker.sounded_until / FRAME_SAMPLES) * FRAME_SAMPLES
        return max(end, min(until, end + round(self._terms.tail_s * OUTPUT_RATE)))
