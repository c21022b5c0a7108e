"""Microphone mute, the panel of the sound devices, and what is said about half duplex."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from app.audio.catalogue import DEFAULT, DeviceName, Found
from app.gui.sound_menu import SoundMenu
from app.gui.window import MainWindow

DESK, HEADSET, TWIN = DeviceName("Desk", "ALSA"), DeviceName("Headset", "ALSA"), DeviceName("Headset", "JACK")


def _rows(menu: QComboBox) -> list[str]:
    return [menu.itemText(index) for index in range(menu.count())]


@pytest.fixture
def panel(qtbot: QtBot) -> SoundMenu:
    panel = SoundMenu()
    qtbot.addWidget(panel)
    return panel


def test_the_shortcut_mutes_and_unmutes(window: MainWindow, qtbot: QtBot) -> None:
    dock = window.dock
    window.show_microphone(True)
    with qtbot.waitSignal(window.muted) as told:
        qtbot.keyClick(window, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert told.args == [True]
    assert dock.mute.isChecked() and dock.mute.accessibleName() == "Unmute the microphone"
    assert not dock.talk.isEnabled() and not dock.open_mic.isEnabled() and not dock.meter.isVisible()
    assert "muted" in dock.status_text()
    with qtbot.waitSignal(window.muted) as told:
        qtbot.mouseClick(dock.mute, Qt.MouseButton.LeftButton)
    assert told.args == [False]
    assert dock.mute.accessibleName() == "Mute the microphone"
    assert dock.talk.isEnabled() and dock.open_mic.isEnabled() and dock.meter.isVisible()
    assert "muted" not in dock.status_text()


def test_muted_it_stays_so_when_the_microphone_comes_back(window: MainWindow) -> None:
    window.show_microphone(True)
    window.dock.mute.click()
    window.show_microphone(False)
    assert not window.dock.mute.isEnabled()
    window.show_microphone(True)
    assert window.dock.mute.isChecked() and not window.dock.talk.isEnabled() and not window.dock.meter.isVisible()


def test_half_duplex_is_said_with_its_reason_while_it_matters(window: MainWindow) -> None:
    window.show_open_mic(True)
    window.show_half_duplex("the package livekit is missing")
    assert "livekit" not in window.dock.status_text()
    window.show_activity("speaking")
    assert "the package livekit is missing" in window.dock.status_text()
    window.show_half_duplex("")
    assert "Speak over it" in window.dock.status_text()


def test_the_default_is_first_and_named(panel: SoundMenu) -> None:
    panel.set_found(Found((DESK, HEADSET, TWIN), (DESK,), HEADSET, DeviceName("default", "ALSA")))
    assert _rows(panel.microphones) == ["System default (Headset)", "Desk", "Headset (ALSA)", "Headset (JACK)"]
    assert _rows(panel.speakers) == ["System default", "Desk"]
    assert panel.microphones.currentIndex() == 0


def test_the_chosen_device_stays_in_the_menu_when_it_goes_and_comes(panel: SoundMenu, qtbot: QtBot) -> None:
    panel.set_found(Found((DESK, HEADSET), (), DESK, None))
    with qtbot.waitSignal(panel.chosen) as told:
        panel.microphones.setCurrentIndex(2)
        panel.microphones.activated.emit(2)
    assert told.args == ["input", HEADSET]
    panel.set_found(Found((DESK,), (), DESK, None))
    assert panel.microphones.currentText() == "Headset (not connected)"
    panel.set_found(Found((DESK, HEADSET), (), DESK, None))
    assert panel.microphones.currentText() == "Headset"
    with qtbot.waitSignal(panel.chosen) as told:
        panel.microphones.setCurrentIndex(0)
        panel.microphones.activated.emit(0)
    assert told.args == ["input", DEFAULT]


def test_the_panel_opens_inside_the_screen_and_closes_with_escape(window: MainWindow, qtbot: QtBot) -> None:
    window.header.sound.click()
    panel = window.header.sound_menu
    assert panel.isVisible()
    assert window.screen().availableGeometry().contains(panel.geometry())
    assert panel.microphones.accessibleName() == "Microphone" and panel.speakers.accessibleName() == "Speaker"
    qtbot.keyClick(panel, Qt.Key.Key_Escape)
    assert not panel.isVisible()
