"""The settings' window on a real assistant: each setting changes the real thing, and is there after a restart."""

from __future__ import annotations

import ast
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import qasync
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from app import settings
from app.audio.capture import MicChunk
from app.audio.catalogue import DeviceName, Found
from app.conversation.events import Mode as TurnMode
from app.conversation.events import State
from app.conversation.timing import Timing
from app.gui import theme
from app.gui.preferences.dialog import PreferencesWindow
from app.gui.preferences.parts import Scale, Segments, Switch
from app.history.keeper import DAY_S
from app.settings import Keep, Mode, Patience, Sensitivity, Settings, SoundDevice, Talk, Theme
from tests.gui.test_assistant import without_devices
from tests.gui.test_kept import Table, fill

__all__ = ["without_devices"]

APP = Path(__file__).resolve().parents[2] / "app"


@pytest.fixture
def plain(qapp: QApplication) -> Iterator[None]:
    """The appearance of other tests, whatever is chosen here."""
    theme.apply(qapp, Qt.ColorScheme.Light)
    yield
    theme.set_less_motion(False)
    theme.set_text_scale(qapp, 1.0)
    theme.apply(qapp, Qt.ColorScheme.Light)


@pytest.fixture
def table(plain: None, qtbot: QtBot, loop: qasync.QEventLoop, tmp_path: Path, without_devices: None) -> Iterator[Table]:
    table = Table(loop, qtbot, tmp_path, Settings())
    yield table
    table.close()


def opened(table: Table) -> PreferencesWindow:
    """The settings, opened as a user does."""
    QTest.mouseClick(table.window.header.settings, Qt.MouseButton.LeftButton)
    dialog = table.assistant.preferences.dialog
    assert dialog is not None
    activate(table, dialog)
    return dialog


def activate(table: Table, window: QWidget) -> None:
    """Without a window manager nobody makes it the active one."""
    window.windowHandle().requestActivate()
    table.until(lambda: QApplication.activeWindow() is window)


def choose(segments: Segments, value: object) -> None:
    button = segments.button(value)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton, pos=button.rect().center())


def press(switch: Switch) -> None:
    switch.setFocus()
    QTest.keyClick(switch, Qt.Key.Key_Space)


def saved(table: Table) -> Settings:
    """What is in the file once the assistant has been closed."""
    table.close()
    loaded = settings.load(table.file)
    assert not loaded.notice
    return loaded.settings


def timing(table: Table) -> Timing:
    return table.assistant.conversation._machine.timing


def test_gear_and_shortcut_open_one_window_that_escape_closes(table: Table) -> None:
    QTest.keyClick(table.window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    first = table.assistant.preferences.dialog
    assert first is not None and first.isVisible() and not first.isModal()
    activate(table, first)
    QTest.keyClick(first.list, Qt.Key.Key_Escape)
    assert not first.isVisible() and table.window.isVisible()
    assert opened(table) is first and first.isVisible()
    table.close()
    assert not first.isVisible()


def test_the_theme_is_that_of_both_windows_at_once(table: Table) -> None:
    dialog = opened(table)
    dialog.go_to(dialog.look)
    for wanted, colours in ((Theme.DARK, theme.DARK), (Theme.LIGHT, theme.LIGHT), (Theme.DARK, theme.DARK)):
        choose(dialog.look.theme, wanted)
        for window in (table.window, dialog):
            assert window.palette().color(QPalette.ColorRole.Window) == QColor(colours.ground)
            middle = window.grab().toImage().pixelColor(window.width() - 4, window.height() - 4)
            assert middle == QColor(colours.ground)
    assert saved(table).theme == Theme.DARK


def test_text_grows_and_shrinks_everywhere_without_being_cut(table: Table, qapp: QApplication) -> None:
    window, dialog = table.window, opened(table)
    window.transcript.say_user(1, "How are you?")
    bubble = window.transcript._bubbles[0]
    labels = (window.dock._headline, window.header._title, bubble._text, dialog.restore, window.dock.field)
    before = [label.font().pointSizeF() for label in labels]
    height = bubble._text.height()
    dialog.go_to(dialog.look)
    QTest.keyClick(dialog.look.text_size.slider, Qt.Key.Key_End)
    for label, size in zip(labels, before, strict=True):
        assert label.font().pointSizeF() == pytest.approx(1.5 * size)
    assert bubble._text.height() > 1.25 * height and bubble.height() > bubble._text.height()
    assert dialog.look.text_size.text() == "150 %"
    qapp.processEvents()
    for control in (window.dock.talk, window.dock.open_mic, dialog.restore, dialog.done):
        assert control.width() >= control.sizeHint().width()
    QTest.keyClick(dialog.look.text_size.slider, Qt.Key.Key_Home)
    assert window.dock.field.font().pointSizeF() == pytest.approx(0.9 * before[-1])
    assert saved(table).text_size == 90


def test_less_motion_stops_the_picture_at_once(table: Table) -> None:
    orb, dialog = table.window.dock.orb, opened(table)
    assert orb.is_moving(), "it shows that the model is being loaded"
    dialog.go_to(dialog.look)
    press(dialog.look.motion)
    assert not orb.is_moving()
    press(dialog.look.motion)
    assert orb.is_moving()
    press(dialog.look.motion)
    assert saved(table).reduced_motion


def test_patience_and_sensitivity_reach_the_state_machine(table: Table) -> None:
    dialog, usual = opened(table), Timing()
    dialog.go_to(dialog.talking)
    assert timing(table) == usual
    choose(dialog.talking.patience, Patience.SLOW)
    assert timing(table).endpoint_chunks == 2 * usual.endpoint_chunks
    assert "1.3 s" in dialog.talking.patience.accessibleDescription()
    choose(dialog.talking.patience, Patience.QUICK)
    assert timing(table).endpoint_chunks < usual.endpoint_chunks
    choose(dialog.talking.barge_in, Sensitivity.LOW)
    assert timing(table).barge_in_chunks > usual.barge_in_chunks
    assert table.assistant.conversation._machine._watch._timing is timing(table)
    choose(dialog.talking.barge_in, Sensitivity.HIGH)
    assert timing(table).barge_in_chunks < usual.barge_in_chunks
    kept = saved(table)
    assert (kept.patience, kept.barge_in) == (Patience.QUICK, Sensitivity.HIGH)


def test_what_was_saved_holds_from_the_start(
    plain: None, qtbot: QtBot, loop: qasync.QEventLoop, tmp_path: Path, without_devices: None
) -> None:
    kept = Settings(patience=Patience.SLOW, barge_in=Sensitivity.LOW, talk=Talk.TOGGLE, seed=3, temperature=0.4)
    table = Table(loop, qtbot, tmp_path, kept)
    try:
        assert timing(table).endpoint_chunks == 40 and timing(table).barge_in_chunks == 13
        assert (table.assistant.host.seed, table.assistant.host.temperature) == (3, 0.4)
        assert table.window.dock.talk.toggles and table.window.dock.talk.text() == "Press to talk"
        dialog = opened(table)
        assert dialog.talking.patience.value() == Patience.SLOW and dialog.talking.mode.value() == Talk.TOGGLE
        assert dialog.answers.seed.value() == 3 and dialog.answers.temperature.value() == 4
    finally:
        table.close()


def test_the_mode_and_the_button_of_the_window_follow_each_other(table: Table) -> None:
    dialog, conversation = opened(table), table.assistant.conversation
    dialog.go_to(dialog.talking)
    choose(dialog.talking.mode, Mode.OPEN_MIC)
    assert conversation.mode == TurnMode.OPEN_MIC and table.window.dock.open_mic.isChecked()
    table.window.dock.open_mic.click()
    assert dialog.talking.mode.value() == Talk.HOLD
    table.window.dock.mute.click()
    choose(dialog.talking.mode, Mode.OPEN_MIC)
    assert conversation.mode == TurnMode.MUTED, "muted stays muted"
    table.window.dock.mute.click()
    assert conversation.mode == TurnMode.OPEN_MIC
    assert saved(table).mode == Mode.OPEN_MIC


def hear(table: Table, count: int) -> None:
    """Voice from the microphone, 32 ms each."""
    for _ in range(count):
        samples = np.full(512, 0.1, np.float32)
        table.assistant.conversation.chunk(MicChunk(samples, time.monotonic(), -20.0, 0.9, True, True))


def test_press_to_talk_listens_from_one_press_to_the_next(table: Table, tmp_path: Path) -> None:
    dialog, window, conversation = opened(table), table.window, table.assistant.conversation
    dialog.go_to(dialog.talking)
    choose(dialog.talking.mode, Talk.TOGGLE)
    assert "Press Space" in window.welcome._title.text()
    table.start(tmp_path)
    table.until(lambda: "No microphone" in window.dock.notices.text())
    hear(table, 1)
    table.until(window.dock.talk.isEnabled)
    assert "Press Space" in window.dock.status_text()
    dialog.close()
    activate(table, window)
    QTest.keyClick(window.transcript, Qt.Key.Key_Space)
    assert conversation.state == State.LISTENING and window.dock.talk.is_held()
    hear(table, 12)
    table.until(lambda: conversation._machine._turn is not None and conversation._machine._turn.voiced >= 12)
    assert "press to send" in window.dock.talk.text()
    QTest.keyClick(window.transcript, Qt.Key.Key_Space)
    assert not window.dock.talk.is_held()
    table.until(lambda: conversation.state == State.THINKING or len(table.entries()) > 0)
    QTest.keyClick(window, Qt.Key.Key_Escape)
    table.until(table.ready)
    QTest.mouseClick(window.dock.talk, Qt.MouseButton.LeftButton)
    assert conversation.state == State.LISTENING
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not window.dock.talk.is_held() and window.dock.talk.text() == "Press to talk"


def test_a_press_that_comes_to_nothing_does_not_stick(table: Table) -> None:
    table.window.show_toggle(True)
    table.assistant._talk_pressed()
    table.window.dock.talk.setEnabled(True)
    table.window.dock.talk.press()
    assert not table.window.dock.talk.is_held(), "there is no model yet"


def test_volume_and_mute_are_those_of_the_playback(table: Table) -> None:
    dialog, playback = opened(table), table.assistant._devices._playback
    QTest.keyClick(dialog.sound.volume.slider, Qt.Key.Key_PageDown)
    assert playback.volume == pytest.approx(0.9) and table.window.header.volume.value() == 90
    press(dialog.sound.mute)
    assert playback.volume == 0 and table.window.header.mute.isChecked()
    table.window.header.mute.click()
    assert playback.volume == pytest.approx(0.9) and not dialog.sound.mute.isChecked()
    table.window.header.volume.setValue(30)
    assert dialog.sound.volume.value() == 30 and playback.volume == pytest.approx(0.3)
    assert saved(table).volume == pytest.approx(0.3)


def test_a_device_is_chosen_here_or_in_the_header(table: Table) -> None:
    desk, headset = DeviceName("Desk", "ALSA"), DeviceName("Headset", "ALSA")
    dialog, header = opened(table), table.window.header
    table.assistant._devices_found(Found((desk, headset), (desk,), desk, desk))
    dialog.sound.microphones.setCurrentIndex(2)
    dialog.sound.microphones.activated.emit(2)
    assert table.assistant._devices._wanted["input"] == headset
    assert header.sound_menu.microphones.currentText() == "Headset"
    header.sound_menu.speakers.setCurrentIndex(1)
    header.sound_menu.speakers.activated.emit(1)
    assert dialog.sound.speakers.currentText() == "Desk"
    kept = saved(table)
    assert (kept.microphone, kept.speaker) == (SoundDevice("Headset", "ALSA"), SoundDevice("Desk", "ALSA"))


def test_the_echo_canceller_is_switched_while_it_runs(table: Table, tmp_path: Path) -> None:
    dialog, devices = opened(table), table.assistant._devices
    table.start(tmp_path)
    table.until(lambda: devices._echo_filter is not None)
    first = devices._echo_filter
    press(dialog.sound.echo)
    table.until(lambda: "switched the echo canceller off" in table.window.situation().half_duplex)
    assert devices._echo_filter is None and not dialog.sound.noise.isEnabled()
    press(dialog.sound.echo)
    table.until(lambda: devices._echo_filter is not None and not table.window.situation().half_duplex)
    assert devices._echo_filter is not first
    assert devices._echo_filter is not None and not devices._echo_filter._always
    press(dialog.sound.noise)
    table.until(lambda: devices._echo_filter is not None and devices._echo_filter._always)
    kept = saved(table)
    assert kept.cancel_echo and kept.suppress_noise


def test_temperature_and_seed_arrive_in_the_worker(table: Table, tmp_path: Path) -> None:
    dialog = opened(table)
    dialog.go_to(dialog.answers)
    assert not dialog.answers.seed.isVisible() and not dialog.answers.temperature.isVisible()
    table.start(tmp_path)
    table.talk("dice")
    assert table.entries()[-1].text == "You said: seed None temperature None"
    choose(dialog.answers.variety, True)
    choose(dialog.answers.repeat, True)
    QTest.keyClick(dialog.answers.temperature.slider, Qt.Key.Key_Right)
    dialog.answers.seed.selectAll()
    QTest.keyClicks(dialog.answers.seed, "42")
    table.talk("dice")
    assert table.entries()[-1].text == "You said: seed 42 temperature 0.8"
    choose(dialog.answers.repeat, False)
    table.talk("dice")
    assert table.entries()[-1].text == "You said: seed None temperature 0.8"
    kept = saved(table)
    assert (kept.temperature, kept.seed) == (0.8, None)


def question(table: Table) -> QMessageBox:
    def boxes() -> list[QMessageBox]:
        return [box for box in table.window.findChildren(QMessageBox) if box.isVisible()]

    table.until(lambda: bool(boxes()))
    return boxes()[0]


def answer(box: QMessageBox, words: str) -> None:
    button = next(one for one in box.buttons() if words in one.text())
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def rows(file: Path) -> list[str]:
    with sqlite3.connect(file) as db:
        found = [row[0] for row in db.execute("SELECT id FROM conversation ORDER BY id")]
    db.close()
    return found


def test_a_week_is_kept_in_the_file_once_the_user_agrees(table: Table) -> None:
    fill(table.store_file, ("old", [("Old", "1")]), when=time.time() - 10 * DAY_S)
    fill(table.store_file, ("new", [("New", "1")]))
    dialog = opened(table)
    dialog.go_to(dialog.privacy)
    keep = dialog.privacy.keep
    index = keep.findData(Keep.WEEK)
    keep.setCurrentIndex(index)
    keep.activated.emit(index)
    box = question(table)
    assert box.parent() is dialog and "Delete one conversation" in box.text() and "7 days" in box.informativeText()
    assert keep.currentData() == Keep.FOREVER, "not in force yet"
    answer(box, "Cancel")
    table.until(lambda: not table.window.findChildren(QMessageBox))
    assert rows(table.store_file) == ["new", "old"]
    keep.activated.emit(index)
    answer(question(table), "Delete")
    table.until(lambda: keep.currentData() == Keep.WEEK)
    table.until(lambda: rows(table.store_file) == ["new"])
    assert "7 days" in table.window.sidebar.keeping.text()
    assert saved(table).keep == Keep.WEEK


def test_all_conversations_are_deleted_from_the_file(table: Table, tmp_path: Path) -> None:
    fill(table.store_file, ("a", [("A secret word: xylophone", "1")]), ("b", [("Rome", "2")]))
    table.start(tmp_path)
    table.talk("hello")
    dialog = opened(table)
    dialog.go_to(dialog.privacy)
    QTest.mouseClick(dialog.privacy.delete, Qt.MouseButton.LeftButton)
    answer(question(table), "Cancel")
    table.until(lambda: not table.window.findChildren(QMessageBox))
    assert len(rows(table.store_file)) == 3
    QTest.mouseClick(dialog.privacy.delete, Qt.MouseButton.LeftButton)
    answer(question(table), "Delete")
    table.until(lambda: rows(table.store_file) == [] and table.titles() == [])
    assert table.entries() == [] and table.window.welcome.isVisible()
    assert not table.assistant.conversation._acts.history.for_model()
    table.talk("hello again")
    table.until(lambda: len(rows(table.store_file)) == 1)
    table.close()
    for file in table.store_file.parent.iterdir():
        assert b"xylophone" not in file.read_bytes()


def test_the_sound_of_answers_is_kept_from_here_too(table: Table) -> None:
    dialog = opened(table)
    dialog.go_to(dialog.privacy)
    press(dialog.privacy.sound)
    assert table.assistant.kept.retention.keeps_sound and table.window.sidebar._sound.isChecked()
    assert saved(table).keep_sound


@pytest.mark.parametrize("name", ["sound", "talking", "look", "answers", "desktop"])
def test_restore_defaults_resets_this_page_alone(
    plain: None, qtbot: QtBot, loop: qasync.QEventLoop, tmp_path: Path, without_devices: None, name: str
) -> None:
    changed = Settings(
        volume=0.3, microphone=SoundDevice("Gone", "ALSA"), cancel_echo=False, suppress_noise=True,
        mode=Mode.OPEN_MIC, talk=Talk.TOGGLE, patience=Patience.SLOW, barge_in=Sensitivity.LOW,
        theme=Theme.DARK, text_size=120, reduced_motion=True, temperature=1.0, seed=5,
        hotkey="F9", close_to_tray=True, start_minimised=True,
    )  # fmt: skip
    table = Table(loop, qtbot, tmp_path, changed)
    dialog = opened(table)
    page = getattr(dialog, name)
    dialog.go_to(page)
    QTest.mouseClick(dialog.restore, Qt.MouseButton.LeftButton)
    kept = saved(table)
    for field in ("volume", "microphone", "cancel_echo", "suppress_noise", "mode", "talk", "patience", "barge_in",
                  "theme", "text_size", "reduced_motion", "temperature", "seed", "hotkey", "close_to_tray",
                  "start_minimised"):  # fmt: skip
        wanted = Settings() if field in page.FIELDS else changed
        assert getattr(kept, field) == getattr(wanted, field), field


def focused() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


def test_every_control_is_named_and_reached_with_the_keyboard(table: Table) -> None:
    dialog = opened(table)
    table.assistant.preferences.change({"temperature": 0.5, "seed": 1, "hotkey": "F9"})
    pages = {
        dialog.sound: ["Microphone", "Speaker", "Check the sound…", "Volume", "Mute the answers",
                       "Cancel the echo of the loudspeakers", "Suppress steady noise"],
        dialog.talking: ["How you talk: Hold to talk", "Patience at the end: Normal",
                         "How easily you interrupt: Normal"],
        dialog.look: ["Theme: As the system", "Language: As the system", "Text size", "Less motion",
                      "Show how long each answer took"],
        dialog.answers: ["Which model answers", "Variety of the words (temperature): Choose",
                         "Temperature", "Chance (seed): Repeatable", "Seed"],
        dialog.larger_model: ["Ask a larger model", "What it is asked: What Banter does not know", "Address", "Model",
                              "Choose…", "Try it"],
        dialog.desktop: ["Key for talking", "Remove", "Keep running in the tray when closed", "Start minimised"],
        dialog.privacy: ["Keep conversations", "Keep the sound of answers too", "Delete all conversations…",
                         "Keep the last turn’s sound for reports", "Ask for the weather in the network"],
    }  # fmt: skip
    for page, wanted in pages.items():
        dialog.go_to(page)
        dialog.list.setFocus()
        seen: list[str] = []
        for _ in range(20):
            QTest.keyClick(focused(), Qt.Key.Key_Tab)
            control = focused()
            own = control.text() if isinstance(control, QAbstractButton) else ""
            seen.append(control.accessibleName() or own.replace("&", ""))
            if control is dialog.done:
                break
        assert seen == [*wanted, "Restore defaults", "Close"]


@pytest.mark.parametrize("size", [90, 100, 150])
def test_nothing_is_cut_off_on_any_page(plain: None, qtbot: QtBot, qapp: QApplication, size: int) -> None:
    from app.gui import appearance

    wanted = Settings(text_size=size, temperature=0.7, seed=2**31 - 1)
    appearance.apply(qapp, wanted)
    dialog = PreferencesWindow()
    qtbot.addWidget(dialog)
    dialog.show_settings(wanted)
    dialog.show()
    dialog.resize(dialog.minimumSize())
    for row in range(dialog.list.count()):
        dialog.list.setCurrentRow(row)
        for _ in range(5):
            qapp.processEvents()
        page = dialog.page()
        body = page.widget()
        assert body is not None and body.width() <= page.viewport().width()
        for control in [*page.findChildren(Segments), *page.findChildren(Scale), *page.findChildren(Switch)]:
            if not control.isVisible():
                continue
            right = control.mapTo(body, control.rect().bottomRight()).x()
            assert right <= body.width() - 40
            if isinstance(control, Segments):
                assert control.height() >= control.heightForWidth(control.width())
                for button in control.findChildren(type(control.button(control.value()))):
                    assert button.width() >= button.sizeHint().width()
                    assert control.rect().contains(button.geometry())


NETWORK = {
    "http", "urllib", "ftplib", "smtplib", "xmlrpc", "requests", "httpx", "httpx2", "aiohttp", "websockets",
    "socketserver", "huggingface_hub",
}  # fmt: skip
# The window is woken up by a pair of sockets within the process; to connect or to listen takes one of these.
LOCAL = {"QLocalServer", "QLocalSocket"}
CALLS = ("create_connection", "create_server", "start_server", "open_connection", "getaddrinfo", "AF_INET")


def test_nothing_in_the_program_speaks_to_a_network() -> None:
    """What the privacy page says. Training is no part of the program that runs, and the weather and a larger model are
    asked only where the user has allowed it (tests/tools/test_weather.py, tests/gui/test_tools.py and
    tests/gui/test_brain.py), models where one is fetched (tests/hub and tests/gui/test_models.py).
    """
    found = []
    allowed = (APP / "tools" / "weather", APP / "brain", APP / "hub")
    for file in APP.rglob("*.py"):
        if "training" in file.parts or file.parent in allowed:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                local = node.module == "PySide6.QtNetwork" and {one.name for one in node.names} <= LOCAL
                names = [] if local else [node.module or ""]
            if isinstance(node, ast.Attribute) and node.attr in CALLS:
                found.append(f"{file}: {node.attr}")
            found += [f"{file}: {name}" for name in names if name.split(".")[0] in NETWORK or "QtNetwork" in name]
    assert not found
