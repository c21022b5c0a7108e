"""The global hotkey: on a real X server, and against a portal on a real D-Bus."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QKeyCombination, Qt
from pytestqt.qtbot import QtBot

from app.gui.desktop import keys
from app.gui.desktop.backend import State
from app.gui.desktop.hook import HookBackend
from app.gui.desktop.hotkey import Hotkey, backend_for
from app.gui.desktop.portal import PortalBackend
from app.gui.desktop.x11 import X11Backend
from tests.support import portal, screen


class Ears:
    """A hotkey, and what it has told."""

    def __init__(self) -> None:
        self.hotkey = Hotkey()
        self.heard: list[str] = []
        self.hotkey.pressed.connect(lambda: self.heard.append("down"))
        self.hotkey.released.connect(lambda: self.heard.append("up"))

    @property
    def state(self) -> State:
        return self.hotkey.status.state


@pytest.fixture
def display(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    if reason := screen.missing():
        pytest.skip(reason)
    with screen.x_server() as display:
        monkeypatch.setenv("DISPLAY", display)
        monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
        yield display


@pytest.fixture
def keyboard(display: str) -> Iterator[screen.Keyboard]:
    keyboard = screen.Keyboard(display)
    yield keyboard
    keyboard.close()


@pytest.fixture
def ears(display: str, qtbot: QtBot) -> Iterator[Ears]:
    ears = Ears()
    yield ears
    ears.hotkey.close()


def test_a_key_held_long_is_one_press_and_one_release(ears: Ears, keyboard: screen.Keyboard, qtbot: QtBot) -> None:
    ears.hotkey.set_key("Ctrl+Alt+Space")
    assert ears.state == State.ON and "Space" in ears.hotkey.sentence()
    keyboard.press("ctrl", "alt", "space")
    # Longer than the server takes to begin with repeats.
    qtbot.wait(1_200)
    assert ears.heard == ["down"]
    # Whoever lets go of the modifiers first is still understood.
    keyboard.release("ctrl", "alt")
    qtbot.wait(100)
    assert ears.heard == ["down"]
    keyboard.release("space")
    qtbot.waitUntil(lambda: ears.heard == ["down", "up"])


def test_the_server_does_repeat_keys(display: str, keyboard: screen.Keyboard) -> None:
    """Otherwise the test above would prove nothing."""
    import xcffib
    from xcffib import xproto

    x: Any = xcffib.connect(display=display)
    root, code = x.get_setup().roots[0].root, keyboard._codes["a"]
    x.core.GrabKey(False, root, 0, code, xproto.GrabMode.Async, xproto.GrabMode.Async, is_checked=True).check()
    keyboard.press("a")
    events: list[object] = []
    while len(events) < 3:
        event = x.wait_for_event()
        if not isinstance(event, xproto.MappingNotifyEvent):
            events.append(event)
    keyboard.release("a")
    x.disconnect()
    assert [type(event) for event in events] == [
        xproto.KeyPressEvent,
        xproto.KeyReleaseEvent,
        xproto.KeyPressEvent,
    ]


def test_caps_lock_makes_no_difference_and_other_keys_are_not_ours(
    ears: Ears, keyboard: screen.Keyboard, qtbot: QtBot
) -> None:
    ears.hotkey.set_key("F9")
    keyboard.tap("a")
    keyboard.tap("shift", "F9")
    keyboard.tap("caps")
    keyboard.tap("F9")
    qtbot.waitUntil(lambda: ears.heard == ["down", "up"])


def test_a_key_of_another_program_is_said_and_comes_free_with_it(ears: Ears, qtbot: QtBot) -> None:
    other = Ears()
    other.hotkey.set_key("Ctrl+Alt+Space")
    ears.hotkey.set_key("Ctrl+Alt+Space")
    assert ears.state == State.TAKEN and "Another program" in ears.hotkey.sentence()
    other.hotkey.close()
    ears.hotkey.set_key("")
    ears.hotkey.set_key("Ctrl+Alt+Space")
    assert ears.state == State.ON


def test_paused_it_lets_the_key_through(ears: Ears, keyboard: screen.Keyboard, qtbot: QtBot) -> None:
    ears.hotkey.set_key("F9")
    ears.hotkey.pause(True)
    keyboard.tap("F9")
    qtbot.wait(100)
    assert ears.heard == []
    ears.hotkey.pause(False)
    keyboard.tap("F9")
    qtbot.waitUntil(lambda: ears.heard == ["down", "up"])


def test_without_a_screen_the_command_is_named(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", ":9999")
    ears = Ears()
    ears.hotkey.set_key("F9")
    assert ears.state == State.UNAVAILABLE
    assert "banter --toggle-talk" in ears.hotkey.sentence()
    ears.hotkey.close()


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    if reason := portal.missing():
        pytest.skip(reason)
    with portal.session_bus() as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
        yield address


def test_the_portal_is_asked_and_tells_of_the_key(bus: str, qtbot: QtBot) -> None:
    with portal.Portal(bus) as desk:
        ears = Ears()
        ears.hotkey.set_key("Ctrl+Alt+Space")
        qtbot.waitUntil(lambda: ears.state == State.ON)
        assert desk.asked == {"talk": ("Talk to Banter", "CTRL+ALT+space")}
        assert "Meta+T" in ears.hotkey.sentence(), "the keys that the user chose when asked"
        desk.tell("Activated", "other")
        desk.tell("Activated", "talk")
        qtbot.waitUntil(lambda: ears.heard == ["down"])
        desk.tell("Deactivated", "talk")
        qtbot.waitUntil(lambda: ears.heard == ["down", "up"])
        ears.hotkey.close()


def test_a_portal_that_goes_away_in_mid_press_lets_go(bus: str, qtbot: QtBot) -> None:
    with portal.Portal(bus) as desk:
        ears = Ears()
        ears.hotkey.set_key("F9")
        qtbot.waitUntil(lambda: ears.state == State.ON)
        desk.tell("Activated", "talk")
        qtbot.waitUntil(lambda: ears.heard == ["down"])
        portal.stop_bus(bus)
        qtbot.waitUntil(lambda: ears.heard == ["down", "up"] and ears.state == State.UNAVAILABLE)


def test_a_user_who_refuses_is_told_how_to_be_asked_again(bus: str, qtbot: QtBot) -> None:
    with portal.Portal(bus, refuses=True):
        ears = Ears()
        ears.hotkey.set_key("F9")
        qtbot.waitUntil(lambda: ears.state == State.REFUSED)
        assert "asked once more" in ears.hotkey.sentence()
        ears.hotkey.close()


def test_a_desktop_without_the_portal(bus: str, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    ears = Ears()
    for address in (bus, "unix:path=/nowhere/at/all", "disabled:"):
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        ears.hotkey.set_key("F9")
        qtbot.waitUntil(lambda: ears.state == State.UNAVAILABLE)
        assert "banter --toggle-talk" in ears.hotkey.sentence()
        ears.hotkey.set_key("")
    assert ears.state == State.OFF


def test_which_way_on_which_system() -> None:
    assert backend_for("win32", {}) is backend_for("darwin", {}) is HookBackend
    assert backend_for("linux", {"DISPLAY": ":0"}) is X11Backend
    assert backend_for("linux", {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}) is PortalBackend
    assert backend_for("linux", {}) is None


@pytest.mark.parametrize(
    ("text", "trigger"),
    [("Ctrl+Alt+Space", "CTRL+ALT+space"), ("Meta+Shift+B", "SHIFT+LOGO+b"), ("F12", "F12"), ("Pause", "Pause")],
)
def test_keys_in_other_words(text: str, trigger: str) -> None:
    from app.gui.desktop.portal import trigger as words

    key = keys.parse(text)
    assert key is not None and words(key) == trigger
    assert keys.parse(key.text) == key


def test_what_one_types_with_is_no_hotkey() -> None:
    for text in ("A", "Shift+A", "Space", "Home", "Ctrl+,", "Ctrl+A, Ctrl+B", "", "nonsense", "Ctrl+Ä"):
        assert keys.parse(text) is None, text
    keypad = QKeyCombination(Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.KeypadModifier, Qt.Key.Key_5)
    found = keys.of(keypad)
    assert found is not None and found.text == "Ctrl+5"
