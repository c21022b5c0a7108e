"""The loudspeaker on the virtual clock, with the buffering and the fades of the real one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from app.audio.playback import DUCKED, LATENCY_S
from app.conversation.ports import Samples
from app.omni.turn import OUTPUT_RATE
from app.replay.record import Record
from app.replay.timeline import Timeline

# As `app.audio.playback` does it: speech starts once so much of it is there, twice as much after it ran dry.
_PREBUFFER_S = 0.06
_PREBUFFER_MOST_S = 0.64
_FADE_S = 0.010
_DELAY = round(LATENCY_S * OUTPUT_RATE)


class VirtualSpeaker:
    """`conversation.ports.Player`. A sample is heard `LATENCY_S` after the device has taken it."""

    def __init__(
        self, timeline: Timeline, record: Record, on_finished: Callable[[int], None], on_sound: Callable[[float], None]
    ) -> None:
        """`on_sound(at)` is told when a reply will begin to sound, in seconds; `on_finished` as in `Playback`."""
        self._timeline = timeline
        self._record = record
        self._on_finished = on_finished
        self._on_sound = on_sound
        self._sound = np.zeros(30 * OUTPUT_RATE, np.float32)
        self._taken = 0
        self._turn: int | None = None
        self._last_turn: int | None = None
        self._queue = np.zeros(0, np.float32)
        self._played = 0
        self._gate = False
        self._ended = False
        self._sounding = False
        self._prebuffer_s = _PREBUFFER_S
        self._dry = 0
        self._turn_dry = 0
        self._sounded_until = 0
        # Loudness now and soon, and since when the reply is silent but kept.
        self._gain = self._goal = 1.0
        self._held_at: float | None = None

    @property
    def underruns(self) -> int:
        """How often speech ran out in mid-turn."""
        return self._dry

    @property
    def sounded_until(self) -> int:
        """Up to where something was played, in samples at 24 kHz of the virtual clock."""
        return self._sounded_until

    def heard(self, first: int, last: int) -> Samples:
        """What is heard from sample `first` to before `last`, counted at 24 kHz from the start of the clock.

        Known up to `LATENCY_S` after now.
        """
        self._advance()
        out = np.zeros(last - first, np.float32)
        low, high = max(first, 0), min(last, len(self._sound))
        if high > low:
            out[low - first : high - first] = self._sound[low:high]
        return out

    def begin(self, turn: int) -> None:
        """See `ports.Player`."""
        self._advance()
        self._turn = self._last_turn = turn
        self._queue = np.zeros(0, np.float32)
        self._played = 0
        self._gate = self._ended = self._sounding = False
        self._gain = self._goal = 1.0
        self._held_at = None
        self._turn_dry = self._dry

    def write(self, turn: int, samples: Samples) -> None:
        """See `ports.Player`."""
        self._advance()
        if turn == self._turn and not self._ended:
            self._queue = np.concatenate((self._queue, samples))
            self._open_gate()

    def end(self, turn: int) -> None:
        """See `ports.Player`."""
        self._advance()
        if turn != self._turn or self._ended:
            return
        self._ended = True
        self._open_gate()
        self._await_end(turn)

    def stop(self) -> None:
        """See `ports.Player`."""
        self._advance()
        turn, self._turn = self._turn, None
        if turn is None:
            return
        silent_at = self._held_at
        if silent_at is None:
            self._goal = 0.0
            played = self._played
            faded = self._send(round(_FADE_S * OUTPUT_RATE)) if self._gate else 0
            self._played = played
            silent_at = (self._taken + faded + _DELAY) / OUTPUT_RATE
        self._queue = np.zeros(0, np.float32)
        self._record.playback_stopped(turn, silent_at, self._sounding)

    def duck(self) -> None:
        """See `ports.Player`."""
        self._advance()
        self._goal = DUCKED
        self._record.mark("ducked", self._turn)

    def hold(self) -> None:
        """See `ports.Player`."""
        self._advance()
        if self._turn is None or self._held_at is not None:
            return
        self._goal = 0.0
        faded = self._send(round(_FADE_S * OUTPUT_RATE)) if self._gate else 0
        self._held_at = (self._taken + faded + _DELAY) / OUTPUT_RATE
        self._record.playback_held(self._turn, self._held_at)

    def resume(self) -> None:
        """See `ports.Player`."""
        self._advance()
        self._goal, self._held_at = 1.0, None
        self._record.playback_resumed(self._turn)
        if self._turn is not None and self._ended:
            self._await_end(self._turn)

    def played_samples(self, turn: int) -> int:
        """See `ports.Player`."""
        self._advance()
        return self._played if turn == self._last_turn else 0

    def _await_end(self, turn: int) -> None:
        over = self._timeline.now() + len(self._queue) / OUTPUT_RATE + LATENCY_S
        self._timeline.at(over, lambda: self._finish(turn))

    def _finish(self, turn: int) -> None:
        self._advance()
        if turn != self._turn or self._held_at is not None or len(self._queue):
            return
        self._turn = None
        if self._dry == self._turn_dry:
            self._prebuffer_s = max(_PREBUFFER_S, self._prebuffer_s * 0.8)
        self._record.reply_ended(turn, self._timeline.now())
        self._on_finished(turn)

    def _open_gate(self) -> None:
        if self._gate or self._turn is None or not len(self._queue):
            return
        if self._ended or len(self._queue) >= self._prebuffer_s * OUTPUT_RATE:
            self._gate = True
            if not self._sounding:
                self._sounding = True
                at = (self._taken + _DELAY) / OUTPUT_RATE
                self._record.reply_started(self._turn, at)
                self._on_sound(at)

    def _advance(self) -> None:
        """Let the device take what it has taken by now."""
        now = round(self._timeline.now() * OUTPUT_RATE)
        count = now - self._taken
        if self._gate and self._turn is not None and self._held_at is None and count > 0:
            sent = self._send(count)
            if sent < count and not self._ended:
                self._gate = False
                self._dry += 1
                self._prebuffer_s = min(_PREBUFFER_MOST_S, self._prebuffer_s * 2)
                self._record.mark("underrun", self._turn, at=(self._taken + sent + _DELAY) / OUTPUT_RATE)
        self._taken = now

    def _send(self, count: int) -> int:
        """Let `count` samples sound, or as many as there are; returns how many."""
        piece, self._queue = self._queue[:count], self._queue[count:]
        gains = np.full(len(piece), self._goal, np.float32)
        ramp = min(len(piece), round(_FADE_S * OUTPUT_RATE))
        gains[:ramp] = np.linspace(self._gain, self._goal, ramp, dtype=np.float32)
        self._put(self._taken, piece * gains)
        self._gain = self._goal
        self._played += len(piece)
        return len(piece)

    def _put(self, taken_at: int, samples: Samples) -> None:
        first = taken_at + _DELAY
        last = first + len(samples)
        if last > len(self._sound):
            self._sound = np.concatenate((self._sound, np.zeros(max(len(self._sound), len(samples)), np.float32)))
        self._sound[first:last] += samples
        if len(samples):
            self._sounded_until = max(self._sounded_until, last)
