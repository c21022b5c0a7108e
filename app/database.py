"""What all SQLite files of the app share: opening, newer and damaged files, the reason of an error in words."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

PATIENCE_S = 2.0
# No file larger than this is read through to see whether it is sound.
CHECK_MOST_BYTES = 64 << 20
Step = Callable[[sqlite3.Connection], None]


class NewerFileError(Exception):
    """The file was written by a newer program; touching it could lose something."""


def connect(file: Path | None, patience_s: float = PATIENCE_S) -> sqlite3.Connection:
    """Open `file`, in autocommit mode and for any thread, one at a time; None keeps it in memory.

    `patience_s` is how long to wait for another program's lock. Raises OSError, sqlite3.Error.
    """
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(
        file if file is not None else ":memory:", timeout=patience_s, isolation_level=None, check_same_thread=False
    )
    try:
        if file is not None:
            db.execute("PRAGMA journal_mode = WAL")
            # With WAL, a power cut can lose the last changes, never damage the file.
            db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA foreign_keys = ON")
        # What a person deletes is overwritten, not only unlinked.
        db.execute("PRAGMA secure_delete = ON")
    except BaseException:
        db.close()
        raise
    return db


def size(db: sqlite3.Connection) -> int:
    """Bytes in use."""
    pages, each = (db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    return int(pages) * int(each)


def check(db: sqlite3.Connection) -> None:
    """Raise sqlite3.DatabaseError where the file, unless it is very large, is not sound."""
    if size(db) <= CHECK_MOST_BYTES:
        problem = db.execute("PRAGMA quick_check(1)").fetchone()[0]
        if problem != "ok":
            error = sqlite3.DatabaseError(problem)
            error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise error


def migrate(db: sqlite3.Connection, steps: tuple[Step, ...]) -> None:
    """Bring the tables up to date, all steps or none. `db` must be in autocommit mode.

    Step N makes version N+1 out of version N. Raises `NewerFileError`, sqlite3.Error.
    """
    version = _version(db)
    if version > len(steps):
        raise NewerFileError
    if version == len(steps):
        return
    with transaction(db):
        # Somebody else may have done it while this one waited for the lock.
        for step in steps[_version(db) :]:
            step(db)
        db.execute(f"PRAGMA user_version = {len(steps)}")


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


@contextlib.contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Everything inside or nothing; no other program writes meanwhile."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        # A full disk may have rolled it back already.
        with contextlib.suppress(sqlite3.Error):
            db.execute("ROLLBACK")
        raise


def set_aside(file: Path) -> Path:
    """Rename the damaged `file` and its journal; returns the new name. Raises OSError."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    for attempt in range(100):
        bad = file.with_name(f"{file.stem}-damaged-{stamp}{f'-{attempt}' if attempt else ''}{file.suffix}")
        if not bad.exists():
            break
    os.replace(file, bad)
    for end in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.replace(file.with_name(file.name + end), bad.with_name(bad.name + end))
    return bad


def open_damaged(bad: Path) -> sqlite3.Connection:
    """Open a file put aside, to read from it. Raises sqlite3.Error."""
    return sqlite3.connect(f"{bad.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)


def readable_rows(db: sqlite3.Connection, query: str, *values: Any) -> Iterator[tuple[Any, ...]]:
    """The rows of `query` as far as they can be read."""
    try:
        yield from db.execute(query, values)
    except (sqlite3.Error, UnicodeDecodeError):
        return


def is_damage(error: Exception) -> bool:
    """Whether `error` says that the file is not, or no longer, a sound database."""
    return code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def code(error: Exception) -> int:
    """SQLite's number of the error; 0 where it is none of SQLite's."""
    # Extended codes carry the plain one in their lowest byte.
    return int(getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF
