"""What goes wrong around the window, each with one clear message and nothing lost. The table is in tests/FAULTS.md."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
import qasync
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app import settings
from app.gui import assistant, theme
from app.gui.bubble import Side
from app.gui.status import Model
from app.history.store import Store
from app.settings import Settings
from tests.gui.test_assistant import Desk, without_devices
from tests.gui.test_kept import Table, fill

__all__ = ["without_devices"]


@pytest.fixture
def folder(qapp: QApplication, tmp_path: Path, without_devices: None) -> Path:
    theme.apply(qapp, Qt.ColorScheme.Light)
    return tmp_path


@pytest.fixture
def table(qtbot: QtBot, loop: qasync.QEventLoop, folder: Path) -> Iterator[Table]:
    table = Table(loop, qtbot, folder)
    yield table
    table.close()


def killed(desk: Desk) -> int:
    """The model's process dies, as when memory runs out; returns its number."""
    pid = desk.assistant.host.pid
    assert pid is not None
    psutil.Process(pid).kill()
    return pid


def test_a_model_killed_while_it_is_loaded_is_loaded_again(table: Table, folder: Path) -> None:
    (folder / "slow").touch()
    table.assistant.start(folder)
    table.until(lambda: table.assistant.host.pid is not None)
    first = killed(table)
    table.until(lambda: "being restarted" in table.window.situation().problem)
    table.until(lambda: table.assistant.host.pid not in (None, first))
    (folder / "slow").unlink()
    table.until(table.ready)
    assert not table.window.situation().problem
    table.talk("hello")


@pytest.mark.parametrize("question", ["ponder", "count"])
def test_a_model_killed_in_mid_turn_loses_nothing_that_was_said(table: Table, folder: Path, question: str) -> None:
    (folder / "halt").touch()
    table.start(folder)
    table.talk("hello")
    table.ask(question)
    activity, said = ("thinking", 3) if question == "ponder" else ("speaking", 4)
    table.until(lambda: table.window.situation().activity == activity and len(table.entries()) == said)
    killed(table)
    table.until(lambda: "restarted" in table.window.dock.notices.text() and table.ready())
    notices = table.window.dock.notices.text().splitlines()
    assert len([line for line in notices if "model" in line]) == 1
    assert [entry.text for entry in table.entries()[:3]] == ["hello", "You said: hello", question]
    if question == "count":
        assert table.entries()[3].side == Side.ASSISTANT and table.entries()[3].interrupted
    before = [entry.text for entry in table.entries()]
    table.talk("and now")
    # The same, as it is kept.
    table.close()
    read: list[str] = []
    store = Store(table.store_file)
    for row in store.conversations():
        read += [message.spoken for message in store.messages(row.id)]
    store.close()
    assert read == [*before, "and now", "You said: and now"]


def test_a_model_that_does_not_load_can_be_tried_again(table: Table, folder: Path) -> None:
    (folder / "damaged").touch()
    table.assistant.start(folder)
    window, notices = table.window, table.window.dock.notices
    table.until(lambda: window.situation().model == Model.FAILED)
    assert "is damaged: copy it again" in window.dock.status_text()
    assert "When that has been dealt with, try again" in notices.text() and notices._retry.isVisible()
    (folder / "damaged").unlink()
    notices._retry.click()
    table.until(table.ready)
    # Of the model nothing is left to say; of a microphone that is not there it may be.
    assert "When that has been dealt with" not in notices.text()
    table.talk("hello")


def test_settings_that_cannot_be_saved_are_saved_later(
    table: Table, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.start(folder)

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(assistant, "SAVE_AFTER_MS", 10)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        table.window.header.volume.setValue(40)
        table.until(lambda: "cannot be saved: No space left" in table.window.dock.notices.text())
        assert not table.file.exists()
        table.talk("hello")
    table.window.header.volume.setValue(30)
    table.until(table.file.exists)
    table.until(lambda: "cannot be saved" not in table.window.dock.notices.text())
    assert settings.load(table.file).settings.volume == 0.3


def test_damaged_files_are_said_kept_and_replaced(qtbot: QtBot, loop: qasync.QEventLoop, folder: Path) -> None:
    (folder / "settings.toml").write_bytes(b"\x00\xff not a setting")
    store = folder / "history" / "conversations.db"
    fill(store, ("old", [("A question", "An answer")]))
    store.write_bytes(b"\x00" * 4_096)
    loaded = settings.load(folder / "settings.toml")
    table = Table(loop, qtbot, folder, loaded.settings)
    table.window.show_notice("settings", loaded.notice)
    try:
        table.start(folder)
        notices = table.window.dock.notices
        table.until(lambda: "conversations was damaged" in notices.text())
        assert "settings file was damaged" in notices.text()
        table.talk("hello")
    finally:
        table.close()
    assert (folder / "settings.toml.bad").read_bytes() == b"\x00\xff not a setting"
    assert list((folder / "history").glob("conversations-damaged-*.db"))
    assert settings.load(folder / "settings.toml") == settings.Loaded(
        Settings(window=settings.load(folder / "settings.toml").settings.window)
    )
