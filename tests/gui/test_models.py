"""The window of the models on a real assistant, against a hub on this computer; the engine in it is scripted."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import qasync
from PySide6.QtCore import QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from app import paths, settings
from app.gui import theme
from app.gui.assistant import Assistant
from app.gui.models.answers import AnswersDialog
from app.gui.models.licences import LicencesDialog
from app.gui.models.rows import Act
from app.gui.models.window import ModelsWindow
from app.gui.window import MainWindow
from app.hub.library import State
from app.settings import Answering, Settings
from tests.gui.scripted_engine import FACTORY
from tests.gui.test_assistant import Desk, without_devices
from tests.hub import server
from tests.hub.material import MODEL, fill, known, write_published
from tests.hub.server import Gate, Hub
from tests.support.offline import no_connections

__all__ = ["no_connections", "without_devices"]

WEIGHTS = "pytorch_model.bin"
STARTER = "starter"


class Shop(Desk):
    """A running window with the window of the models."""

    def __init__(self, loop: qasync.QEventLoop, qtbot: QtBot, folder: Path, saved: Settings) -> None:
        self.loop = loop
        self.folder = folder
        self.file = folder / "settings.toml"
        self.window = MainWindow()
        qtbot.addWidget(self.window)
        self.window.show()
        self.window.activateWindow()
        QTest.qWaitForWindowActive(self.window)
        self.assistant = Assistant(self.window, settings.Loaded(saved), self.file, factory=FACTORY)
        starter = folder / STARTER
        starter.mkdir(exist_ok=True)
        self.assistant.start(starter)

    @property
    def models(self) -> ModelsWindow:
        """The window of the models, opened as a user does."""
        dialog = self.assistant.models.dialog
        if dialog is None or not dialog.isVisible():
            QTest.keyClick(
                self.window, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
            )
            dialog = self.assistant.models.dialog
        assert dialog is not None
        return dialog

    def press(self, act: Act, id: str = MODEL) -> None:
        """Click a button that is there."""
        button = self.models.button(id, act)
        assert not button.isHidden() and button.isEnabled(), act
        button.click()

    def state(self, id: str = MODEL) -> str:
        return self.models.page.cards[id].state.text()

    def becomes(self, state: str, id: str = MODEL) -> None:
        self.until(lambda: self.state(id) == state)

    def acts(self, id: str = MODEL) -> set[Act]:
        return {act for act, button in self.models.page.cards[id].buttons.items() if not button.isHidden()}

    def message(self, id: str = MODEL) -> str:
        return self.models.page.cards[id].message.text()

    def install(self, id: str = MODEL) -> Path:
        """A model that is here already."""
        for repo in ("SenseVoiceSmall", "mimi", "campplus", "siglip2-base-p32-256-ve", id):
            if not (self.folder / "stick" / repo).exists():
                write_published(self.folder / "stick" / repo, repo)
        self.assistant.models.bring(self.folder / "stick" / id)
        self.models.close()
        self.until(lambda: id in self.models.page.cards and self.state(id) == "Here")
        return self.folder / "models" / id

    def answer(self, text: str) -> str:
        """What is answered."""
        count = len(self.entries())
        self.ask(text)
        self.until(lambda: len(self.entries()) == count + 2 and self.ready())
        return self.entries()[-1].text

    def notices(self) -> str:
        return self.window.dock.notices.text()

    def saved(self) -> Settings:
        """What is in the file once the assistant has been closed."""
        self.close()
        return settings.load(self.file).settings

    def close(self) -> None:
        self.assistant.close()
        self.window.close()


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    for name in ("HF_HUB_OFFLINE", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", paths.MODEL_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    known(tmp_path / "config")
    monkeypatch.setattr(paths, "catalogue_file", lambda: tmp_path / "config" / "models.toml")
    with server.running() as hub:
        fill(hub)
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        yield hub


@pytest.fixture
def open_shop(
    qapp: QApplication, qtbot: QtBot, loop: qasync.QEventLoop, tmp_path: Path, without_devices: None, hub: Hub
) -> Iterator[Callable[..., Shop]]:
    theme.apply(qapp, Qt.ColorScheme.Light)
    shops: list[Shop] = []

    def opened(saved: Settings | None = None) -> Shop:
        shops.append(Shop(loop, qtbot, tmp_path, saved or Settings()))
        return shops[-1]

    yield opened
    for shop in shops:
        shop.close()


@pytest.fixture
def shop(open_shop: Callable[..., Shop]) -> Shop:
    shop = open_shop()
    shop.until(shop.ready)
    return shop


# --- download


def test_a_user_pauses_resumes_and_uses_a_model(shop: Shop, hub: Hub) -> None:
    gate = Gate(0.6)
    hub.misbehave(WEIGHTS, gate)
    assert shop.state() == "Not here" and shop.acts() == {Act.DOWNLOAD, Act.LICENCES}
    shop.press(Act.DOWNLOAD)
    shop.until(gate.reached.is_set)
    card = shop.models.page.cards[MODEL]
    shop.until(lambda: card.file.text().startswith(WEIGHTS) and " % · " in card.progress.text())
    assert shop.state() == "Downloading" and not card.bar.isHidden() and 0 < card.bar.value() < card.bar.maximum()
    assert shop.acts() == {Act.PAUSE, Act.CANCEL, Act.LICENCES}
    card.buttons[Act.PAUSE].setFocus()
    shop.press(Act.PAUSE)
    shop.becomes("Paused")
    gate.open()
    assert shop.acts() == {Act.RESUME, Act.CANCEL, Act.LICENCES}
    assert "are here" in card.progress.text() and not card.bar.isHidden()
    hub.requests.clear()
    shop.press(Act.RESUME)
    shop.becomes("Here")
    (wanted,) = hub.asked_for(WEIGHTS)
    assert wanted is not None and wanted.startswith("bytes=")
    assert "every file has been checked" in shop.message()
    shop.press(Act.USE)
    shop.becomes("In use")
    shop.until(shop.ready)
    assert shop.state(STARTER) == "Here" and Act.REMOVE not in shop.acts()
    assert shop.saved().model == MODEL


def test_a_download_is_paused_by_closing_and_resumed_at_the_next_start(
    open_shop: Callable[..., Shop], hub: Hub
) -> None:
    first, gate = open_shop(), Gate(0.6)
    hub.misbehave(WEIGHTS, gate)
    first.press(Act.DOWNLOAD)
    first.until(gate.reached.is_set)
    first.until(lambda: bool(list((first.folder / "models").rglob(f"{WEIGHTS}.*.part"))))
    first.close()
    gate.open()
    second = open_shop()
    assert second.state() == "Paused"
    second.press(Act.RESUME)
    second.becomes("Here")


def test_cancelled_it_is_gone(shop: Shop, hub: Hub) -> None:
    gate = Gate()
    hub.misbehave(WEIGHTS, gate)
    shop.press(Act.DOWNLOAD)
    shop.until(gate.reached.is_set)
    shop.press(Act.CANCEL)
    shop.becomes("Not here")
    gate.open()
    assert not [path for path in (shop.folder / "models").rglob("*") if path.is_file() and path.name != ".lock"]


def test_what_goes_wrong_is_said_at_the_model_and_can_be_tried_again(shop: Shop, hub: Hub) -> None:
    hub.misbehave(WEIGHTS, server.status(404))
    shop.press(Act.DOWNLOAD)
    shop.until(lambda: "has no pytorch_model.bin (404)" in shop.message())
    assert shop.models.page.cards[MODEL].message.property("bad") and shop.state() == "Paused"
    shop.press(Act.RESUME)
    shop.becomes("Here")


def test_two_downloads_come_one_after_the_other(shop: Shop, hub: Hub) -> None:
    gate = Gate()
    hub.misbehave(WEIGHTS, gate)
    shop.press(Act.DOWNLOAD)
    shop.until(gate.reached.is_set)
    shop.press(Act.DOWNLOAD, "minimind-3o-moe")
    shop.becomes("Waiting", "minimind-3o-moe")
    gate.open()
    shop.becomes("Here")
    shop.becomes("Here", "minimind-3o-moe")


def test_the_mirror_and_staying_offline(shop: Shop, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    page = shop.models.page
    other = page.mirror.button("other")
    QTest.mouseClick(other, Qt.MouseButton.LeftButton, pos=other.rect().center())
    QTest.keyClicks(page.address, "somewhere")
    QTest.keyClick(page.address, Qt.Key.Key_Return)
    assert not page.wrong.isHidden()
    page.address.setText(f"{hub.address}/")
    QTest.keyClick(page.address, Qt.Key.Key_Return)
    assert page.wrong.isHidden()
    page.offline.click()
    assert Act.DOWNLOAD not in shop.acts() and "Offline" in shop.message()
    page.offline.click()
    shop.press(Act.DOWNLOAD)
    shop.becomes("Here")
    saved = shop.saved()
    assert (saved.mirror, saved.offline) == (hub.address, False)


# --- on this computer


def test_a_model_comes_from_a_folder_and_what_is_missing_is_said(shop: Shop) -> None:
    write_published(shop.folder / "stick" / MODEL, MODEL)
    assert shop.models.bring.accessibleName() == "Import from a folder…"
    shop.assistant.models.bring(shop.folder / "stick")
    shop.until(lambda: "SenseVoice-Small is missing" in shop.models.message.text())
    for repo in ("SenseVoiceSmall", "mimi", "campplus", "siglip2-base-p32-256-ve"):
        write_published(shop.folder / "stick" / repo, repo)
    shop.assistant.models.bring(shop.folder / "stick")
    shop.becomes("Here")
    shop.until(lambda: "every file has been checked" in shop.models.message.text())


def test_damage_is_found_and_repaired(shop: Shop, hub: Hub) -> None:
    weights = shop.install() / WEIGHTS
    weights.write_bytes(bytes(weights.stat().st_size))
    shop.press(Act.VERIFY)
    shop.becomes("Damaged")
    assert f"Damaged: {WEIGHTS}." in shop.message()
    shop.press(Act.REPAIR)
    shop.becomes("Here")
    shop.press(Act.VERIFY)
    shop.until(lambda: shop.message() == "Every file is as it should be.")
    assert hub.asked_for(WEIGHTS) == [None] and not hub.asked_for("am.mvn")


def shown_dialog(kind: type[Any]) -> Any:
    return next(one for one in QApplication.topLevelWidgets() if isinstance(one, kind) and one.isVisible())


def test_removing_is_asked_about_first(shop: Shop) -> None:
    shop.install()
    shop.press(Act.REMOVE)
    box = shown_dialog(QMessageBox)
    assert box.defaultButton().text() == "Cancel" and "It can be downloaded again" in box.informativeText()
    box.defaultButton().click()
    assert shop.state() == "Here"
    shop.press(Act.REMOVE)
    box = shown_dialog(QMessageBox)
    next(button for button in box.buttons() if button.text() == "Remove").click()
    shop.becomes("Not here")
    assert not (shop.folder / "models" / MODEL).exists()


def test_licences_are_shown_with_who_made_it(shop: Shop) -> None:
    assert "CC BY 4.0" in shop.models.page.cards[MODEL].facts.text()
    shop.press(Act.LICENCES)
    dialog = shown_dialog(LicencesDialog)
    assert [link.accessibleName() for link in dialog.links][:1] == ["Licence of MiniMind-O: Apache-2.0"]
    assert any("Mimi: CC BY 4.0" in link.accessibleName() for link in dialog.links)
    assert all(link.toolTip().startswith("https://") for link in dialog.links)
    dialog.leave.click()


def test_every_control_has_a_name_and_is_reached_by_the_keyboard(shop: Shop) -> None:
    shop.install()
    window = shop.models
    controls = [one for one in window.findChildren(QPushButton) if one.isVisible()]
    assert all(one.accessibleName() or one.text() for one in controls)
    names = [one.accessibleName() for one in controls]
    assert "Use: MiniMind-O" in names and "Download: MiniMind-O MoE" in names
    window.page.cards[MODEL].buttons[Act.USE].setFocus()
    reached: set[QObject] = set()
    for _ in range(60):
        window.focusNextChild()
        reached.add(window.focusWidget())
    assert set(controls) <= reached


# --- another model answers


def test_the_model_changes_and_the_conversation_goes_on(shop: Shop) -> None:
    folder = shop.install()
    (folder / "voices").write_text("lin mei")
    assert shop.answer("how are you") == "You said: how are you"
    shop.press(Act.USE)
    shop.becomes("In use")
    shop.until(shop.ready)
    assert shop.window.header.voices.names == ("lin", "mei")
    assert shop.answer("manner") == "system - history 1"
    assert len(shop.entries()) == 4
    shop.press(Act.USE, STARTER)
    shop.becomes("In use", STARTER)
    shop.until(shop.ready)
    assert shop.window.header.voices.names == ("ada", "ben")
    assert shop.saved().model == ""


def test_a_model_that_cannot_be_loaded_leaves_the_one_before(shop: Shop) -> None:
    folder = shop.install()
    (folder / "damaged").touch()
    assert shop.answer("one") == "You said: one"
    shop.press(Act.USE)
    shop.until(lambda: shop.state(STARTER) == "In use" and "so Banter starter answers" in shop.notices())
    assert "MiniMind-O could not be loaded" in shop.notices() and "copy it again" in shop.notices()
    shop.until(shop.ready)
    assert shop.answer("manner") == "system - history 1"
    assert shop.saved().model == ""


def test_a_chosen_model_that_fails_at_the_start_leaves_the_starter(open_shop: Callable[..., Shop]) -> None:
    first = open_shop()
    (first.install() / "damaged").touch()
    first.close()
    second = open_shop(Settings(model=MODEL))
    second.until(second.ready)
    assert "MiniMind-O could not be loaded, so Banter starter answers." in second.notices()
    second.close()
    shutil.rmtree(second.folder / "models" / MODEL)
    third = open_shop(Settings(model=MODEL))
    third.until(third.ready)
    assert f"The model {MODEL} is not here any more" in third.notices()


def test_the_chosen_model_is_there_at_the_next_start(open_shop: Callable[..., Shop]) -> None:
    first = open_shop()
    first.install()
    first.close()
    second = open_shop(Settings(model=MODEL))
    second.until(second.ready)
    assert second.state() == "In use" and "MiniMind-O" not in second.notices()


def test_each_model_answers_in_its_own_manner(shop: Shop) -> None:
    shop.install()
    shop.answer("one")
    shop.answer("two")
    shop.press(Act.ANSWERS)
    dialog = shown_dialog(AnswersDialog)
    QTest.keyClicks(dialog.system, "Be brief.")
    choose = dialog.memory.button(True)
    QTest.mouseClick(choose, Qt.MouseButton.LeftButton, pos=choose.rect().center())
    dialog.turns.setValue(1)
    choose = dialog.variety.button(True)
    QTest.mouseClick(choose, Qt.MouseButton.LeftButton, pos=choose.rect().center())
    dialog.leave.click()
    assert shop.answer("manner") == "system - history 2"
    shop.press(Act.USE)
    shop.becomes("In use")
    shop.until(shop.ready)
    assert shop.answer("manner") == "system Be brief. history 1"
    assert shop.answer("dice") == "You said: seed None temperature 0.7"
    shop.press(Act.ANSWERS, STARTER)
    assert not shown_dialog(AnswersDialog).system.isVisible()
    assert shop.saved().answering == {MODEL: Answering(0.7, "Be brief.", 1)}


# --- memory


def test_the_model_is_put_away_and_what_is_said_meanwhile_is_answered(open_shop: Callable[..., Shop]) -> None:
    shop = open_shop(Settings(unload_after=5))
    shop.until(shop.ready)
    switch = shop.assistant.models.switch
    assert switch._idle.isActive() and switch._idle.interval() == 5 * 60_000
    # As if five minutes were over.
    switch._idle.timeout.emit()
    slow = shop.folder / STARTER / "slow"
    slow.touch()
    shop.ask("are you there")
    shop.until(lambda: "What you say meanwhile is not lost" in shop.notices())
    slow.unlink()
    shop.until(lambda: len(shop.entries()) == 2 and shop.ready())
    assert shop.entries()[-1].text == "You said: are you there"
    assert "not lost" not in shop.notices()
    shop.models.page.unload.set_value(0)
    shop.models.page.unload.activated.emit(0)
    assert not switch._idle.isActive()


# --- nothing is connected to


def test_the_start_and_a_conversation_connect_to_nothing(
    no_connections: Callable[[], list[Any]], open_shop: Callable[..., Shop]
) -> None:
    shop = open_shop(Settings(offline=True))
    shop.until(shop.ready)
    assert shop.answer("how are you") == "You said: how are you"
    shop.install()
    assert Act.DOWNLOAD not in shop.acts("minimind-3o-moe")
    assert no_connections() == []
    assert shop.assistant.models.library is not None
    assert shop.assistant.models.library.entry(MODEL).state == State.HERE
