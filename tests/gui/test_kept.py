"""Kept conversations in the real window, with the scripted engine in its own process."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import qasync
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMessageBox
from pytestqt.qtbot import QtBot

from app import settings
from app.conversation.events import Mode
from app.gui import theme
from app.gui.assistant import Assistant
from app.gui.bubble import Entry, Side
from app.gui.kept import exchanges
from app.gui.sounds import Sounds
from app.gui.window import MainWindow
from app.history.keeper import DAY_S
from app.history.records import Message
from app.history.store import Store
from app.settings import Keep
from tests.gui.scripted_engine import FACTORY
from tests.gui.test_assistant import Desk, without_devices

__all__ = ["without_devices"]


class Table(Desk):
    """A running window that keeps its conversations in a file."""

    def __init__(
        self, loop: qasync.QEventLoop, qtbot: QtBot, folder: Path, saved: settings.Settings | None = None
    ) -> None:
        self.loop = loop
        self.file = folder / "settings.toml"
        self.store_file = folder / "history" / "conversations.db"
        self.window = MainWindow()
        qtbot.addWidget(self.window)
        self.window.resize(900, 700)
        self.window.show()
        self.window.activateWindow()
        QTest.qWaitForWindowActive(self.window)
        # What the bar says stays until the test has seen it.
        self.window.sidebar.bar._timer.setInterval(3_600_000)
        loaded = settings.Loaded(saved or settings.Settings(sidebar=True))
        self.assistant = Assistant(self.window, loaded, self.file, factory=FACTORY, conversations=self.store_file)

    def start(self, folder: Path) -> None:
        self.assistant.start(folder)
        self.until(self.ready)

    def titles(self) -> list[str]:
        rows = self.window.sidebar.list.rows
        return [str(rows.index(row).data()) for row in range(rows.rowCount())]

    def talk(self, text: str) -> None:
        count = len(self.entries())
        self.ask(text)
        self.until(lambda: len(self.entries()) == count + 2 and self.ready())

    def close(self) -> None:
        self.assistant.close()
        self.window.close()


@pytest.fixture
def table(
    qapp: QApplication, qtbot: QtBot, loop: qasync.QEventLoop, tmp_path: Path, without_devices: None
) -> Iterator[Table]:
    theme.apply(qapp, Qt.ColorScheme.Light)
    table = Table(loop, qtbot, tmp_path)
    yield table
    table.close()


def fill(file: Path, *conversations: tuple[str, list[tuple[str, str]]], when: float | None = None) -> None:
    """Conversations as an earlier run has left them, a minute apart."""
    store = Store(file)
    moment = time.time() - 10_000 if when is None else when
    for name, pairs in conversations:
        for number, (question, answer) in enumerate(pairs):
            store.add(name, Message(f"{name}{number}q", Side.USER, question, moment))
            store.add(name, Message(f"{name}{number}a", Side.ASSISTANT, answer, moment + 1))
            moment += 60
    store.close()


def test_a_conversation_is_kept_and_goes_on_after_a_restart(
    qapp: QApplication, qtbot: QtBot, loop: qasync.QEventLoop, tmp_path: Path, without_devices: None
) -> None:
    table = Table(loop, qtbot, tmp_path)
    table.start(tmp_path)
    table.talk("hello")
    table.until(lambda: table.titles() == ["hello"])
    QTest.keyClick(table.window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert table.entries() == [] and table.window.welcome.isVisible()
    (tmp_path / "halt").touch()
    table.ask("count")
    table.until(lambda: len(table.entries()) == 2 and len(table.entries()[1].text) > 8)
    # Closed in the middle of an answer: what was said so far is kept.
    table.close()

    table = Table(loop, qtbot, tmp_path)
    try:
        table.until(lambda: table.titles() == ["count", "hello"])
        table.window.sidebar.list.opened.emit(_id(table, 0))
        table.until(lambda: len(table.entries()) == 2)
        assert table.entries()[1].interrupted and table.entries()[1].text.startswith("0 1 2")
        table.window.sidebar.list.opened.emit(_id(table, 1))
        table.until(
            lambda: table.entries() == [Entry(0, Side.USER, "hello"), Entry(0, Side.ASSISTANT, "You said: hello")]
        )
        history = table.assistant.conversation._acts.history.for_model()
        assert [(x.q, x.a) for x in history] == [("hello", "You said: hello")]
        table.start(tmp_path)
        table.talk("again")
        table.until(lambda: table.titles() == ["hello", "count"])
    finally:
        table.close()
    store = Store(table.store_file)
    assert [m.text for m in store.messages(store.conversations()[0].id)] == [
        "hello",
        "You said: hello",
        "again",
        "You said: again",
    ]
    store.close()


def _id(table: Table, row: int) -> str:
    rows = table.window.sidebar.list.rows
    return rows.summary(rows.index(row)).id


def test_the_model_remembers_only_what_was_heard() -> None:
    messages = [
        Message("1", Side.USER, "One?", 1.0),
        Message("2", Side.ASSISTANT, "A long answer", 2.0, heard=6),
        Message("3", Side.USER, "", 3.0),
        Message("4", Side.USER, "Two?", 4.0),
        Message("5", Side.ASSISTANT, "Yes", 5.0),
    ]
    assert exchanges(messages) == [("One?", "A long"), ("Two?", "Yes")]


def test_rename_delete_undo(table: Table) -> None:
    fill(table.store_file, ("a", [("First", "1")]), ("b", [("Second", "2")]))
    sidebar = table.window.sidebar
    sidebar.search_typed.emit("")
    table.until(lambda: table.titles() == ["Second", "First"])
    sidebar.opened.emit("b")
    table.until(lambda: len(table.entries()) == 2)
    sidebar.list.rename("b")
    editor = sidebar.list.findChild(QLineEdit, "rename")
    assert editor is not None
    QTest.keyClicks(editor, "Better name")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    table.until(lambda: table.titles() == ["Better name", "First"])
    sidebar.list.setFocus()
    sidebar.list.setCurrentIndex(sidebar.list.rows.index(0))
    QTest.keyClick(sidebar.list, Qt.Key.Key_Delete)
    table.until(lambda: table.titles() == ["First"])
    assert table.entries() == [] and sidebar.bar.isVisible()
    QTest.mouseClick(sidebar.bar.button, Qt.MouseButton.LeftButton)
    table.until(lambda: table.titles() == ["Better name", "First"] and len(table.entries()) == 2)
    assert not sidebar.bar.isVisible()
    sidebar.list.delete_wanted.emit("a")
    table.close()
    store = Store(table.store_file)
    assert [c.id for c in store.conversations()] == ["b"] and store.messages("a") == []
    store.close()


def test_search_as_you_type(table: Table) -> None:
    fill(table.store_file, ("a", [("Rivers", "The Seine is one")]), ("b", [("Cities", "Rome is one")]))
    QTest.keyClick(table.window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(table.window.sidebar.field, "sei")
    table.until(lambda: table.titles() == ["Rivers"])
    assert "\x02Seine\x03" in table.window.sidebar.list.rows.summary(table.window.sidebar.list.rows.index(0)).found
    QTest.keyClick(table.window.sidebar.field, Qt.Key.Key_Down)
    assert table.window.sidebar.list.hasFocus()
    QTest.keyClick(table.window.sidebar.list, Qt.Key.Key_Return)
    table.until(lambda: [e.text for e in table.entries()] == ["Rivers", "The Seine is one"])
    table.window.sidebar.field.setFocus()
    QTest.keyClicks(table.window.sidebar.field, "zzz")
    table.until(lambda: table.titles() == [])
    QTest.keyClick(table.window, Qt.Key.Key_Escape)
    table.until(lambda: len(table.titles()) == 2)


def test_export_says_where_or_why_not(table: Table, tmp_path: Path) -> None:
    fill(table.store_file, ("a", [("Rivers", "The Seine")]))
    table.assistant.kept.export_to("a", tmp_path / "talk.json")
    table.until(lambda: table.window.sidebar.bar.isVisible())
    assert table.window.sidebar.bar.toolTip() == "Saved as talk.json"
    assert not table.window.sidebar.bar.button.isVisible()
    assert json.loads((tmp_path / "talk.json").read_text())["title"] == "Rivers"
    table.assistant.kept.export_to("a", tmp_path / "talk.flac")
    table.until(lambda: "No sound was kept" in table.window.dock.notices.text())


def test_keeping_nothing_asks_first(table: Table) -> None:
    fill(table.store_file, ("a", [("Rivers", "The Seine")]))
    table.until(lambda: table.file is not None)
    table.window.sidebar.keep_chosen.emit(Keep.NOT_AT_ALL)
    box = _box(table)
    assert "Delete one conversation" in box.text()
    QTest.mouseClick(box.button(QMessageBox.StandardButton.Cancel), Qt.MouseButton.LeftButton)
    table.until(lambda: not table.window.findChildren(QMessageBox))
    assert "for ever" in table.window.sidebar.keeping.text()
    table.window.sidebar.keep_chosen.emit(Keep.NOT_AT_ALL)
    box = _box(table)
    delete = next(b for b in box.buttons() if b.text() == "Delete")
    QTest.mouseClick(delete, Qt.MouseButton.LeftButton)
    table.until(lambda: "until Banter closes" in table.window.sidebar.keeping.text())
    table.close()
    assert settings.load(table.file).settings.keep == Keep.NOT_AT_ALL
    store = Store(table.store_file)
    assert store.conversations() == []
    store.close()


def _box(table: Table) -> QMessageBox:
    table.until(lambda: any(b.isVisible() for b in table.window.findChildren(QMessageBox)))
    return next(b for b in table.window.findChildren(QMessageBox) if b.isVisible())


def test_thirty_days_asks_only_when_something_goes(table: Table) -> None:
    fill(table.store_file, ("new", [("New", "1")]))
    table.window.sidebar.keep_chosen.emit(Keep.MONTH)
    table.until(lambda: "30 days" in table.window.sidebar.keeping.text())
    table.assistant.kept.retention.set_keep(Keep.FOREVER)
    fill(table.store_file, ("old", [("Old", "1")]), when=time.time() - 40 * DAY_S)
    table.window.sidebar.keep_chosen.emit(Keep.MONTH)
    box = _box(table)
    assert "Delete one conversation" in box.text() and "older than 30 days is deleted" in box.informativeText()
    box.reject()
    table.until(lambda: not table.window.findChildren(QMessageBox))


def test_a_damaged_file_is_said_in_the_window(
    qapp: QApplication, qtbot: QtBot, loop: qasync.QEventLoop, tmp_path: Path, without_devices: None
) -> None:
    (tmp_path / "history").mkdir()
    (tmp_path / "history" / "conversations.db").write_bytes(b"nonsense" * 1000)
    table = Table(loop, qtbot, tmp_path)
    try:
        table.until(lambda: "was damaged" in table.window.dock.notices.text())
        assert "conversations-damaged-" in table.window.dock.notices.text()
    finally:
        table.close()


class Speaker:
    """A loudspeaker that plays as fast as it is told."""

    def __init__(self) -> None:
        self.turn: int | None = None
        self.written: list[np.ndarray] = []
        self.stopped = False

    def begin(self, turn: int) -> None:
        self.turn = turn
        self.written = []

    def write(self, turn: int, samples: np.ndarray) -> None:
        self.written.append(samples)

    def end(self, turn: int) -> None:
        pass

    def stop(self) -> None:
        self.stopped = True

    def duck(self) -> None:
        pass

    def hold(self) -> None:
        pass

    def resume(self) -> None:
        pass

    def played_samples(self, turn: int) -> int:
        return sum(map(len, self.written))


def test_say_that_again_from_memory_and_from_the_file(
    qapp: QApplication, qtbot: QtBot, loop: qasync.QEventLoop, tmp_path: Path, without_devices: None
) -> None:
    saved = settings.Settings(sidebar=True, keep_sound=True)
    table = Table(loop, qtbot, tmp_path, saved)
    speaker = Speaker()
    table.start(tmp_path)
    table.until(lambda: "No loudspeaker" in table.window.dock.notices.text())
    table.assistant.conversation.attach_player(speaker)
    table.ask("hello")
    table.until(lambda: len(table.entries()) == 2 and table.entries()[1].text == "You said: hello")
    table.until(lambda: table.assistant.conversation._machine._turn.reply_done)  # type: ignore[union-attr]
    table.assistant.conversation.playback_finished(speaker.turn or 0)
    table.until(table.ready)
    first = np.concatenate(speaker.written)
    assert table.entries()[1].sound and len(first) == 3 * 1920
    window = table.window
    window.transcript.setFocus()
    QTest.keyClick(window.transcript, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
    message = QApplication.focusWidget()
    assert message is not None
    QTest.keyClick(message, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    assert window.situation().activity == "speaking"
    assert np.abs(np.concatenate(speaker.written) - first).max() < 1e-4
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert window.situation().activity == "idle" and speaker.stopped and len(table.entries()) == 2
    assert len(table.assistant.conversation._acts.history.for_model()) == 1, "said again is not asked again"
    table.close()

    table = Table(loop, qtbot, tmp_path, saved)
    try:
        table.start(tmp_path)
        table.until(lambda: "No loudspeaker" in table.window.dock.notices.text())
        table.assistant.conversation.attach_player(Speaker())
        table.window.sidebar.opened.emit(_id(table, 0))
        table.until(lambda: len(table.entries()) == 2)
        assert table.entries()[1].sound
        table.window.transcript.again_wanted.emit(table.entries()[1])
        table.until(lambda: table.window.situation().activity == "speaking")
        assert table.assistant.conversation.mode == Mode.PUSH_TO_TALK
    finally:
        table.close()


def test_sounds_are_bounded() -> None:
    sounds = Sounds(most_bytes=5_000)
    for key in "abc":
        sounds.put(key, np.full(1_000, 0.5, np.float32))
    assert not sounds.has("a") and sounds.has("b")
    again = sounds.get("c")
    assert again is not None and again.dtype == np.float32 and abs(float(again[0]) - 0.5) < 1e-4
    sounds.put("c", np.zeros(1_500, np.float32))
    assert sounds.has("b") and sounds.get("missing") is None
