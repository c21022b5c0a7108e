"""The loudspeaker: 24 kHz pieces of the reply in, a device stream out that is open before it is needed."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.audio.devices import DEVICE_LIST, AudioDeviceError, latency_s
from app.audio.outlet import Outlet
from app.audio.reference import Reference
from app.audio.resample import Resampler
from app.audio.ring import Ring
from app.audio.stream import Watchdog, close_stream, open_stream, release_stream

RATE = 24_000
# The device's own buffer. The lowest that devices offer (9 ms) stutters as soon as the processor is busy.
LATENCY_S = 0.03
# How loud the reply still is while it is not clear whether the user wants to interrupt it.
DUCKED = 0.2
_RING_S = 2.0
_PIECE = RATE * 80 // 1000
_POLL_PLAYING_S = 0.01
_POLL_IDLE_S = 0.2
# A stream that is not needed is closed after so much silence, which also lets a wireless headset rest.
_REST_AFTER_S = 5.0
_PREBUFFER_S = 0.06
_PREBUFFER_MOST_S = 0.64

Samples = NDArray[np.float32]


class Playback:
    """Plays one turn after the other.

    The stream stays open between turns, so that a turn starts and stops within one device buffer; while `may_rest` is
    set it is closed after some silence, and opened again when that is unset or a turn begins. `begin`, `write`, `end`
    and `stop` are called from one thread and never block on the device; a thread of its own resamples into a ring,
    from which the PortAudio callback reads. Speech of a turn that is not the current one is dropped.

    When the device goes away, or `close(keep_turn=True)` is called, the turn waits for `open` and goes on from
    where it was, on another device too.

    Speech starts once a little of it is ready; each time the ring runs dry in mid-speech that amount doubles
    (up to 0.64 s), and it shrinks again with each turn played cleanly.
    """

    def __init__(
        self,
        *,
        on_finished: Callable[[int], None] = lambda turn: None,
        on_lost: Callable[[str], None] = lambda sentence: None,
        device: int | None = None,
        latency: float | None = None,
    ) -> None:
        """Nothing is opened before `open`.

        `on_finished(turn)` is called when the last sample of an ended turn has left the device;
        `on_lost(sentence)` when the device goes away. Both run on the playback thread. `device`, PortAudio's
        number or None for the system's default, may be set while it is closed. `latency` is the buffer asked of
        the device, in seconds, by default `LATENCY_S` or what the environment says.
        """
        self._on_finished = on_finished
        self._on_lost = on_lost
        self.device = device
        self._latency_s = latency if latency is not None else latency_s(LATENCY_S)
        self._stream: Any = None
        self._thread: threading.Thread | None = None
        self._quit = threading.Event()
        self._wake = threading.Event()
        self._may_rest = False
        self._rests = False
        # Guards what the caller's thread and the playback thread share; the device callback never takes it.
        self._lock = threading.Lock()
        self._queue: deque[Samples] = deque()
        self._turn: int | None = None
        self._heard: tuple[int | None, int] = (None, 0)
        self._spoken: list[Samples] = []
        self._carried = 0
        self._waiting = False
        self._resampler: Resampler | None = None
        self._ended = False
        self._end_at: int | None = None
        self._base = 0
        self._prebuffer_s = _PREBUFFER_S
        self._turn_dry = 0
        self._out = Outlet()
        # The current turn, and which of all turns that is.
        self._begun: tuple[int | None, int] = (None, 0)
        self.rate = 0
        self._reference: Reference | None = None

    @property
    def is_open(self) -> bool:
        """True while there is a working device, though it may rest."""
        return self._stream is not None or self._rests

    @property
    def volume(self) -> float:
        """Loudness, 0…1."""
        return self._out.volume

    @volume.setter
    def volume(self, volume: float) -> None:
        self._out.volume = volume

    @property
    def reference(self) -> Reference | None:
        """What the open device is given, silence included; None without a device."""
        return self._reference if self.is_open else None

    @property
    def may_rest(self) -> bool:
        """Whether no turn is expected soon."""
        return self._may_rest

    @may_rest.setter
    def may_rest(self, allowed: bool) -> None:
        self._may_rest = allowed
        self._wake.set()

    @property
    def underruns(self) -> int:
        """How often speech ran out in mid-turn, plus the underflows that the device itself reported."""
        return self._out.dry + self._out.device_underflows

    def open(self) -> None:
        """Open the device. Raises `AudioDeviceError`; does nothing when open already.

        After a loss it may be called again; the system's devices are looked up afresh when neither microphone
        nor loudspeaker is open, so close both before opening them again.
        """
        if self.is_open:
            return
        self.close(keep_turn=True)
        stream = self._open_stream()
        self._take(stream)
        DEVICE_LIST.opened(self)
        self._quit = threading.Event()
        run = threading.Thread(target=self._run, args=(stream, self._quit), name="loudspeaker", daemon=True)
        self._thread = run
        run.start()

    def _open_stream(self) -> Any:
        self._out.cut_at, self._out.calls, self._out.gate, self._out.no_more_at = 0, 0, False, -1
        return open_stream(
            self,
            "output",
            self.device,
            latency=self._latency_s,
            counts=lambda most: dict.fromkeys((min(2, most), 1, most)),
            prepare=self._prepare,
        )

    def _take(self, stream: Any) -> None:
        with self._lock:
            self._stream, self._waiting, self._rests = stream, False, False
            if self._turn is not None:
                self._go_on()

    def close(self, keep_turn: bool = False) -> None:
        """Stop at once and release the device. Safe at any time, from any thread but the playback thread.

        `keep_turn`: the turn under way goes on when the device, or another one, has been opened.
        """
        self._quit.set()
        self._wake.set()
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout=2.0)
        self._release(keep_turn)

    def begin(self, turn: int) -> None:
        """Make `turn` the current one; whatever was playing is cut off."""
        with self._lock:
            self._cut()
            if self._stream is None and not self._waiting:
                return
            self._turn = turn
            self._out.serial += 1
            self._begun = (turn, self._out.serial)
            self._start_counting()
        self._wake.set()

    def write(self, turn: int, samples: Samples) -> None:
        """Queue float32 [N] at 24 kHz, within ±1. Dropped unless `turn` is the current one and not ended."""
        with self._lock:
            if turn != self._turn or self._ended:
                return
            samples = np.array(samples, np.float32)
            self._spoken.append(samples)
            self._queue.extend(samples[at : at + _PIECE] for at in range(0, len(samples), _PIECE))
        self._wake.set()

    def end(self, turn: int) -> None:
        """No more speech follows for `turn`; `on_finished` is called when the rest has been heard."""
        with self._lock:
            if turn == self._turn:
                self._ended = True
        self._wake.set()

    def stop(self) -> None:
        """Fall silent now, with a 10 ms fade; the rest of the turn is dropped and `on_finished` is not
        called.
        """
        with self._lock:
            self._cut()

    def duck(self) -> None:
        """Play on much more quietly from now on, until `resume` or the end of the turn."""
        self._out.level = DUCKED

    def hold(self) -> None:
        """Fall silent now, with a 10 ms fade, and keep the rest of the turn for `resume`."""
        self._out.held = True

    def resume(self) -> None:
        """Go on as before `duck` or `hold`."""
        self._out.level, self._out.held = 1.0, False

    def played_samples(self, turn: int) -> int:
        """How much of `turn` was sent to the device, in samples at 24 kHz. 0 for a turn other than the last
        one.
        """
        with self._lock:
            if turn == self._turn:
                return self._played()
            return self._heard[1] if self._heard[0] == turn else 0

    def heard_from(self, turn: int) -> float | None:
        """When the first sample of `turn` leaves the device, in seconds of the monotonic clock, as the device itself
        reckons; None for a turn other than the last one, and as long as nothing was played of it.
        """
        (begun, serial), (sounded, at) = self._begun, self._out.first
        return at if turn == begun and sounded == serial else None

    def _played(self) -> int:
        here = (self._out.sent - self._base) * RATE // self.rate if self.rate and self._stream is not None else 0
        return self._carried + here

    def _start_counting(self) -> None:
        self._resampler = Resampler(RATE, self.rate) if self._stream is not None else None
        self._base = self._out.sent
        self._turn_dry = self._out.dry

    def _go_on(self) -> None:
        """Queue again what the device before has not played. Holds the lock."""
        rest = np.concatenate([np.zeros(0, np.float32), *self._spoken])[self._carried :]
        self._queue = deque(rest[at : at + _PIECE] for at in range(0, len(rest), _PIECE))
        self._end_at = None
        self._start_counting()

    def _cut(self) -> None:
        if self._turn is not None:
            self._heard = (self._turn, self._played())
        self._turn = None
        # soxr complains of each stream that is still there when the program ends.
        self._resampler = None
        self._queue.clear()
        self._spoken.clear()
        self._carried = 0
        self._ended = False
        self._end_at = None
        self._out.level, self._out.held = 1.0, False
        if self._stream is not None:
            self._out.no_more_at = -1
            self._out.cut_at = self._ring.written
            self._out.gate = False

    def _prepare(self, rate: int, channels: int) -> Callable[..., None]:
        self.rate = rate
        ring = self._ring = Ring(int(rate * _RING_S))
        reference = self._reference
        if self._rests and reference is not None and reference.rate == rate:
            reference.pause()
        else:
            reference = self._reference = Reference(rate)
        return self._out.callback(ring, reference, self._latency_s)

    def _run(self, stream: Any, quits: threading.Event) -> None:
        watchdog = Watchdog(stream)
        needed_at = time.monotonic()
        finish: tuple[int, float] | None = None
        while True:
            poll_s = _POLL_PLAYING_S if self._turn is not None else _POLL_IDLE_S
            self._wake.wait(None if self._rests else poll_s)
            self._wake.clear()
            if quits.is_set():
                return
            now = time.monotonic()
            needed = self._turn is not None or not self._may_rest
            if self._rests and not needed:
                continue
            if self._rests:
                again = self._open_again(quits)
                if again is not None:
                    stream, watchdog = again, Watchdog(again)
            if quits.is_set():
                return
            if self._rests or watchdog.is_lost(self._out.calls):
                self._release(keep_turn=True, lost=True)
                self._on_lost("The loudspeaker has gone away: plug it in again or choose another one.")
                return
            if needed:
                needed_at = now
            elif now - needed_at > _REST_AFTER_S and self._let_rest():
                continue
            with self._lock:
                self._feed()
                done = self._end_at is not None and self._ring.consumed >= self._end_at
                if not done or self._turn is None:
                    finish = None
                    continue
                # What the callback took last still has to pass through the device.
                finish = finish or (self._turn, now + float(stream.latency))
                if now < finish[1]:
                    continue
                turn = self._turn
                self._heard = (turn, self._played())
                self._turn, self._end_at, self._ended, self._out.gate = None, None, False, False
                self._resampler = None
                if self._out.dry == self._turn_dry:
                    self._prebuffer_s = max(_PREBUFFER_S, self._prebuffer_s * 0.8)
            finish = None
            self._on_finished(turn)

    def _let_rest(self) -> bool:
        """Close the stream for a while, unless a turn has just begun."""
        with self._lock:
            if self._turn is not None:
                return False
            stream, self._stream = self._stream, None
            self._waiting = self._rests = True
        if stream is not None:
            close_stream(stream)
        return True

    def _open_again(self, quits: threading.Event) -> Any:
        """The stream after a rest; None where the device has gone, or nobody waits for it any more."""
        try:
            stream = self._open_stream()
        except AudioDeviceError:
            return None
        if quits.is_set():
            close_stream(stream)
            return None
        self._take(stream)
        return stream

    def _feed(self) -> None:
        """Move queued speech into the ring, as far as there is room, and open the gate. Holds the lock."""
        if self._turn is None or self._resampler is None or self._stream is None:
            return
        ring = self._ring
        while self._queue:
            ready = self._queue[0]
            # Twice the room, since one piece may come out longer than its share (soxr works in blocks).
            if ring.writable < 2 * len(ready) * self.rate // RATE + self.rate // 10:
                break
            self._queue.popleft()
            ring.write(self._resampler.push(ready))
        if self._ended and self._end_at is None and not self._queue:
            ring.write(self._resampler.flush())
            self._end_at = self._out.no_more_at = ring.written
        if not self._out.gate:
            if self._out.dry != self._turn_dry:
                self._turn_dry = self._out.dry
                self._prebuffer_s = min(_PREBUFFER_MOST_S, self._prebuffer_s * 2)
            enough = ring.readable >= int(self._prebuffer_s * self.rate)
            if enough or (self._end_at is not None and ring.readable) or ring.writable < ring.capacity // 4:
                self._out.gate = True

    def _release(self, keep_turn: bool, lost: bool = False) -> None:
        with self._lock:
            rested, self._rests = self._rests, False
            if keep_turn:
                self._carried = self._played()
                self._waiting = True
                self._queue.clear()
            else:
                self._cut()
                self._waiting = False
            stream, self._stream = self._stream, None
        if stream is not None:
            release_stream(self, stream, lost=lost)
        elif rested:
            DEVICE_LIST.closed(self, failed=lost)
