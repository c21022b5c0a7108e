"""Tools in the window: a real conversation and worker, real files, a scripted engine that writes calls."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import qasync
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app import settings
from app.audio.capture import Capture
from app.audio.catalogue import Found
from app.audio.devices import AudioDeviceError
from app.audio.playback import Playback
from app.conversation.ports import Samples
from app.gui import devices, theme
from app.gui.assistant import Assistant
from app.gui.bubble import Entry, Side
from app.gui.status import Model
from app.gui.tools.chime import RATE, chime
from app.gui.window import MainWindow
from app.history.records import ToolUse
from tests.gui.scripted_engine import FACTORY
from tests.support.waiting import run_until

PATIENCE_S = 120.0


class Speaker:
    """A loudspeaker that plays as long as the test wants, and keeps what it was given."""

    def __init__(self) -> None:
        self.turns: list[int] = []
        self.sound: dict[int, list[Samples]] = {}
        self.current: int | None = None
        self.ended = False

    def begin(self, turn: int) -> None:
        self.current, self.ended = turn, False
        self.turns.append(turn)
        self.sound[turn] = []

    def write(self, turn: int, samples: Samples) -> None:
        self.sound[turn].append(samples)

    def end(self, turn: int) -> None:
        self.ended = True

    def stop(self) -> None:
        self.current = None

    def duck(self) -> None: ...

    def hold(self) -> None: ...

    def resume(self) -> None: ...

    def played_samples(self, turn: int) -> int:
        return sum(map(len, self.sound.get(turn, [])))

    def rings(self) -> bool:
        """Whether the bell is what is played now."""
        if self.current is None or not self.sound[self.current]:
            return False
        sound = np.concatenate(self.sound[self.current])
        return len(sound) == len(chime()) and bool(np.allclose(sound, chime()))


class Desk:
    """A running window with its files in `folder`."""

    def __init__(self, loop: qasync.QEventLoop, qtbot: QtBot, folder: Path, saved: settings.Settings) -> None:
        self.loop = loop
        self.window = MainWindow()
        qtbot.addWidget(self.window)
        self.window.resize(760, 760)
        self.window.show()
        self.window.activateWindow()
        QTest.qWaitForWindowActive(self.window)
        self.assistant = Assistant(
            self.window,
            settings.Loaded(saved),
            folder / "settings.toml",
            factory=FACTORY,
            conversations=folder / "conversations.db",
            agenda=folder / "agenda.db",
        )
        self.assistant.start(folder)
        self.speaker = Speaker()
        self.ringer = self.assistant.toolbox.ringer
        self.until(lambda: self.ready() and self.assistant.toolbox._ready)
        # The devices of this machine have been given up for good.
        self.until(lambda: "You can type your questions" in self.window.dock.notices.text())
        self.assistant.conversation.attach_player(self.speaker)

    def until(self, condition: Callable[[], bool]) -> None:
        run_until(self.loop, self.window, condition, PATIENCE_S)

    def ready(self) -> bool:
        now = self.window.situation()
        return now.model == Model.READY and now.activity == "idle"

    def ask(self, text: str) -> None:
        QTest.keyClicks(self.window.dock.field, text)
        QTest.keyClick(self.window.dock.field, Qt.Key.Key_Return)

    def call(self, name: str, **arguments: object) -> None:
        """Have the model call a tool, and listen to the answer."""
        count = len(self.entries())
        self.ask("call " + json.dumps({"name": name, "arguments": arguments}))
        self.until(lambda: len(self.entries()) > count and self.speaker.ended and self.speaker.current is not None)
        turn = self.speaker.current
        assert turn is not None
        self.assistant.conversation.playback_finished(turn)
        self.until(lambda: self.window.situation().activity != "speaking")

    def entries(self) -> list[Entry]:
        return self.window.transcript.entries()

    def uses(self) -> list[ToolUse]:
        return [use for entry in self.entries() for use in entry.tools]

    def close(self) -> None:
        self.assistant.close()
        self.window.close()


@pytest.fixture(autouse=True)
def without_devices(monkeypatch: pytest.MonkeyPatch, qapp: QApplication) -> None:
    def nothing(self: object) -> None:
        raise AudioDeviceError("No sound device was found: plug one in and try again.")

    monkeypatch.setattr(Capture, "open", nothing)
    monkeypatch.setattr(Playback, "open", nothing)
    monkeypatch.setattr(devices, "read", lambda sounddevice: Found())
    theme.apply(qapp, Qt.ColorScheme.Light)


@pytest.fixture
def open_desk(qtbot: QtBot, loop: qasync.QEventLoop, tmp_path: Path) -> Iterator[Callable[[], Desk]]:
    opened: list[Desk] = []

    def make() -> Desk:
        opened.append(Desk(loop, qtbot, tmp_path, settings.Settings()))
        return opened[-1]

    yield make
    for desk in opened:
        desk.close()


def card_texts(desk: Desk) -> list[str]:
    return [label.text() for label in desk.ringer.card.findChildren(QLabel) if label.text() and label.isVisible()]


def test_a_timer_rings_in_the_window_and_can_be_dismissed(open_desk: Callable[[], Desk]) -> None:
    desk = open_desk()
    rang: list[str] = []
    desk.ringer.rang.connect(rang.append)
    desk.call("set_timer", seconds=2, label="tea")
    question, answer = desk.entries()
    assert question.tools == (ToolUse("set_timer", "done", "2 s, tea"),)
    assert answer.side == Side.ASSISTANT and "{" not in answer.text
    assert "tea" in answer.text or "two second" in answer.text
    assert desk.ringer.strip.isVisible() or desk.ringer.card.isVisible()
    desk.until(lambda: desk.speaker.rings())
    assert desk.window.situation().activity == "ringing" and rang == ["Timer: tea"]
    assert card_texts(desk) == ["Timer: tea"] and not desk.ringer.strip.isVisible()
    dismiss, snooze = desk.ringer.card.buttons[0]
    assert dismiss.accessibleName() == "Dismiss: Timer: tea" and snooze is not None
    dismiss.click()
    desk.until(desk.ready)
    assert desk.speaker.current is None and not desk.ringer.card.isVisible()


def test_stop_thanks_and_escape_end_the_ringing(open_desk: Callable[[], Desk]) -> None:
    desk = open_desk()
    for end in (lambda: desk.ask("stop it please"), lambda: desk.ask("thanks"), desk.window.stop_requested.emit):
        count = len(desk.entries())
        desk.call("set_timer", seconds=1)
        desk.until(lambda: desk.speaker.rings())
        end()
        desk.until(lambda: desk.ready() and not desk.ringer.card.isVisible())
        said = [entry.text for entry in desk.entries()[count + 2 :]]
        assert said in ([], ["stop it please"], ["thanks"]), "and the model has nothing to say to it"


def test_it_rings_again_and_waits_while_somebody_is_answered(open_desk: Callable[[], Desk]) -> None:
    desk = open_desk()
    desk.call("set_timer", seconds=1)
    desk.until(lambda: desk.speaker.rings())
    first = desk.speaker.current
    assert first is not None
    desk.assistant.conversation.playback_finished(first)
    desk.until(lambda: desk.speaker.rings() and desk.speaker.current != first)
    desk.ask("count")
    desk.until(lambda: desk.window.situation().activity == "speaking")
    assert not desk.speaker.rings() and desk.ringer.card.isVisible(), "the answer is not interrupted"


def test_snoozing_lets_it_run_again(open_desk: Callable[[], Desk]) -> None:
    desk = open_desk()
    desk.call("set_timer", seconds=1, label="tea")
    desk.until(lambda: desk.ringer.card.isVisible())
    _, snooze = desk.ringer.card.buttons[0]
    assert snooze is not None
    snooze.click()
    desk.until(lambda: desk.ringer.strip.isVisible() and not desk.ringer.card.isVisible())
    chip = desk.ringer.strip.chips[0]
    assert 200 < (chip.entry.due - desk.assistant.toolbox._clock.now()).total_seconds() <= 300
    assert desk.ringer.strip.ticking
    desk.window.hide()
    assert not desk.ringer.strip.ticking, "nobody sees it"
    desk.window.show()
    desk.until(lambda: desk.ringer.strip.ticking)
    chip.close_button.click()
    desk.until(lambda: not desk.ringer.strip.isVisible())
    assert not desk.ringer.strip.ticking


def test_a_timer_outlives_the_window_and_what_was_missed_is_told(open_desk: Callable[[], Desk], tmp_path: Path) -> None:
    desk = open_desk()
    desk.call("set_timer", seconds=3600, label="roast")
    desk.close()
    again = open_desk()
    again.until(lambda: again.ringer.strip.isVisible())
    assert again.ringer.strip.chips[0].entry.label == "roast"
    again.close()
    with sqlite3.connect(tmp_path / "agenda.db") as db:
        db.execute("UPDATE entry SET due = due - 7200")
    late = open_desk()
    late.until(lambda: late.ringer.card.isVisible())
    assert card_texts(late)[0].startswith("Missed") and "roast" in card_texts(late)[0]
    assert late.speaker.current is None, "it is too late to ring"
    late.ringer.card.buttons[0][0].click()
    late.until(lambda: not late.ringer.card.isVisible())


def test_the_cards_are_kept_with_the_conversation(open_desk: Callable[[], Desk], tmp_path: Path) -> None:
    desk = open_desk()
    desk.call("calculate", left=12, operation="times", right=8)
    wanted = [ToolUse("calculate", "done", "12 × 8 = 96")]
    assert desk.uses() == wanted and "ninety six" in desk.entries()[1].text
    bubble = desk.window.transcript.findChildren(type(desk.window.transcript._bubbles[0]))[0]
    assert "Sum, Done: 12 × 8 = 96" in bubble.accessibleName()
    kept = desk.assistant.kept.current
    assert kept is not None
    desk.assistant.kept.new()
    assert not desk.entries()
    desk.assistant.kept.open(kept)
    desk.until(lambda: desk.uses() == wanted)
    for name, words in (("talk.md", "> calculate: done, 12 × 8 = 96"), ("talk.json", '"tool": "calculate"')):
        desk.assistant.kept.export_to(kept, tmp_path / name)
        desk.until((tmp_path / name).exists)
        assert words in (tmp_path / name).read_text(encoding="utf-8")


def test_the_weather_is_off_until_it_is_allowed(open_desk: Callable[[], Desk]) -> None:
    desk = open_desk()
    desk.call("get_weather", city="Leeds")
    assert "switched off" in desk.entries()[1].text
    assert desk.uses()[0].state == "failed"
    desk.assistant.preferences.open()
    dialog = desk.assistant.preferences.dialog
    assert dialog is not None and not dialog.privacy.weather.isChecked()
    assert "only for models that you download" in dialog.privacy._more.text()
    dialog.privacy.weather.click()
    assert desk.assistant.toolbox._household.network_allowed()
    assert (
        "only for models that you download" not in dialog.privacy._more.text()
        and "open-meteo" in dialog.privacy._more.text()
    )
    dialog.close()


def test_notes_are_listed_copied_deleted_and_exported(open_desk: Callable[[], Desk], tmp_path: Path) -> None:
    desk = open_desk()
    desk.call("take_note", text="the key is under the pot")
    desk.window.sidebar.notes.click()
    notes = desk.assistant.toolbox._notes_window
    assert notes is not None and notes.isVisible() and notes.list.count() == 1
    desk.call("take_note", text="the printer needs paper")
    desk.until(lambda: notes.list.count() == 2)
    assert notes.list.item(0).text().startswith("the printer needs paper"), "the newest comes first"
    assert not notes.copy.isEnabled()
    notes.list.item(0).setSelected(True)
    notes.copy.click()
    assert QApplication.clipboard().text() == "the printer needs paper"
    notes.delete.click()
    assert notes.list.count() == 1 and notes.undo.isVisible()
    notes.undo.click()
    assert notes.list.count() == 2
    notes.list.clearSelection()
    notes.list.item(0).setSelected(True)
    notes.delete.click()
    notes.export_to(tmp_path / "notes.md")
    notes.close()
    assert [note.text for note in desk.assistant.toolbox.notes.all()] == ["the key is under the pot"]
    assert "the key is under the pot" in (tmp_path / "notes.md").read_text(encoding="utf-8")


def test_the_voice_and_the_volume_can_be_changed_by_voice(
    open_desk: Callable[[], Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.tools import household

    monkeypatch.setattr(household, "system_mixers", list)
    desk = open_desk()
    desk.call("change_voice", voice="Ben")
    assert desk.window.header.voices.voice == "ben"
    desk.call("set_volume", level=30)
    desk.until(lambda: desk.window.header.volume.value() == 30)


def test_the_bell_is_soft_and_has_no_clicks() -> None:
    sound = chime()
    assert sound.dtype == np.float32 and 0.3 < np.abs(sound).max() <= 0.35
    assert sound[0] == 0.0 and abs(float(sound[-1])) < 1e-3
    assert np.abs(np.diff(sound)).max() < 0.25 and 4 < len(sound) / RATE < 10
