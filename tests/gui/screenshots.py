"""Renders the window with a sample conversation: `python -m tests.gui.screenshots [FOLDER]`."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np
from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtGui import QFont, QFontDatabase
from PySide6.QtWidgets import QApplication

from app.audio.catalogue import DeviceName, Found
from app.audio.check import Findings
from app.gui import theme, translation
from app.gui.desktop.hotkey import Hotkey
from app.gui.models import rows
from app.gui.models.rows import Use
from app.gui.models.window import ModelsWindow
from app.gui.preferences.dialog import PreferencesWindow
from app.gui.report.dialog import ReportWindow
from app.gui.soundcheck.dialog import SoundCheckWindow
from app.gui.studio.window import StudioWindow
from app.gui.window import MainWindow
from app.history.records import Summary
from app.hub import catalogue
from app.hub.download import Progress
from app.hub.jobs import Job, Kind
from app.hub.library import Entry, State
from app.settings import Language, Settings, Theme
from app.voices.checks import check
from app.voices.choose import CHOSEN_S, best_start
from app.voices.clip import FRAME, FRAME_S, Clip

VOICES = ("ada", "felix", "greta", "june", "otto", "sam")
FONTS = ("Inter", "Cantarell", "Noto Sans", "Open Sans", "DejaVu Sans")
# The pictures of the window in another language than English are marked with it.
MARKS = {Language.ENGLISH: "", Language.CHINESE: "-zh"}
# Question, answer, and what was heard of it where it was cut short.
CONVERSATION = (
    ("What's the capital of France?", "The capital of France is Paris, on the river Seine.", None),
    ("Where does that river go?", "The Seine flows north west and joins the sea near Le Havre.", None),
    (
        "I'm bored, what can I do?",
        "You could bake something, call an old friend, or learn a song by heart.",
        "You could bake something, call an old",
    ),
    ("Tell me a joke", "What do you call a sleeping bull? A bulldozer.", None),
)
HOUR_S = 3600.0
KEPT = (
    ("What's the capital of France?", 0.0),
    ("Why are my plant's leaves turning yellow?", 3.0),
    ("Tell me a riddle", 26.0),
    ("How do I get more sleep?", 75.0),
    ("When did people first land on the moon?", 100.0),
    ("Ideas for the weekend", 300.0),
)


def sample(size: QSize, empty: bool = False, sidebar: bool = False) -> MainWindow:
    """A window of `size` with the sample conversation, or before the first question; with the list or without."""
    window = MainWindow()
    window.resize(size)
    window.dock.meter.set_live(True)
    window.show_microphone_level(-26.0)
    window.show_ready(VOICES, "ada")
    if not empty:
        for turn, (question, answer, heard) in enumerate(CONVERSATION):
            window.transcript.say_user(turn, question)
            window.transcript.add_reply(turn, answer)
            if turn < len(CONVERSATION) - 1:
                window.transcript.finish(turn, heard is not None, heard, sound=True)
        window.show_activity("speaking")
    now = time.time()
    rows = [Summary(title, title, now - hours * HOUR_S, now - hours * HOUR_S) for title, hours in KEPT]
    window.sidebar.show_list(rows, None if empty else rows[0].id)
    window.show_sidebar(sidebar)
    return window


def settings_pages(folder: Path, theme_wanted: Theme, mark: str = "") -> None:
    """A picture of each page of the settings; `mark` goes into the names of the files."""
    desk, speakers = DeviceName("Built-in microphone", "ALSA"), DeviceName("Built-in speakers", "ALSA")
    window = PreferencesWindow()
    window.show_settings(Settings(theme=theme_wanted))
    window.sound.show_found(Found((desk,), (speakers,), desk, speakers))
    window.desktop.show_hotkey(Hotkey().sentence())
    window.desktop.show_tray(True)
    window.show()
    names = ("sound", "conversation", "appearance", "answers", "larger-model", "desktop", "privacy")
    for row, name in enumerate(names):
        window.list.setCurrentRow(row)
        settle()
        window.grab().save(str(folder / f"settings-{name}{mark}-{theme_wanted}.png"))
    window.close()
    window.deleteLater()


def sample_clip() -> Clip:
    """Something that looks like six seconds of speech after a moment of silence."""
    drawn = np.random.default_rng(4)
    count = round(7 / FRAME_S)
    syllables = np.abs(np.sin(np.arange(count) * 0.42)) * np.abs(np.sin(np.arange(count) * 0.05 + 0.3)) ** 0.5
    speech = np.arange(count) >= round(0.8 / FRAME_S)
    loud = np.where(speech, 0.02 + syllables * drawn.uniform(0.5, 1.0, count), 0.01)
    samples = (0.4 * np.repeat(loud, FRAME) * drawn.uniform(-1, 1, count * FRAME)).astype(np.float32)
    level = (20 * np.log10(0.23 * loud)).astype(np.float32)
    return Clip(samples, speech, level, np.zeros(count, bool))


def voices(folder: Path, dress: str, mark: str = "") -> None:
    """Pictures of the voice menu and of the voice studio, empty and with a clip."""
    window = sample(QSize(880, 720))
    window.show_ready((*VOICES, "Grandma", "Me in the morning"), "Grandma", ("Grandma", "Me in the morning"))
    window.show()
    panel = window.header.voices.panel
    panel.show_preview("felix", False, True)
    panel.open_under(window.header.voices)
    settle()
    panel.grab().save(str(folder / f"voices{mark}-{dress}.png"))
    panel.hide()
    studio = StudioWindow(window)
    studio.show_able(True)
    studio.show_microphone(True)
    studio.show()
    clip = sample_clip()
    studio.show_clip(clip, best_start(clip), CHOSEN_S, check(clip))
    studio.show_ready_to_record()
    studio.name.setText("Grandma")
    studio.consent.setChecked(True)
    studio.name.setFocus()
    settle()
    studio.grab().save(str(folder / f"studio{mark}-{dress}.png"))
    studio.close()
    window.close()
    window.deleteLater()


def small_windows(folder: Path, dress: str, mark: str = "") -> None:
    """The sound check with its result, and what is said before a report is written."""
    check = SoundCheckWindow()
    check.show_level(-30.0)
    check.show_findings(Findings(-62.3, 0.0, 0.084, -31.2, -66.0), in_use=False)
    report = ReportWindow(CONVERSATION[0][0], 12.3)
    for name, window in (("sound-check", check), ("report", report)):
        window.show()
        settle()
        window.grab().save(str(folder / f"{name}{mark}-{dress}.png"))
        window.close()
        window.deleteLater()


def sample_models() -> ModelsWindow:
    """The models as somebody sees them who downloads one and uses the other."""
    known = catalogue.load()
    dense, moe = (known.models[id] for id in ("minimind-3o", "minimind-3o-moe"))
    starter = Entry("starter", "Banter starter", State.HERE, Path(), 72_000_000, is_starter=True)
    first = Entry(dense.id, dense.title, State.HERE, Path(), 1_092_000_000, 0, tuple(known.packages(dense)), True)
    second = Entry(moe.id, moe.title, State.PARTIAL, Path(), 630_000_000, 1, tuple(known.packages(moe)), True)
    now = Progress(212_000_000, 631_000_000, "pytorch_model.bin", 209_000_000, 629_000_000)
    job = Job(moe.id, Kind.DOWNLOAD, running=True, progress=now, speed=3.4e6, seconds_left=123.0)
    window = ModelsWindow()
    window.show_settings(Settings())
    disk = QCoreApplication.translate("Models", "Downloaded models take {used}; {free} of the disk are free.")
    window.show_disk(disk.format(used="1.3 GB", free="52.3 GB"))
    window.show_rows(
        (
            rows.row(starter, None, Use.NO, offline=False),
            rows.row(first, None, Use.YES, offline=False),
            rows.row(second, job, Use.NO, offline=False),
        )
    )
    return window


def models(folder: Path, dress: str, mark: str = "") -> None:
    """The window of the models."""
    window = sample_models()
    window.show()
    settle()
    window.grab().save(str(folder / f"models{mark}-{dress}.png"))
    window.close()
    window.deleteLater()


def settle() -> None:
    """Let Qt lay everything out."""
    for _ in range(20):
        QApplication.processEvents()


def main(folder: Path) -> None:
    """Write one picture for each case to `folder`."""
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    family = next((name for name in FONTS if name in QFontDatabase.families()), None)
    if family:
        app.setFont(QFont(family, 10))
    folder.mkdir(parents=True, exist_ok=True)
    for language, mark in MARKS.items():
        translation.install(app, language)
        for scheme in (Qt.ColorScheme.Light, Qt.ColorScheme.Dark):
            theme.apply(app, scheme)
            pictures(folder, scheme.name.lower(), mark)


def pictures(folder: Path, dress: str, mark: str) -> None:
    """Everything in the dress and the language that are in force."""
    for name, size, empty, sidebar in (
        ("conversation", QSize(880, 720), False, False),
        ("conversations", QSize(1100, 720), False, True),
        ("welcome", QSize(880, 720), True, False),
    ):
        window = sample(size, empty, sidebar)
        window.show()
        settle()
        window.transcript.follow()
        QApplication.processEvents()
        window.grab().save(str(folder / f"{name}{mark}-{dress}.png"))
        window.close()
        window.deleteLater()
        QApplication.processEvents()
    settings_pages(folder, Theme(dress), mark)
    voices(folder, dress, mark)
    small_windows(folder, dress, mark)
    models(folder, dress, mark)


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "assets/screenshots"))
