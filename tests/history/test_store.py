"""Kept conversations in a real SQLite file."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.history import schema, search, sound
from app.history.records import TITLE_LENGTH, Message, Side, ToolUse, title_from
from app.history.store import Store


def said(key: str, text: str, side: Side = Side.USER, when: float = 1000.0, heard: int | None = None) -> Message:
    return Message(key, side, text, when, heard)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "history" / "conversations.db"


def test_messages_come_back_as_they_were(file: Path) -> None:
    store = Store(file)
    question = Message("q", Side.USER, "Where does the Seine go?", 1.5)
    answer = Message("a", Side.ASSISTANT, "It joins the sea near Le Havre.", 2.5, heard=17, voice="ava")
    store.add("one", question)
    store.add("one", answer)
    store.close()
    again = Store(file)
    assert again.messages("one") == [question, answer]
    assert again.messages("one", most=1) == [answer]
    assert (answer.spoken, answer.unheard, answer.interrupted) == ("It joins the sea", "near Le Havre.", True)
    assert again.db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    again.close()


def test_list_is_newest_first_with_the_first_question_as_title() -> None:
    store = Store(None)
    store.add("old", said("1", "First question", when=10))
    store.add("old", said("2", "Second question", when=11))
    store.add("new", said("3", "", when=20))
    store.add("new", said("4", "After a spoken one without words", when=21))
    assert [(c.id, c.title) for c in store.conversations()] == [
        ("new", "After a spoken one without words"),
        ("old", "First question"),
    ]
    store.add("old", said("5", "Again", when=30))
    assert [c.id for c in store.conversations()] == ["old", "new"]
    store.rename("old", "My name")
    store.add("old", said("6", "More", when=31))
    assert store.conversations()[0].title == "My name"


def test_the_same_message_twice_is_one() -> None:
    store = Store(None)
    store.add("one", said("k", "Hello"))
    store.add("one", said("k", "Hello"))
    assert len(store.messages("one")) == 1 and len(store.search("hello")) == 1


@pytest.mark.parametrize(
    ("typed", "hits"),
    [
        ("seine", {"river"}),
        ("SEI", {"river"}),
        ("riv sei", {"river"}),
        ("cafe", {"coffee"}),
        ("巴黎", {"chinese"}),
        ("黎是", {"chinese"}),
        ("黎巴", set()),
        ('" OR seine', set()),
        ("seine OR coffee", set()),
        ("-", set()),
        ("*", set()),
        ("nothing like it", set()),
        ("weekend pl", {"river"}),
    ],
)
def test_search(typed: str, hits: set[str]) -> None:
    store = Store(None)
    store.add("river", said("1", "Where does the river Seine end?"))
    store.add("coffee", said("2", "Un café, please"))
    store.add("chinese", said("3", "你好"))
    store.add("chinese", said("4", "巴黎是法国的首都", Side.ASSISTANT))
    store.rename("river", "Weekend plans")
    assert {c.id for c in store.search(typed)} == hits


def test_search_shows_where_it_was_found() -> None:
    store = Store(None)
    store.add("c", said("1", "Where does the river Seine end?"))
    store.add("c", said("2", "首都是巴黎吗", when=1001))
    assert "\x02Seine\x03 end" in store.search("seine")[0].found
    assert store.search("巴黎")[0].found.replace("\x02", "[").replace("\x03", "]") == "首都是[巴黎]吗"
    assert store.search("")[0].found == ""


def test_what_is_deleted_can_come_back_until_it_is_purged(file: Path) -> None:
    store = Store(file)
    store.add("one", said("1", "Zanzibar"), sound.pack(np.zeros(100, np.float32), 24_000), 10_000)
    store.add("two", said("2", "Hello"))
    store.delete("one")
    assert [c.id for c in store.conversations()] == ["two"] and store.search("zanzibar") == []
    assert store.summary("one") is None
    store.restore("one")
    assert len(store.search("zanzibar")) == 1
    store.delete("one")
    store.purge()
    store.restore("one")
    assert store.messages("one") == [] and store.sound("1") is None
    assert store.db.execute("SELECT count(*) FROM words").fetchone() == (1,)
    store.close()
    left = b"".join(path.read_bytes() for path in file.parent.iterdir())
    assert b"Zanzibar" not in left and b"zanzibar" not in left, "deleted words are not left on the disk"


def test_purge_by_age() -> None:
    store = Store(None)
    store.add("old", said("1", "Old", when=100))
    store.add("new", said("2", "New", when=200))
    store.purge(unchanged_since=150)
    assert [c.id for c in store.conversations()] == ["new"]


def test_sounds_are_bounded_and_the_oldest_goes_first() -> None:
    store = Store(None)
    noise = np.random.default_rng(1).uniform(-0.5, 0.5, 24_000).astype(np.float32)
    flac = sound.pack(noise, 24_000)
    for number in range(4):
        store.add("c", said(str(number), "x", Side.ASSISTANT), flac, sound_limit=2 * len(flac) + 10)
    assert [m.sound for m in store.messages("c")] == [False, False, True, True]
    samples, rate = sound.unpack(store.sound("3") or b"")
    assert rate == 24_000 and np.abs(samples - noise).max() < 1e-4
    store.drop_sounds()
    assert store.sound("3") is None and len(store.messages("c")) == 4


def test_a_failed_change_leaves_nothing() -> None:
    store = Store(None)
    store.db.execute("DROP TABLE words")
    with pytest.raises(sqlite3.OperationalError):
        store.add("c", said("1", "x"))
    assert store.conversations() == []
    assert store.db.execute("SELECT count(*) FROM message").fetchone() == (0,)


def test_migration_runs_the_missing_steps_and_refuses_the_future(tmp_path: Path) -> None:
    def second(db: sqlite3.Connection) -> None:
        db.execute("ALTER TABLE conversation ADD COLUMN colour TEXT")

    def broken(db: sqlite3.Connection) -> None:
        db.execute("ALTER TABLE conversation ADD COLUMN shape TEXT")
        db.execute("no SQL")

    file = tmp_path / "c.db"
    store = Store(file)
    store.add("c", said("1", "kept"))
    with pytest.raises(sqlite3.OperationalError):
        schema.migrate(store.db, (*schema.STEPS, second, broken))
    version = (len(schema.STEPS),)
    assert store.db.execute("PRAGMA user_version").fetchone() == version, "all steps or none"
    schema.migrate(store.db, (*schema.STEPS, second))
    assert store.db.execute("SELECT title, colour FROM conversation").fetchone() == ("kept", None)
    store.close()
    with pytest.raises(schema.NewerFileError):
        Store(file)


def test_a_file_of_the_first_version_opens_and_takes_tools(tmp_path: Path) -> None:
    file = tmp_path / "c.db"
    old = sqlite3.connect(file, isolation_level=None)
    schema.migrate(old, schema.STEPS[:1])
    old.execute("INSERT INTO conversation VALUES ('c', 'Old', 1.0, 1.0, NULL)")
    old.execute("INSERT INTO message (key, conversation, side, time, text) VALUES ('1', 'c', 'user', 1.0, 'old words')")
    old.close()
    store = Store(file)
    used = (ToolUse("set_timer", "running"),)
    store.add("c", replace(said("2", "set a timer"), tools=used))
    ended = (ToolUse("set_timer", "done", "10 min"),)
    store.set_tools("2", ended)
    store.close()
    again = Store(file)
    assert [(one.text, one.tools) for one in again.messages("c")] == [("old words", ()), ("set a timer", ended)]
    again.db.execute("UPDATE message SET tools = 'no JSON'")
    assert [one.tools for one in again.messages("c")] == [(), ()]


def test_titles() -> None:
    assert title_from("  What's   up? ") == "What's up?"
    long = title_from("Please tell me everything that you know about the history of the city of Paris")
    assert len(long) <= TITLE_LENGTH and long.endswith("the history…")
    assert len(title_from("字" * 200)) == TITLE_LENGTH


def test_index_text_keeps_latin_words() -> None:
    assert search.indexed("I like 巴黎 and Paris") == "I like 巴 黎 and Paris"


def test_a_search_over_many_messages_is_quick() -> None:
    store = Store(None)
    store.db.execute("BEGIN")
    for number in range(20_000):
        store.db.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (number, f"word{number % 977} and the rest"))
        store.db.execute(
            "INSERT OR IGNORE INTO conversation (id, begun, changed) VALUES (?, 1, 1)", (str(number // 20),)
        )
        store.db.execute(
            "INSERT INTO message (id, key, conversation, side, time, text) VALUES (?, ?, ?, 'user', 1, 'x')",
            (number, str(number), str(number // 20)),
        )
    store.db.execute("COMMIT")
    begin = time.perf_counter()
    assert store.search("word97")
    # Generous, as the machine may be busy: what matters is that it uses the index.
    assert time.perf_counter() - begin < 5.0
    plan = store.db.execute(
        "EXPLAIN QUERY PLAN SELECT id FROM conversation WHERE deleted IS NULL ORDER BY changed DESC"
    ).fetchall()
    assert any("conversation_changed" in str(row) for row in plan)
