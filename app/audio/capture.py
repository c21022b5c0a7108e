"""The microphone: device samples in, 32 ms chunks at 16 kHz out."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.audio.devices import AudioDeviceError
from app.audio.echo import EchoFilter
from app.audio.level import rms_db
from app.audio.source import RATE, Source
from app.audio.tap import SoundTap

CHUNK = 512
CHUNK_S = CHUNK / RATE
# How often the device delivers, where what is said has to be known soon and where that would only cost work.
_PROMPT_S = 0.02
_UNHURRIED_S = 0.04
# At rest so much is handed over at a time: of sound that a level meter shows, and of less.
_LIVELY_S = 0.1
_QUIET_S = 0.4
_QUIET_DB = -54.0
# When what is due has not come so long after, somebody looks whether the device is still there.
_LATE_S = 0.1
_ALL_ZERO_S = 5.0

Samples = NDArray[np.float32]


@dataclass(frozen=True)
class MicChunk:
    """32 ms of the microphone: float32 [512] mono at 16 kHz.

    `time` is the monotonic clock, in seconds, when its end was heard; `level_db` its loudness (dB of full
    scale); `speech` the detector's probability of speech, 0…1, 0 while it rests. `cancelled`: the echo canceller
    has been at it; `echo_free`: with success, so that a voice in it is the user's; `settling` while it has heard
    little of the loudspeaker yet.
    """

    samples: Samples
    time: float
    level_db: float
    speech: float
    echo_free: bool = False
    cancelled: bool = False
    settling: bool = False


class Capture:
    """An open microphone.

    Opens the device at its own rate. A thread of its own takes what it delivers, takes the echo out (`echo_filter`,
    which may be set at any time), measures, asks the speech detector, and hands over the chunks. All callbacks below
    run on that thread.
    """

    def __init__(
        self,
        on_chunks: Callable[[list[MicChunk]], None],
        *,
        detector: Callable[[Samples], float],
        on_lost: Callable[[str], None] = lambda sentence: None,
        on_silent: Callable[[str], None] = lambda sentence: None,
        device: int | None = None,
    ) -> None:
        """Nothing is opened before `open`.

        `on_chunks` gets all chunks in order, those that have come together at once.
        `detector` maps float32 [512] at 16 kHz to a probability of speech (`SileroVad.probability`).
        `on_lost` gets one sentence when the device goes away (the capture is closed then), `on_silent` one
        sentence when the device has given nothing but exact zeros for five seconds, as a muted or withheld
        microphone does, or nothing at all for 300 ms while somebody listens. `device`, PortAudio's number or None for
        the system's default, may be set while it is closed.
        """
        self._on_chunks = on_chunks
        self._on_lost = on_lost
        self._on_silent = on_silent
        self._detector = detector
        self.device = device
        self._source: Source | None = None
        self._due: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._dropped = 0
        self.echo_filter: EchoFilter | None = None
        # Who else gets all sound; may be set at any time.
        self.taps: tuple[SoundTap, ...] = ()
        self._resting = self._watched = False
        self._block_s = _PROMPT_S

    @property
    def is_open(self) -> bool:
        """True while the device delivers or is about to."""
        return self._source is not None

    @property
    def resting(self) -> bool:
        """Whether nobody asks for speech: neither echo nor speech is looked for, and the chunks come several at a time,
        which saves most of the work. May be set at any time; once it is unset, all that was heard so far comes at once.
        """
        return self._resting

    @resting.setter
    def resting(self, resting: bool) -> None:
        self._resting = resting
        self._sign()

    @property
    def prompt(self) -> bool:
        """Whether the device is to deliver fifty times a second and not half as often, which costs less. With a change
        the stream is opened anew, and what is said within that tenth of a second is lost.
        """
        return self._block_s == _PROMPT_S

    @prompt.setter
    def prompt(self, prompt: bool) -> None:
        self._block_s = _PROMPT_S if prompt else _UNHURRIED_S
        self._sign()

    @property
    def watched(self) -> bool:
        """Whether somebody looks at the sound as it comes, so that the chunks come at once at rest too."""
        return self._watched

    @watched.setter
    def watched(self, watched: bool) -> None:
        self._watched = watched
        self._sign()

    @property
    def dropped_samples(self) -> int:
        """Device samples lost because the thread was late by more than the ring holds."""
        return self._dropped + (self._source.dropped if self._source is not None else 0)

    def open(self) -> None:
        """Open the device and start delivering. Raises `AudioDeviceError`; does nothing when open already.

        After a loss it may be called again; the system's devices are looked up afresh when neither microphone
        nor loudspeaker is open, so close both before opening them again.
        """
        if self._source is not None:
            return
        self.close()
        self._source = source = Source(self.device, self._block_s, self._sign)
        self._stop = threading.Event()
        run = threading.Thread(target=self._run, args=(source, self._stop), name="microphone", daemon=True)
        self._thread = run
        run.start()

    def close(self) -> None:
        """Stop and release the device. Safe at any time, from any thread but the audio thread."""
        self._stop.set()
        self._sign()
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout=2.0)
        self._release()

    def _run(self, source: Source, stop: threading.Event) -> None:
        rest = np.zeros(0, np.float32)
        zeros, silent, stalled = 0, False, False
        patience_s = 0.0
        while True:
            again = source if source.block_s == self._block_s else self._open_again(source, stop)
            if again is not None:
                source = again
                with contextlib.suppress(queue.Empty):
                    self._due.get(timeout=source.patience_s + _LATE_S)
            if stop.is_set():
                return
            if again is None or source.is_lost:
                self._lose()
                return
            # The same one for the whole batch: it may be set meanwhile.
            resting = self._resting
            if source.is_stalled and not (stalled or resting):
                self._on_silent(
                    "The microphone has stopped: check its cable, and whether another program has taken it over."
                )
            stalled = source.is_stalled
            source.patience_s = patience_s if resting and not self._watched else 0.0
            fresh, at = source.read()
            if not len(fresh):
                continue
            zeros = zeros + len(fresh) if not fresh.any() else 0
            if not silent and zeros >= _ALL_ZERO_S * RATE:
                self._on_silent(
                    "The microphone gives no sound at all: check that it is not muted or used by another program."
                )
            silent = zeros >= _ALL_ZERO_S * RATE
            heard_until = at + len(fresh) / RATE
            for tap in self.taps:
                tap.push(fresh, at)
            # It too may be set, or fail, meanwhile.
            echo_filter = None if resting else self.echo_filter
            if echo_filter is not None:
                fresh = echo_filter.process(fresh, at)
                heard_until -= echo_filter.waiting / RATE
            echo_free = echo_filter is not None and echo_filter.is_clean
            cancelled = echo_filter is not None and echo_filter.working
            settling = echo_filter is not None and echo_filter.settling
            rest = np.concatenate((rest, fresh))
            count = len(rest) // CHUNK
            if not count:
                continue
            whole, rest = rest[: count * CHUNK], rest[count * CHUNK :]
            end = heard_until - len(rest) / RATE
            for tap in self.taps:
                tap.push_chunks(whole, end, not echo_free, cancelled)
            chunks = []
            for later, chunk in enumerate(whole.reshape(count, CHUNK), 1 - count):
                if stop.is_set():
                    return
                heard = end + later * CHUNK_S
                speech = 0.0 if resting else self._detector(chunk)
                chunks.append(MicChunk(chunk, heard, rms_db(chunk), speech, echo_free, cancelled, settling))
            patience_s = _LIVELY_S if max(chunk.level_db for chunk in chunks) >= _QUIET_DB else _QUIET_S
            self._on_chunks(chunks)

    def _open_again(self, source: Source, stop: threading.Event) -> Source | None:
        """In place of `source`, one that delivers as often as is wanted now; None where there is no device any more."""
        self._dropped += source.dropped
        source.close()
        try:
            source = Source(self.device, self._block_s, self._sign)
        except AudioDeviceError:
            return None
        if stop.is_set():
            # By now another one may be open.
            source.close()
        else:
            self._source = source
        return source

    def _sign(self) -> None:
        self._due.put(None)

    def _lose(self) -> None:
        self._release(lost=True)
        self._on_lost("The microphone has gone away: plug it in again or choose another one.")

    def _release(self, lost: bool = False) -> None:
        source, self._source = self._source, None
        if source is not None:
            self._dropped += source.dropped
            source.close(lost=lost)
