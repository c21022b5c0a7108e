"""A model, a loudspeaker and a window that only write down what they are told, on a clock that the test
moves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.conversation.controller import Conversation
from app.conversation.events import Mode, State
from app.conversation.ports import Samples
from app.engine import protocol
from app.omni.turn import FRAME_SAMPLES, Exchange, ModelInfo, StopReason, TurnStats
from app.tools.call import Call
from app.tools.registry import Registry

INFO = ModelInfo("test", "", ("Ann",), 1)


def stats(reason: StopReason = StopReason.EOS) -> TurnStats:
    return TurnStats("", "", "", reason, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass
class FakeEngine:
    """Turn numbers start at 100, to differ from the conversation's own."""

    log: list[tuple[Any, ...]] = field(default_factory=list)
    audio: dict[int, int] = field(default_factory=dict)
    pushed: dict[int, list[Samples]] = field(default_factory=dict)
    open: int | None = None
    number: int = 99
    pictures: dict[int, bytes | None] = field(default_factory=dict)
    looked: list[bytes] = field(default_factory=list)

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
        self.number += 1
        self.open = self.number
        self.pushed[self.number] = []
        self.pictures[self.number] = image
        if say is not None:
            self.log.append(("say", self.number, voice, text, say))
            return self.number
        self.log.append(("start", self.number, voice, history, text))
        return self.number

    def push_audio(self, turn: int, samples: Samples) -> None:
        assert turn == self.open
        self.pushed[turn].append(samples)

    def end_turn(self, turn: int, image: bytes | None = None) -> None:
        assert turn == self.open
        self.pictures[turn] = image
        self.log.append(("end", turn))

    def look(self, image: bytes) -> None:
        self.looked.append(image)

    def cancel(self, turn: int) -> None:
        self.log.append(("cancel", turn))
        self.open = None

    def recognise(self, serial: int, samples: Samples) -> None:
        self.log.append(("recognise", serial, [float(x) for x in samples[::512]]))

    def heard(self, turn: int) -> list[float]:
        """The first sample of each chunk pushed: the tests number their chunks that way."""
        return [float(x) for samples in self.pushed[turn] for x in samples[::512]]


@dataclass
class FakePlayer:
    """Plays as fast as the test says."""

    current: int | None = None
    written: dict[int, int] = field(default_factory=dict)
    played: dict[int, int] = field(default_factory=dict)
    ended: set[int] = field(default_factory=set)
    stops: int = 0
    changes: list[str] = field(default_factory=list)

    def begin(self, turn: int) -> None:
        assert turn not in self.written, "a turn begins once"
        self.current = turn
        self.written[turn] = self.played[turn] = 0

    def write(self, turn: int, samples: Samples) -> None:
        assert turn == self.current, "a stale frame"
        self.written[turn] += len(samples)

    def end(self, turn: int) -> None:
        assert turn == self.current
        self.ended.add(turn)

    def stop(self) -> None:
        self.current = None
        self.stops += 1

    def duck(self) -> None:
        assert self.current is not None
        self.changes.append("duck")

    def hold(self) -> None:
        assert self.current is not None
        self.changes.append("hold")

    def resume(self) -> None:
        assert self.current is not None
        self.changes.append("resume")

    def played_samples(self, turn: int) -> int:
        return self.played.get(turn, 0)


@dataclass
class FakeTools:
    """Tools that take as long as the test says. `running`: the calls by number."""

    registry: Registry
    running: dict[int, Call] = field(default_factory=dict)
    given_up: list[int] = field(default_factory=list)

    def run(self, number: int, call: Call) -> None:
        assert number not in self.running
        self.running[number] = call

    def cancel(self, number: int) -> None:
        del self.running[number]
        self.given_up.append(number)


@dataclass
class FakeWindow:
    """Keeps every call as (name, arguments…)."""

    calls: list[tuple[Any, ...]] = field(default_factory=list)

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *arguments: self.calls.append((name, *arguments))

    def of(self, *names: str) -> list[tuple[Any, ...]]:
        return [call for call in self.calls if call[0] in names]


@dataclass
class FakeChunk:
    samples: Samples
    time: float
    level_db: float
    speech: float
    echo_free: bool = True
    cancelled: bool = False
    settling: bool = False


class Rig:
    """A conversation with everything around it."""

    def __init__(self, mode: Mode = Mode.OPEN_MIC, ready: bool = True, speaker: bool = True) -> None:
        self.now = 100.0
        self.window = FakeWindow()
        self.engine = FakeEngine()
        self.player = FakePlayer()
        self.conversation = Conversation(
            self.window, post=lambda run: run(), mode=mode, voice="Ann", clock=lambda: self.now
        )
        self.chunks = 0
        self.conversation.attach_engine(self.engine)
        if speaker:
            self.conversation.attach_player(self.player)
        if ready:
            self.conversation.engine_event(protocol.Ready(INFO, 0.1))

    @property
    def state(self) -> State:
        return self.conversation.state

    def hear(self, probability: float, count: int = 1, echo_free: bool = True) -> None:
        """`count` chunks from the microphone; each holds its own number in every sample."""
        for _ in range(count):
            self.now += 0.032
            samples = np.full(512, self.chunks, np.float32)
            self.conversation.chunk(FakeChunk(samples, self.now, -30.0, probability, echo_free))
            self.chunks += 1

    def wait(self, seconds: float) -> None:
        """Only time passes."""
        end = self.now + seconds
        while self.now < end:
            self.now += 0.25
            self.conversation.tick()

    def frames(self, count: int, level: float = 0.1) -> None:
        """The model speaks on its newest turn."""
        samples = np.full(FRAME_SAMPLES, level, np.float32).tobytes()
        for index in range(count):
            self.conversation.engine_event(protocol.AudioFrame(self.engine.number, index, samples))

    def text(self, text: str) -> None:
        self.conversation.engine_event(protocol.TextDelta(self.engine.number, text))

    def recognised(self, text: str | None) -> None:
        """The words that were last asked for."""
        serials = [entry[1] for entry in self.engine.log if entry[0] == "recognise"]
        self.conversation.engine_event(protocol.Recognised(serials[-1] if serials else 0, text))

    def user_text(self, text: str) -> None:
        self.conversation.engine_event(protocol.UserText(self.engine.number, text))

    def call(self, text: str, closed: bool = True) -> None:
        """The model writes a call, and ends its turn."""
        number = self.engine.number
        self.conversation.engine_event(protocol.ToolCall(number, text, closed))
        self.conversation.engine_event(protocol.TurnDone(number, stats(StopReason.TOOL_CALL)))

    def said(self) -> list[str]:
        """What the model was told to say."""
        return [entry[4] for entry in self.engine.log if entry[0] == "say"]

    def done(self, reason: StopReason = StopReason.EOS) -> None:
        self.conversation.engine_event(protocol.TurnDone(self.engine.number, stats(reason)))

    def play(self, frames: float | None = None) -> None:
        """The loudspeaker gets on by `frames`, or plays out."""
        turn = self.player.current
        assert turn is not None
        whole = self.player.written[turn]
        self.player.played[turn] = whole if frames is None else int(frames * FRAME_SAMPLES)
        if frames is None and turn in self.player.ended:
            self.player.current = None
            self.conversation.playback_finished(turn)

    def ask(self) -> None:
        """Speak for a second and be quiet until it is the model's turn."""
        self.hear(0.9, 30)
        # The learned pace may make it wait longer than it does at first.
        for _ in range(40):
            if self.state != State.THINKING:
                self.hear(0.05, 1)
        assert self.state == State.THINKING
