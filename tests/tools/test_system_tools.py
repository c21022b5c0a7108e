"""Volume, media, voices and status, with the real mixer, bus and readings where they run here."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tools.system import windows_mixer
from app.tools.system.commands import CommandError, output_of
from app.tools.system.media import MprisRemote, media_tool
from app.tools.system.mixers import Level, MixerError, PactlMixer, WpctlMixer
from app.tools.system.status import Battery, Space, gigabytes, read_battery, status_tool, told
from app.tools.system.voice import meant, voice_tool
from app.tools.system.volume import volume_tool, wanted
from app.tools.tool import MissingArgument, ToolFailure
from tests.support import portal, virtual_audio
from tests.support.player import Player

# --- volume


@pytest.fixture
def sound_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[virtual_audio.VirtualCard]:
    if virtual_audio.missing():
        pytest.skip(virtual_audio.missing())
    with virtual_audio.virtual_card() as card:
        for name, value in card.env.items():
            monkeypatch.setenv(name, value)
        yield card


def heard_by_pactl(card: virtual_audio.VirtualCard) -> tuple[str, bool]:
    said = [
        subprocess.run(
            ["pactl", command, "va_speaker"], env=card.env, capture_output=True, text=True, check=True
        ).stdout
        for command in ("get-sink-volume", "get-sink-mute")
    ]
    found = re.search(r"\d+%", said[0])
    assert found is not None
    return found[0], "yes" in said[1]


def test_the_real_mixer_is_turned(sound_server: virtual_audio.VirtualCard) -> None:
    tool = volume_tool([PactlMixer()])
    assert tool.run({"level": 40}).data == {"level": 40, "muted": False, "spoken_level": "at forty percent"}
    assert heard_by_pactl(sound_server) == ("40%", False)
    assert tool.run({"change": "up"}).data["level"] == 50
    assert tool.run({"change": "down", "amount": 7}).data["spoken_level"] == "at forty three percent"
    assert tool.run({"change": "mute"}).data == {"level": 43, "muted": True, "spoken_level": "muted"}
    assert heard_by_pactl(sound_server) == ("43%", True)
    assert tool.run({"change": "up"}).data == {"level": 53, "muted": False, "spoken_level": "at fifty three percent"}
    assert tool.run({"change": "down", "amount": 100}).data["level"] == 0


class Own:
    """Banter's own volume."""

    def __init__(self) -> None:
        self.level = Level(50, False)

    def read(self) -> Level:
        return self.level

    def write(self, level: Level) -> None:
        self.level = level


def test_without_a_mixer_banter_turns_its_own_volume_and_says_so(sound_server: virtual_audio.VirtualCard) -> None:
    sound_server.kill_server()
    own = Own()
    data = volume_tool([PactlMixer()], own).run({"change": "down"}).data
    assert own.level == Level(40, False)
    assert data["spoken_level"] == "at forty percent for my voice"
    with pytest.raises(ToolFailure, match="no way to change the volume"):
        volume_tool([PactlMixer()]).run({"change": "down"})


def test_a_mixer_that_fails_or_talks_nonsense_is_no_mixer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "wpctl"
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    for script in ("exit 3", "echo Volume: lots"):
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        with pytest.raises(MixerError):
            WpctlMixer().read()


def test_a_command_that_hangs_is_ended() -> None:
    with pytest.raises(CommandError):
        output_of(sys.executable, "-c", "import time; time.sleep(600)", patience_s=0.3)


def test_pipewire_is_read_and_turned_by_its_own_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # No PipeWire runs here; this keeps what it is told and answers as wpctl does.
    program = tmp_path / "wpctl"
    program.write_text(
        "#!/bin/sh\n"
        f'cd "{tmp_path}"\n'
        'case "$1" in\n'
        '  get-volume) echo "Volume: $(cat volume)$(grep -q 1 mute && echo " [MUTED]")" ;;\n'
        '  set-volume) echo "$3" > volume ;;\n'
        '  set-mute) echo "$3" > mute ;;\n'
        "esac\n"
    )
    program.chmod(0o755)
    (tmp_path / "volume").write_text("0.55\n")
    (tmp_path / "mute").write_text("0\n")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert WpctlMixer().read() == Level(55, False)
    WpctlMixer().write(Level(7, True))
    assert WpctlMixer().read() == Level(7, True)


@given(st.integers(0, 100), st.booleans(), st.sampled_from(["up", "down", "mute", "unmute"]), st.integers(1, 100))
def test_volume_stays_within_its_range(percent: int, muted: bool, change: str, amount: int) -> None:
    level = wanted(Level(percent, muted), {"change": change, "amount": amount})
    assert 0 <= level.percent <= 100
    if change in ("mute", "unmute"):
        assert level == Level(percent, change == "mute")


def test_the_methods_of_windows_are_called_by_their_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows does not run here: the tables of methods are made of real C functions that note what they are told."""
    state: dict[str, Any] = {"scalar": 0.5, "muted": 0, "released": 0}
    kept: list[Any] = []

    def table(methods: dict[int, tuple[tuple[Any, ...], Callable[..., int]]]) -> ctypes.c_void_p:
        entries = (ctypes.c_void_p * 18)()
        release = ((), lambda this: state.update(released=state["released"] + 1) or 0)
        for place, (kinds, work) in {2: release, **methods}.items():
            function = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_void_p, *kinds)(work)
            kept.append(function)
            entries[place] = ctypes.cast(function, ctypes.c_void_p)
        instance = ctypes.pointer(ctypes.cast(entries, ctypes.c_void_p))
        kept.extend((entries, instance))
        return ctypes.cast(instance, ctypes.c_void_p)

    def give(target: int, value: ctypes.c_void_p) -> int:
        ctypes.c_void_p.from_address(target).value = value.value
        return 0

    def give_number(target: int, kind: Any, value: float) -> int:
        kind.from_address(target).value = value
        return 0

    pointer, number = ctypes.c_void_p, ctypes.c_int
    volume = table(
        {
            7: ((ctypes.c_float, pointer), lambda this, scalar, _: state.update(scalar=scalar) or 0),
            9: ((pointer,), lambda this, target: give_number(target, ctypes.c_float, state["scalar"])),
            14: ((number, pointer), lambda this, muted, _: state.update(muted=muted) or 0),
            15: ((pointer,), lambda this, target: give_number(target, ctypes.c_int, state["muted"])),
        }
    )
    device = table(
        {3: ((pointer, ctypes.c_uint, pointer, pointer), lambda this, i, c, p, target: give(target, volume))}
    )
    no_device = ((number, number, pointer), lambda this, flow, role, target: -2147023728)
    enumerator = table({4: ((number, number, pointer), lambda this, flow, role, target: give(target, device))})
    broken = table({4: no_device})

    class Ole32:
        made = enumerator

        def CoInitializeEx(self, *_: Any) -> int:
            return 0

        def CoUninitialize(self) -> None:
            pass

        def CoCreateInstance(self, kind: bytes, outer: None, context: int, interface: bytes, target: Any) -> int:
            assert len(kind) == len(interface) == 16
            target._obj.value = self.made.value
            return 0

    ole32 = Ole32()
    monkeypatch.setattr(ctypes, "OleDLL", lambda name: ole32, raising=False)
    mixer = windows_mixer.WindowsMixer()
    assert mixer.read() == Level(50, False)
    mixer.write(Level(30, True))
    assert (round(state["scalar"], 3), state["muted"]) == (0.3, 1)
    assert state["released"] == 6, "three objects each time"
    ole32.made = broken
    with pytest.raises(MixerError, match="0x80070490"):
        mixer.read()


# --- media players

needs_bus = pytest.mark.skipif(bool(portal.missing()), reason=portal.missing() or "-")


@pytest.fixture
def address() -> Iterator[str]:
    with portal.session_bus() as address:
        yield address


def press(address: str, action: str) -> str:
    return str(media_tool(MprisRemote(address)).run({"action": action}).data["spoken_state"])


@needs_bus
def test_a_player_plays_pauses_and_skips(address: str) -> None:
    with Player(address, "one", "Paused") as player:
        assert press(address, "play") == "playing" and player.state == "Playing"
        assert press(address, "next") == "on the next track"
        assert press(address, "previous") == "on the previous track"
        assert press(address, "pause") == "paused" and player.state == "Paused"
        assert player.pressed == ["Play", "Next", "Previous", "Pause"]


@needs_bus
def test_the_player_that_is_listened_to_is_told(address: str) -> None:
    with ExitStack() as stack:
        idle, paused, playing, other = (
            stack.enter_context(Player(address, name, state))
            for name, state in (("a", "Stopped"), ("b", "Paused"), ("c", "Playing"), ("d", "Playing"))
        )
        press(address, "next")
        assert playing.pressed == ["Next"] and not paused.pressed
        press(address, "pause")
        assert playing.pressed == ["Next", "Pause"] and other.pressed == ["Pause"]
        assert not idle.pressed and not paused.pressed
        press(address, "play")
        assert paused.pressed == ["Play"]


@needs_bus
def test_no_player_a_stubborn_one_and_no_bus_are_spoken_failures(address: str) -> None:
    with pytest.raises(ToolFailure, match="no media player"):
        press(address, "play")
    with Player(address, "one", "Playing", stubborn=True), pytest.raises(ToolFailure, match="did not respond"):
        press(address, "pause")
    with Player(address, "deaf", "Playing", deaf=True), Player(address, "one", "Playing") as good:
        assert press(address, "pause") == "paused" and good.pressed == ["Pause"]
    portal.stop_bus(address)
    with pytest.raises(ToolFailure, match="cannot reach"):
        press(address, "play")


@pytest.mark.skipif(sys.platform != "linux", reason="pynput is there on other systems")
def test_media_keys_that_cannot_be_pressed_are_a_spoken_failure() -> None:
    from app.tools.system.media import MediaKeys

    with pytest.raises(ToolFailure, match="could not press"):
        MediaKeys().press("play")


# --- status


def test_this_computer_tells_how_it_is_doing() -> None:
    for item in ("memory", "disk", "all"):
        data = status_tool().run({"item": item}).data
        assert data["item"] == item and re.fullmatch(r"[a-z, ]+", data["spoken_status"])
    spoken = status_tool().run({"item": "battery"}).data["spoken_status"]
    assert (spoken == "this computer has no battery") == (read_battery() is None)


@pytest.mark.parametrize(
    ("battery", "spoken"),
    [
        (Battery(80, True, None), "the battery is at eighty percent and plugged in"),
        (Battery(100, True, None), "the battery is at one hundred percent and full"),
        (Battery(35, False, 7450.0), "the battery is at thirty five percent, which should last about two hours"),
        (Battery(5, False, 100.0), "the battery is at five percent and not plugged in"),
    ],
)
def test_the_battery_in_words(battery: Battery, spoken: str) -> None:
    assert told("battery", battery, None, None) == [spoken]


def test_space_in_words() -> None:
    spoken = told("all", None, Space(3_460_000_000, 8_000_000_000), Space(10**9, 512 * 10**9))
    assert spoken == [
        "the memory has three point five gigabytes free of eight gigabytes",
        "the disk has one gigabyte free of five hundred and twelve gigabytes",
    ]
    assert gigabytes(0) == "zero gigabytes"


# --- voices

VOICES = ["Alma", "Rowan", "Iris", "Felix", "Nora"]


@pytest.mark.parametrize(
    ("spoken", "expected"),
    [
        ("alma", ["Alma"]),
        ("Rowen", ["Rowan"]),
        ("felics", ["Felix"]),
        ("Norah", ["Nora"]),
        ("Bartholomew", []),
        ("", []),
    ],
)
def test_a_misheard_name_is_understood(spoken: str, expected: list[str]) -> None:
    assert meant(spoken, VOICES) == expected


def test_a_voice_is_changed_or_three_are_named() -> None:
    used: list[str] = []
    tool = voice_tool(lambda: VOICES, used.append)
    assert tool.run({"voice": "Rowen"}).data == {"voice": "Rowan"} and used == ["Rowan"]
    with pytest.raises(ToolFailure) as failure:
        tool.run({"voice": "Bob 2"})
    assert str(failure.value) == "I have no voice called Bob two. You could choose Alma, Rowan or Iris."
    with pytest.raises(MissingArgument, match="Did you mean Mona or Moni"):
        voice_tool(lambda: ["Mona", "Moni", "Theo"], used.append).run({"voice": "Monn"})

    def broken(name: str) -> None:
        raise OSError("gone")

    with pytest.raises(ToolFailure):
        voice_tool(lambda: VOICES, broken).run({"voice": "Iris"})
    assert used == ["Rowan"]
