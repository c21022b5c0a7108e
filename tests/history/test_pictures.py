"""Pictures that questions were about, kept and exported."""

from __future__ import annotations

import base64
import json
import sqlite3
from dataclasses import replace
from pathlib import Path

from app.history import rescue, schema
from app.history.export import export
from app.history.records import PICTURE_MOST_BYTES, Message, Side
from app.history.store import Store

JPEG = b"\xff\xd8\xff not really a picture"
ASKED = Message("1", Side.USER, "What is this?", 1_000_000.0, picture=JPEG)


def test_a_picture_lives_as_long_as_its_question(tmp_path: Path) -> None:
    store = Store(tmp_path / "c.db")
    store.add("c", ASKED)
    store.add("c", Message("2", Side.ASSISTANT, "A cat.", 1_000_001.0))
    store.add("c", replace(ASKED, key="3", picture=b"x" * (PICTURE_MOST_BYTES + 1)))
    store.close()
    store = Store(tmp_path / "c.db")
    assert [one.picture for one in store.messages("c")] == [JPEG, b"", b""]
    store.delete("c")
    store.purge()
    assert store.db.execute("SELECT count(*) FROM picture").fetchone() == (0,)


def test_a_file_of_the_version_before_takes_pictures(tmp_path: Path) -> None:
    old = sqlite3.connect(tmp_path / "c.db", isolation_level=None)
    schema.migrate(old, schema.STEPS[:2])
    old.execute("INSERT INTO conversation VALUES ('c', 'Old', 1.0, 1.0, NULL)")
    old.execute("INSERT INTO message (key, conversation, side, time, text) VALUES ('0', 'c', 'user', 1.0, 'old words')")
    saved = Store(None)
    assert rescue.copy(old, saved) == 1
    old.close()
    store = Store(tmp_path / "c.db")
    store.add("c", ASKED)
    assert [one.picture for one in store.messages("c")] == [b"", JPEG]
    # What is copied elsewhere, from a damaged file or from memory, has them too.
    assert rescue.copy(store.db, saved) == 2
    assert [one.picture for one in saved.messages("c")] == [b"", JPEG]


def test_exports_have_it(tmp_path: Path) -> None:
    store = Store(None)
    store.add("c", ASKED)
    packed = base64.b64encode(JPEG).decode()
    export(store, "c", tmp_path / "talk.md")
    assert f"![picture](data:image/jpeg;base64,{packed})" in (tmp_path / "talk.md").read_text(encoding="utf-8")
    export(store, "c", tmp_path / "talk.json")
    record = json.loads((tmp_path / "talk.json").read_text(encoding="utf-8"))
    assert base64.b64decode(record["messages"][0]["picture"]) == JPEG
