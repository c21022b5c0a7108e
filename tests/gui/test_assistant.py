"""The window with a real conversation and a real worker process; the engine inside is scripted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import qasync
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app import settings
from app.audio.capture import Capture
from app.audio.catalogue import Found
from app.audio.devices import AudioDeviceError
from app.audio.playback import Playback
from app.conversation.events import Mode
from app.gui import assistant, devices, theme
from app.gui.assistant import Assistant
from app.gui.bubble import Entry, Side
from app.gui.orb import Look
from app.gui.status import Model
from app.gui.window import MainWindow
from tests.gui.scripted_engine import FACTORY
from tests.support.waiting import run_until

PATIENCE_S = 120.0


class Desk:
    """A running window."""

    def __init__(self, loop: qasync.QEventLoop, qtbot: QtBot, folder: Path, saved: settings.Settings) -> None:
        self.loop = loop
        self.file = folder / "settings.toml"
        self.window = MainWindow()
        qtbot.addWidget(self.window)
        self.window.show()
        # Shortcuts reach an active window only, and without a window manager nobody makes it one.
        self.window.activateWindow()
        QTest.qWaitForWindowActive(self.window)
        self.assistant = Assistant(self.window, settings.Loaded(saved), self.file, factory=FACTORY)
        self.assistant.start(folder)

    def until(self, condition: Callable[[], bool]) -> None:
        """Run the loop until `condition`."""
        run_until(self.loop, self.window, condition, PATIENCE_S)

    def ready(self) -> bool:
        now = self.window.situation()
        return now.model == Model.READY and now.activity == "idle"

    def ask(self, text: str) -> None:
        QTest.keyClicks(self.window.dock.field, text)
        QTest.keyClick(self.window.dock.field, Qt.Key.Key_Return)

    def entries(self) -> list[Entry]:
        return self.window.transcript.entries()


@pytest.fixture
def without_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine with neither microphone nor loudspeaker, whatever this one has."""

    def no_microphone(self: Capture) -> None:
        raise AudioDeviceError("No microphone was found: plug one in and try again.")

    def no_speaker(self: Playback) -> None:
        raise AudioDeviceError("No loudspeaker was found: plug one in and try again.")

    monkeypatch.setattr(Capture, "open", no_microphone)
    monkeypatch.setattr(Playback, "open", no_speaker)
    # Each device of the list would be tried, besides the system's default.
    monkeypatch.setattr(devices, "read", lambda sounddevice: Found())


@pytest.fixture
def desk(
    qapp: QApplication, qtbot: QtBot, loop: qasync.QEventLoop, tmp_path: Path, without_devices: None
) -> Iterator[Desk]:
    theme.apply(qapp, Qt.ColorScheme.Light)
    desk = Desk(loop, qtbot, tmp_path, settings.Settings())
    yield desk
    desk.assistant.close()
    desk.window.close()


def test_a_typed_question_is_answered_without_any_sound_device(desk: Desk) -> None:
    assert not desk.window.dock.send.isEnabled()
    desk.until(desk.ready)
    desk.until(lambda: "No microphone" in desk.window.dock.notices.text())
    assert "No loudspeaker" in desk.window.dock.notices.text()
    desk.ask("how are you")
    desk.until(lambda: len(desk.entries()) == 2 and desk.ready())
    assert [(e.side, e.text) for e in desk.entries()] == [
        (Side.USER, "how are you"),
        (Side.ASSISTANT, "You said: how are you"),
    ]
    assert not desk.window.dock.talk.isEnabled()
    assert "Type your question" in desk.window.dock.status_text()


def test_stop_ends_the_answer_and_the_next_question_works(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "halt").touch()
    desk.until(desk.ready)
    desk.ask("count")
    desk.until(lambda: len(desk.entries()) == 2 and len(desk.entries()[1].text) > 5)
    assert desk.window.dock.orb.look() == Look.SPEAKING
    QTest.keyClick(desk.window, Qt.Key.Key_Escape)
    desk.until(desk.ready)
    assert desk.entries()[1].interrupted and not desk.entries()[1].text.endswith("79")
    desk.ask("hello")
    desk.until(lambda: len(desk.entries()) == 4 and desk.ready())
    assert desk.entries()[3].text == "You said: hello" and not desk.entries()[3].interrupted


def test_a_crash_of_the_worker_leaves_a_usable_window(desk: Desk) -> None:
    desk.until(desk.ready)
    first = desk.assistant.host.pid
    desk.ask("crash")
    desk.until(lambda: "restarted" in desk.window.dock.notices.text() and desk.ready())
    assert desk.assistant.host.pid not in (None, first)
    assert desk.entries()[0].text == "crash", "the conversation is still there"
    desk.ask("hello")
    desk.until(lambda: desk.entries()[-1].text == "You said: hello" and desk.ready())
    assert "restarted" not in desk.window.dock.notices.text()


def test_a_device_that_went_away_is_tried_again_a_few_times(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[Capture] = []

    def gone(self: Capture) -> None:
        tries.append(self)
        raise AudioDeviceError("It is gone.")

    desk.until(lambda: "No microphone" in desk.window.dock.notices.text())
    monkeypatch.setattr(Capture, "open", gone)
    monkeypatch.setattr(assistant, "REOPEN_AFTER_MS", (10, 10, 10))
    desk.assistant.microphone_changed(True, "")
    desk.assistant.conversation.microphone_lost("It is gone.")
    desk.until(lambda: len(tries) == 3)
    desk.loop.run_until_complete(asyncio.sleep(0.3))
    assert len(tries) == 3 and "It is gone. You can type" in desk.window.dock.notices.text()
    desk.window.dock.notices.retry_clicked.emit()
    desk.until(lambda: len(tries) == 4)


def test_speech_is_looked_for_only_while_somebody_may_be_heard(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    rests: list[tuple[bool, bool]] = []
    assert desk.assistant._devices._resting, "there is a button to be pressed first"
    monkeypatch.setattr(desk.assistant._devices, "rest", lambda *how: rests.append(how))
    desk.until(desk.ready)
    desk.ask("hello")
    desk.until(lambda: len(desk.entries()) == 2 and desk.ready())
    assert rests[0] == (False, False) and rests[-1] == (True, False)
    desk.assistant.conversation.set_mode(Mode.OPEN_MIC)
    assert rests[-1] == (True, True)
    desk.assistant.conversation.set_mode(Mode.MUTED)
    assert rests[-1] == (True, False)


def test_choices_are_saved(desk: Desk) -> None:
    desk.until(desk.ready)
    voices = desk.window.header.voices
    assert voices.names == ("ada", "ben") and voices.voice == "ada"
    voices.panel.rows["ben"].choose.click()
    desk.window.header.volume.setValue(40)
    desk.until(desk.file.exists)
    desk.window.resize(500, 600)
    desk.assistant.close()
    saved = settings.load(desk.file)
    assert saved.notice == "" and saved.settings.voice == "ben" and saved.settings.volume == 0.4
    assert (saved.settings.window.width, saved.settings.window.height) == (500, 600)


def test_transcript_file(
    qtbot: QtBot,
    loop: qasync.QEventLoop,
    tmp_path: Path,
    without_devices: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = tmp_path / "talk.jsonl"
    monkeypatch.setenv("BANTER_TRANSCRIPT_LOG", str(log))
    desk = Desk(loop, qtbot, tmp_path, settings.Settings(voice="ben"))
    try:
        desk.until(desk.ready)
        assert desk.window.header.voices.voice == "ben"
        desk.ask("hello")
        desk.until(lambda: log.exists() and len(log.read_text().splitlines()) == 2)
    finally:
        desk.assistant.close()
        desk.window.close()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(x["who"], x["text"]) for x in lines] == [("user", "hello"), ("assistant", "You said: hello")]


def test_a_transcript_file_that_cannot_be_written_is_said_once(
    qtbot: QtBot,
    loop: qasync.QEventLoop,
    tmp_path: Path,
    without_devices: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BANTER_TRANSCRIPT_LOG", str(tmp_path / "missing" / "talk.jsonl"))
    desk = Desk(loop, qtbot, tmp_path, settings.Settings())
    try:
        desk.until(desk.ready)
        desk.ask("hello")
        desk.until(lambda: "transcript file cannot be written" in desk.window.dock.notices.text())
    finally:
        desk.assistant.close()
        desk.window.close()
