"""One instance, the tray, and the page of the settings about both and the hotkey."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import qasync
from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app import settings
from app.audio.capture import MicChunk
from app.gui import theme
from app.gui.desktop import instance, tray
from app.gui.desktop.presence import Presence
from app.gui.desktop.remote import NOT_RUNNING
from app.gui.orb import Look
from app.gui.preferences.desktop import DesktopPage
from app.settings import Settings, Talk
from tests.gui.test_assistant import Desk, without_devices

__all__ = ["without_devices"]

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 240
WINDOW = "import sys; from pathlib import Path; from PySide6.QtWidgets import QApplication; \
from app.gui.main import run; sys.exit(run(QApplication([]), Path(), 'tests.gui.scripted_engine:load'))"


# --- one instance, with real processes


class Computer:
    """Where Banter is started as a user does, with a data folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.environment = os.environ | {
            "QT_QPA_PLATFORM": "offscreen",
            "PYTHONPATH": str(ROOT),
            "XDG_CONFIG_HOME": str(folder),
            "XDG_DATA_HOME": str(folder / "data"),
            "XDG_RUNTIME_DIR": str(folder),
            "PULSE_SERVER": f"unix:{folder}/none",
            "BANTER_LOG": "info",
        }
        self.started: list[subprocess.Popen[str]] = []

    def start(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", WINDOW], env=self.environment, cwd=ROOT, stderr=subprocess.PIPE, text=True
        )
        self.started.append(process)
        return process

    def tell(self, what: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "app", what], env=self.environment, cwd=ROOT, capture_output=True, text=True,
            timeout=PATIENCE_S, check=False,
        )  # fmt: skip
        return done.returncode, done.stderr.strip()

    def until(self, what: str, said: tuple[int, str]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while (now := self.tell(what)) != said:
            assert time.monotonic() < deadline, now

    def close(self) -> None:
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.communicate(timeout=PATIENCE_S)


@pytest.fixture
def computer(tmp_path: Path) -> Iterator[Computer]:
    computer = Computer(tmp_path)
    yield computer
    computer.close()


def test_a_second_start_raises_the_first_and_leaves(computer: Computer, tmp_path: Path) -> None:
    assert computer.tell("--toggle-talk") == (1, NOT_RUNNING)
    first = computer.start()
    computer.until("--show", (0, ""))
    second = computer.start()
    _, err = second.communicate(timeout=PATIENCE_S)
    assert second.returncode == 0 and "model" not in err, err
    # Another data folder is another Banter.
    other = Computer(tmp_path / "other")
    assert other.tell("--show") == (1, NOT_RUNNING)
    assert computer.tell("--quit") == (0, "")
    _, err = first.communicate(timeout=PATIENCE_S)
    assert first.returncode == 0 and "Traceback" not in err, err
    assert computer.tell("--quit") == (1, NOT_RUNNING)


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe of Windows goes with its process")
def test_what_a_crash_left_is_no_running_banter(computer: Computer) -> None:
    first = computer.start()
    computer.until("--show", (0, ""))
    first.send_signal(signal.SIGKILL)
    first.wait(timeout=PATIENCE_S)
    assert computer.tell("--toggle-talk") == (1, NOT_RUNNING)
    again = computer.start()
    computer.until("--show", (0, ""))
    assert again.poll() is None
    assert computer.tell("--quit") == (0, "")
    again.communicate(timeout=PATIENCE_S)


def test_two_that_start_at_once_are_one(computer: Computer) -> None:
    both = [computer.start(), computer.start()]
    computer.until("--show", (0, ""))
    deadline = time.monotonic() + PATIENCE_S
    while all(process.poll() is None for process in both):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert [process.poll() for process in both].count(0) == 1
    assert computer.tell("--quit") == (0, "")
    assert [process.wait(timeout=PATIENCE_S) for process in both] == [0, 0]


@pytest.fixture
def first(qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[instance.Instance]:
    monkeypatch.setattr(instance, "name", lambda: str(tmp_path / "it"))
    it = instance.Instance()
    assert it.claim() is None
    yield it
    it.close()


@pytest.mark.skipif(sys.platform == "win32", reason="speaks to the socket of other systems")
def test_nonsense_on_the_channel_does_no_harm(first: instance.Instance, qtbot: QtBot, tmp_path: Path) -> None:
    told: list[str] = []
    first.handle = lambda what: told.append(what) or "No."  # type: ignore[func-returns-value]
    for line in (b"\xff\xfe\n", b"[]\n", b'{"do"\n', b"null\n", b"x" * 50_000):
        with socket.socket(socket.AF_UNIX) as other:
            other.connect(str(tmp_path / "it"))
            other.sendall(line)
            qtbot.wait(50)
            assert other.recv(10) == b""
    assert told == []
    assert os.stat(tmp_path / "it").st_mode & 0o077 == 0, "nobody else may speak to it"
    with socket.socket(socket.AF_UNIX) as other:
        other.connect(str(tmp_path / "it"))
        # In pieces, as it may come.
        for piece in (b'{"do": ', b'"show"}', b"\n"):
            other.sendall(piece)
            qtbot.wait(50)
        assert other.recv(100) == b'{"said": "No."}\n'
    assert told == ["show"]


def test_a_banter_that_hangs_is_named(first: instance.Instance) -> None:
    # Nobody runs its event loop meanwhile.
    assert instance.ask(instance.SHOW, patience_ms=100) == instance.NO_ANSWER


# --- on a window


class Place(Desk):
    """A running window with everything that makes it part of the desktop."""

    def __init__(self, loop: qasync.QEventLoop, qtbot: QtBot, folder: Path, saved: Settings) -> None:
        super().__init__(loop, qtbot, folder, saved)
        self.presence = Presence(self.window, self.assistant, saved)

    def hear(self) -> None:
        """As with a microphone."""
        self.until(self.ready)
        self.until(lambda: "No microphone" in self.window.dock.notices.text())
        self.assistant.conversation.chunk(MicChunk(np.zeros(512, np.float32), time.monotonic(), -80.0, 0.0))
        self.until(lambda: self.window.situation().microphone)

    def page(self) -> DesktopPage:
        self.window.settings_requested.emit()
        dialog = self.assistant.preferences.dialog
        assert dialog is not None
        dialog.go_to(dialog.desktop)
        # Without a window manager nobody makes it the active one.
        dialog.windowHandle().requestActivate()
        self.until(lambda: QApplication.activeWindow() is dialog)
        return dialog.desktop

    def close(self) -> None:
        self.presence.close()
        self.assistant.close()
        self.window.leave()


@pytest.fixture
def with_tray(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a desktop that shows tray icons."""
    monkeypatch.setattr(tray, "available", lambda: True)


@pytest.fixture
def place(
    qapp: QApplication, qtbot: QtBot, loop: qasync.QEventLoop, tmp_path: Path, without_devices: None
) -> Iterator[Place]:
    theme.apply(qapp, Qt.ColorScheme.Light)
    place = Place(loop, qtbot, tmp_path, Settings())
    yield place
    place.close()


def test_toggle_talk_holds_and_sends_whatever_the_button_does(place: Place) -> None:
    talk, heard = place.window.dock.talk, list[str]()
    assert "still loading" in place.presence.handle(instance.TOGGLE_TALK)
    place.until(place.ready)
    place.until(lambda: "No microphone" in place.window.dock.notices.text())
    assert "no microphone" in place.presence.handle(instance.TOGGLE_TALK)
    place.hear()
    talk.held.connect(lambda: heard.append("held"))
    talk.let_go.connect(lambda: heard.append("let go"))
    for setting in (Talk.HOLD, Talk.TOGGLE):
        place.assistant.preferences.change({"talk": setting})
        for step in ("held", "let go"):
            assert place.presence.handle(instance.TOGGLE_TALK) == ""
            assert heard.pop() == step and not heard
    place.window.dock.mute.click()
    assert "muted" in place.presence.handle(instance.TOGGLE_TALK)
    assert "another version" in place.presence.handle("dance")


def test_toggled_talk_ends_with_the_question(place: Place) -> None:
    place.hear()
    talk = place.window.dock.talk
    assert place.presence.handle(instance.TOGGLE_TALK) == ""
    assert talk.is_held() and place.window.situation().activity == "listening"
    QTest.keyClick(place.window, Qt.Key.Key_Escape)
    assert not talk.is_held(), "there is no finger to take off"
    assert place.presence.handle(instance.TOGGLE_TALK) == "" and talk.is_held()
    talk.release()


def test_the_hotkey_is_the_button(place: Place) -> None:
    place.hear()
    talk, key = place.window.dock.talk, place.presence.hotkey
    key.pressed.emit()
    assert talk.is_held()
    key.released.emit()
    assert not talk.is_held()
    place.assistant.preferences.change({"talk": Talk.TOGGLE})
    key.pressed.emit()
    key.released.emit()
    assert talk.is_held()
    key.pressed.emit()
    assert not talk.is_held()


def test_without_a_tray_closing_ends_it(place: Place) -> None:
    closed: list[bool] = []
    place.window.closed.connect(lambda: closed.append(True))
    page = place.page()
    QTest.mouseClick(page.close_to_tray, Qt.MouseButton.LeftButton)
    assert page.close_to_tray.isChecked() and "ends Banter" in page._tray_note.text()
    assert place.presence.tray is None
    place.window.close()
    assert closed and not place.window.isVisible()


def test_with_a_tray_closing_hides_it_and_says_so_once(
    with_tray: None, place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(tray.QSystemTrayIcon, "showMessage", lambda self, title, *more: told.append(title))
    closed: list[bool] = []
    place.window.closed.connect(lambda: closed.append(True))
    QTest.mouseClick(place.page().close_to_tray, Qt.MouseButton.LeftButton)
    place.until(place.ready)
    (tmp_path / "halt").touch()
    place.ask("count")
    place.until(lambda: place.window.situation().activity == "speaking")
    assert place.window.dock.orb.is_moving()
    for _ in range(2):
        place.window.close()
        assert not place.window.isVisible() and not closed
        dialog = place.assistant.preferences.dialog
        assert dialog is not None and not dialog.isVisible()
        assert not place.window.dock.orb.is_moving(), "nothing is drawn that nobody sees"
        assert place.presence.handle(instance.SHOW) == ""
        assert place.window.isVisible()
    assert told == ["Banter keeps running"]
    # The answer was not disturbed.
    (tmp_path / "halt").unlink()
    place.until(place.ready)
    assert place.entries()[-1].text.endswith("79") and not place.entries()[-1].interrupted
    icon = place.presence.tray
    assert icon is not None
    place.window.close()
    icon.quit.trigger()
    assert closed
    place.close()
    kept = settings.load(place.file).settings
    assert kept.close_to_tray and kept.tray_explained


def test_what_rings_is_told_with_and_without_a_tray(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, str]] = []
    monkeypatch.setattr(tray.QSystemTrayIcon, "showMessage", lambda self, *said: told.append(said[:2]))
    place.assistant.toolbox.ringer.rang.emit("Timer: tea")
    assert not told, "where there is no tray, the window alone says it"
    monkeypatch.setattr(tray, "available", lambda: True)
    place.assistant.toolbox.ringer.rang.emit("Timer: tea")
    assert told == [("Banter rings", "Timer: tea")] and place.presence.tray is None
    place.assistant.preferences.change({"close_to_tray": True, "tray_explained": True})
    place.window.hide()
    place.assistant.toolbox.ringer.rang.emit("Timer: tea")
    icon = place.presence.tray
    assert icon is not None and len(told) == 2
    icon.icon.messageClicked.emit()
    assert place.window.isVisible()


def test_a_tray_may_come_late_and_go_away(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.assistant.preferences.change({"close_to_tray": True, "tray_explained": True})
    assert place.presence.tray is None
    monkeypatch.setattr(tray, "available", lambda: True)
    place.until(place.ready)
    assert place.presence.tray is not None
    place.window.close()
    assert not place.window.isVisible()
    place.presence.show_window()
    monkeypatch.setattr(tray, "available", lambda: False)
    closed: list[bool] = []
    place.window.closed.connect(lambda: closed.append(True))
    place.window.close()
    assert closed, "it would be nowhere to be found"


def test_the_menu_of_the_tray(with_tray: None, place: Place, tmp_path: Path) -> None:
    place.assistant.preferences.change({"close_to_tray": True})
    icon, window = place.presence.tray, place.window
    assert icon is not None
    assert not icon.talk.isEnabled() and "Loading" in icon.icon.toolTip()
    place.hear()
    icon.talk.trigger()
    assert window.dock.talk.is_held() and icon.talk.text() == "&Send what I said"
    assert "Listening" in icon.icon.toolTip()
    icon.talk.trigger()
    assert not window.dock.talk.is_held()
    place.until(place.ready)
    (tmp_path / "halt").touch()
    place.ask("count")
    place.until(lambda: window.situation().activity == "speaking")
    assert icon.talk.text() == "&Stop"
    icon.talk.trigger()
    place.until(place.ready)
    assert place.entries()[-1].interrupted
    icon.open_mic.trigger()
    assert window.situation().open_mic and window.dock.open_mic.isChecked()
    icon.mute.trigger()
    assert window.dock.is_muted() and not icon.open_mic.isEnabled() and not icon.talk.isEnabled()
    icon.settings.trigger()
    dialog = place.assistant.preferences.dialog
    assert dialog is not None and dialog.isVisible()
    place.assistant.preferences.change({"close_to_tray": False})
    assert place.presence.tray is None


def test_each_state_has_a_picture_of_its_own(qapp: QApplication) -> None:
    theme.apply(qapp, Qt.ColorScheme.Light)
    base = QIcon(str(ROOT / "assets" / "icons" / "banter.svg"))
    looks = [(look, False) for look in Look] + [(Look.IDLE, True)]
    pictures = []
    for look, muted in looks:
        # Without colour, as the eye of some sees it.
        grey = tray.picture(base, look, muted).pixmap(22).toImage().convertToFormat(QImage.Format.Format_Grayscale8)
        pictures.append(bytes(grey.constBits()))
    assert len(set(pictures)) == len(looks)


@pytest.mark.parametrize("hidden", [True, False])
def test_start_minimised(
    qapp: QApplication, qtbot: QtBot, loop: qasync.QEventLoop, tmp_path: Path, without_devices: None,
    monkeypatch: pytest.MonkeyPatch, hidden: bool,
) -> None:  # fmt: skip
    monkeypatch.setattr(tray, "available", lambda: hidden)
    place = Place(loop, qtbot, tmp_path, Settings(start_minimised=True, close_to_tray=True))
    place.window.hide()
    place.presence.show_minimised()
    assert place.window.isVisible() is not hidden and place.window.isMinimized() is not hidden
    place.presence.handle(instance.SHOW)
    assert place.window.isVisible() and not place.window.isMinimized()
    place.close()


# --- the field for the keys


def test_keys_are_taken_as_they_are_pressed(place: Place) -> None:
    page = place.page()
    field = page.key
    pauses: list[bool] = []
    page.choosing.connect(pauses.append)
    assert "No key" in field.text()
    QTest.mouseClick(field, Qt.MouseButton.LeftButton)
    assert field.is_waiting() and pauses == [True]
    QTest.keyClick(field, Qt.Key.Key_A)
    assert field.is_waiting() and "together with Ctrl" in page._key_note.text()
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert not field.is_waiting() and page.isVisible(), "it closes the field, not the window"
    QTest.keyClick(field, Qt.Key.Key_Space)
    # Not even the window's own shortcut comes first.
    control = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(field, Qt.Key.Key_W, control | Qt.KeyboardModifier.AltModifier)
    assert not field.is_waiting() and field.text() == "Ctrl+Alt+W" and pauses == [True, False, True, False]
    assert place.assistant._settings.hotkey == "Ctrl+Alt+W"
    QTest.mouseClick(page.clear, Qt.MouseButton.LeftButton)
    assert place.assistant._settings.hotkey == "" and "No key" in field.text()


def test_leaving_the_field_keeps_the_key(place: Place) -> None:
    place.assistant.preferences.change({"hotkey": "F9"})
    page = place.page()
    QTest.mouseClick(page.key, Qt.MouseButton.LeftButton)
    page.close_to_tray.setFocus()
    assert not page.key.is_waiting() and page.key.text() == "F9"
    assert place.presence.hotkey.sentence() == page._key_note.text()


def test_a_key_from_a_file_that_cannot_be_one_is_said(place: Place) -> None:
    place.assistant.preferences.change({"hotkey": "A"})
    assert place.page()._key_note.text()
