"""A device's stream, from its opening to its release: what the microphone and the loudspeaker have in common."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable
from typing import Any, Literal

from app.audio.devices import DEVICE_LIST, explain, load_sounddevice

_RATES = (48_000, 44_100, 16_000)
_WHAT = {"input": "microphone", "output": "loudspeaker"}


def open_stream(
    owner: object,
    kind: Literal["input", "output"],
    device: int | None,
    *,
    latency: float,
    counts: Callable[[int], Iterable[int]],
    prepare: Callable[[int, int], Callable[..., None]],
) -> Any:
    """Open `device` (PortAudio's number, None for the system's default) for `owner` and start it; returns the stream.

    Its own sample rate is tried first, and others only where that is refused. `latency` is the buffer to ask for, in
    seconds; `counts(most)` gives the numbers of channels to try with a device of `most`; `prepare(rate, channels)`
    makes everything ready for one attempt and returns its callback. Raises `AudioDeviceError`. When it is running,
    tell `DEVICE_LIST.opened`.
    """
    sounddevice = load_sounddevice()
    DEVICE_LIST.refresh(sounddevice)
    try:
        info = sounddevice.query_devices(device, kind)
    except (sounddevice.PortAudioError, ValueError) as error:
        DEVICE_LIST.closed(owner, failed=True)
        raise explain(error, _WHAT[kind]) from error
    make = sounddevice.InputStream if kind == "input" else sounddevice.OutputStream
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
                device=device, samplerate=rate, channels=channels, dtype="float32", latency=latency, callback=callback
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
    with contextlib.suppress(Exception):
        stream.abort(ignore_errors=True)
    with contextlib.suppress(Exception):
        stream.close(ignore_errors=True)
    DEVICE_LIST.closed(owner, failed=lost)


def _refuses_rate(error: Exception | None) -> bool:
    """Whether another sample rate is worth a try after `error` of PortAudio."""
    return error is not None and "sample rate" in str(error).lower()
