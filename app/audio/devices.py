"""PortAudio itself: its lazy import, its list of devices, and its errors said in one sentence."""

from __future__ import annotations

import os
import sys
import threading
from types import ModuleType
from typing import Any

# Milliseconds of buffer to ask of the devices, where the processor is too busy for the usual few.
LATENCY_VARIABLE = "BANTER_AUDIO_LATENCY_MS"
# A thread that could not look for so long has slept with the computer, and so has the device.
ASLEEP_S = 1.0


class AudioDeviceError(Exception):
    """A microphone or loudspeaker cannot be used. `str(error)` is one sentence that says what to do."""


def load_sounddevice() -> ModuleType:
    """Import sounddevice, which loads PortAudio.

    Raises `AudioDeviceError` where the package or the PortAudio library is missing.
    """
    try:
        import sounddevice
    except ImportError as error:
        raise AudioDeviceError("The package sounddevice is missing: pip install sounddevice") from error
    except OSError as error:
        how = " Install it with: sudo apt install libportaudio2" if sys.platform.startswith("linux") else ""
        raise AudioDeviceError(f"The PortAudio library is missing, so there is no sound.{how}") from error
    return sounddevice


def latency_s(usual: float) -> float:
    """The buffer to ask of a device, in seconds: `usual`, or what the environment says, 2 s at most."""
    try:
        wanted = float(os.environ.get(LATENCY_VARIABLE, "")) / 1_000
    except ValueError:
        return usual
    return wanted if 0.0 < wanted <= 2.0 else usual


def explain(error: Exception | None, what: str) -> AudioDeviceError:
    """Turn an error of PortAudio into one clear sentence; `what` is "microphone" or "loudspeaker"."""
    text = str(error or "it has no channels")
    low = text.lower()
    if any(sign in low for sign in ("querying device", "invalid device", "no input device", "no output device")):
        return AudioDeviceError(f"No {what} was found: plug one in and try again.")
    if "unavailable" in low or "busy" in low:
        return AudioDeviceError(f"The {what} is in use by another program: close that program and try again.")
    reason = text.split("[")[0].strip().rstrip(".:") or type(error).__name__
    return AudioDeviceError(
        f"The {what} could not be opened ({reason}): choose another one in the system's sound settings."
    )


class DeviceList:
    """Knows when PortAudio's list of devices is out of date and may be read again.

    PortAudio reads the list once, and reading it again closes every open stream: so it is read again only
    when a device failed or went away before and no stream is open.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: set[int] = set()
        self._stale = False

    def refresh(self, sounddevice: Any) -> None:
        """Read the list again if it may be wrong and nothing is open. Call before looking for a device."""
        with self._lock:
            if self._stale and not self._open:
                sounddevice._terminate()
                sounddevice._initialize()
                self._stale = False

    def outdate(self) -> None:
        """Have the list read again at the next chance."""
        with self._lock:
            self._stale = True

    def opened(self, owner: object) -> None:
        """`owner` has a stream now."""
        with self._lock:
            self._open.add(id(owner))

    def closed(self, owner: object, *, failed: bool) -> None:
        """`owner` has no stream any more; `failed` when its device could not be opened or went away."""
        with self._lock:
            self._open.discard(id(owner))
            self._stale = self._stale or failed


DEVICE_LIST = DeviceList()
