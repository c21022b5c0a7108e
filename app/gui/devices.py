"""Microphone and loudspeaker for the window, opened in the background: a slow device never holds it up."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

from app.audio.capture import Capture, MicChunk
from app.audio.catalogue import DEFAULT, DeviceName, Found, Kind, index_of, look, read, sign
from app.audio.devices import DEVICE_LIST, AudioDeviceError, load_sounddevice
from app.audio.echo import EchoError, EchoFilter, WebRtcCanceller
from app.audio.playback import Playback
from app.audio.tap import SoundTap
from app.audio.vad import SileroVad

_WATCH_S = 1.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Listeners:
    """What `Devices` tells, on threads of its own.

    `speaker(Playback)` when the loudspeaker has been opened; `speaker_lost(sentence)` and
    `microphone_lost(sentence)` when there is none, or none any more; `silent(sentence)` when the microphone gives
    nothing at all; `echo(reason)` when the echo is cancelled from now on (""), or why it cannot be;
    `moved(kind, name)` when the wanted device could not be had, or the one in use went away, with the name of the
    one taken instead ("" when the wanted one is in use); `found(Found)` when devices have come or gone; `chunks`
    and `finished` as in `Capture` and `Playback`.
    """

    chunks: Callable[[list[MicChunk]], None]
    finished: Callable[[int], None]
    speaker: Callable[[Playback], None]
    speaker_lost: Callable[[str], None]
    microphone_lost: Callable[[str], None]
    silent: Callable[[str], None]
    echo: Callable[[str], None]
    moved: Callable[[Kind, str], None]
    found: Callable[[Found], None]


class Devices:
    """The microphone and the loudspeaker that the user wants, or the next best ones.

    The system's default is followed by the sound system itself, or here where it is not. A device that goes away
    is replaced within the turn, and taken back when it returns.
    """

    def __init__(self, listeners: Listeners) -> None:
        self._tell = listeners
        self._playback = Playback(on_finished=listeners.finished, on_lost=lambda sentence: self._lost("output"))
        self._capture: Capture | None = None
        self._taps: tuple[SoundTap, ...] = ()
        self._echo_filter: EchoFilter | None = None
        # Whether the echo is to be cancelled, and steady noise suppressed.
        self._cleaning = (True, False)
        self._cleaned: tuple[bool, bool] | None = None
        self._wanted: dict[Kind, DeviceName] = {"input": DEFAULT, "output": DEFAULT}
        # What was asked for, which may be the default, and what that was.
        self._using: dict[Kind, DeviceName | None] = {"input": None, "output": None}
        self._actual: dict[Kind, DeviceName | None] = {"input": None, "output": None}
        self._gone: set[Kind] = set()
        self._speaker_told = False
        self._found = Found()
        # Held by whoever opens or closes devices: PortAudio takes one such call at a time.
        self._lock = threading.Lock()
        self._cleaning_lock = threading.Lock()
        self._resting = False
        self._prompt = False
        self._watchers: set[str] = set()
        self._playback.may_rest = True
        self._closed = threading.Event()
        self._jobs: set[threading.Thread] = set()

    @property
    def volume(self) -> float:
        """Loudness of the answers, 0…1."""
        return self._playback.volume

    @volume.setter
    def volume(self, volume: float) -> None:
        self._playback.volume = volume

    @property
    def playback(self) -> Playback:
        """The loudspeaker, open or not."""
        return self._playback

    @property
    def microphone_open(self) -> bool:
        """Whether there is a working microphone."""
        return self._capture is not None and self._capture.is_open

    @property
    def names(self) -> dict[Kind, DeviceName | None]:
        """The devices in use."""
        return dict(self._actual)

    def add_tap(self, tap: SoundTap) -> None:
        """Give `tap` all sound of the microphone from now on."""
        self._set_taps((*self._taps, tap))

    def remove_tap(self, tap: SoundTap) -> None:
        """Give it no more."""
        self._set_taps(tuple(one for one in self._taps if one is not tap))

    def _set_taps(self, taps: tuple[SoundTap, ...]) -> None:
        self._taps = taps
        if self._capture is not None:
            self._capture.taps = taps

    def clean(self, echo: bool, noise: bool) -> None:
        """Take the echo of the loudspeaker out of the microphone, and steady noise too; in mid-turn as well.

        Noise is suppressed by the canceller, so not without it.
        """
        self._cleaning = (echo, noise)
        if self._cleaned is not None:
            self._in_background(self._load_canceller)

    def rest(self, idle: bool, open_mic: bool) -> None:
        """`idle`: no turn is under way, so that the loudspeaker may rest, and without `open_mic` speech need not be
        looked for.
        """
        self._resting = idle and not open_mic
        self._playback.may_rest = idle
        if self._capture is not None:
            self._capture.resting = self._resting

    def hurry(self, prompt: bool) -> None:
        """Whether what is said has to be known soon, as with the open microphone."""
        self._prompt = prompt
        if self._capture is not None:
            self._capture.prompt = prompt

    def watch(self, who: str, watching: bool) -> None:
        """While `who` shows what the microphone hears as it comes, it is handed over at once, at rest too."""
        (self._watchers.add if watching else self._watchers.discard)(who)
        if self._capture is not None:
            self._capture.watched = bool(self._watchers)

    def want(self, kind: Kind, device: DeviceName) -> None:
        """Use this device when it is there; takes effect with the next `open`."""
        self._wanted[kind] = device

    def choose(self, kind: Kind, device: DeviceName) -> None:
        """Use this device from now on, in mid-turn too."""
        self.want(kind, device)
        self._in_background(self._open_again)

    def open(self, look_again: bool = False) -> None:
        """Open what is not open yet, in the background. `look_again`: for devices plugged in meanwhile, too."""
        self._in_background(lambda: self._open(look_again))

    def close(self, timeout: float = 3.0) -> None:
        """Release both devices. No callback comes after it, unless a device is stuck for longer."""
        self._closed.set()
        for job in tuple(self._jobs):
            job.join(timeout)
        if self._lock.acquire(timeout=timeout):
            try:
                self._playback.close()
                if self._capture is not None:
                    self._capture.close()
                    self._capture.echo_filter = None
                self._echo_filter = None
                for tap in self._taps:
                    tap.close()
            finally:
                self._lock.release()

    # --- in the background

    def _in_background(self, work: Callable[[], None]) -> None:
        def run() -> None:
            try:
                if not self._closed.is_set():
                    work()
            finally:
                self._jobs.discard(threading.current_thread())

        job = threading.Thread(target=run, name="audio-opener", daemon=True)
        self._jobs.add(job)
        job.start()

    def _open(self, look_again: bool) -> None:
        with self._lock:
            if look_again and not self._both_open():
                self._release()
            self._open_both()
        # Last, since it takes a moment: until then Banter does not listen while it speaks.
        if not self._closed.is_set() and self._cleaned is None:
            self._load_canceller()
            self._watch()

    def _open_again(self) -> None:
        with self._lock:
            self._release()
            self._open_both()

    def _replace_lost(self) -> None:
        with self._lock:
            # Both go away at once when the sound system does: the first call has replaced both.
            if not self._both_open():
                self._release()
                self._open_both()
            self._gone.clear()

    def _both_open(self) -> bool:
        return self._playback.is_open and self._capture is not None and self._capture.is_open

    def _release(self) -> None:
        """Close both, since only then PortAudio finds what was plugged in meanwhile. The turn goes on."""
        self._playback.close(keep_turn=True)
        if self._capture is not None:
            self._capture.close()
        DEVICE_LIST.outdate()

    def _lost(self, kind: Kind) -> None:
        _log.info("lost: %s", kind)
        self._gone.add(kind)
        self._in_background(self._replace_lost)

    def _open_both(self) -> None:
        if not self._closed.is_set() and not self._playback.is_open:
            self._open_speaker()
        if not self._closed.is_set() and not (self._capture and self._capture.is_open):
            self._open_microphone()

    def _open_speaker(self) -> None:
        try:
            self._open_one("output", self._playback)
        except AudioDeviceError as error:
            self._playback.close()
            self._speaker_told = False
            self._tell.speaker_lost(str(error))
            return
        # An answer that goes on elsewhere must not be taken for one that has no loudspeaker any more.
        if not self._speaker_told:
            self._speaker_told = True
            self._tell.speaker(self._playback)

    def _open_microphone(self) -> None:
        try:
            if self._capture is None:
                detector = SileroVad()
                self._capture = Capture(
                    self._tell.chunks,
                    detector=detector.probability,
                    on_lost=lambda sentence: self._lost("input"),
                    on_silent=self._tell.silent,
                )
            self._capture.echo_filter = self._echo_filter
            self._capture.taps = self._taps
            self._capture.resting, self._capture.watched = self._resting, bool(self._watchers)
            self._capture.prompt = self._prompt
            self._open_one("input", self._capture)
        except (AudioDeviceError, FileNotFoundError) as error:
            self._tell.microphone_lost(str(error))
        except ImportError as error:
            self._tell.microphone_lost(f"The microphone needs a Python package that is missing: {error.name}.")

    def _open_one(self, kind: Kind, device: Playback | Capture) -> None:
        """Open the wanted device, else the system's default, else any. Raises the default's `AudioDeviceError`."""
        sounddevice = load_sounddevice()
        DEVICE_LIST.refresh(sounddevice)
        found = read(sounddevice)
        if found != self._found:
            self._found = found
            self._tell.found(found)
        wanted = self._wanted[kind]
        failure: AudioDeviceError | None = None
        for name in dict.fromkeys((wanted, DEFAULT, *found.of(kind))):
            number = None if name == DEFAULT else index_of(sounddevice, name, kind)
            if number is None and name != DEFAULT:
                continue
            device.device = number
            try:
                device.open()
            except AudioDeviceError as error:
                if name == DEFAULT:
                    failure = error
                continue
            actual = found.default(kind) if name == DEFAULT else name
            _log.info("open: %s %s", kind, actual)
            elsewhere = name != wanted or (kind in self._gone and actual != self._actual[kind])
            self._using[kind], self._actual[kind] = name, actual
            self._gone.discard(kind)
            self._tell.moved(kind, actual.name if elsewhere and actual else "")
            return
        raise failure or AudioDeviceError("No sound device was found: plug one in and try again.")

    def _load_canceller(self) -> None:
        # Held here alone: what was wanted last wins, however many threads are on their way.
        with self._cleaning_lock:
            wanted = self._cleaning
            if wanted == self._cleaned or self._closed.is_set():
                return
            self._cleaned = wanted
            echo, noise = wanted
            self._echo_filter, reason = None, "you have switched the echo canceller off"
            if echo:
                try:
                    canceller = WebRtcCanceller(noise_suppression=noise)
                except EchoError as error:
                    reason = str(error)
                else:
                    self._echo_filter, reason = self._new_filter(canceller, noise), ""
            if self._capture is not None:
                self._capture.echo_filter = self._echo_filter
            self._tell.echo(reason)

    def _new_filter(self, canceller: WebRtcCanceller, noise: bool) -> EchoFilter:
        return EchoFilter(canceller, lambda: self._playback.reference, self._tell.echo, always=noise)

    def _watch(self) -> None:
        """Look out for devices that come and go, until the end."""
        before = sign()
        while not self._closed.wait(_WATCH_S):
            now = sign()
            if now == before:
                continue
            before = now
            with contextlib.suppress(OSError):
                found = look()
                if found is not None and not self._closed.is_set():
                    self._compare(found)

    def _compare(self, found: Found) -> None:
        before, self._found = self._found, found
        if found == before:
            return
        self._tell.found(found)
        kinds: tuple[Kind, ...] = ("input", "output")
        if any(self._better(kind, found) for kind in kinds):
            self._open_again()

    def _better(self, kind: Kind, found: Found) -> bool:
        """Whether there is a better device now than the one in use: the wanted one, or a new default."""
        wanted, using = self._wanted[kind], self._using[kind]
        if wanted != DEFAULT and wanted in found.of(kind):
            return using != wanted
        return found.default(kind) not in (None, self._actual[kind])
