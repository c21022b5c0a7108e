"""Microphone and loudspeaker for the window, opened in the background: a slow device never holds it up."""

from __future__ import annotations

import threading
from collections.abc import Callable

from app.audio.capture import Capture, MicChunk
from app.audio.devices import AudioDeviceError
from app.audio.playback import Playback
from app.audio.vad import SileroVad


class Devices:
    """The system's default microphone and loudspeaker.

    The callbacks come on threads of their own: `on_speaker(Playback)` when the loudspeaker has been opened;
    `on_speaker_lost(sentence)` and `on_microphone_lost(sentence)` when a device could not be opened or went
    away ("" for a moment only); `on_silent(sentence)` when the microphone gives nothing at all; `on_chunk`
    and `on_finished` as in `Capture` and `Playback`.
    """

    def __init__(
        self,
        *,
        on_chunk: Callable[[MicChunk], None],
        on_finished: Callable[[int], None],
        on_speaker: Callable[[Playback], None],
        on_speaker_lost: Callable[[str], None],
        on_microphone_lost: Callable[[str], None],
        on_silent: Callable[[str], None],
    ) -> None:
        self._on_chunk = on_chunk
        self._on_speaker = on_speaker
        self._on_speaker_lost = on_speaker_lost
        self._on_microphone_lost = on_microphone_lost
        self._on_silent = on_silent
        self._playback = Playback(on_finished=on_finished, on_lost=on_speaker_lost)
        self._capture: Capture | None = None
        # Held by whoever opens or closes devices: PortAudio takes one such call at a time.
        self._lock = threading.Lock()
        self._closed = False
        self._opener: threading.Thread | None = None

    @property
    def volume(self) -> float:
        """Loudness of the answers, 0…1."""
        return self._playback.volume

    @volume.setter
    def volume(self, volume: float) -> None:
        self._playback.volume = volume

    def open(self, look_again: bool = False) -> None:
        """Open what is not open yet, in the background. `look_again`: for devices plugged in meanwhile, too."""
        if self._opener is None or not self._opener.is_alive():
            self._opener = threading.Thread(target=self._open, args=(look_again,), name="audio-opener", daemon=True)
            self._opener.start()

    def close(self, timeout: float = 3.0) -> None:
        """Release both devices. No callback comes after it, unless a device is stuck for longer."""
        self._closed = True
        if self._opener is not None:
            self._opener.join(timeout)
        if self._lock.acquire(timeout=timeout):
            try:
                self._playback.close()
                if self._capture is not None:
                    self._capture.close()
            finally:
                self._lock.release()

    def _open(self, look_again: bool) -> None:
        with self._lock:
            if look_again:
                self._close_both_if_one_is_missing()
            if not self._closed and not self._playback.is_open:
                self._open_speaker()
            if not self._closed and not (self._capture and self._capture.is_open):
                self._open_microphone()

    def _close_both_if_one_is_missing(self) -> None:
        """A device that was plugged in after the list was read is found only when no stream is open."""
        speaker, microphone = self._playback.is_open, bool(self._capture and self._capture.is_open)
        if speaker and not microphone:
            self._on_speaker_lost("")
            self._playback.close()
        elif microphone and not speaker and self._capture:
            self._capture.close()

    def _open_speaker(self) -> None:
        try:
            self._playback.open()
        except AudioDeviceError as error:
            self._on_speaker_lost(str(error))
        else:
            self._on_speaker(self._playback)

    def _open_microphone(self) -> None:
        try:
            if self._capture is None:
                detector = SileroVad()
                self._capture = Capture(
                    self._on_chunk,
                    detector=detector.probability,
                    on_lost=self._on_microphone_lost,
                    on_silent=self._on_silent,
                )
            self._capture.open()
        except (AudioDeviceError, FileNotFoundError) as error:
            self._on_microphone_lost(str(error))
        except ImportError as error:
            self._on_microphone_lost(f"The microphone needs a Python package that is missing: {error.name}.")
