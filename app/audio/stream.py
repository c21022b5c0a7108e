"""A device's stream, from its opening to its release: what the microphone and the loudspeaker have in common."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, Literal

from app.audio.devices import ASLEEP_S, DEVICE_LIST, explain, load_sounddevice

_RATES = (48_000, 44_100, 16_000)
#: A stream that has not called back for so long has stopped, and after the longer time it will not come back.
_STALLED_S, _NO_CALLBACK_S = 0.3, 3.0
# PortAudio's list of open streams bears no two threads at once.
_ONE_AT_A_TIME = threading.Lock()
_HANGS_S = 3.0
_WHAT = {"input": "microphone", "output": "loudspeaker"}


def open_stream(
    owner: object,
    kind: Literal["input", "output"],
    device: int | None,
    *,
    latency: float,
    counts: Callable[[int], Iterable[int]],
    prepare: Callable[[int, int], Callable[..., None]],
    block_s: float = 0.0,
) -> Any:
    """Open `device` (PortAudio's number, None for the system's default) for `owner` and start it; returns the stream.

    Its own sample rate is tried first, and others only where that is refused. `latency` is the buffer to ask for, in
    seconds; `counts(most)` gives the numbers of channels to try with a device of `most`; `prepare(rate, channels)`
    makes everything ready for one attempt and returns its callback, which is called every `block_s` seconds, or as
    often as the device likes, with an array for the loudspeaker to fill or the plain bytes, float32, of the microphone.
    Raises `AudioDeviceError`. When it is running, tell `DEVICE_LIST.opened`.
    """
    sounddevice = load_sounddevice()
    with _ONE_AT_A_TIME:
        return _open(sounddevice, owner, kind, device, latency, counts, prepare, block_s)


def _open(
    sounddevice: Any,
    owner: object,
    kind: Literal["input", "output"],
    device: int | None,
    latency: float,
    counts: Callable[[int], Iterable[int]],
    prepare: Callable[[int, int], Callable[..., None]],
    block_s: float,
) -> Any:
    DEVICE_LIST.refresh(sounddevice)
    try:
        info = sounddevice.query_devices(device, kind)
    except (sounddevice.PortAudioError, ValueError) as error:
        DEVICE_LIST.closed(owner, failed=True)
        raise explain(error, _WHAT[kind]) from error
    make = sounddevice.RawInputStream if kind == "input" else sounddevice.OutputStream
    own = round(float(info["default_samplerate"]))
    channel_counts = tuple(counts(int(info[f"max_{kind}_channels"])))
    failure: Exception | None = None
    for rate, channels in itertools.product(dict.fromkeys((own, *_RATES)), channel_counts):
        if rate != own and not _refuses_rate(failure):
            break
        callback = prepare(rate, channels)
        stream = None
        try:
            stream = make(
                device=device,
                samplerate=rate,
                blocksize=round(block_s * rate),
                channels=channels,
                dtype="float32",
                latency=latency,
                callback=callback,
            )
            stream.start()
        except sounddevice.PortAudioError as error:
            failure = error
            if stream is not None:
                stream.close(ignore_errors=True)
        else:
            return stream
    DEVICE_LIST.closed(owner, failed=True)
    raise explain(failure, _WHAT[kind]) from failure


def release_stream(owner: object, stream: Any, *, lost: bool) -> None:
    """Stop and close what `open_stream` gave; `lost` when the device went away."""
    close_stream(stream)
    DEVICE_LIST.closed(owner, failed=lost)


def close_stream(stream: Any) -> None:
    """Stop and close `stream`, whose owner still counts as one that has a device."""
    # A device that hangs must not keep the others from being closed.
    alone = _ONE_AT_A_TIME.acquire(timeout=_HANGS_S)
    try:
        with contextlib.suppress(Exception):
            stream.abort(ignore_errors=True)
        with contextlib.suppress(Exception):
            stream.close(ignore_errors=True)
    finally:
        if alone:
            _ONE_AT_A_TIME.release()


class Watchdog:
    """Notices that a stream has died: it says so, or calls back no more."""

    def __init__(self, stream: Any) -> None:
        """`stream` has just been started."""
        self._stream = stream
        self._calls = 0
        self._alive_at = self._looked_at = time.monotonic()

    @property
    def is_stalled(self) -> bool:
        """Whether there had been no call back for 300 ms or more when `is_lost` was asked last."""
        return self._looked_at - self._alive_at > _STALLED_S

    def is_lost(self, calls: int) -> bool:
        """To be asked more often than once a second, with the number of calls back so far."""
        now = time.monotonic()
        if now - self._looked_at > ASLEEP_S:
            self._alive_at = now
        self._looked_at = now
        if self._calls != calls:
            self._calls, self._alive_at = calls, now
        return now - self._alive_at > _NO_CALLBACK_S or not self._stream.active


def _refuses_rate(error: Exception | None) -> bool:
    """Whether another sample rate is worth a try after `error` of PortAudio."""
    return error is not None and "sample rate" in str(error).lower()
