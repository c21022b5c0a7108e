"""The window in other languages: every word is translated, none is cut off, and none is left bare in the source."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from app import paths
from app.audio.check import Findings, Reason, Step, Trouble, Way
from app.audio.devices import explain
from app.conversation import answer, machine, self_echo
from app.conversation.latency import Part, Start
from app.engine import factory, host
from app.gui import latency, theme, translation
from app.gui.models.answers import AnswersDialog
from app.gui.models.licences import LicencesDialog
from app.gui.preferences.dialog import PreferencesWindow
from app.gui.preferences.page import without_shortcut
from app.gui.report.dialog import ReportWindow
from app.gui.sentences import shown
from app.gui.soundcheck import words
from app.gui.soundcheck.dialog import SoundCheckWindow
from app.gui.status import Model, Situation, line
from app.gui.studio.window import StudioWindow
from app.gui.window import MINIMUM, MainWindow
from app.history import keeper
from app.hub import catalogue
from app.settings import Answering, Language, Settings
from app.voices.checks import check as quality
from app.voices.choose import CHOSEN_S
from tests.gui.screenshots import sample, sample_clip, sample_models, settle

REPOSITORY = Path(__file__).resolve().parents[2]
TABLE = paths.translations_dir() / "banter_zh_CN.ts"
PLACE = re.compile(r"\{\w*\}|%n|%\d")
HAN = re.compile(r"[\u4e00-\u9fff]")


@pytest.fixture
def chinese(qapp: QApplication) -> Iterator[None]:
    """The window's words are Chinese."""
    assert translation.install(qapp, Language.CHINESE) == Language.CHINESE
    yield
    translation.install(qapp, Language.ENGLISH)
    QLocale.setDefault(QLocale.system())


@pytest.fixture(params=list(translation.NAMES))
def language(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[Language]:
    """Each language in turn."""
    assert translation.install(qapp, request.param) == request.param
    yield request.param
    translation.install(qapp, Language.ENGLISH)
    QLocale.setDefault(QLocale.system())


@pytest.fixture(params=[1.0, 2.0])
def scale(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[float]:
    """Text as the system has it, and twice as large."""
    theme.set_text_scale(qapp, request.param)
    theme.apply(qapp, Qt.ColorScheme.Light)
    yield request.param
    theme.set_text_scale(qapp, 1.0)
    theme.apply(qapp, Qt.ColorScheme.Light)


# --- the table


def messages() -> list[tuple[str, str, ElementTree.Element]]:
    """Context, source and translation of everything in the table."""
    found = []
    for context in ElementTree.parse(TABLE).getroot().iter("context"):
        for message in context.iter("message"):
            source, target = message.findtext("source"), message.find("translation")
            assert source and target is not None
            found.append((context.findtext("name") or "", source, target))
    return found


def test_everything_is_translated_with_the_same_places() -> None:
    for context, source, target in messages():
        text = "".join(target.itertext()).strip()
        assert target.get("type") is None and text, f"{context}: {source!r} is not translated"
        assert sorted(PLACE.findall(text)) == sorted(PLACE.findall(source)), f"{context}: {source!r}, {text!r}"
        if ("&" in source) and "Privacy & Security" not in source:
            key = re.search(r"&(\w)", source)
            assert key and f"(&{key[1].upper()})" in text, f"{source!r} keeps its key: {text!r}"


def test_translations_end_as_sentences_of_their_own_language_do() -> None:
    for _, source, target in messages():
        text = "".join(target.itertext()).strip()
        if HAN.search(text):
            assert not re.search(r"[\u4e00-\u9fff][,.:;?!]", text), text
            assert text.endswith("。") == source.endswith("."), f"{source!r}: {text!r}"


def refreshed(tmp_path: Path) -> Path:
    """The table as `packaging/translations.py` would leave it."""
    copy = tmp_path / TABLE.name
    copy.write_bytes(TABLE.read_bytes())
    script = REPOSITORY / "packaging" / "translations.py"
    subprocess.run([sys.executable, str(script), str(tmp_path)], check=True, timeout=120)
    return copy


def test_the_table_and_what_is_loaded_are_those_of_the_source(tmp_path: Path) -> None:
    copy = refreshed(tmp_path)
    assert copy.read_text(encoding="utf-8") == TABLE.read_text(encoding="utf-8"), "run packaging/translations.py"
    assert copy.with_suffix(".qm").read_bytes() == TABLE.with_suffix(".qm").read_bytes()


# --- which language


@pytest.mark.parametrize(
    ("languages", "wanted"),
    [
        (["zh-Hans-CN", "en-US"], Language.CHINESE),
        (["zh-CN"], Language.CHINESE),
        (["zh"], Language.CHINESE),
        (["zh-Hant-TW", "zh-TW"], Language.ENGLISH),
        (["de-DE", "zh-Hans-CN"], Language.CHINESE),
        (["en-GB", "zh-CN"], Language.ENGLISH),
        ([], Language.ENGLISH),
    ],
)
def test_the_language_is_the_first_of_the_system_that_is_known(languages: list[str], wanted: Language) -> None:
    assert translation.of_system(languages) == wanted


def test_without_its_file_the_window_is_in_english(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(paths, "translations_dir", lambda: tmp_path)
    try:
        assert translation.install(qapp, Language.CHINESE) == Language.ENGLISH
        assert line(Situation(Model.READY)).headline == "Ready"
        assert "banter_zh_CN" in caplog.text and str(tmp_path) in caplog.text
    finally:
        translation.install(qapp, Language.ENGLISH)
        QLocale.setDefault(QLocale.system())


# --- the windows


def windows() -> list[QWidget]:
    """All that the user sees most, with long words in it."""
    main = sample(MINIMUM, sidebar=False)
    empty = sample(MINIMUM, empty=True)
    preferences = PreferencesWindow()
    preferences.show_settings(Settings())
    check = SoundCheckWindow()
    check.show_findings(Findings(-62.3, 0.0, 0.084, -31.2, -66.0), in_use=False)
    studio, clip = StudioWindow(), sample_clip()
    studio.show_able(True)
    studio.show_clip(clip, 0.0, CHOSEN_S, quality(clip))
    known = catalogue.load()
    model = known.models["minimind-3o"]
    licences = LicencesDialog(model.title, known.packages(model))
    manner = AnswersDialog(model.title, Answering(0.7, "You are a pirate.", 3), has_system=True)
    report = ReportWindow("How are you?", 12.3)
    return [main, empty, preferences, check, report, studio, sample_models(), licences, manner]


def text_of(widget: QWidget) -> str:
    return without_shortcut(widget.text()) if isinstance(widget, QLabel | QAbstractButton) else ""


def test_the_main_controls_are_in_chinese(chinese: None, qapp: QApplication, qtbot: QtBot) -> None:
    window = MainWindow()
    qtbot.addWidget(window)
    window.show_ready(("ada",), "ada")
    dock = window.dock
    assert dock.talk.text() == "按住说话" and dock.status_text().startswith("就绪")
    assert dock.field.placeholderText() == "或者输入问题" and dock.stop.toolTip() == "停止回答 (Esc)"
    assert window.header.settings.accessibleName() == "设置"
    for widget in window.findChildren(QWidget):
        for text in (widget.toolTip(), widget.accessibleName(), text_of(widget)):
            # Names, and the questions for a model that knows English.
            known = text.strip() in ("", "Banter", "Ada", *window.welcome.questions())
            assert known or HAN.search(text), f"{text!r} of {widget}"
    settings = PreferencesWindow()
    qtbot.addWidget(settings)
    settings.go_to(settings.look)
    assert settings.windowTitle() == "设置" and settings.look.language.accessibleName() == "语言"
    # Qt's own words, and its dates.
    box = QMessageBox(QMessageBox.Icon.Warning, "", "", QMessageBox.StandardButton.Cancel)
    qtbot.addWidget(box)
    assert box.button(QMessageBox.StandardButton.Cancel).text() == "取消"
    assert QLocale().dayName(1) == "星期一"


def test_the_language_is_chosen_in_the_settings(qapp: QApplication, qtbot: QtBot) -> None:
    settings = PreferencesWindow()
    qtbot.addWidget(settings)
    settings.show_settings(Settings())
    changes: list[dict[str, object]] = []
    settings.changed.connect(changes.append)
    choice = settings.look.language
    assert choice.value() == Language.SYSTEM
    choice.button(Language.CHINESE).click()
    assert changes == [{"language": Language.CHINESE}] and choice.button(Language.CHINESE).text() == "简体中文"


def test_nothing_is_cut_off(language: Language, scale: float, qapp: QApplication, qtbot: QtBot) -> None:
    for window in windows():
        qtbot.addWidget(window)
        window.show()
        pages = range(window.list.count()) if isinstance(window, PreferencesWindow) else range(1)
        for page in pages:
            if isinstance(window, PreferencesWindow):
                window.list.setCurrentRow(page)
            settle()
            for widget in window.findChildren(QWidget):
                if widget.isVisible() and text_of(widget):
                    assert_room(widget)
        window.close()


def assert_room(widget: QWidget) -> None:
    """`widget` shows all of its words."""
    if isinstance(widget, QLabel) and widget.wordWrap():
        assert widget.height() >= widget.heightForWidth(widget.width()), widget.text()
        words = [] if HAN.search(widget.text()) else widget.text().split()
        longest = max(map(widget.fontMetrics().horizontalAdvance, words), default=0)
        assert widget.width() >= longest, widget.text()
    elif isinstance(widget, QLabel | QAbstractButton):
        needed = widget.minimumSizeHint()
        assert widget.width() >= needed.width() and widget.height() >= needed.height(), text_of(widget)


# --- sentences from below


def test_sentences_from_below_are_translated(chinese: None) -> None:
    said = [
        answer.NO_ANSWER,
        machine.NO_SPEECH,
        str(explain(ValueError("Device unavailable [PaErrorCode -9985]"), "loudspeaker")),
        str(explain(ValueError("Illegal combination [PaErrorCode -9978]"), "microphone")),
        factory.failure_sentence(MemoryError(), "loading the model"),
        keeper.sentence(OSError(28, "No space left on device")),
        host._GAVE_UP,
    ]
    for sentence in said:
        assert HAN.search(shown(sentence)), sentence
        assert not re.search(r"[a-z]+ [a-z]+ [a-z]+", shown(sentence)), shown(sentence)
    assert shown(said[2]).startswith("扬声器正被其他程序使用")
    inner = "/m/config.json is missing: this is not a model folder."
    assert shown(f"The model folder /m cannot be used: {inner}").startswith("模型文件夹 /m 无法使用")
    assert shown(f"The model folder /m cannot be used: {inner}").endswith(shown(inner))
    assert shown(
        "Some of your settings were not valid and were reset: mode, keep. The old file is kept as /s.bad."
    ) == (
        "部分设置无效，已重置：mode, keep。旧文件已保留为 /s.bad。"  # noqa: RUF001
    )
    assert shown("Something that nobody foresaw {0}.") == "Something that nobody foresaw {0}."


def test_in_english_sentences_stay_as_they_are(qapp: QApplication) -> None:
    for sentence in (machine.NO_SPEECH, self_echo.REASON, host._GAVE_UP, ""):
        assert shown(sentence) == sentence


# --- all that depends on a case


def test_no_case_is_left_out(chinese: None) -> None:
    found = Findings(-62.3, 0.0, 0.084, -31.2, -66.0)
    said = [words.step(one) for one in Step] + [words.trouble(one) for one in Trouble]
    said += [words.headline(one) for one in Way] + [words.reason(one, found) for one in Reason]
    said += [name for name, _ in words.facts(found)]
    said += [latency.name(one) for one in Part] + [latency.origin(one) for one in Start]
    assert all(HAN.search(text) for text in said)
