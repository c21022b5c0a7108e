"""The window's parts, offscreen, without an engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QSize, Qt
from PySide6.QtGui import QAccessible, QColor, QKeyEvent
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.gui import theme
from app.gui.bubble import Entry, Side
from app.gui.orb import Look
from app.gui.status import Model, Situation, line
from app.gui.transcript_log import TranscriptLog
from app.gui.window import MainWindow

SPACE = Qt.Key.Key_Space


class Holds:
    """Counts how often the talk button was held and let go."""

    def __init__(self, window: MainWindow) -> None:
        self.held = QSignalSpy(window.dock.talk.held)
        self.let_go = QSignalSpy(window.dock.talk.let_go)

    def counts(self) -> tuple[int, int]:
        return self.held.count(), self.let_go.count()


def _key(widget: QWidget, kind: QEvent.Type, key: Qt.Key, repeat: bool = False) -> None:
    event = QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier, " ", repeat)
    QApplication.sendEvent(widget, event)


def test_space_holds_from_press_to_release(window: MainWindow, qtbot: QtBot) -> None:
    holds = Holds(window)
    qtbot.keyPress(window.transcript, SPACE)
    assert holds.counts() == (1, 0) and window.dock.talk.is_held()
    qtbot.keyRelease(window.transcript, SPACE)
    assert holds.counts() == (1, 1)


def test_key_repeat_counts_once(window: MainWindow) -> None:
    holds = Holds(window)
    _key(window.transcript, QEvent.Type.KeyPress, SPACE)
    for _ in range(5):
        _key(window.transcript, QEvent.Type.KeyRelease, SPACE, repeat=True)
        _key(window.transcript, QEvent.Type.KeyPress, SPACE, repeat=True)
    assert holds.counts() == (1, 0)
    _key(window.transcript, QEvent.Type.KeyRelease, SPACE)
    assert holds.counts() == (1, 1)


def test_space_in_the_text_field_is_a_space(window: MainWindow, qtbot: QtBot) -> None:
    holds = Holds(window)
    window.dock.field.setFocus()
    qtbot.keyClicks(window.dock.field, "how are you")
    assert window.dock.field.text() == "how are you" and holds.counts() == (0, 0)


def test_space_talks_even_on_another_button(window: MainWindow, qtbot: QtBot) -> None:
    holds = Holds(window)
    window.dock.open_mic.setFocus()
    qtbot.keyClick(window.dock.open_mic, SPACE)
    assert holds.counts() == (1, 1) and not window.dock.open_mic.isChecked()
    qtbot.keyClick(window.dock.open_mic, Qt.Key.Key_Return)
    assert window.dock.open_mic.isChecked(), "Enter presses the button in place of Space"


def test_losing_the_window_lets_go(window: MainWindow, qtbot: QtBot) -> None:
    holds = Holds(window)
    qtbot.keyPress(window.transcript, SPACE)
    QApplication.sendEvent(window, QEvent(QEvent.Type.WindowDeactivate))
    assert holds.counts() == (1, 1)


def test_mouse_holds_even_when_it_wanders(window: MainWindow, qtbot: QtBot) -> None:
    holds = Holds(window)
    qtbot.mousePress(window.dock.talk, Qt.MouseButton.LeftButton)
    qtbot.mouseMove(window.dock.talk, QPoint(-50, -50))
    assert holds.counts() == (1, 0)
    qtbot.mouseRelease(window.dock.talk, Qt.MouseButton.LeftButton, pos=QPoint(-50, -50))
    assert holds.counts() == (1, 1)


def test_switching_the_button_off_lets_go(window: MainWindow) -> None:
    holds = Holds(window)
    window.dock.talk.hold()
    window.show_microphone(False)
    assert holds.counts() == (1, 1) and not window.dock.talk.isEnabled()
    assert window.dock.field.isEnabled()


def test_typing_asks(window: MainWindow, qtbot: QtBot) -> None:
    asked = QSignalSpy(window.question_asked)
    assert not window.dock.send.isEnabled()
    qtbot.keyClicks(window.dock.field, "  tell me  a joke ")
    qtbot.keyClick(window.dock.field, Qt.Key.Key_Return)
    assert asked.count() == 1 and asked.at(0) == ["tell me a joke"]
    assert window.dock.field.text() == ""
    qtbot.keyClick(window.dock.field, Qt.Key.Key_Return)
    assert asked.count() == 1


def test_a_question_typed_while_loading_is_kept(window: MainWindow, qtbot: QtBot) -> None:
    asked = QSignalSpy(window.question_asked)
    window.show_progress("reading the weights", 0.4)
    qtbot.keyClicks(window.dock.field, "hello")
    qtbot.keyClick(window.dock.field, Qt.Key.Key_Return)
    assert asked.count() == 0 and window.dock.field.text() == "hello"
    assert "40 %" in window.dock.status_text()


def test_example_question_asks(window: MainWindow, qtbot: QtBot) -> None:
    asked = QSignalSpy(window.question_asked)
    chip = next(b for b in window.welcome.findChildren(QAbstractButton) if "joke" in b.text())
    qtbot.mouseClick(chip, Qt.MouseButton.LeftButton)
    assert asked.at(0) == ["Tell me a joke"]


def test_escape_stops_while_busy(window: MainWindow, qtbot: QtBot) -> None:
    stopped = QSignalSpy(window.stop_requested)
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert stopped.count() == 0
    window.show_activity("speaking")
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert stopped.count() == 1


def test_streaming_text_and_interruption(window: MainWindow) -> None:
    finished = QSignalSpy(window.transcript.entry_finished)
    show = window.transcript
    show.say_user(1, "")
    show.add_reply(1, " The capital")
    show.say_user(1, "Capital of France?")
    show.add_reply(1, " of France is Paris.")
    assert [e.text for e in show.entries()] == ["Capital of France?", "The capital of France is Paris."]
    for label in show.findChildren(QLabel):
        frame = label.parentWidget()
        if label.isVisible() and frame is not None:
            assert label.geometry().right() <= frame.width(), "the bubble grows with its text"
    show.finish(1, interrupted=True, heard="The capital of")
    assert show.entries() == [
        Entry(1, Side.USER, "Capital of France?"),
        Entry(1, Side.ASSISTANT, "The capital of", interrupted=True),
    ]
    assert finished.count() == 2
    marks = [w.text() for w in show.findChildren(QLabel) if w.isVisible()]
    assert "Interrupted at the mark" in marks


def test_nothing_heard_leaves_the_question_alone(window: MainWindow) -> None:
    window.transcript.add_reply(1, "Hello")
    window.transcript.finish(1, interrupted=True, heard="")
    assert window.transcript.entries() == [Entry(1, Side.USER, "")]


def test_discarded_turn_leaves_nothing(window: MainWindow) -> None:
    window.transcript.say_user(1, "Hm")
    window.transcript.discard(1)
    assert window.transcript.entries() == [] and window.welcome.isVisible()


def test_scrolling_is_the_users(window: MainWindow, qtbot: QtBot) -> None:
    show = window.transcript
    show.say_user(99, "Talk at length")
    for turn in range(20):
        show.say_user(turn, f"Question {turn}")
        show.add_reply(turn, "An answer that is long enough to need some room. " * 4)
        show.finish(turn)
    bar = show.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 500 and bar.value() == bar.maximum(), timeout=30_000)
    bar.setValue(100)
    show.add_reply(99, "More and more text. " * 40)
    qtbot.wait(50)
    assert bar.value() == 100 and not show.is_following()
    show.follow()
    show.add_reply(99, "Even more text. " * 40)
    qtbot.waitUntil(lambda: bar.value() == bar.maximum(), timeout=30_000)


def test_bubbles_fit_narrow_and_wide(window: MainWindow, qtbot: QtBot) -> None:
    window.transcript.say_user(1, "Hi")
    window.transcript.add_reply(1, "A long answer, which needs several lines in a narrow window. " * 3)
    for size in (QSize(480, 560), QSize(1280, 800)):
        window.resize(size)
        column = min(size.width() - 40, theme.COLUMN_WIDTH)
        span = range(column - 20, size.width())
        while _rightmost(window) not in span:
            qtbot.wait(20)
        for label in window.transcript.findChildren(QLabel):
            if label.isVisible():
                assert label.height() >= label.heightForWidth(label.width())


def _rightmost(window: MainWindow) -> int:
    labels = [label for label in window.transcript.findChildren(QLabel) if label.isVisible()]
    return max(label.mapTo(window, QPoint(label.width(), 0)).x() for label in labels)


@pytest.mark.parametrize("model", list(Model))
@pytest.mark.parametrize("activity", ["idle", "listening", "thinking", "speaking"])
def test_every_situation_says_something(model: Model, activity: str) -> None:
    shown = line(Situation(model=model, activity=activity, problem="It broke."))
    assert shown.headline and shown.hint and shown.look in Look


def test_states_differ_by_more_than_colour(window: MainWindow) -> None:
    pictures = set()
    for look in Look:
        window.dock.orb.set_look(look)
        image = window.dock.orb.grab().toImage()
        ground = image.pixelColor(28, 11)
        ink = [(x, y) for x in range(14, 42) for y in range(14, 42) if _far(image.pixelColor(x, y), ground)]
        pictures.add(frozenset(ink))
    assert len(pictures) >= len(Look) - 1, "idle and speaking share the bars when nothing moves"


def _far(a: QColor, b: QColor) -> bool:
    return abs(a.lightness() - b.lightness()) > 40


def test_animation_rests_when_unseen_or_unwanted(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    orb = window.dock.orb
    window.show_activity("idle")
    assert not orb.is_moving()
    window.show_activity("thinking")
    assert orb.is_moving()
    window.hide()
    assert not orb.is_moving()
    window.show()
    assert orb.is_moving()
    monkeypatch.setattr(theme, "reduced_motion", lambda: True)
    window.show_activity("speaking")
    assert not orb.is_moving()


def test_everything_has_a_name_and_a_place_in_the_tab_order(window: MainWindow) -> None:
    seen = []
    widget: QWidget | None = window.dock.talk
    while widget is not None and widget not in seen:
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            seen.append(widget)
        widget = widget.nextInFocusChain()
        if len(seen) > 60:
            break
        if widget is window.dock.talk:
            break
    wanted = {window.dock.open_mic, window.dock.stop, window.dock.field, window.header.volume}
    assert wanted <= set(seen)
    assert seen.index(window.dock.open_mic) < seen.index(window.dock.stop) < seen.index(window.dock.field)
    for widget in [*seen, window.dock.orb, window.dock.meter]:
        interface = QAccessible.queryAccessibleInterface(widget)
        if widget.isVisible() and type(widget) is not QWidget:
            assert interface and interface.text(QAccessible.Text.Name), widget


@pytest.mark.parametrize("dress", [theme.LIGHT, theme.DARK])
def test_contrast(dress: theme.Colours) -> None:
    pairs = [
        (dress.text, dress.ground),
        (dress.text, dress.surface),
        (dress.muted, dress.ground),
        (dress.muted, dress.surface),
        (dress.on_accent, dress.accent),
        (dress.mine_text, dress.mine),
        (dress.surface, dress.danger),
        (dress.text, dress.danger_ground),
    ]
    for ink, ground in pairs:
        lighter, darker = sorted((_luminance(ink), _luminance(ground)), reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, (ink, ground)


def _luminance(colour: str) -> float:
    # Relative luminance of WCAG 2.2.
    c = QColor(colour)
    channels = (c.redF(), c.greenF(), c.blueF())
    parts = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in channels]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def test_dark_and_light_are_worn(qapp: QApplication, window: MainWindow) -> None:
    light = window.grab().toImage().pixelColor(4, 100)
    theme.apply(qapp, Qt.ColorScheme.Dark)
    dark = window.grab().toImage().pixelColor(4, 100)
    assert light.lightness() > 200 and dark.lightness() < 60


def test_window_comes_back_where_it_was(window: MainWindow) -> None:
    window.setGeometry(30, 40, 500, 600)
    saved = window.geometry_to_save()
    other = MainWindow()
    other.restore_geometry(saved)
    assert (other.width(), other.height()) == (500, 600)
    other.close()
    other.deleteLater()


def test_notices_come_and_go(window: MainWindow) -> None:
    window.show_notice("microphone", "No microphone was found.")
    window.show_notice("model", "The model was restarted.")
    assert window.dock.notices.text() == "No microphone was found.\nThe model was restarted."
    window.show_notice("microphone", "")
    assert window.dock.notices.text() == "The model was restarted."
    window.dock.notices.clear()
    assert not window.dock.notices.isVisible()


def test_transcript_log_is_json_lines(tmp_path: Path) -> None:
    log = TranscriptLog(tmp_path / "log.jsonl")
    log.add(Entry(1, Side.USER, "Grüße?\nzwei"))
    log.add(Entry(1, Side.ASSISTANT, "Hello", True))
    lines = [json.loads(x) for x in (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(x["who"], x["text"], x["interrupted"]) for x in lines] == [
        ("user", "Grüße?\nzwei", False),
        ("assistant", "Hello", True),
    ]
