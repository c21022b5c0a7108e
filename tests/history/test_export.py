"""Conversations as files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.history import sound
from app.history.export import ExportError, export
from app.history.records import Message, Side
from app.history.store import Store


@pytest.fixture
def store() -> Store:
    store = Store(None)
    tone = (0.3 * np.sin(np.arange(24_000) / 10)).astype(np.float32)
    store.add("c", Message("1", Side.USER, "What is *bold* & <new>?", 1_000_000.0))
    answer = Message("2", Side.ASSISTANT, "The capital of France", 1_000_002.0, heard=11, voice="ava")
    store.add("c", answer, sound.pack(tone, 24_000), 1 << 20)
    store.add("c", Message("3", Side.USER, "", 1_000_005.0))
    store.add("c", Message("4", Side.ASSISTANT, "再见", 1_000_006.0), sound.pack(tone[:12_000], 24_000), 1 << 20)
    return store


def test_markdown(store: Store, tmp_path: Path) -> None:
    export(store, "c", tmp_path / "talk.md")
    text = (tmp_path / "talk.md").read_text(encoding="utf-8")
    assert text.startswith("# What is \\*bold\\* & \\<new\\>?\n")
    assert "The capital ~~of France~~ *(interrupted)*" in text and "再见" in text and "*(spoken)*" in text


def test_json(store: Store, tmp_path: Path) -> None:
    export(store, "c", tmp_path / "talk.json")
    record = json.loads((tmp_path / "talk.json").read_text(encoding="utf-8"))
    assert [m["who"] for m in record["messages"]] == ["user", "assistant", "user", "assistant"]
    cut = record["messages"][1]
    assert (cut["text"], cut["heard"], cut["interrupted"]) == ("The capital of France", "The capital", True)


@pytest.mark.parametrize("ending", [".wav", ".flac"])
def test_sound(store: Store, tmp_path: Path, ending: str) -> None:
    export(store, "c", tmp_path / f"talk{ending}")
    samples, rate = soundfile.read(tmp_path / f"talk{ending}")
    assert rate == 24_000 and len(samples) == 36_000 + int(0.6 * 24_000)
    assert np.abs(samples[:24_000]).max() > 0.2 and np.abs(samples[24_100:38_000]).max() < 1e-3


def test_no_sound_empty_and_unwritable(store: Store, tmp_path: Path) -> None:
    store.drop_sounds()
    with pytest.raises(ExportError, match="No sound was kept"):
        export(store, "c", tmp_path / "talk.wav")
    with pytest.raises(ExportError, match="empty"):
        export(store, "unknown", tmp_path / "talk.md")
    with pytest.raises(ExportError, match=r"talk\.md could not be written"):
        export(store, "c", tmp_path / "missing" / "talk.md")
    assert list(tmp_path.iterdir()) == []
