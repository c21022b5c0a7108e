"""The voice menu and the voice studio with a real model's process: from a clip to an answer in the new voice."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import qasync
import soundfile
import soxr
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app import settings
from app.audio.capture import MicChunk
from app.audio.level import rms_db
from app.gui import theme
from app.gui.assistant import Assistant
from app.gui.status import Model
from app.gui.studio.window import StudioWindow
from app.gui.window import MainWindow
from app.voices import file
from app.voices.checks import Aspect, Verdict
from app.voices.clip import RATE
from tests.conversation.fakes import FakePlayer
from tests.support.waiting import run_until
from tests.voices.conftest import Samples
from tests.voices.tiny_engine import FACTORY, folder_with_speaker

PATIENCE_S = 240.0


class Desk:
    """A window with the tiny model; `player` stands where a loudspeaker would."""

    def __init__(self, loop: qasync.QEventLoop, qtbot: QtBot, folder: Path, model: Path) -> None:
        self.loop = loop
        self.file = folder / "settings.toml"
        self.window = MainWindow()
        qtbot.addWidget(self.window)
        self.window.show()
        self.assistant = Assistant(
            self.window, settings.Loaded(settings.Settings()), self.file, factory=FACTORY, voices=folder / "voices"
        )
        self.voices = self.assistant.voices
        # The devices stay closed: the microphone's chunks and the loudspeaker come from the test.
        self.assistant.host.start()
        self.assistant.host.load(model, 1, folder / "voices")
        self.player = FakePlayer()
        self.assistant.conversation.attach_player(self.player)
        self.until(lambda: self.window.situation().model == Model.READY)

    def until(self, condition: Callable[[], bool]) -> None:
        run_until(self.loop, self.window, condition, PATIENCE_S)

    @property
    def studio(self) -> StudioWindow:
        assert self.voices.studio is not None
        return self.voices.studio

    def heard_out(self) -> None:
        """The loudspeaker has played what it was given."""
        assert self.player.current is not None
        self.assistant.conversation.playback_finished(self.player.current)

    def speak(self, samples: Samples) -> None:
        """Into the microphone: float32 at 24 kHz."""
        heard = soxr.resample(samples, RATE, 16_000).astype(np.float32)
        for at in range(0, len(heard) - 511, 512):
            chunk = heard[at : at + 512]
            self.assistant._chunks([MicChunk(chunk, time.monotonic(), rms_db(chunk), 0.9)])


@pytest.fixture
def desk(qapp: QApplication, qtbot: QtBot, loop: qasync.QEventLoop, tmp_path: Path) -> Iterator[Desk]:
    theme.apply(qapp, Qt.ColorScheme.Light)
    model = tmp_path / "model"
    model.mkdir()
    desk = Desk(loop, qtbot, tmp_path, folder_with_speaker(model))
    yield desk
    desk.assistant.close()
    desk.window.close()


def test_from_a_recording_to_an_answer_in_the_voice(
    desk: Desk, spoken: Callable[[str], Samples], tmp_path: Path
) -> None:
    desk.window.header.voices.panel.new.click()
    studio = desk.studio
    desk.until(studio.isVisible)
    assert not studio.save.isEnabled() and not studio.play_voice.isEnabled()
    desk.assistant.microphone_changed(True, "")
    QTest.mouseClick(studio.record, Qt.MouseButton.LeftButton)
    assert desk.assistant._devices._watchers == {"studio"}, "what is recorded is shown as it comes"
    desk.speak(spoken("ava"))
    desk.until(lambda: "s left" in studio.left.text())
    assert desk.window.situation().activity == "idle", "what is read aloud is no question"
    QTest.mouseClick(studio.record, Qt.MouseButton.LeftButton)
    desk.until(lambda: studio.coach.verdict(Aspect.LENGTH) == Verdict.GOOD)
    assert not desk.assistant._devices._watchers
    assert studio.coach.verdict(Aspect.LEVEL) == Verdict.GOOD and studio.play_voice.isEnabled()

    # A: the clip itself, stopped by its button.
    QTest.mouseClick(studio.play_clip, Qt.MouseButton.LeftButton)
    desk.until(lambda: desk.player.current is not None)
    playing = desk.player.current
    assert playing is not None and desk.player.written[playing] == 3 * RATE
    QTest.mouseClick(studio.play_clip, Qt.MouseButton.LeftButton)
    assert desk.player.stops and desk.player.current is None
    # B: the made voice, which belongs to the stretch that is marked now.
    start = studio.wave.start_s
    studio.wave.setFocus()
    QTest.keyClick(studio.wave, Qt.Key.Key_Home if start else Qt.Key.Key_End)
    assert studio.wave.start_s != start
    QTest.mouseClick(studio.play_voice, Qt.MouseButton.LeftButton)
    desk.until(lambda: desk.player.current is not None)
    desk.heard_out()
    desk.until(lambda: desk.voices.previews.key == "")
    assert desk.window.transcript.entries() == [], "previews are no conversation"

    QTest.keyClicks(studio.name, "Zoe")
    assert not studio.save.isEnabled(), "permission has not been given"
    QTest.keyClick(studio.consent, Qt.Key.Key_Space)
    QTest.mouseClick(studio.save, Qt.MouseButton.LeftButton)
    desk.until(lambda: "already" in studio.message())
    assert studio.isVisible() and studio.coach.verdict(Aspect.LENGTH) == Verdict.GOOD, "nothing is lost"
    studio.name.setText("Grandma")
    QTest.mouseClick(studio.save, Qt.MouseButton.LeftButton)
    desk.until(lambda: "Grandma" in desk.window.header.voices.names)
    assert not studio.isVisible() and desk.window.header.voices.voice == "Grandma"
    kept = desk.voices.library.get("Grandma").voice
    assert kept.consent and kept.model == "Tiny" and kept.speaker == "timbre"

    QTest.keyClicks(desk.window.dock.field, "hello")
    QTest.keyClick(desk.window.dock.field, Qt.Key.Key_Return)
    desk.until(lambda: desk.player.current is not None)
    assert desk.assistant.kept.voice == "Grandma"
    desk.assistant.conversation.stop()

    desk.voices.export_to("Grandma", tmp_path / "out.safetensors")
    desk.voices.rename("Grandma", "Gran")
    desk.until(lambda: "Gran" in desk.window.header.voices.names)
    assert desk.window.header.voices.voice == "Gran"
    desk.voices.delete("Gran")
    desk.until(lambda: "Gran" not in desk.window.header.voices.names)
    assert desk.window.header.voices.voice == "Zoe"
    desk.voices.bring(tmp_path / "out.safetensors")
    desk.until(lambda: "Grandma" in desk.window.header.voices.names)
    assert np.array_equal(desk.voices.library.get("Grandma").voice.spk_emb, kept.spk_emb)


def test_each_voice_of_the_menu_can_be_heard_and_stopped(desk: Desk) -> None:
    panel = desk.window.header.voices.panel
    desk.window.header.voices.click()
    row = panel.rows["Adam"]
    QTest.mouseClick(row.preview, Qt.MouseButton.LeftButton)
    assert "Stop" in row.preview.accessibleName()
    desk.until(lambda: desk.player.current is not None)
    QTest.mouseClick(row.preview, Qt.MouseButton.LeftButton)
    assert desk.player.current is None and "Listen" in row.preview.accessibleName()
    # What is known by now is heard at once, and anything that stops an answer stops it.
    QTest.mouseClick(row.preview, Qt.MouseButton.LeftButton)
    assert desk.player.current is not None
    desk.assistant.conversation.stop()
    assert "Listen" in row.preview.accessibleName()
    # A question comes first.
    QTest.mouseClick(panel.rows["Both"].preview, Qt.MouseButton.LeftButton)
    desk.assistant.conversation.submit_text("hello")
    assert "Listen" in panel.rows["Both"].preview.accessibleName()
    assert desk.window.header.voices.voice == "Zoe", "listening is not choosing"
    QTest.keyClick(panel, Qt.Key.Key_Down)
    QTest.keyClick(panel, Qt.Key.Key_Escape)
    assert not panel.isVisible()


def test_clips_that_are_none_and_voices_that_are_none(
    desk: Desk, spoken: Callable[[str], Samples], tmp_path: Path
) -> None:
    desk.voices.open_studio()
    studio = desk.studio
    soundfile.write(tmp_path / "short.wav", spoken("ava")[:RATE], RATE)
    studio.clip_dropped.emit(tmp_path / "short.wav")
    desk.until(lambda: studio.coach.verdict(Aspect.LENGTH) == Verdict.BAD)
    assert "speak for at least 3 seconds" in studio.coach.text(Aspect.LENGTH)
    assert not studio.play_voice.isEnabled() and studio.play_clip.isEnabled()
    (tmp_path / "letter.wav").write_text("Dear Sir or Madam")
    studio.clip_dropped.emit(tmp_path / "letter.wav")
    desk.until(lambda: "not a sound file" in studio.message())
    assert studio.coach.verdict(Aspect.LENGTH) == Verdict.BAD, "the clip before is still there"
    (tmp_path / "letter.safetensors").write_text("Dear Sir or Madam")
    desk.voices.bring(tmp_path / "letter.safetensors")
    assert "not a voice file" in studio.message()
    (tmp_path / "letter.pt").write_text("Dear Sir or Madam")
    desk.voices.bring(tmp_path / "letter.pt")
    desk.until(lambda: "letter.pt" in studio.message())
    assert desk.voices.library.all() == ()


def test_voices_for_another_model_are_kept_and_said(desk: Desk, tmp_path: Path) -> None:
    other = file.OwnVoice("Far away", np.ones(192, np.float32), speaker="campplus")
    file.write(tmp_path / "far.safetensors", other)
    desk.voices.bring(tmp_path / "far.safetensors")
    assert "for another model" in desk.window.situation().problem
    assert desk.voices.library.get("Far away") and "Far away" not in desk.window.header.voices.names
