"""The larger model in the window: a real conversation, worker, client and chat server; the engine is scripted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import qasync
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app import settings
from app.gui import theme
from app.gui.preferences.larger_model import LargerModelPage
from app.gui.preferences.promise import promise
from app.history.records import ToolUse
from app.settings import BrainScope, Settings
from tests.gui.test_assistant import without_devices
from tests.gui.test_tools import Desk
from tests.support.chat_server import ChatServer, serving

__all__ = ["without_devices"]

FIRST, SECOND = "Honey keeps for years.", "It holds hardly any water, so nothing can grow in it!"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with serving() as server:
        yield server


@pytest.fixture
def open_desk(
    qapp: QApplication, qtbot: QtBot, loop: qasync.QEventLoop, tmp_path: Path, without_devices: None
) -> Iterator[Callable[[Settings], Desk]]:
    theme.apply(qapp, Qt.ColorScheme.Light)
    desks: list[Desk] = []

    def open_one(saved: Settings) -> Desk:
        desks.append(Desk(loop, qtbot, tmp_path, saved))
        return desks[-1]

    yield open_one
    for desk in desks:
        desk.assistant.close()
        desk.window.close()


def page_of(desk: Desk) -> LargerModelPage:
    desk.assistant.preferences.open()
    dialog = desk.assistant.preferences.dialog
    assert dialog is not None
    dialog.go_to(dialog.larger_model)
    return dialog.larger_model


def heard(desk: Desk) -> None:
    """The answer is played out."""
    desk.until(lambda: desk.speaker.ended and desk.speaker.current is not None)
    turn = desk.speaker.current
    assert turn is not None
    desk.assistant.conversation.playback_finished(turn)
    desk.until(desk.ready)


def test_it_is_off_until_it_is_switched_on(open_desk: Callable[[Settings], Desk], server: ChatServer) -> None:
    desk = open_desk(Settings(brain_address=server.url, brain_model="small"))
    desk.ask("riddle")
    heard(desk)
    assert desk.entries()[1].text == "I do not know that one." and not server.asked and not server.paths
    page = page_of(desk)
    assert not page.on.isChecked()
    page.on.click()
    desk.ask("riddle")
    heard(desk)
    assert desk.entries()[3].text.endswith(f"{FIRST} {SECOND}")
    assert desk.entries()[2].tools == (ToolUse("larger_model", "done", "From small on this computer"),)
    desk.ask("hello")
    heard(desk)
    assert desk.entries()[5].text == "You said: hello" and len(server.asked) == 1, "what it knows it says itself"


def test_where_the_words_come_from_is_kept_and_exported(
    open_desk: Callable[[Settings], Desk], server: ChatServer, tmp_path: Path
) -> None:
    desk = open_desk(Settings(brain=True, brain_address=server.url, brain_model="small"))
    desk.ask("riddle")
    heard(desk)
    kept = desk.assistant.kept.current
    assert kept is not None
    for name, words in (("a.md", "larger model: done, From small on this computer"), ("a.json", '"larger_model"')):
        desk.assistant.kept.export_to(kept, tmp_path / name)
        desk.until((tmp_path / name).exists)
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert words in text and FIRST in text


def test_stop_silences_both(open_desk: Callable[[Settings], Desk], server: ChatServer) -> None:
    desk = open_desk(Settings(brain=True, brain_address=server.url, brain_model="halting"))
    desk.ask("riddle")
    desk.until(lambda: len(desk.entries()) > 1 and "The first part is here" in desk.entries()[1].text)
    QTest.keyClick(desk.window, Qt.Key.Key_Escape)
    desk.until(desk.ready)
    server.until(lambda: server.cut == 1)
    assert desk.speaker.current is None and desk.entries()[0].tools[0].state == "cancelled"


def test_what_went_wrong_stands_in_the_status_line_after_the_honest_answer(
    open_desk: Callable[[Settings], Desk], server: ChatServer
) -> None:
    desk = open_desk(Settings(brain=True, brain_address=server.url, brain_model="faulty"))
    desk.ask("riddle")
    heard(desk)
    assert desk.entries()[1].text.endswith("I do not know that one.")
    assert "reports a fault of its own (error 500)" in desk.window.dock.status_text()
    desk.ask("hello")
    heard(desk)
    assert "error 500" not in desk.window.dock.status_text()


def test_a_model_is_chosen_from_the_list_and_tried(open_desk: Callable[[Settings], Desk], server: ChatServer) -> None:
    desk = open_desk(Settings(brain=True, brain_address=server.url))
    assert "No larger model is chosen yet" in desk.window.dock.notices.text()
    page = page_of(desk)
    page.trial.click()
    desk.until(lambda: "No larger model is chosen yet" in page.result())
    page.list.click()
    assert not page.list.isEnabled()
    desk.until(lambda: page.menu is not None)
    assert page.menu is not None and page.result() == ""
    chosen = next(action for action in page.menu.actions() if action.text() == "small")
    page.menu.close()
    chosen.trigger()
    assert page.model.text() == "small" and "No larger model" not in desk.window.dock.notices.text()
    page.trial.click()
    desk.until(lambda: page.result().startswith("small answered after"))
    assert page.result().endswith(FIRST) and page.trial.isEnabled()
    page.model.setFocus()
    page.model.clear()
    QTest.keyClicks(page.model, "big")
    QTest.keyClick(page.model, Qt.Key.Key_Return)
    assert page.result() == "", "that was another model"
    page.trial.click()
    desk.until(lambda: "has no model big" in page.result())
    desk.assistant.close()
    kept = settings.load(desk.assistant._settings_file).settings
    assert (kept.brain, kept.brain_model, kept.brain_scope) == (True, "big", BrainScope.UNKNOWN)


def test_another_computer_is_asked_only_with_leave(open_desk: Callable[[Settings], Desk], server: ChatServer) -> None:
    # A name that is another computer to Banter, whatever it leads to; the reserved ending leads nowhere.
    desk = open_desk(Settings(brain=True, brain_address=f"http://brain.invalid:{server.port}", brain_model="small"))
    conversation = desk.assistant.conversation
    assert conversation._acts.delegation.brain is None
    assert "brain.invalid is another computer" in desk.window.dock.notices.text()
    page = page_of(desk)
    assert page.anywhere.isVisible() and "leave this computer and go to brain.invalid" in page._anywhere_note.text()
    page.anywhere.click()
    assert conversation._acts.delegation.brain is not None
    assert conversation._acts.delegation.brain.source == "From small at brain.invalid"
    assert "another computer" not in desk.window.dock.notices.text()
    page.address.setFocus()
    page.address.clear()
    QTest.keyClicks(page.address, server.url)
    QTest.keyClick(page.address, Qt.Key.Key_Return)
    assert not page.anywhere.isVisible()
    page.address.clear()
    QTest.keyClicks(page.address, "ftp://x")
    QTest.keyClick(page.address, Qt.Key.Key_Return)
    assert "This is no address of a chat program" in desk.window.dock.notices.text()
    page.on.click()
    assert "no address" not in desk.window.dock.notices.text()


def test_a_model_that_never_admits_not_to_know_is_told_of(open_desk: Callable[[Settings], Desk]) -> None:
    desk = open_desk(Settings())
    page = page_of(desk)
    assert "Only when Banter would say" in page._scope_note.text()
    page.show_telling(False)
    assert "choose “Everything”" in page._scope_note.text()
    page.scope.button(BrainScope.EVERYTHING).click()
    assert "the answers are the larger model’s" in page._scope_note.text()


@pytest.mark.parametrize(
    ("saved", "headline", "words", "never"),
    [
        (Settings(), "Nothing leaves", ["only for models that you download"], "open-meteo"),
        (Settings(brain=True), "Nothing leaves", ["only for models that you download"], "{"),
        (Settings(brain=True, brain_model="m"), "Nothing leaves", ["Questions go to m too"], "no network"),
        (Settings(brain=True, brain_model="m", weather=True), "Your voice stays", ["to m too", "open-meteo"], "no net"),
        (
            Settings(brain=True, brain_model="m", brain_address="http://far:1", brain_anywhere=True),
            "Your words may leave",
            ["go to far as text"],
            "Nothing",
        ),
        (
            Settings(brain=True, brain_model="m", brain_address="http://far:1"),
            "Nothing leaves",
            ["only for models that you download"],
            "far",
        ),
    ],
)
def test_the_promise_is_kept(saved: Settings, headline: str, words: list[str], never: str) -> None:
    first, more = promise(saved)
    assert first.startswith(headline) and all(one in more for one in words) and never not in first + more
