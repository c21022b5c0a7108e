"""Work on models behind a window: one piece at a time, on a thread of its own."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from app.hub.bring import bring, recognise
from app.hub.control import Control
from app.hub.download import Download, Means, Progress
from app.hub.errors import HubError, Stopped
from app.hub.library import Library
from app.hub.rate import Rate

_TELL_EVERY_S = 0.1
_CLOSE_S = 3.0

_log = logging.getLogger(__name__)


class Kind(StrEnum):
    """What is done with a model."""

    DOWNLOAD = "download"
    IMPORT = "import"
    VERIFY = "verify"
    REMOVE = "remove"
    DROP = "drop"


@dataclass(frozen=True)
class Job:
    """A piece of work: `id` is a model's name, with IMPORT a folder. `running`: it has begun. `stopping`: it is about
    to end before it is done. `speed` in bytes a second and `seconds_left` as far as they are known.
    """

    id: str
    kind: Kind
    running: bool = False
    stopping: bool = False
    progress: Progress = field(default_factory=Progress)
    speed: float = 0.0
    seconds_left: float | None = None


@dataclass(frozen=True)
class Ended:
    """A piece of work is over. `problem` is one sentence, "" where there is none; `stopped`: before it was done.

    `damaged` are the files that VERIFY found changed, `model` the name that IMPORT gave, `lacking` the parts that it
    did without.
    """

    job: Job
    problem: str = ""
    stopped: bool = False
    damaged: tuple[str, ...] = ()
    model: str = ""
    lacking: tuple[str, ...] = ()


class Jobs:
    """All methods may be called on one thread, the window's; none of them waits but `close`.

    `changed()` and `ended(Ended)` are called on the thread that works.
    """

    def __init__(
        self, library: Library, means: Callable[[], Means], changed: Callable[[], None], ended: Callable[[Ended], None]
    ) -> None:
        """`means` is asked when a download begins."""
        self._library = library
        self._means = means
        self._changed = changed
        self._ended = ended
        self._lock = threading.Condition()
        # Guarded by _lock; the first of the queue is under way.
        self._queue: deque[Job] = deque()
        self._control = Control()
        self._closing = False
        self._cancelled = False
        self._thread: threading.Thread | None = None

    def all(self) -> dict[str, Job]:
        """What is under way and what waits, by the names of the models."""
        with self._lock:
            return {job.id: job for job in reversed(self._queue)}

    def add(self, kind: Kind, id: str) -> None:
        """Do this after what is under way; does nothing where something is done with that model already."""
        with self._lock:
            if self._closing or any(job.id == id for job in self._queue):
                return
            self._queue.append(Job(id, kind))
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="models", daemon=True)
                self._thread.start()
            self._lock.notify_all()
        self._changed()

    def pause(self, id: str) -> None:
        """Stop what is done with a model; a download keeps what has come."""
        with self._lock:
            if self._queue and self._queue[0].id == id and self._queue[0].running:
                self._queue[0] = replace(self._queue[0], stopping=True)
                self._control.stop()
            else:
                self._queue = deque(job for job in self._queue if job.id != id)
        self._changed()

    def cancel(self, id: str) -> None:
        """Stop a download, and delete what has come."""
        with self._lock:
            under_way = bool(self._queue) and self._queue[0].id == id and self._queue[0].running
            self._cancelled = under_way
        self.pause(id)
        if not under_way:
            self.add(Kind.DROP, id)

    def close(self) -> None:
        """End all of it; what has come of a download stays for the next time."""
        with self._lock:
            self._closing = True
            while len(self._queue) > 1:
                self._queue.pop()
            self._control.stop()
            self._lock.notify_all()
        if self._thread is not None:
            self._thread.join(_CLOSE_S)

    # --- the thread

    def _work(self) -> None:
        while True:
            with self._lock:
                self._lock.wait_for(lambda: self._closing or bool(self._queue))
                if self._closing:
                    return
                job = self._queue[0] = replace(self._queue[0], running=True)
                self._control, self._cancelled = Control(), False
            self._changed()
            end = self._done(job, self._control)
            with self._lock:
                self._queue.popleft()
                closing = self._closing
            if not closing:
                self._ended(end)
                self._changed()

    def _done(self, job: Job, control: Control) -> Ended:
        library, tell = self._library, self._teller()
        try:
            match job.kind:
                case Kind.DOWNLOAD:
                    Download(library, job.id, self._means(), control, tell).run()
                case Kind.IMPORT:
                    found = recognise(Path(job.id), library)
                    bring(found, library, control, tell)
                    return Ended(job, model=found.id, lacking=tuple(part.title for part in found.lacking))
                case Kind.VERIFY:
                    return Ended(job, damaged=tuple(self._verified(job, control, tell)))
                case Kind.REMOVE:
                    library.remove(job.id)
                case Kind.DROP:
                    library.drop_partial(job.id)
        except Stopped:
            return self._stopped(job)
        except HubError as error:
            return Ended(job, str(error))
        except Exception as error:
            _log.exception("work on a model failed: %s", job)
            detail = " ".join(str(error).split()) or type(error).__name__
            return Ended(job, f"Something went wrong with the model ({detail}); please try again.")
        return Ended(job)

    def _verified(self, job: Job, control: Control, tell: Callable[[Progress], None]) -> list[str]:
        now = Progress(total=self._library.entry(job.id).size)

        def read(count: int) -> None:
            nonlocal now
            now = replace(now, done=min(now.done + count, now.total))
            tell(now)

        return self._library.verify(job.id, control, read)

    def _stopped(self, job: Job) -> Ended:
        with self._lock:
            cancelled = self._cancelled
        if cancelled:
            try:
                self._library.drop_partial(job.id)
            except HubError as error:
                return Ended(job, str(error), stopped=True)
        return Ended(job, stopped=True)

    def _teller(self) -> Callable[[Progress], None]:
        rate, told, waiting = Rate(), 0.0, ""

        def tell(progress: Progress) -> None:
            nonlocal told, waiting
            now = time.monotonic()
            rate.note(now, progress.done)
            if now - told < _TELL_EVERY_S and progress.waiting == waiting:
                return
            told, waiting = now, progress.waiting
            left = rate.seconds_left(progress.total - progress.done)
            with self._lock:
                self._queue[0] = replace(self._queue[0], progress=progress, speed=rate.speed, seconds_left=left)
            self._changed()

        return tell
