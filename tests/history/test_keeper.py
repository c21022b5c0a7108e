"""The keeper's thread, and what it does when the disk is full, the file locked, damaged or from the future."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.history.keeper import DAY_S, Keeper
from app.history.records import Message, Side
from app.history.store import Store

PATIENCE_S = 60.0
ROOT = Path(__file__).resolve().parents[2]

FULL = """
import resource, sys, threading, time
from pathlib import Path
from app.history.keeper import Keeper
from app.history.records import Message, Side

file, notices = Path(sys.argv[1]), []
keeper = Keeper(file, on_notice=notices.append, retry_s=3600.0)

def say(number):
    message = Message(str(number), Side.USER, f"{number:03} " + "much " * 400, 1000.0 + number)
    keeper.change(lambda store: store.add("c", message))

def count():
    answers = []
    keeper.ask(lambda store: len(store.messages("c")), answers.append)
    while not answers:
        time.sleep(0.01)
    return answers[0]

say(0)
assert count() == 1
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
size = max(one.stat().st_size for one in file.parent.iterdir())
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 4096, hard))
for number in range(1, 39):
    say(number)
    assert count() == number + 1, "the conversation goes on"
assert [bool(one) for one in notices] == [True], notices
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
keeper._retry_s, keeper._retry_at = 0.05, 0.0
say(39)
keeper.close()
assert len(notices) == 2, notices
"""


class Desk:
    """A keeper, and everything it has said."""

    def __init__(self, file: Path | None, **more: Any) -> None:
        self.notices: list[str] = []
        self.keeper = Keeper(file, on_notice=self.notices.append, patience_s=0.05, **more)

    def say(self, key: str, text: str = "Hello", conversation: str = "c", when: float | None = None) -> None:
        message = Message(key, Side.USER, text, time.time() if when is None else when)
        self.keeper.change(lambda store: store.add(conversation, message))

    def read(self, question: Callable[[Store], Any]) -> Any:
        answers: list[Any] = []
        self.keeper.ask(question, answers.append)
        deadline = time.monotonic() + PATIENCE_S
        while not answers:
            assert time.monotonic() < deadline, self.notices
            time.sleep(0.005)
        return answers[0]

    def texts(self, conversation: str = "c") -> list[str]:
        return self.read(lambda store: [m.text for m in store.messages(conversation)])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "conversations.db"


@pytest.fixture
def desk(file: Path) -> Iterator[Desk]:
    desk = Desk(file, retry_s=0.05)
    yield desk
    desk.keeper.close()


def texts_in(file: Path, conversation: str = "c") -> list[str]:
    store = Store(file)
    try:
        return [m.text for m in store.messages(conversation)]
    finally:
        store.close()


def test_closing_saves_everything(file: Path) -> None:
    desk = Desk(file)
    for number in range(50):
        desk.say(str(number), f"text {number}")
    desk.keeper.close()
    assert texts_in(file) == [f"text {number}" for number in range(50)] and desk.notices == []


def test_a_full_disk_loses_nothing(desk: Desk, file: Path) -> None:
    desk.say("1", "before")
    pages = desk.read(lambda store: store.db.execute("PRAGMA page_count").fetchone()[0])
    # SQLite's own limit gives the very error of a full disk, for this connection only.
    desk.keeper._retry_s = 3600.0
    desk.read(lambda store: store.db.execute(f"PRAGMA max_page_count = {pages}").fetchone())
    desk.say("2", "much " * 5_000)
    desk.say("3", "after")
    assert desk.texts() == ["before", "much " * 5_000, "after"], "the conversation goes on"
    assert len(desk.notices) == 1 and "the disk is full" in desk.notices[0]
    assert texts_in(file) == ["before"]
    desk.keeper._retry_s = 0.05
    desk.keeper._retry_at = 0.0
    desk.say("4", "room again")
    assert desk.texts()[-1] == "room again"
    assert desk.notices[1:] == [""] and texts_in(file)[-2:] == ["after", "room again"]


def test_a_locked_file_is_made_good_later(desk: Desk, file: Path) -> None:
    desk.say("1", "before")
    assert desk.texts() == ["before"]
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    desk.say("2", "meanwhile")
    assert desk.texts() == ["before", "meanwhile"]
    assert len(desk.notices) == 1 and "another program" in desk.notices[0]
    other.execute("ROLLBACK")
    other.close()
    deadline = time.monotonic() + PATIENCE_S
    while desk.notices[-1] and time.monotonic() < deadline:
        time.sleep(0.02)
    assert desk.notices[-1] == "" and texts_in(file) == ["before", "meanwhile"]


def test_a_file_that_is_no_database_is_put_aside(file: Path) -> None:
    file.write_bytes(b"this is no database at all, however long it may be" * 100)
    desk = Desk(file)
    desk.say("1")
    assert desk.texts() == ["Hello"]
    desk.keeper.close()
    bad = list(file.parent.glob("conversations-damaged-*.db"))
    assert len(bad) == 1 and bad[0].read_bytes().startswith(b"this is no database")
    assert len(desk.notices) == 1 and str(bad[0]) in desk.notices[0] and texts_in(file) == ["Hello"]


def _damage(file: Path) -> None:
    """Overwrite the index of conversations, and nothing else, as a bad block would."""
    db = sqlite3.connect(file)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    size = db.execute("PRAGMA page_size").fetchone()[0]
    page = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'message_conversation'").fetchone()[0]
    db.close()
    with file.open("r+b") as stream:
        stream.seek((page - 1) * size)
        stream.write(b"\xff" * size)


def test_what_is_readable_in_a_damaged_file_is_saved(file: Path) -> None:
    desk = Desk(file)
    for number in range(40):
        desk.say(str(number), f"text {number}", f"c{number % 4}")
    desk.say("x", "not this one", "gone")
    desk.keeper.change(lambda store: store.rename("c1", "A name"))
    desk.keeper.close()
    _damage(file)
    desk = Desk(file)
    assert desk.texts("c1") == [f"text {number}" for number in range(1, 40, 4)]
    assert {c.title for c in desk.read(lambda store: store.conversations())} >= {"A name", "text 0"}
    assert len(desk.notices) == 1 and "41 messages could be saved" in desk.notices[0]
    desk.keeper.close()


def test_damage_found_in_mid_conversation(desk: Desk, file: Path) -> None:
    desk.say("1", "before")
    desk.texts()

    def fail_once(store: Store, done: list[int] = []) -> None:  # noqa: B006
        if not done:
            done.append(1)
            error = sqlite3.DatabaseError("database disk image is malformed")
            error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise error
        store.add("c", Message("2", Side.USER, "after", 2.0))

    desk.keeper.change(fail_once)
    assert desk.texts() == ["before", "after"]
    assert "was damaged" in desk.notices[0] and list(file.parent.glob("*-damaged-*.db"))


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    desk = Desk(tmp_path / "file" / "conversations.db")
    desk.say("1")
    assert desk.texts() == ["Hello"]
    assert len(desk.notices) == 1 and desk.notices[0].startswith("This conversation is not being saved (")
    desk.keeper.close()


def test_a_file_of_a_newer_program_is_left_alone(file: Path) -> None:
    store = Store(file)
    store.db.execute("PRAGMA user_version = 99")
    store.close()
    before = file.read_bytes()
    desk = Desk(file)
    desk.say("1")
    assert desk.texts() == ["Hello"]
    desk.keeper.close()
    assert "newer Banter" in desk.notices[0] and file.read_bytes() == before


def test_old_conversations_go_at_the_start(file: Path) -> None:
    desk = Desk(file)
    desk.say("1", "old", "old", when=time.time() - 31 * DAY_S)
    desk.say("2", "new", "new")
    desk.keeper.close()
    desk = Desk(file, days=30)
    assert [c.id for c in desk.read(lambda store: store.conversations())] == ["new"]
    desk.keeper.close()


def test_what_has_become_too_old_meanwhile_goes_at_the_end(file: Path) -> None:
    desk = Desk(file, days=7)
    desk.say("1", "old", "old", when=time.time() - 8 * DAY_S)
    desk.say("2", "new", "new", when=time.time() - 6 * DAY_S)
    assert len(desk.read(lambda store: store.conversations())) == 2
    desk.keeper.close()
    assert texts_in(file, "old") == [] and texts_in(file, "new") == ["new"]


def test_a_clock_that_jumps_ahead_makes_nothing_old(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(file, days=7)
    desk.say("1", "yesterday", "new", when=time.time() - DAY_S)
    assert desk.texts("new") == ["yesterday"]
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 3_650 * DAY_S)
    desk.keeper.keep(file, 30)
    assert desk.texts("new") == ["yesterday"]
    desk.keeper.close()
    monkeypatch.setattr(time, "time", lambda: now - 3_650 * DAY_S)
    desk = Desk(file, days=7)
    desk.say("2", "long ago", "new")
    desk.keeper.close()
    monkeypatch.undo()
    assert texts_in(file, "new") == ["yesterday", "long ago"]


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_a_disk_that_is_really_full(file: Path) -> None:
    """Where no more can be written to any file, by order of the system."""
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    texts = texts_in(file)
    assert len(texts) == 40 and texts == sorted(texts)


def test_keeping_nothing_and_keeping_again(desk: Desk, file: Path) -> None:
    desk.say("1", "secret")
    desk.keeper.keep(None)
    assert desk.texts() == [] and texts_in(file) == []
    desk.say("2", "only here")
    assert desk.texts() == ["only here"] and texts_in(file) == []
    desk.keeper.keep(file)
    assert desk.texts() == ["only here"] and texts_in(file) == ["only here"]
    assert desk.notices == [""]


def test_without_a_file_nothing_is_written(tmp_path: Path) -> None:
    desk = Desk(None)
    desk.say("1")
    assert desk.texts() == ["Hello"]
    desk.keeper.close()
    assert list(tmp_path.iterdir()) == []
