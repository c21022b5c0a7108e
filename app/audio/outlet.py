"""What the device of the loudspeaker calls: speech out of a ring, faded where it starts, stops, ducks or holds."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.audio.clock import stamp
from app.audio.reference import Reference
from app.audio.ring import Ring

_FADE_S = 0.010

Samples = NDArray[np.float32]


class Outlet:
    """What the device callback and the playback share: plain numbers, each written by one side only, except the gate.

    `gate`: speech is let out of the ring. `held`: it is to be silent, `level`: how loud it is otherwise. `cut_at`: what
    is in the ring before that position is not wanted any more. `no_more_at`: the position at which a turn is over.
    `serial`: which of the turns is the current one. Counted here: the samples `sent`, the `calls`, how often the ring
    ran `dry`, and the `device_underflows`. `first`: the serial of the last turn that was heard, and from when on, in
    seconds of the monotonic clock.
    """

    def __init__(self) -> None:
        self.gate = False
        self.held = False
        self.level = 1.0
        self.cut_at = 0
        self.no_more_at = -1
        self.serial = 0
        self.volume = 1.0
        self.sent = 0
        self.calls = 0
        self.dry = 0
        self.device_underflows = 0
        self.first: tuple[int, float] = (0, 0.0)

    def callback(self, ring: Ring, reference: Reference, latency_s: float) -> Callable[..., None]:
        """The callback for a stream at the rate of `reference`, in which all that is played is written down."""
        fade = np.linspace(1.0, 0.0, max(2, int(reference.rate * _FADE_S)), dtype=np.float32)
        mono = np.zeros(reference.rate, np.float32)
        faded = 0
        sounding = False
        gain = 0.0 if self.held else self.level

        def callback(outdata: Samples, frames: int, when: Any, status: Any) -> None:
            nonlocal faded, sounding, gain
            self.calls += 1
            serial = self.serial
            if status and status.output_underflow:
                self.device_underflows += sounding
            frames = min(frames, len(mono))
            outdata.fill(0.0)
            cut_at = self.cut_at
            count = 0
            speaking = False
            if ring.consumed < cut_at:
                if sounding:
                    count = ring.read_into(mono[: min(frames, len(fade) - faded, cut_at - ring.consumed)])
                    mono[:count] *= fade[faded : faded + count] * np.float32(gain)
                    faded += count
                if not sounding or faded >= len(fade) or count == 0:
                    ring.skip_to(cut_at)
                    sounding = False
            elif self.gate and self.held and gain == 0.0:
                sounding, faded = False, 0
            elif self.gate:
                faded = 0
                held = self.held
                goal = 0.0 if held else self.level
                count = ring.read_into(mono[: min(frames, len(fade)) if held else frames])
                ramp = min(count, len(fade)) if gain != goal else 0
                mono[:ramp] *= np.linspace(gain, goal, ramp, dtype=np.float32)
                mono[ramp:count] *= goal
                gain = goal
                sounding = count > 0
                speaking = sounding
                if count < frames and not held and ring.consumed != self.no_more_at:
                    self.gate = False
                    self.dry += 1
            else:
                sounding, faded, gain = False, 0, self.level
            if count:
                mono[:count] *= self.volume
                for channel in range(min(2, outdata.shape[1])):
                    outdata[:count, channel] = mono[:count]
                self.sent += count
            at = stamp(time.monotonic(), when, output=True, latency=latency_s)
            if speaking and self.first[0] != serial:
                self.first = (serial, at)
            reference.write(outdata[:, 0], at)

        return callback
