"""Below an answer: how long it took. In its menu: a report of the turn, which a replay runs again."""

from __future__ import annotations

import asyncio
import json
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QMenu

from app.ask import Model
from app.audio.capture import MicChunk
from app.audio.level import rms_db
from app.audio.vad import SileroVad
from app.conversation.latency import Part, Start
from app.gui.bubble import Bubble, Entry
from app.gui.latency import LatencyLine
from app.omni.turn import INPUT_RATE
from app.replay import bundle
from app.replay.files import Job, replay
from app.replay.speech import Synthesiser, SynthesisError
from tests.gui.scripted_engine import FACTORY
from tests.gui.test_assistant import Desk, desk, without_devices

__all__ = ["desk", "without_devices"]

# There is a loudspeaker on the virtual clock, and there is none in the room of these tests.
PLAYBACK = {"begin_playback", "end_playback", "stop_playback"}


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


def test_a_report_of_a_typed_turn_is_replayed(desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
    assert [event for event in now if event not in PLAYBACK] == then
    assert "not in the report" in capsys.readouterr().out


class Voice:
    """The user's side: the microphone's thread, whose chunks are the clock of the conversation too, so that nothing
    depends on how busy this computer is.
    """

    def __init__(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        self.desk = desk
        self.now = time.monotonic()
        self._detector = SileroVad()
        monkeypatch.setattr(desk.assistant.conversation, "_clock", lambda: self.now)
        (self._tap,) = desk.assistant._devices._taps

    def says(self, samples: np.ndarray) -> None:
        """float32 [N] at 16 kHz, in whole chunks."""
        for at in range(0, len(samples) - 511, 512):
            chunk = samples[at : at + 512].astype(np.float32)
            self._tap.push(chunk, self.now)
            self.now += 0.032
            self._tap.push_chunks(chunk, self.now, False, True)
            speech = self._detector.probability(chunk)
            self.desk.assistant.conversation.chunk(MicChunk(chunk, self.now, rms_db(chunk), speech, True, True))
            self.desk.loop.run_until_complete(asyncio.sleep(0.002))

    def asks(self, question: np.ndarray) -> Entry:
        """Something, until it has been answered; returns the answer."""
        hiss = 1e-3 * np.random.default_rng(0).standard_normal(6 * INPUT_RATE).astype(np.float32)
        self.says(np.concatenate((hiss, question, hiss[: 2 * INPUT_RATE])))
        desk = self.desk
        desk.until(lambda: len(desk.entries()) == 2 and desk.ready())
        desk.until(lambda: desk.assistant.reporter.reportable(desk.entries()[-1]))
        return desk.entries()[-1]


@pytest.fixture
def voice(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Voice:
    desk.until(desk.ready)
    desk.window.dock.open_mic.setChecked(True)
    return Voice(desk, monkeypatch)


@pytest.fixture(scope="module")
def question() -> np.ndarray:
    try:
        return Synthesiser().say("What is the capital of France?")
    except SynthesisError as error:
        pytest.skip(str(error))


def test_a_report_of_a_spoken_turn_is_replayed(
    desk: Desk, voice: Voice, question: np.ndarray, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = voice.asks(question)
    file, events = tmp_path / "report.zip", tmp_path / "events.json"
    bundle.write(desk.assistant.reporter.report(), file)
    replay(Job(file, events=events), Model(tmp_path, 1, FACTORY))
    compared = json.loads(events.read_text(encoding="utf-8"))["compared"]
    assert compared["same_words"] and compared["answer"]["now"] == answer.text
    then, now = compared["events"]["then"], compared["events"]["now"]
    assert [event for event in now if event not in PLAYBACK] == then
    assert {"try_turn", "confirm_turn", "keep_heard true"} <= set(then)
    assert "the same question" in capsys.readouterr().out


def test_the_sound_is_of_the_last_turn_alone_and_only_where_it_is_wanted(
    desk: Desk, voice: Voice, question: np.ndarray
) -> None:
    entry = voice.asks(question)
    reporter = desk.assistant.reporter
    report = reporter.report()
    # From 3 s before the voice was one, and not the six before that; nothing is kept after the turn.
    assert report.sound is not None and not report.turn.typed
    assert 3.0 < report.sound.seconds < 6.5 + len(question) / INPUT_RATE
    heard = np.flatnonzero(np.abs(report.sound.raw) > 0.02)
    assert 2.0 < heard[0] / INPUT_RATE < 3.5
    desk.assistant.preferences.change({"keep_turn_sound": False})
    assert reporter.report().sound is None and not desk.assistant._devices._taps
    desk.assistant.preferences.change({"keep_turn_sound": True})
    desk.assistant.kept.new()
    assert not reporter.reportable(entry)


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
