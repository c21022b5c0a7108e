"""The model on the virtual clock: the real engine, whose computing takes as long as is said."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from app.conversation.ports import Samples
from app.engine import protocol
from app.engine.factory import Engine, failure_sentence
from app.omni.turn import (
    AudioPiece,
    Exchange,
    Heard,
    TextPiece,
    ToolCallPiece,
    TurnPiece,
    TurnRequest,
    TurnStats,
)
from app.replay.record import Record
from app.replay.timeline import Timeline

MEASURED = "measured"
INSTANT = "instant"


@dataclass(frozen=True)
class Compute:
    """How long the model computes, on the virtual clock.

    `measured`: as long as each step really takes on this computer. Otherwise `first_s` seconds from the end of
    the question to the first 80 ms of speech and `step_s` for each 80 ms more; the user's words and the reply's
    text then cost nothing.
    """

    measured: bool = True
    first_s: float = 0.0
    step_s: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Compute:
        """`measured`, `instant` (no time at all), or "FIRST,STEP" in milliseconds. Raises ValueError."""
        if text == MEASURED:
            return cls()
        if text == INSTANT:
            return cls(False)
        first, comma, step = text.partition(",")
        times = (float(first) / 1000, float(step) / 1000)
        if not comma or not all(0.0 <= value <= 60.0 for value in times):
            raise ValueError(text)
        return cls(False, *times)

    def __str__(self) -> str:
        if self.measured:
            return MEASURED
        return f"{self.first_s * 1000:g},{self.step_s * 1000:g}" if self.first_s or self.step_s else INSTANT

    def seconds(self, piece: TurnPiece | None, wall_s: float) -> float:
        """The time that `piece` took, which was made in `wall_s` seconds; None is the end without stats."""
        if self.measured:
            return wall_s
        if isinstance(piece, AudioPiece):
            return self.step_s if piece.index else self.first_s
        return 0.0


@dataclass
class _Question:
    request: TurnRequest
    audio: list[Samples] = field(default_factory=list)
    cancelled: bool = False


class VirtualModel:
    """`conversation.ports.Engine` around an engine in this process, with the order of the worker process.

    One turn is computed after the other. A turn that is given up ends with the step that is being computed, and
    only then the next one begins.
    """

    def __init__(self, engine: Engine, timeline: Timeline, record: Record, compute: Compute, seed: int | None) -> None:
        """Every turn is answered with `seed`; None: by chance."""
        self._engine = engine
        self._timeline = timeline
        self._record = record
        self._compute = compute
        self._seed = seed
        self._serial = 0
        self._open: dict[int, _Question] = {}
        self._waiting: list[int] = []
        self._answering: int | None = None

    @property
    def busy(self) -> bool:
        """Whether a question is being answered or waits for it."""
        return self._answering is not None or bool(self._waiting)

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
        """See `ports.Engine`."""
        self._serial += 1
        wanted = self._seed if seed is None else seed
        request = TurnRequest(text=text, history=history, voice=voice, seed=wanted, say=say, image=image)
        self._open[self._serial] = _Question(request)
        self._record.turn_started(self._serial, goes_on=say is not None)
        if text is not None or say is not None:
            self.end_turn(self._serial, image)
        return self._serial

    def push_audio(self, turn: int, samples: Samples) -> None:
        """See `ports.Engine`."""
        self._open[turn].audio.append(samples)

    def look(self, image: bytes) -> None:
        """See `ports.Engine`."""

    def end_turn(self, turn: int, image: bytes | None = None) -> None:
        """See `ports.Engine`."""
        question = self._open[turn]
        request = question.request
        if request.text is None and request.say is None:
            audio = np.concatenate([np.zeros(0, np.float32), *question.audio])
            question.request = TurnRequest(audio, None, request.history, request.voice, request.seed, image=image)
            self._record.asked(turn, len(audio))
        self._waiting.append(turn)
        self._next()

    def cancel(self, turn: int) -> None:
        """See `ports.Engine`."""
        question = self._open.get(turn)
        if question is not None:
            question.cancelled = True

    def recognise(self, serial: int, samples: Samples) -> None:
        """See `ports.Engine`."""
        recognise = getattr(self._engine, "recognise", None)
        started = time.perf_counter()
        text = None if recognise is None else recognise(samples)
        seconds = time.perf_counter() - started if self._compute.measured else 0.0
        event = protocol.Recognised(serial, text)
        self._timeline.at(self._timeline.now() + seconds, lambda: self._record.engine_event(event))

    def _next(self) -> None:
        """Begin with the next question that nobody has given up."""
        if self._answering is not None:
            return
        while self._waiting:
            turn = self._waiting.pop(0)
            question = self._open[turn]
            if question.cancelled:
                del self._open[turn]
                continue
            self._begin(turn, question)
            return

    def _begin(self, turn: int, question: _Question) -> None:
        self._answering = turn
        self._record.mark("compute_start", self._record.number(turn))
        self._step(turn, iter(self._engine.run(question.request, lambda: question.cancelled)))

    def _step(self, turn: int, pieces: Iterator[TurnPiece]) -> None:
        """Make the next piece; it is there once its computing time has passed."""
        started = time.perf_counter()
        piece: TurnPiece | protocol.Failed | None
        try:
            piece = next(pieces, None)
            seconds = self._compute.seconds(piece, time.perf_counter() - started)
        except Exception as error:
            piece = protocol.Failed(failure_sentence(error, "answering"), turn)
            seconds = self._compute.seconds(None, time.perf_counter() - started)
        self._timeline.at(self._timeline.now() + seconds, lambda: self._arrive(turn, piece, pieces))

    def _arrive(self, turn: int, piece: TurnPiece | protocol.Failed | None, pieces: Iterator[TurnPiece]) -> None:
        given_up = self._open[turn].cancelled
        if isinstance(piece, Heard | TextPiece | AudioPiece | ToolCallPiece) and not given_up:
            self._record.engine_event(_event(turn, piece))
            self._step(turn, pieces)
            return
        close = getattr(pieces, "close", None)
        if close is not None:
            close()
        del self._open[turn]
        self._answering = None
        if not given_up:
            self._record.engine_event(_last_event(turn, piece))
        self._next()


def _event(turn: int, piece: Heard | TextPiece | AudioPiece | ToolCallPiece) -> protocol.Event:
    match piece:
        case Heard(text):
            return protocol.UserText(turn, text)
        case TextPiece(text):
            return protocol.TextDelta(turn, text)
        case AudioPiece(index, samples):
            return protocol.AudioFrame(turn, index, samples.astype("<f4").tobytes())
        case ToolCallPiece(text, closed):
            return protocol.ToolCall(turn, text, closed)


def _last_event(turn: int, piece: object) -> protocol.Event:
    if isinstance(piece, TurnStats):
        return protocol.TurnDone(turn, piece)
    if isinstance(piece, protocol.Failed):
        return piece
    return protocol.Failed("The model stopped before the end of its answer: please ask again.", turn)
