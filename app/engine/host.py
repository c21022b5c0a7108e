"""The window's side of the model's process: starts it, talks to it, restarts it when it dies. No Qt, no
torch.

Nothing here blocks the caller: commands go into a queue that a writer thread empties, events arrive on a
supervisor thread that also owns the process.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import multiprocessing
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from app.engine import worker
from app.engine.factory import OMNI_ENGINE
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
    VoiceMade,
    VoicesChanged,
    VoicesRead,
    Waking,
)
from app.engine.spawning import interrupts_held_back
from app.omni.turn import Exchange

CRASH_LIMIT = 3
CRASH_WINDOW_S = 60.0

_RESTARTING = "The model stopped unexpectedly and is being restarted."
_GAVE_UP = (
    f"The model stopped {CRASH_LIMIT} times within a minute; choose another model, "
    "or close other programs and load it again."
)
_NOT_RUNNING = "The model is not running; load it again or choose another one."

_log = logging.getLogger(__name__)


class EngineHost:
    """One model process and the conversation with it.

    `on_event` is called on the supervisor thread, one event at a time, and must hand it on quickly; it may
    call any method. Events of an older turn are dropped here, and so is speech of a cancelled turn; a
    receiver that queues events compares the turn once more when it takes them out. Every turn ends with one
    `TurnDone` or `Failed`, unless a newer turn has replaced it.

    `seed`, `temperature` and `system`, as in `protocol.StartTurn`, hold for the turns that are started from then on,
    and so does `history_turns`: the exchanges that the model gets, None as many as there are.
    """

    def __init__(self, on_event: Callable[[Event], None], *, factory: str = OMNI_ENGINE) -> None:
        self._on_event = on_event
        self._factory = factory
        self.seed: int | None = None
        self.temperature: float | None = None
        self.system = ""
        self.history_turns: int | None = None
        self._changed = threading.Condition()
        # Guarded by _changed:
        self._outbox: deque[Command] = deque()
        self._connection: Connection | None = None
        self._last_load: Load | None = None
        self._number = 0
        self._turn = 0
        self._turn_open = False
        self._cancelled = False
        self._voice_jobs: set[int] = set()  # their numbers are not turns
        self._gave_up = False
        self._loaded = self._asleep = self._sent_away = False
        self._crashes_seen = 0
        self._closing = False
        # Held while a connection is written to, so that it is not closed meanwhile.
        self._sending = threading.Lock()
        self._process: SpawnProcess | None = None
        self._pid: int | None = None
        self._crashes: deque[float] = deque(maxlen=CRASH_LIMIT)
        self._supervisor = threading.Thread(target=self._supervise, name="engine-events", daemon=True)
        self._writer = threading.Thread(target=self._write, name="engine-commands", daemon=True)

    def __enter__(self) -> EngineHost:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The model process's id while there is one."""
        return self._pid

    @property
    def crashes(self) -> int:
        """How often the process has ended by itself."""
        return self._crashes_seen

    def start(self) -> None:
        """Start the model's process. Call once."""
        atexit.register(self.close)
        self._supervisor.start()
        self._writer.start()

    def load(self, folder: Path | str, threads: int = 2, own_voices: Path | None = None) -> None:
        """Load the model in `folder`, and the user's voices in `own_voices` that fit it; `Progress` … `Ready` or
        `Failed` follow. Ends a fatal failure.
        """
        with self._changed:
            self._last_load = Load(str(folder), threads, str(own_voices or ""))
            self._gave_up = self._loaded = self._asleep = False
            # An earlier load that has not been sent yet is not wanted any more.
            self._outbox = deque(command for command in self._outbox if not isinstance(command, Load))
            self._queue(self._last_load)

    def unload(self) -> bool:
        """Give the memory of the model back until it is needed: whatever is asked of it then loads it again, waits, and
        is answered. False where that cannot be: a turn is open, or no model is loaded.
        """
        with self._changed:
            if not self._loaded or self._turn_open or self._voice_jobs:
                return False
            if not self._asleep:
                self._asleep = True
                # Its process goes, as much of the memory would stay with it; the next one is small until it loads.
                self._queue(Shutdown())
            return True

    def _wake(self) -> None:
        if self._asleep and self._last_load is not None:
            self._asleep = False
            self._queue(replace(self._last_load, again=True))

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
        """Open a new turn and give up the one before; returns its number. With `text` no audio follows.

        `seed` None: that of this object. `say`: the words of the reply, and `image`, as in `protocol.StartTurn`.
        """
        with self._changed:
            self._number += 1
            self._turn, self._turn_open, self._cancelled = self._number, True, False
            chosen = self.seed if seed is None else seed
            if self.history_turns is not None:
                history = history[max(len(history) - self.history_turns, 0) :]
            system = self.system if say is None else ""
            self._wake()
            how = self.temperature, say, image, system
            self._queue(StartTurn(self._turn, voice, history, text, chosen, *how))
            return self._turn

    def push_audio(self, turn: int, samples: NDArray[np.float32]) -> None:
        """More of the question: float32 mono at 16 kHz, within ±1."""
        with self._changed:
            self._queue(PushAudio(turn, np.asarray(samples, dtype="<f4").tobytes()))

    def end_turn(self, turn: int, image: bytes | None = None) -> None:
        """The question is complete: answer now. `image`: the picture it is about, as in `protocol.EndTurn`."""
        with self._changed:
            self._queue(EndTurn(turn, image))

    def look(self, image: bytes) -> None:
        """A question about this picture may follow."""
        with self._changed:
            self._wake()
            self._queue(Look(image))

    def cancel(self, turn: int) -> None:
        """Give the turn up; `TurnDone` follows, but no more speech or text."""
        with self._changed:
            if turn == self._turn:
                self._cancelled = True
            self._queue(Cancel(turn))

    def recognise(self, serial: int, samples: NDArray[np.float32]) -> None:
        """What are the words in float32 mono at 16 kHz? `Recognised` with this `serial` follows soon, or never where
        the process dies.
        """
        with self._changed:
            self._wake()
            self._queue(Recognise(serial, np.asarray(samples, dtype="<f4").tobytes()))

    def make_voice(self, samples: NDArray[np.float32]) -> int:
        """Make a voice of a clip, float32 mono at 24 kHz; `VoiceMade` or `Failed` with the number that is returned
        follows, or neither where the process dies.
        """
        with self._changed:
            return self._queue_job(lambda number: MakeVoice(number, np.asarray(samples, dtype="<f4").tobytes()))

    def import_voices(self, path: Path) -> int:
        """Read the voices of a `voices.pt`; `VoicesRead` or `Failed` with the number that is returned follows, or
        neither where the process dies.
        """
        with self._changed:
            return self._queue_job(lambda number: ImportVoices(number, str(path)))

    def refresh_voices(self) -> None:
        """The folder of the user's voices has changed; `VoicesChanged` follows where a model is loaded."""
        with self._changed:
            self._wake()
            self._queue(RefreshVoices())

    def _queue_job(self, command: Callable[[int], Command]) -> int:
        self._wake()
        self._number += 1
        self._voice_jobs.add(self._number)
        self._queue(command(self._number))
        return self._number

    def close(self, timeout: float = 3.0) -> None:
        """Stop the process, by force after `timeout` seconds; no event comes after it. May be repeated."""
        with self._changed:
            self._closing = True
            self._outbox.clear()
            self._outbox.append(Shutdown())
            self._changed.notify_all()
        atexit.unregister(self.close)
        if not self._supervisor.is_alive() or threading.current_thread() is self._supervisor:
            return
        self._supervisor.join(timeout)
        process = self._process
        if self._supervisor.is_alive() and process is not None:
            with contextlib.suppress(ValueError):  # it has just gone by itself
                process.kill()
        self._supervisor.join(timeout)
        self._writer.join(timeout)

    def _queue(self, command: Command) -> None:
        self._outbox.append(command)
        self._changed.notify_all()

    # --- writer thread

    def _write(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._finished() or self._can_send())
                if self._finished():
                    return
                connection, command = self._connection, self._outbox.popleft()
                assert connection is not None
                if isinstance(command, Shutdown) and not self._closing:
                    # What follows is for the next process.
                    self._connection, self._sent_away = None, True
                self._sending.acquire()
            try:
                connection.send(command)
            except OSError:
                # The process has died; the supervisor sees it too and takes care of the turn.
                with self._changed:
                    if self._connection is connection:
                        self._connection = None
            finally:
                self._sending.release()

    def _can_send(self) -> bool:
        return self._connection is not None and len(self._outbox) > 0

    def _finished(self) -> bool:
        return self._closing and self._connection is None

    # --- supervisor thread

    def _supervise(self) -> None:
        again = True
        while again:
            try:
                self._serve_one_process()
            except OSError as error:
                _log.error("the model's process could not be started: %s", error)
            again = self._after_death()
        with self._changed:
            # Lets the writer thread see that there is nothing left to send to.
            self._changed.notify_all()

    def _serve_one_process(self) -> None:
        """Run one process from start to end and pass its events on."""
        context = multiprocessing.get_context("spawn")
        mine, theirs = context.Pipe()
        try:
            self._process = context.Process(
                target=worker.main, args=(theirs, self._factory), name="banter-model", daemon=True
            )
            with interrupts_held_back():
                self._process.start()
            self._pid = self._process.pid
            # With our copy closed, the death of the process ends `recv`.
            theirs.close()
            with self._changed:
                if self._closing:
                    return
                self._connection = mine
                self._changed.notify_all()
            self._receive(mine)
        finally:
            with self._changed:
                self._connection = None
            with self._sending:
                mine.close()
            theirs.close()
            process, self._process, self._pid = self._process, None, None
            _reap(process)

    def _receive(self, connection: Connection) -> None:
        while True:
            try:
                event: Event = connection.recv()
            except (EOFError, OSError):
                return
            if self._wanted(event):
                self._deliver(event)

    def _deliver(self, event: Event) -> None:
        try:
            self._on_event(event)
        except Exception:
            # The receiver's mistake must not cost the connection to the model.
            _log.exception("an event was not handled: %s", type(event).__name__)

    def _wanted(self, event: Event) -> bool:
        with self._changed:
            if self._closing:
                return False
            match event:
                case UserText() | TextDelta() | AudioFrame() | ToolCall():
                    return event.turn == self._turn and not self._cancelled
                case TurnDone():
                    return self._ends_turn(event.turn)
                case Failed(turn=int(turn)):
                    if turn in self._voice_jobs:
                        self._voice_jobs.remove(turn)
                        return True
                    return self._ends_turn(turn)
                case VoiceMade() | VoicesRead():
                    self._voice_jobs.discard(event.turn)
                    return True
                case Ready():
                    self._loaded = True
                    return True
                case Failed() | Progress() | Waking() | Recognised() | VoicesChanged():
                    return True

    def _ends_turn(self, turn: int) -> bool:
        if turn != self._turn or not self._turn_open:
            return False
        self._turn_open = False
        return True

    def _after_death(self) -> bool:
        """Tell what happened and decide whether to start again; False when the host is being closed."""
        with self._changed:
            if self._sent_away and not self._closing:
                self._sent_away = False
                return True
        now = time.monotonic()
        self._crashes.append(now)
        too_often = len(self._crashes) == CRASH_LIMIT and now - self._crashes[0] < CRASH_WINDOW_S
        with self._changed:
            if self._closing:
                return False
            self._crashes_seen += 1
            lost = self._turn if self._turn_open else None
            self._turn_open = self._loaded = self._asleep = False
            # What was queued belongs to the lost turn, except a load that has not been sent.
            self._outbox.clear()
            if self._last_load is not None:
                self._outbox.append(self._last_load)
            self._gave_up = too_often
        self._deliver(Failed(_GAVE_UP if too_often else _RESTARTING, turn=lost, fatal=too_often))
        return self._wait_for_load() if too_often else True

    def _wait_for_load(self) -> bool:
        """After giving up: refuse turns until a model is loaded; False when the host is being closed."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closing or not self._gave_up or self._turn_open)
                if self._closing:
                    return False
                if not self._gave_up:
                    self._crashes.clear()
                    return True
                refused, self._turn_open = self._turn, False
                self._outbox.clear()
            self._deliver(Failed(_NOT_RUNNING, turn=refused, fatal=True))


def _reap(process: SpawnProcess | None) -> None:
    """Make sure that the process is gone. It may be None or never started."""
    if process is None or process.pid is None:
        return
    process.join(1.0)
    if process.is_alive():
        process.kill()
        process.join()
    process.close()
