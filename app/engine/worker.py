"""The model's process: takes commands from the window's process, runs the engine, sends events back.

Two threads. The reader thread only receives commands: it notes cancellations at once, so that a running turn
sees them within one frame, and queues everything for the main thread, which owns the engine and does all the
sending. No torch at import; the engine brings it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import os
import queue
import threading
import time
from collections.abc import Generator, Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.engine import voice_jobs
from app.engine.factory import Engine, failure_sentence, load_engine, user_sentence
from app.engine.protocol import (
    AudioFrame,
    Cancel,
    Command,
    EndTurn,
    Event,
    Failed,
    ImportVoices,
    Load,
    Look,
    MakeVoice,
    Progress,
    PushAudio,
    Ready,
    Recognise,
    Recognised,
    RefreshVoices,
    Shutdown,
    StartTurn,
    TextDelta,
    ToolCall,
    TurnDone,
    UserText,
    Waking,
)
from app.engine.spawning import ignore_interrupts
from app.omni.turn import (
    FRAMES_PER_SECOND,
    INPUT_RATE,
    AudioPiece,
    Heard,
    StopReason,
    TextPiece,
    ToolCallPiece,
    TurnPiece,
    TurnRequest,
    TurnStats,
)

MAX_QUESTION_S = 60.0

_log = logging.getLogger(__name__)


class _OpenTurn:
    """A turn whose question is still coming in."""

    def __init__(self, start: StartTurn) -> None:
        self.start = start
        self.image = start.image
        self.chunks: list[bytes] = []
        self.size = 0

    def push(self, samples: bytes) -> bool:
        """Keep more audio; False when the question has become too long."""
        self.chunks.append(samples)
        self.size += len(samples)
        return self.size <= MAX_QUESTION_S * INPUT_RATE * 4

    def audio(self) -> NDArray[np.float32]:
        return np.frombuffer(b"".join(self.chunks), dtype="<f4").astype(np.float32)


class _Tally:
    """What has been sent of a turn, for the case that the engine cannot tell any more."""

    def __init__(self, request_voice: str, seed: int | None) -> None:
        self.voice = request_voice
        self.seed = seed
        self.heard = ""
        self.reply = ""
        self.frames = 0

    def cancelled_stats(self, engine_stats: TurnStats | None = None) -> TurnStats:
        """Stats of a cancelled turn: what was sent, with the engine's times where it gave them."""
        sent = TurnStats(
            heard=self.heard,
            reply=self.reply,
            voice=self.voice,
            stop_reason=StopReason.CANCELLED,
            seed=self.seed or 0,
            frames=self.frames,
            audio_seconds=self.frames / FRAMES_PER_SECOND,
            encode_ms=0.0,
            prefill_ms=0.0,
            first_audio_ms=0.0,
            step_ms_median=0.0,
            step_ms_p95=0.0,
            rtf=0.0,
        )
        if engine_stats is None:
            return sent
        return dataclasses.replace(
            engine_stats,
            reply=sent.reply,
            stop_reason=sent.stop_reason,
            frames=sent.frames,
            audio_seconds=sent.audio_seconds,
        )


class Worker:
    """The command loop around one engine; `factory` names what loads it, see `load_engine`."""

    def __init__(self, connection: Connection, factory: str) -> None:
        self._connection = connection
        self._factory = factory
        self._engine: Engine | None = None
        self._own_voices = ""
        self._open: _OpenTurn | None = None
        self._inbox: queue.SimpleQueue[Command] = queue.SimpleQueue()
        # Not to wait for the end of a turn.
        self._asked: queue.SimpleQueue[Recognise] = queue.SimpleQueue()
        # Written by the reader thread, read by the main thread. Turn numbers only grow, so one number says it
        # all: every turn up to it is given up.
        self._cancelled_through = -1
        self._leaving = False
        self._loading = False

    def run(self) -> None:
        """Serve commands until `Shutdown`; the process ends at once when the window's process is gone."""
        threading.Thread(target=self._read, name="commands", daemon=True).start()
        while not self._leaving:
            command = self._inbox.get()
            match command:
                case Load():
                    self._load(command)
                case StartTurn():
                    self._start(command)
                case PushAudio():
                    self._push(command)
                case EndTurn():
                    self._end(command)
                case Cancel():
                    self._cancel(command)
                case Recognise():
                    self._recognise()
                case Look():
                    self._look(command)
                case MakeVoice():
                    self._send(voice_jobs.make(self._engine, command))
                case ImportVoices():
                    self._send(voice_jobs.read_pickled(command))
                case RefreshVoices():
                    if (event := voice_jobs.refresh(self._engine, self._own_voices)) is not None:
                        self._send(event)
                case Shutdown():
                    return

    def _read(self) -> None:
        while True:
            try:
                command: Command = self._connection.recv()
            except (EOFError, OSError):
                # The window's process is gone: nothing here is worth finishing.
                os._exit(0)
            match command:
                case StartTurn():
                    self._cancelled_through = max(self._cancelled_through, command.turn - 1)
                case Cancel():
                    self._cancelled_through = max(self._cancelled_through, command.turn)
                case Recognise():
                    self._asked.put(command)
                case Shutdown():
                    self._leaving = True
                    if self._loading:
                        # A load cannot be interrupted, and nobody waits for it any more.
                        os._exit(0)
            self._inbox.put(command)

    def _given_up(self, turn: int) -> bool:
        return self._leaving or turn <= self._cancelled_through

    def _send(self, event: Event) -> None:
        try:
            self._connection.send(event)
        except OSError:
            os._exit(0)

    def _load(self, command: Load) -> None:
        def progress(stage: str, fraction: float) -> None:
            # The end is told of once the user's voices are there too.
            self._send(Waking(min(fraction, 0.99)) if command.again else Progress(stage, fraction))

        self._close_open_turn()
        self._engine = None
        self._own_voices = command.own_voices
        started = time.perf_counter()
        self._loading = True
        if command.again:
            self._send(Waking(0.0))
        try:
            engine = load_engine(self._factory, Path(command.folder), threads=command.threads, progress=progress)
        except Exception as error:
            if user_sentence(error) is None:
                _log.exception("loading %s failed", command.folder)
            self._send(Failed(failure_sentence(error, "loading the model"), fatal=True))
            return
        finally:
            self._loading = False
        voice_jobs.read_own(engine, command.own_voices)
        self._engine = engine
        self._send(Waking(1.0) if command.again else Ready(engine.info, time.perf_counter() - started))

    def _start(self, command: StartTurn) -> None:
        self._close_open_turn()
        self._open = _OpenTurn(command)
        if command.text is not None or command.say is not None or self._given_up(command.turn):
            self._answer()

    def _push(self, command: PushAudio) -> None:
        turn = self._open
        if turn is None or turn.start.turn != command.turn:
            return
        if not turn.push(command.samples):
            self._open = None
            sentence = f"The question is longer than {MAX_QUESTION_S:.0f} seconds; please ask a shorter one."
            self._send(Failed(sentence, command.turn))

    def _end(self, command: EndTurn) -> None:
        if self._open is not None and self._open.start.turn == command.turn:
            self._open.image = command.image
            self._answer()

    def _cancel(self, command: Cancel) -> None:
        # A turn that was being answered has noticed already and closed itself.
        if self._open is not None and self._open.start.turn <= command.turn:
            self._close_open_turn()

    def _close_open_turn(self) -> None:
        if self._open is not None:
            start, self._open = self._open.start, None
            self._send(TurnDone(start.turn, _Tally(start.voice, start.seed).cancelled_stats()))

    def _answer(self) -> None:
        assert self._open is not None
        question, start = self._open, self._open.start
        if self._given_up(start.turn):
            self._close_open_turn()
            return
        self._open = None
        if self._engine is None:
            self._send(Failed("No model is loaded yet; wait until it is ready and ask again.", start.turn))
            return
        request = TurnRequest(
            audio=question.audio() if start.text is None and start.say is None else None,
            text=start.text,
            history=start.history,
            voice=start.voice,
            seed=start.seed,
            temperature=start.temperature,
            say=start.say,
            system=start.system,
            image=question.image,
        )
        try:
            stats = self._generate(self._engine, request, start.turn)
        except Exception as error:
            if user_sentence(error) is None:
                _log.exception("turn %d failed", start.turn)
            self._send(Failed(failure_sentence(error, "answering"), start.turn))
        else:
            self._send(TurnDone(start.turn, stats))

    def _generate(self, engine: Engine, request: TurnRequest, turn: int) -> TurnStats:
        """Run the turn and send its pieces, none once it is given up; returns the stats."""
        tally = _Tally(request.voice, request.seed)
        given_up = False
        with contextlib.closing(_generator(engine.run(request, lambda: self._given_up(turn)))) as pieces:
            for piece in pieces:
                if isinstance(piece, TurnStats):
                    return tally.cancelled_stats(piece) if given_up else piece
                if given_up:
                    break
                self._recognise()
                given_up = self._given_up(turn)
                if not given_up:
                    self._send_piece(piece, turn, tally)
        if self._given_up(turn):
            return tally.cancelled_stats()
        raise RuntimeError("the model stopped before the end of its answer")

    def _send_piece(self, piece: Heard | TextPiece | AudioPiece | ToolCallPiece, turn: int, tally: _Tally) -> None:
        match piece:
            case Heard(text):
                tally.heard = text
                self._send(UserText(turn, text))
            case TextPiece(text):
                tally.reply += text
                self._send(TextDelta(turn, text))
            case AudioPiece(index, samples):
                tally.frames += 1
                self._send(AudioFrame(turn, index, samples.astype("<f4").tobytes()))
            case ToolCallPiece(text, closed):
                self._send(ToolCall(turn, text, closed))

    def _recognise(self) -> None:
        """Answer what was asked so far; does nothing when a turn has answered it meanwhile."""
        while not self._asked.empty():
            command = self._asked.get()
            recognise = getattr(self._engine, "recognise", None)
            text: str | None = None
            try:
                if recognise is not None:
                    text = recognise(np.frombuffer(command.samples, dtype="<f4").astype(np.float32))
            except Exception:
                _log.exception("recognising words failed")
            self._send(Recognised(command.serial, text))

    def _look(self, command: Look) -> None:
        """Only to save time later: what goes wrong comes up again with the question."""
        look = getattr(self._engine, "look", None)
        if look is not None:
            try:
                look(command.image)
            except Exception:
                _log.exception("looking at a picture failed")


def _generator(pieces: Iterator[TurnPiece]) -> Generator[TurnPiece, None, None]:
    """The same pieces from something that can be closed."""
    yield from pieces


def main(connection: Connection, factory: str) -> None:
    """Entry point of the spawned process."""
    ignore_interrupts()
    Worker(connection, factory).run()
