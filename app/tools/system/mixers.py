"""The volume of the computer's loudspeakers, one class for each way to reach it."""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import dataclass
from typing import Protocol

from app.tools.system.commands import CommandError, output_of


class MixerError(Exception):
    """This mixer cannot be reached."""


@dataclass(frozen=True)
class Level:
    """`percent` from 0 to 100."""

    percent: int
    muted: bool


class Mixer(Protocol):
    """Reads and sets a volume; both raise MixerError."""

    def read(self) -> Level: ...

    def write(self, level: Level) -> None: ...


def system_mixers() -> list[Mixer]:
    """Those that this computer may have, the best first."""
    if sys.platform == "win32":
        from app.tools.system.windows_mixer import WindowsMixer

        return [WindowsMixer()]
    if sys.platform == "darwin":
        return [OsascriptMixer()]
    # PipeWire answers to both.
    known: list[tuple[str, Mixer]] = [("pactl", PactlMixer()), ("wpctl", WpctlMixer())]
    return [mixer for name, mixer in known if shutil.which(name)]


def _ask(*command: str) -> str:
    try:
        return output_of(*command)
    except CommandError as error:
        raise MixerError(str(error)) from error


class PactlMixer:
    """PulseAudio, or PipeWire in its place."""

    _SINK = "@DEFAULT_SINK@"

    def read(self) -> Level:
        volumes = re.findall(r"(\d+)%", _ask("pactl", "get-sink-volume", self._SINK))
        mute = re.search(r"Mute:\s*(yes|no)", _ask("pactl", "get-sink-mute", self._SINK))
        if not volumes or not mute:
            raise MixerError("pactl says nothing about the volume")
        # Channels may differ, and PulseAudio amplifies beyond what it calls 100 %.
        return Level(min(100, max(map(int, volumes))), mute[1] == "yes")

    def write(self, level: Level) -> None:
        _ask("pactl", "set-sink-volume", self._SINK, f"{level.percent}%")
        _ask("pactl", "set-sink-mute", self._SINK, str(int(level.muted)))


class WpctlMixer:
    """PipeWire by its session manager."""

    _SINK = "@DEFAULT_AUDIO_SINK@"

    def read(self) -> Level:
        said = re.search(r"Volume:\s*(\d+(?:\.\d+)?)(\s*\[MUTED\])?", _ask("wpctl", "get-volume", self._SINK))
        if not said:
            raise MixerError("wpctl says nothing about the volume")
        return Level(min(100, round(float(said[1]) * 100)), bool(said[2]))

    def write(self, level: Level) -> None:
        _ask("wpctl", "set-volume", self._SINK, f"{level.percent / 100:.2f}")
        _ask("wpctl", "set-mute", self._SINK, str(int(level.muted)))


class OsascriptMixer:
    """macOS."""

    def read(self) -> Level:
        said = _ask("osascript", "-e", "get volume settings")
        # A monitor's loudspeaker may have no volume: "output volume:missing value".
        volume, muted = re.search(r"output volume:(\d+)", said), re.search(r"output muted:(true|false)", said)
        if not volume or not muted:
            raise MixerError("this output has no volume")
        return Level(int(volume[1]), muted[1] == "true")

    def write(self, level: Level) -> None:
        _ask("osascript", "-e", f"set volume output volume {level.percent}")
        _ask("osascript", "-e", f"set volume output muted {'true' if level.muted else 'false'}")
