"""A spoken turn with real devices, told by its latency and its report; and the sound check of the same window.

    tests/tools/virtual_audio.sh run -- python -m pytest -m live tests/live/test_reported_turn.py

The window is in this process, so that what it holds can be looked at. The engine is scripted.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import qasync
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app import settings
from app.ask import Model
from app.audio.devices import LATENCY_VARIABLE
from app.conversation.latency import Part, Start
from app.gui import theme
from app.gui.bubble import Bubble
from app.replay import bundle
from app.replay.files import Job, replay
from tests.gui.conftest import loop
from tests.gui.scripted_engine import FACTORY
from tests.gui.test_assistant import Desk
from tests.live.room import QUESTION

pytestmark = [pytest.mark.live, pytest.mark.slow]
__all__ = ["loop"]


@pytest.fixture
def desk(
    qapp: QApplication, qtbot: QtBot, loop: qasync.QEventLoop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Desk]:
    # With the usual buffers a busy machine loses samples, and this is not a test of that.
    monkeypatch.setenv(LATENCY_VARIABLE, "300")
    theme.apply(qapp, Qt.ColorScheme.Light)
    desk = Desk(loop, qtbot, tmp_path, settings.Settings(mode=settings.Mode.OPEN_MIC))
    yield desk
    desk.assistant.close()
    desk.window.close()


def say(folder: Path, text: str) -> subprocess.Popen[bytes]:
    file = folder / "say.wav"
    subprocess.run(["espeak-ng", "-v", "en-us", "-s", "150", "-w", str(file), text], check=True)
    return subprocess.Popen(["paplay", "-d", "va_mic_in", str(file)])


def test_a_spoken_turn_is_reported_and_replayed(desk: Desk, tmp_path: Path) -> None:
    devices = desk.assistant._devices
    desk.until(lambda: desk.ready() and devices.microphone_open and devices.playback.is_open)
    voice = say(tmp_path, QUESTION)
    desk.until(lambda: len(desk.entries()) == 2)
    desk.until(lambda: desk.ready() and desk.assistant.reporter.reportable(desk.entries()[-1]))
    voice.wait(timeout=60)
    bubble = desk.window.transcript.findChildren(Bubble)[-1]
    latency = bubble.latency
    assert latency is not None and latency.heard and latency.start == Start.VOICE
    parts = dict(latency.parts)
    print(parts, latency.total_ms, latency.overlap_ms)
    assert parts[Part.ENDPOINT] > 0.0 and parts[Part.DEVICE] > 0.0 and min(parts.values()) >= 0.0
    report = desk.assistant.reporter.report()
    sound = report.sound
    assert sound is not None and sound.cancelled
    assert np.abs(sound.clean).max() > 0.05 and np.abs(sound.reference).max() > 0.05
    file, events = tmp_path / "report.zip", tmp_path / "events.json"
    bundle.write(report, file)
    replay(Job(file, events=events, tail_s=60.0), Model(tmp_path, 1, FACTORY))
    compared = json.loads(events.read_text(encoding="utf-8"))["compared"]
    print(compared)
    assert compared["same_words"]
    assert compared["events"]["differ_at"] is None and "confirm_turn" in compared["events"]["now"]


def test_the_check_of_a_dead_microphone_names_it(desk: Desk) -> None:
    devices = desk.assistant._devices
    desk.until(lambda: desk.ready() and devices.microphone_open and devices.playback.is_open)
    desk.assistant.sound_check.open()
    dialog = desk.assistant.sound_check.dialog
    assert dialog is not None
    QTest.mouseClick(dialog.start, Qt.MouseButton.LeftButton)
    desk.until(lambda: dialog.result_text() != "")
    assert "gives no sound at all" in dialog.result_text()
    dialog.close()
