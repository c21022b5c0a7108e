"""Which microphones and loudspeakers there are, by name, without disturbing the ones in use."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sys
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

from app.audio.devices import AudioDeviceError, load_sounddevice

Kind = Literal["input", "output"]

_LOOK_S = 20.0
# Systems that give no sign when a device comes or goes are looked at so often.
_UNSIGNALLED_S = 15.0
# Converters and mixers of ALSA, which are no places to plug something in.
_NO_DEVICES = {"sysdefault", "null", "jack", "oss", "lavrate", "samplerate", "speexrate", "speex", "upmix"}
_NO_DEVICES |= {"vdownmix", "dmix", "dsnoop", "spdif", "iec958"}


@dataclass(frozen=True, order=True)
class DeviceName:
    """A device as it can be found again: indices change whenever something is plugged in. `name` "" is the
    system's default.
    """

    name: str = ""
    host: str = ""


DEFAULT = DeviceName()


@dataclass(frozen=True)
class Found:
    """The devices of the system, and which of them are its defaults (None: there is none)."""

    inputs: tuple[DeviceName, ...] = ()
    outputs: tuple[DeviceName, ...] = ()
    default_input: DeviceName | None = None
    default_output: DeviceName | None = None

    def of(self, kind: Kind) -> tuple[DeviceName, ...]:
        """The devices of one kind."""
        return self.inputs if kind == "input" else self.outputs

    def default(self, kind: Kind) -> DeviceName | None:
        """The system's default of one kind."""
        return self.default_input if kind == "input" else self.default_output


def read(sounddevice: Any) -> Found:
    """What PortAudio knew when it was started in this process."""
    hosts = [api["name"] for api in sounddevice.query_hostapis()]
    every = [(DeviceName(str(d["name"]), hosts[d["hostapi"]]), d) for d in sounddevice.query_devices()]
    usable = [(name, d) for name, d in every if name.name.split(":")[0] not in _NO_DEVICES]

    def of(kind: Kind) -> tuple[DeviceName, ...]:
        names = (name for name, d in usable if d[f"max_{kind}_channels"] > 0 and name.name != "default")
        return tuple(dict.fromkeys(names))

    def default(kind: Kind) -> DeviceName | None:
        index = sounddevice.default.device[0 if kind == "input" else 1]
        return every[index][0] if 0 <= index < len(every) else None

    return Found(of("input"), of("output"), default("input"), default("output"))


def index_of(sounddevice: Any, wanted: DeviceName, kind: Kind) -> int | None:
    """The number that PortAudio has given the device, or None where it knows no such device."""
    hosts = [api["name"] for api in sounddevice.query_hostapis()]
    for index, device in enumerate(sounddevice.query_devices()):
        same = device["name"] == wanted.name and hosts[device["hostapi"]] == wanted.host
        if same and device[f"max_{kind}_channels"] > 0:
            return index
    return None


def look() -> Found | None:
    """The devices there are at this moment; None when they cannot be told.

    PortAudio reads its list once, and reading it again would close every stream: so a process is started that
    reads it and ends. Takes half a second or more; not for the window's thread.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_tell, args=(theirs,), name="device-list", daemon=True)
    process.start()
    theirs.close()
    found: Found | None = None
    with contextlib.suppress(EOFError, OSError):
        if ours.poll(_LOOK_S):
            found = ours.recv()
    ours.close()
    process.join(1.0)
    if process.is_alive():
        process.kill()
        process.join()
    process.close()
    return found


def _tell(connection: Connection) -> None:
    # ALSA writes a line on stderr for each of its plugins that does not apply here.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    with contextlib.suppress(AudioDeviceError):
        connection.send(read(load_sounddevice()))
    connection.close()


def sign() -> object:
    """Something cheap that changes when devices come or go: reason enough to `look` again."""
    if not sys.platform.startswith("linux"):
        return int(time.monotonic() / _UNSIGNALLED_S)
    files = [Path("/dev/snd"), Path(os.environ.get("ALSA_CONFIG_PATH") or "/etc/asound.conf")]
    signs: list[object] = []
    for file in (*files, Path.home() / ".asoundrc"):
        try:
            signs.append(file.stat().st_mtime_ns)
        except OSError:
            signs.append(None)
    with contextlib.suppress(OSError):
        signs.append(Path("/proc/asound/cards").read_text(encoding="utf-8", errors="replace"))
    return tuple(signs)
