"""Keeps conversations on a thread of its own, whatever happens to the disk."""

from __future__ import annotations

import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from app.database import PATIENCE_S, NewerFileError, code, is_damage, set_aside
from app.history import rescue
from app.history.store import Store

T = TypeVar("T")
Change = Callable[[Store], None]

RETRY_S = 20.0
# A file no larger than this is copied to memory when it cannot be written, so that the list stays complete.
MIRROR_MOST_BYTES = 32 << 20
DAY_S = 86_400.0
FILE_NAME = "conversations.db"

_log = logging.getLogger(__name__)


class Keeper:
    """Runs changes and questions in order on its thread; no method blocks but `close`.

    When the file cannot be written (full disk, locked, not allowed) everything goes on in memory, and the
    changes are made good in the file as soon as it works again. A damaged file is put aside, what is readable
    in it is saved, and a new one begun. Either is told in one sentence to `on_notice`, "" when it is over;
    `on_notice` and answers are called on the keeper's thread.
    """

    def __init__(
        self,
        file: Path | None,
        *,
        on_notice: Callable[[str], None] = lambda sentence: None,
        days: float | None = None,
        patience_s: float = PATIENCE_S,
        retry_s: float = RETRY_S,
    ) -> None:
        """`file` None keeps nothing beyond this run. `days`: what was not touched for so long goes away."""
        self._file = file
        self._on_notice = on_notice
        self._days = days
        self._begun = (time.time(), time.monotonic())
        self._patience_s = patience_s
        self._retry_s = retry_s
        self._store: Store | None = None
        # Changes that are in memory only, in order; None while the file itself is in use.
        self._pending: list[Change] | None = None
        self._retry_at = 0.0
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="history", daemon=True)
        self._thread.start()

    def change(self, change: Change) -> None:
        """Make `change`. It may be made twice (in memory and in the file), so it must not count on being one."""
        self._jobs.put(lambda: self._change(change))

    def ask(self, question: Callable[[Store], T], answer: Callable[[T], None]) -> None:
        """Give the result of `question` to `answer`; where it cannot be read, nothing comes."""
        self._jobs.put(lambda: self._ask(question, answer))

    def keep(self, file: Path | None, days: float | None = None) -> None:
        """Keep from now on in `file`, for `days`; with None nothing is kept and the present file is emptied."""
        self._jobs.put(lambda: self._keep(file, days))

    def close(self, timeout: float = 10.0) -> None:
        """Finish what was asked for and close the file."""
        self._jobs.put(None)
        self._thread.join(timeout)

    # --- on the keeper's thread

    def _run(self) -> None:
        self._begin()
        while True:
            try:
                job = self._jobs.get(timeout=None if self._pending is None else self._retry_s)
            except queue.Empty:
                self._retry()
                continue
            if job is None:
                break
            try:
                job()
            except Exception:
                _log.exception("the kept conversations")
        self._retry()
        # A program that runs for weeks has become older than it promises to keep, too.
        self._change(self._purge_old)
        if self._store is not None:
            self._store.close()

    def _begin(self) -> None:
        if self._file is None:
            self._store = Store(None)
            return
        try:
            self._store = self._opened(self._file)
        except (sqlite3.Error, OSError, NewerFileError) as error:
            self._to_memory(error)
        else:
            self._change(self._purge_old)

    def _opened(self, file: Path) -> Store:
        try:
            return Store(file, self._patience_s)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            return self._renew(file)

    def _renew(self, file: Path) -> Store:
        """A new file in the place of the damaged one."""
        bad = set_aside(file)
        store = Store(file, self._patience_s)
        count = rescue.read_into(bad, store)
        saved = f"{count} messages could be saved from it" if count else "nothing in it could be read"
        if count == 1:
            saved = "one message could be saved from it"
        self._on_notice(f"The file of your conversations was damaged: {saved}. It is kept as {bad}.")
        return store

    def _change(self, change: Change) -> None:
        if self._pending is not None and time.monotonic() >= self._retry_at:
            self._retry()
        store = self._store
        if store is None:
            return
        if self._pending is not None:
            self._pending.append(change)
        try:
            change(store)
        except (sqlite3.Error, OSError) as error:
            if not self._recover(error) or self._store is None:
                return
            if self._pending is not None:
                self._pending.append(change)
            change(self._store)

    def _ask(self, question: Callable[[Store], T], answer: Callable[[T], None]) -> None:
        if self._store is None:
            return
        try:
            result = question(self._store)
        except (sqlite3.Error, OSError) as error:
            if not self._recover(error) or self._store is None:
                return
            result = question(self._store)
        answer(result)

    def _recover(self, error: Exception) -> bool:
        """Go on after `error`; False where that is not possible."""
        store = self._store
        if store is None or store.file is None:
            # Memory itself fails: a fault of the program, not of the disk.
            _log.error("kept conversations in memory: %s", error)
            return False
        if is_damage(error):
            store.close()
            try:
                self._store = self._renew(store.file)
            except (sqlite3.Error, OSError) as second:
                self._to_memory(second)
        else:
            self._to_memory(error)
        return True

    def _to_memory(self, error: Exception) -> None:
        _log.warning("conversations go on in memory: %s", error)
        memory = Store(None)
        before, self._store = self._store, memory
        if before is not None:
            try:
                if before.size() <= MIRROR_MOST_BYTES:
                    before.db.backup(memory.db)
            except sqlite3.Error as second:
                _log.warning("and the earlier ones cannot be read: %s", second)
                memory.close()
                self._store = Store(None)
            before.close()
        self._pending = []
        self._retry_at = time.monotonic() + self._retry_s
        self._on_notice(sentence(error))

    def _retry(self) -> None:
        """Bring what is in memory only to the file, if that works again."""
        if self._pending is None or self._file is None:
            return
        self._retry_at = time.monotonic() + self._retry_s
        try:
            store = self._opened(self._file)
        except (sqlite3.Error, OSError, NewerFileError):
            return
        try:
            while self._pending:
                self._pending[0](store)
                del self._pending[0]
        except (sqlite3.Error, OSError):
            store.close()
            return
        if self._store is not None:
            self._store.close()
        self._store, self._pending = store, None
        self._on_notice("")

    def _keep(self, file: Path | None, days: float | None) -> None:
        self._days = days
        if file == self._file:
            if file is not None:
                self._change(self._purge_old)
            return
        before, self._file = self._store, file
        if file is None:
            self._forget(before)
            self._store, self._pending = Store(None), None
            return
        self._store = None
        self._begin()
        if before is not None:
            memory = before
            self._change(lambda store: _copied(memory, store))
            if self._pending is None:
                memory.close()

    def _forget(self, store: Store | None) -> None:
        """Empty the file: that of `store`, or the one that could not be used so far."""
        if store is None or self._pending is not None:
            # Only memory is at hand: whatever is in the file is out of reach now.
            self._on_notice("The conversations kept so far could not be deleted: their file cannot be written.")
        else:
            try:
                store.purge(everything=True)
            except sqlite3.Error as error:
                self._on_notice(f"The conversations kept so far could not be deleted ({error}).")
            else:
                self._on_notice("")
        if store is not None:
            store.close()

    def _purge_old(self, store: Store) -> None:
        store.purge(None if self._days is None else self._today() - self._days * DAY_S)

    def _today(self) -> float:
        """Now, but no later than this run has lasted: a clock that jumps ahead must not make everything old."""
        wall, steady = self._begun
        return min(time.time(), wall + time.monotonic() - steady)


def _copied(source: Store, target: Store) -> None:
    rescue.copy(source.db, target)


def sentence(error: Exception) -> str:
    """What the user is told when conversations cannot be saved."""
    if isinstance(error, NewerFileError):
        return (
            "Your conversations were saved by a newer Banter, so this one leaves them alone: "
            "what you say now is kept only until you close the window."
        )
    match code(error):
        case sqlite3.SQLITE_FULL:
            why, then = "the disk is full", "free some space and it is saved after all"
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            why, then = "another program is using the file", "it is saved as soon as that one has finished"
        case _:
            reason = getattr(error, "strerror", None) or str(error)
            why, then = reason.rstrip("."), "it is saved as soon as that works again"
    return f"This conversation is not being saved ({why}). Banter keeps it in memory: {then}."
