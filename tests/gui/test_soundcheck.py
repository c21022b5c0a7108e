"""The sound check in the window: offered once, never in the way, and its advice is followed on a click."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import qasync
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app import settings
from app.audio import check
from app.audio.check import CheckError, Findings, Trouble, Way
from app.conversation.events import Mode
from app.gui.soundcheck import words
from app.gui.soundcheck.checkup import changes_for
from app.settings import Mode as SavedMode
from tests.gui.test_assistant import Desk, desk, without_devices

__all__ = ["desk", "without_devices"]

GOOD = Findings(-62.0, 0.0, 0.084, -31.0, -66.0)
BAD = Findings(-62.0, 0.0, 0.084, -31.0, -40.0)


def test_it_is_offered_once_and_can_be_declined(
    desk: Desk, loop: qasync.QEventLoop, qtbot: QtBot, tmp_path: Path
) -> None:
    card = desk.assistant.sound_check.card
    assert card is not None and card.isVisible()
    desk.until(desk.ready)
    QTest.mouseClick(card.later, Qt.MouseButton.LeftButton)
    assert desk.assistant.sound_check.card is None and desk.assistant.sound_check.dialog is None
    desk.until(lambda: desk.file.exists() and settings.load(desk.file).settings.sound_checked)
    again = Desk(loop, qtbot, tmp_path, settings.load(desk.file).settings)
    try:
        assert again.assistant.sound_check.card is None
    finally:
        again.assistant.close()
        again.window.close()


def test_without_devices_it_says_what_is_missing(desk: Desk) -> None:
    desk.until(lambda: "No microphone" in desk.window.dock.notices.text())
    desk.assistant.preferences.open()
    page = desk.assistant.preferences.dialog
    assert page is not None
    QTest.mouseClick(page.sound.check, Qt.MouseButton.LeftButton)
    dialog = desk.assistant.sound_check.dialog
    assert dialog is not None and dialog.isVisible() and dialog.result_text() == ""
    assert desk.assistant.conversation.mode == Mode.MUTED
    QTest.mouseClick(dialog.start, Qt.MouseButton.LeftButton)
    desk.until(lambda: dialog.result_text() != "")
    assert "No microphone was found: plug one in" in dialog.result_text()
    assert not dialog.use.isVisible()
    dialog.close()
    assert desk.assistant.conversation.mode == Mode.PUSH_TO_TALK
    # Whoever has found it needs no offer any more.
    assert desk.assistant.sound_check.card is None


@pytest.mark.parametrize(("found", "way"), [(GOOD, Way.FULL_DUPLEX), (BAD, Way.HALF_DUPLEX)])
def test_the_advice_is_followed_on_a_click(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, found: Findings, way: Way
) -> None:
    steps = []

    def run(*arguments: object) -> Findings:
        tell = arguments[4]
        assert callable(tell)
        for step in check.Step:
            steps.append(step)
            tell(step)
        return found

    # Only the sound itself is left out: there is none here, and `tests.audio.test_check` has it.
    monkeypatch.setattr(check, "run", run)
    desk.until(desk.ready)
    checkup = desk.assistant.sound_check
    checkup.open()
    dialog = checkup.dialog
    assert dialog is not None
    QTest.mouseClick(dialog.start, Qt.MouseButton.LeftButton)
    desk.until(lambda: dialog.result_text() != "")
    assert steps == list(check.Step) and words.headline(way) in dialog.result_text()
    QTest.mouseClick(dialog.use, Qt.MouseButton.LeftButton)
    assert checkup.dialog is None
    desk.until(lambda: desk.file.exists() and settings.load(desk.file).settings.mode == SavedMode.OPEN_MIC)
    assert settings.load(desk.file).settings.cancel_echo == (way == Way.FULL_DUPLEX)
    assert desk.assistant.conversation.mode == Mode.OPEN_MIC and desk.window.dock.open_mic.isChecked()
    # The second time there is nothing to be changed.
    checkup.open()
    assert checkup.dialog is not None
    checkup.start()
    desk.until(lambda: checkup.dialog is not None and checkup.dialog.result_text() != "")
    assert "as you have it" in checkup.dialog.result_text() and not checkup.dialog.use.isVisible()


def test_a_check_that_is_left_ends_at_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = threading.Event(), threading.Event()

    def run(*arguments: object) -> Findings:
        stopped = arguments[5]
        assert isinstance(stopped, threading.Event)
        begun.set()
        assert stopped.wait(30.0)
        ended.set()
        raise CheckError(Trouble.CUT_OFF)

    monkeypatch.setattr(check, "run", run)
    checkup = desk.assistant.sound_check
    checkup.open()
    checkup.start()
    desk.until(begun.is_set)
    assert checkup.dialog is not None
    checkup.dialog.close()
    desk.until(ended.is_set)
    assert checkup.dialog is None


def test_every_way_and_every_trouble_has_words() -> None:
    for trouble in Trouble:
        assert words.trouble(trouble).endswith(".")
    for way in Way:
        assert words.headline(way) and changes_for(way)
    for found in (GOOD, BAD, Findings(-30.0, 0.0), Findings(-50.0, 0.0, 0.1, -30.0, None), Findings(-60.0, 0.5)):
        _, why = check.advise(found)
        assert "{" not in words.reason(why, found) and all(value for _, value in words.facts(found))
