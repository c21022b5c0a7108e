"""Below an answer: how long it took. In its menu: a report of the turn, which a replay runs again."""

from __future__ import annotations

import json
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from app.ask import Model
from app.audio.capture import MicChunk
from app.conversation.latency import Part, Start
from app.gui.bubble import Bubble, Entry
from app.gui.latency import LatencyLine
from app.omni.turn import INPUT_RATE
from app.replay import bundle
from app.replay.files import Job, replay
from tests.gui.scripted_engine import FACTORY
from tests.gui.test_assistant import Desk, desk, without_devices

__all__ = ["desk", "without_devices"]


def answered(desk: Desk, text: str) -> Entry:
    """Ask and wait for the whole answer."""
    desk.until(desk.ready)
    count = len(desk.entries())
    desk.ask(text)
    desk.until(lambda: len(desk.entries()) == count + 2 and desk.ready())
    entry = desk.entries()[-1]
    desk.until(lambda: desk.assistant.reporter.reportable(entry))
    return entry


def last_bubble(desk: Desk) -> Bubble:
    return desk.window.transcript.findChildren(Bubble)[-1]


def menu_of(desk: Desk) -> list[str]:
    """The entries of the last message's menu, which is closed again."""
    bubble = last_bubble(desk)
    bubble.menu_wanted.emit(bubble.mapToGlobal(bubble.frame_box().center()))
    (menu,) = [menu for menu in desk.window.findChildren(QMenu) if menu.isVisible()]
    texts = [action.text().replace("&", "") for action in menu.actions() if action.text()]
    menu.close()
    return texts


def test_the_time_of_an_answer_stands_below_it_where_it_is_wanted(desk: Desk) -> None:
    begun = time.monotonic()
    answered(desk, "hello")
    bubble = last_bubble(desk)
    latency = bubble.latency
    assert latency is not None and latency.start == Start.TYPED and not latency.heard
    assert Part.ENDPOINT not in dict(latency.parts) and Part.DEVICE not in dict(latency.parts)
    assert 0.0 < latency.total_ms < 1000 * (time.monotonic() - begun)
    assert not bubble.findChildren(LatencyLine) and "ready after" in bubble.toolTip()
    height = bubble.height()
    desk.assistant.preferences.change({"show_latency": True})
    (line,) = bubble.findChildren(LatencyLine)
    assert line.isVisible() and not line.is_open() and bubble.height() > height
    closed = bubble.height()
    line.open()
    assert bubble.height() > closed + 40
    answered(desk, "and now")
    assert [one.isVisible() for one in last_bubble(desk).findChildren(LatencyLine)] == [True]
    desk.assistant.preferences.change({"show_latency": False})
    assert not any(one.isVisible() for one in desk.window.findChildren(LatencyLine))


def test_a_report_of_a_typed_turn_is_replayed(
    desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answered(desk, "a secret of the turn before")
    entry = answered(desk, "how are you")
    assert menu_of(desk) == ["Copy", "Say that again", "Where the time went", "Report this turn…"]
    file = tmp_path / "report.zip"
    reporter = desk.assistant.reporter
    reporter.open(entry)
    desk.assistant.reporter.save(reporter.report(), file)
    desk.until(file.exists)
    with zipfile.ZipFile(file) as content:
        everything = b"".join(content.read(name) for name in content.namelist())
        about = json.loads(content.read("report.json"))
    assert b"secret" not in everything and str(Path.home()).encode() not in everything
    assert about["turn"]["question"] == "how are you" and about["turn"]["earlier"] == 1
    assert about["sound"] is None and about["versions"]["python"]
    events = tmp_path / "events.json"
    replay(Job(file, events=events), Model(tmp_path, 1, FACTORY))
    compared = json.loads(events.read_text(encoding="utf-8"))["compared"]
    assert compared["same_words"] and compared["answer"]["now"] == "You said: how are you"
    then, now = compared["events"]["then"], compared["events"]["now"]
    # There is a loudspeaker on the virtual clock, and there was none in the room.
    playback = {"begin_playback", "end_playback", "stop_playback"}
    assert [event for event in now if event not in playback] == then
    assert "not in the report" in capsys.readouterr().out


def hear(desk: Desk, samples: np.ndarray, speech: float) -> None:
    """The microphone's thread: to the tap and to the conversation."""
    (tap,) = desk.assistant._devices._taps
    for at in range(0, len(samples) - 511, 512):
        chunk = samples[at : at + 512].astype(np.float32)
        now = time.monotonic()
        tap.push(chunk, now - 0.032)
        tap.push_chunk(chunk, now, False, True)
        desk.assistant.conversation.chunk(MicChunk(chunk, now, -20.0, speech, True, True))
        desk.loop.run_until_complete(_pause(0.032))


async def _pause(seconds: float) -> None:
    import asyncio

    await asyncio.sleep(seconds)


def test_the_sound_is_of_the_last_turn_alone_and_only_where_it_is_wanted(desk: Desk) -> None:
    desk.until(desk.ready)
    desk.assistant.preferences.change({"mode": "open_mic"})
    desk.window.dock.open_mic.setChecked(True)
    rng = np.random.default_rng(0)
    hear(desk, 0.01 * rng.standard_normal(8 * INPUT_RATE), 0.0)
    hear(desk, 0.1 * rng.standard_normal(INPUT_RATE), 0.9)
    hear(desk, 0.01 * rng.standard_normal(INPUT_RATE), 0.0)
    desk.until(lambda: len(desk.entries()) == 2)
    desk.until(lambda: desk.window.dock.stop.isEnabled())
    QTest.keyClick(desk.window, Qt.Key.Key_Escape)
    reporter = desk.assistant.reporter
    desk.until(lambda: bool(desk.entries()) and reporter.reportable(desk.entries()[-1]))
    report = reporter.report()
    # 3 s before the voice was one, and not the eight before that.
    assert report.sound is not None and 4.0 < report.sound.seconds < 9.0
    assert not report.turn.typed
    desk.assistant.preferences.change({"keep_turn_sound": False})
    assert reporter.report().sound is None
    assert not desk.assistant._devices._taps
    desk.assistant.kept.new()
    assert not reporter.reportable(desk.entries()[-1] if desk.entries() else Entry(1, report and "user", ""))  # type: ignore[arg-type]


def test_a_place_that_cannot_be_written_is_said(desk: Desk, tmp_path: Path) -> None:
    entry = answered(desk, "hello")
    reporter = desk.assistant.reporter
    reporter.open(entry)
    dialog = reporter._dialog
    assert dialog is not None
    reporter.save(reporter.report(), tmp_path / "nowhere" / "report.zip")
    desk.until(lambda: "There is no folder" in dialog.problem.text())
    assert dialog.save.isVisible()
    reporter.save(reporter.report(), tmp_path / "report.zip")
    desk.until(lambda: "Saved as report.zip" in dialog.problem.text())
    assert bundle.read(tmp_path / "report.zip").turn.question == "hello"
    dialog.close()
