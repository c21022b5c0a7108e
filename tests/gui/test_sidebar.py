"""The list at the side and the messages of the transcript, without an engine or a store."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.gui.bubble import Entry, Side
from app.gui.conversation_list import more_box
from app.gui.window import MainWindow
from app.history.records import Summary

PATIENCE_MS = 60_000


def test_an_interrupted_answer_shows_where_it_was_cut(window: MainWindow) -> None:
    show = window.transcript
    show.say_user(1, "Capital?")
    show.add_reply(1, "The capital of <b>France</b> is Paris.")
    show.finish(1, interrupted=True, heard="The capital of")
    entry = show.entries()[1]
    assert (entry.text, entry.rest.strip()) == ("The capital of", "<b>France</b> is Paris.")
    bubble = show._bubbles[1]
    shown = bubble._text.text()
    assert shown.startswith("The capital of <span") and "&lt;b&gt;France" in shown
    assert bubble.accessibleName() == "Banter said: The capital of, interrupted"
    assert bubble._text.height() >= bubble._text.heightForWidth(bubble._text.width())


def test_copy_with_the_mouse_and_the_keyboard(window: MainWindow, qtbot: QtBot) -> None:
    show = window.transcript
    for turn in (1, 2):
        show.say_user(turn, f"Question {turn}")
        show.add_reply(turn, f"Answer {turn}")
        show.finish(turn, sound=turn == 2)
    show.setFocus()
    qtbot.keyClick(show, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "Question 2"
    actions = show._actions
    assert actions.isVisible() and not actions._again.isVisible()
    show._bubbles[3].entered.emit(True)
    assert actions._again.isVisible() and actions._time.text()
    wanted = QSignalSpy(show.again_wanted)
    qtbot.mouseClick(actions._again, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(actions._copy, Qt.MouseButton.LeftButton)
    assert wanted.count() == 1 and wanted.at(0)[0].text == "Answer 2"
    assert QGuiApplication.clipboard().text() == "Answer 2"
    box = actions.geometry()
    assert show._bubbles[3].rect().contains(box) and not show._bubbles[3].frame_box().intersects(box)
    show.clear()
    assert not actions.isVisible() and show.entries() == [] and actions.parent() is not None


def test_a_long_conversation_is_shown_piece_by_piece(window: MainWindow, qtbot: QtBot) -> None:
    show = window.transcript
    entries = [Entry(0, list(Side)[n % 2], f"Message {n}. " * 6) for n in range(300)]
    show.show_entries(entries)
    assert 0 < len(show.entries()) < 40 and show.entries()[-1] == entries[-1]
    qtbot.waitUntil(lambda: show.entries() == entries, timeout=PATIENCE_MS)
    assert not show._earlier.isVisible()
    bar = show.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum(), timeout=PATIENCE_MS)


def test_more_than_can_be_shown_is_said(window: MainWindow, qtbot: QtBot) -> None:
    show = window.transcript
    entries = [Entry(0, list(Side)[n % 2], f"Message {n}") for n in range(show.MOST + 1)]
    show.show_entries(entries)
    assert show._earlier.isVisible()
    # A live turn meanwhile: the end is what counts.
    show.say_user(1, "Now")
    qtbot.waitUntil(lambda: not show._filler.isActive(), timeout=PATIENCE_MS)
    assert len(show.entries()) == show.MOST and show.entries()[-1].text == "Now"
    assert show.entries()[0] == entries[2]


def test_reading_on_while_the_rest_comes_in_above(window: MainWindow, qtbot: QtBot) -> None:
    show = window.transcript
    show.show_entries([Entry(0, list(Side)[n % 2], f"Message {n}. " * 6) for n in range(200)])
    bar = show.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 300, timeout=PATIENCE_MS)
    bar.setValue(bar.maximum() - 200)
    qtbot.waitUntil(lambda: len(show.entries()) == 200, timeout=PATIENCE_MS)
    qtbot.wait(100)
    assert abs(bar.maximum() - bar.value() - 200) <= 2


@pytest.mark.parametrize(("width", "beside"), [(1000, True), (720, True), (500, False)])
def test_sidebar_beside_or_over(window: MainWindow, qtbot: QtBot, width: int, beside: bool) -> None:
    switched = QSignalSpy(window.sidebar_switched)
    window.resize(width, 640)
    qtbot.mouseClick(window.unfold, Qt.MouseButton.LeftButton)
    assert window.sidebar.isVisible() and switched.at(0) == [True]
    left = QPoint(window.sidebar.width(), 0)
    qtbot.waitUntil(lambda: (window.header.mapTo(window, QPoint()).x() >= left.x()) == beside, timeout=PATIENCE_MS)
    assert window.dimmer.isVisible() != beside
    if not beside:
        qtbot.mouseClick(window.dimmer, Qt.MouseButton.LeftButton, pos=QPoint(width - 20, 300))
        assert not window.sidebar.isVisible() and switched.at(1) == [False]
        return
    qtbot.keyClick(window, Qt.Key.Key_F9)
    assert not window.sidebar.isVisible() and window.unfold.isVisible()


def test_rows_open_and_their_dots_give_a_menu(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(900, 640)
    window.show_sidebar(True)
    now = time.time()
    rows = [Summary("a", "Rivers", now, now), Summary("b", "", now, now - 1)]
    window.sidebar.show_list(rows, "a")
    view = window.sidebar.list
    opened = QSignalSpy(window.sidebar.opened)
    box = view.visualRect(view.rows.index(1))
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
    assert opened.at(0) == ["b"]
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=more_box(box).center())
    menu = QApplication.activePopupWidget()
    assert opened.count() == 1 and isinstance(menu, QMenu)
    assert [a.text() for a in menu.actions() if a.text()] == ["Rename", "Export", "Delete"]
    menu.close()
    view.setCurrentIndex(view.rows.index(0))
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert opened.at(1) == ["a"]
    window.sidebar.show_list([Summary("c", "Newer", now + 1, now + 1), *rows], "a")
    assert view.currentIndex().row() == 1, "the list has changed, the place in it has not"
    assert view.rows.index(1).data(Qt.ItemDataRole.AccessibleTextRole).startswith("Rivers, ")
