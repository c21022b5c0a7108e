"""What eyes need: contrast, a visible focus, nothing outside its window, also with long words and on a low screen."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from app.audio.check import Findings
from app.gui import theme
from app.gui.preferences.dialog import PreferencesWindow
from app.gui.report.dialog import ReportWindow
from app.gui.soundcheck.card import OfferCard
from app.gui.soundcheck.dialog import SoundCheckWindow
from app.gui.studio.window import StudioWindow
from app.gui.window import MINIMUM, MainWindow
from app.settings import Settings
from app.voices.checks import check
from app.voices.choose import CHOSEN_S
from tests.gui.screenshots import sample, sample_clip, settle

LONG_NAME = "Grandmother Wilhelmina from Llanfairpwll"
LONG_WORD = 2 * "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft"
FOUND = Findings(-62.3, 0.0, 0.084, -31.2, -66.0)


@pytest.fixture(params=[Qt.ColorScheme.Light, Qt.ColorScheme.Dark], ids=["light", "dark"])
def dress(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[theme.Colours]:
    """Each dress in turn."""
    yield theme.apply(qapp, request.param)
    theme.apply(qapp, Qt.ColorScheme.Light)


def contrast(one: QColor | str, other: QColor | str) -> float:
    """The contrast ratio of WCAG 2.2, from 1 to 21."""
    lighter, darker = sorted((_luminance(QColor(one)), _luminance(QColor(other))), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: QColor) -> float:
    channels = (colour.redF(), colour.greenF(), colour.blueF())
    parts = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in channels]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def test_what_tells_something_stands_out(dress: theme.Colours) -> None:
    c = dress
    for ink, ground in (
        (c.danger, c.surface),
        (c.danger, c.ground),
        (c.danger, c.danger_ground),
        (c.text, c.raised),
        (c.text, c.danger_ground),
        (c.on_accent, c.accent_hover),
        (c.muted, c.surface),
    ):
        assert contrast(ink, ground) >= 4.5, (ink, ground)
    # Edges of controls, and the ring of the focus.
    for edge, ground in ((c.accent, c.surface), (c.accent, c.ground), (c.muted, c.surface), (c.muted, c.raised)):
        assert contrast(edge, ground) >= 3.0, (edge, ground)


def test_hints_in_empty_fields_can_be_read(dress: theme.Colours, qtbot: QtBot) -> None:
    studio, window = StudioWindow(), MainWindow()
    for one in (studio, window):
        qtbot.addWidget(one)
        one.show()
        for field in one.findChildren(QLineEdit):
            if field.placeholderText():
                ink = field.palette().placeholderText().color()
                assert ink.alpha() == 255 and contrast(ink, dress.ground) >= 4.5, field.placeholderText()


def visible(window: QWidget) -> list[QWidget]:
    return [widget for widget in window.findChildren(QWidget) if widget.isVisible() and widget.window() is window]


def everything() -> list[QWidget]:
    """All windows, with what can be focused in them."""
    main = sample(MINIMUM)
    main.offers.addWidget(OfferCard())
    main.show_notice("microphone", "No microphone was found.", retry=True)
    beside = sample(MINIMUM + MINIMUM, sidebar=True)
    preferences, sound_check, studio = PreferencesWindow(), SoundCheckWindow(), StudioWindow()
    preferences.show_settings(Settings(temperature=0.7, seed=1, hotkey="Ctrl+Alt+Space"))
    sound_check.show_findings(FOUND, in_use=False)
    clip = sample_clip()
    studio.show_able(True)
    studio.show_clip(clip, 0.0, CHOSEN_S, check(clip))
    studio.name.setText(LONG_NAME)
    return [main, beside, preferences, sound_check, studio, ReportWindow("How are you?", 12.3)]


def picture(window: QWidget, box: QRect) -> NDArray[np.int16]:
    """The pixels of a part of `window`: rows, columns, blue, green and red."""
    for _ in range(3):
        QApplication.processEvents()
    image = window.grab(box).toImage().convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return rows[:, : image.width(), :3].astype(np.int16)


def test_the_focus_is_seen_wherever_the_keyboard_leads(dress: theme.Colours, qtbot: QtBot) -> None:
    for window in everything():
        qtbot.addWidget(window)
        window.show()
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        pages = range(window.list.count()) if isinstance(window, PreferencesWindow) else range(1)
        for page in pages:
            if isinstance(window, PreferencesWindow):
                window.list.setCurrentRow(page)
                settle()
            stops = [w for w in visible(window) if w.focusPolicy() & Qt.FocusPolicy.TabFocus and w.isEnabled()]
            # Those that hand it on to another one.
            stops = [w for w in stops if w.focusProxy() is None and w.objectName() != "qt_spinbox_lineedit"]
            assert stops
            for stop in stops:
                _bring_into_view(stop)
                box = QRect(stop.mapTo(window, QPoint(-4, -4)), stop.size()).adjusted(0, 0, 8, 8)
                stop.setFocus(Qt.FocusReason.TabFocusReason)
                with_it = picture(window, box)
                stop.clearFocus()
                without = picture(window, box)
                changed = int((np.abs(with_it - without).max(axis=2) > 60).sum())
                assert changed >= 20, (type(window).__name__, stop, stop.accessibleName())
        window.close()


def _bring_into_view(widget: QWidget) -> None:
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, QScrollArea) and parent.isAncestorOf(widget):
            parent.ensureWidgetVisible(widget)
        parent = parent.parentWidget()
    settle()


def test_a_long_name_leaves_room_for_what_stands_beside_it(qtbot: QtBot) -> None:
    window = sample(MINIMUM)
    qtbot.addWidget(window)
    window.show_ready(("ada", "Tom & Jerry", LONG_NAME), LONG_NAME, ("Tom & Jerry", LONG_NAME))
    window.show()
    panel = window.header.voices.panel
    panel.open_under(window.header.voices)
    settle()
    for name, row in panel.rows.items():
        assert row.preview.mapTo(panel, QPoint(row.preview.width(), 0)).x() <= panel.width(), name
        assert row.choose.width() >= row.choose.minimumSizeHint().width(), name
    assert panel.rows[LONG_NAME].choose.text().endswith("…")
    assert panel.rows[LONG_NAME].choose.toolTip() == LONG_NAME
    assert panel.rows["Tom & Jerry"].choose.text() == "Tom && Jerry", "not the mark of a shortcut"
    panel.hide()


def test_a_word_wider_than_its_bubble_is_broken_and_copied_whole(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(MINIMUM)
    window.transcript.say_user(1, f"What is a {LONG_WORD}?")
    settle()
    label = next(one for one in window.transcript.findChildren(QLabel) if "What is a" in one.text())
    shown = label.grab().toImage()
    # Nothing of it is at the very edge.
    ground = shown.pixelColor(shown.width() - 1, 0)
    edge = [shown.pixelColor(shown.width() - 1, y) for y in range(shown.height())]
    assert all(contrast(ink, ground) < 2 for ink in edge), "cut off"
    assert label.height() > 2.5 * label.fontMetrics().height()
    label.setFocus()
    label.setSelection(0, len(label.text()))
    qtbot.keyClick(label, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == f"What is a {LONG_WORD}?"
    assert window.transcript.entries()[0].text == f"What is a {LONG_WORD}?"


def test_what_can_be_done_with_a_message_is_within_the_window(window: MainWindow) -> None:
    window.resize(MINIMUM)
    window.transcript.say_user(1, "Talk at length")
    window.transcript.add_reply(1, "An answer that is long enough to need all of the room. " * 4)
    window.transcript.finish(1, sound=True)
    settle()
    transcript = window.transcript
    for bubble in transcript._bubbles:
        transcript._actions.visit(bubble)
        settle()
        box = QRect(transcript._actions.mapTo(bubble, QPoint(0, 0)), transcript._actions.size())
        assert bubble.rect().contains(box)


def test_all_of_a_long_problem_is_shown_in_a_small_window_with_large_text(qapp: QApplication, qtbot: QtBot) -> None:
    theme.set_text_scale(qapp, 1.5)
    theme.apply(qapp, Qt.ColorScheme.Light)
    try:
        window = MainWindow()
        qtbot.addWidget(window)
        window.resize(MINIMUM)
        window.show_model_failed("/home/ada/models/one/config.json is missing: this is not a model folder. " * 2)
        window.show_notice("model", "The model did not start; below it says why. When that has been dealt with, try.")
        window.show()
        settle()
        for label in window.dock.findChildren(QLabel):
            if label.isVisible() and label.wordWrap():
                assert label.height() >= label.heightForWidth(label.width()), label.text()
    finally:
        theme.set_text_scale(qapp, 1.0)
        theme.apply(qapp, Qt.ColorScheme.Light)


def test_on_a_low_screen_the_buttons_stay_in_sight(
    qapp: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_window = SoundCheckWindow()
    report = ReportWindow(f"What is a {LONG_WORD}?", 12.3)
    low = QRect(0, 0, 640, 300)
    for window, button in ((check_window, check_window.use), (report, report.save)):
        qtbot.addWidget(window)

        class Screen:
            @staticmethod
            def availableGeometry() -> QRect:
                return low

        monkeypatch.setattr(type(window), "screen", lambda self: Screen())
        if window is check_window:
            check_window.show_findings(FOUND, in_use=False)
        window.fit()
        window.show()
        settle()
        assert window.height() <= low.height() and window.width() <= low.width()
        assert window.rect().contains(QRect(button.mapTo(window, QPoint(0, 0)), button.size()))
        scroll = window.findChild(QScrollArea)
        assert isinstance(scroll, QScrollArea) and scroll.verticalScrollBar().maximum() > 0
