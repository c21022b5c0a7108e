"""How much of what the microphone hears comes from the loudspeaker, at whatever delay."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

RATE = 16_000
# What is looked at, and how much later than it was played an echo may come.
WINDOW = 4_096
_LATEST = RATE * 4 // 5
_SEGMENT = 512
_HOP = _SEGMENT // 2
_FFT = 1 << (WINDOW + _LATEST - 1).bit_length()
# The answer of a room begins a little before its strongest path.
_EARLY = 64
PAST = WINDOW + _LATEST + _EARLY
_PRE_EMPHASIS = np.float32(0.95)
# Segments overlap by half, so that they tell less than as many independent ones would.
_OVERLAP = 1.3
_PLAYED_POWER = 1e-8
_MOST_CHANCE = 0.5

Samples = NDArray[np.float32]
_TAPER = np.hanning(_SEGMENT + 1)[:_SEGMENT].astype(np.float32)


class Share(NamedTuple):
    """The share of a signal's power that the loudspeaker explains, 0…1; steady noise and what chance alone would
    explain do not count.

    Not `certain` where too little was heard to tell. `lag`: by how many samples the sound comes later than it was
    played, if it is an echo.
    """

    explained: float
    certain: bool
    lag: int = 0


class EchoCoherence:
    """Keeps a quarter of a second of the microphone, and what was played until then.

    The magnitude-squared coherence at the best delay tells an echo, up to 0.8 s late and whatever the room does to
    it, from another voice. Unlike a canceller it has nothing to adapt to: a quarter of a second is enough, also after
    a jump of the delay. 1 ms of computing for each look.
    """

    def __init__(self) -> None:
        self._heard = np.zeros(WINDOW, np.float32)
        self._played = np.zeros(PAST, np.float32)

    def push(self, heard: Samples, played: Samples) -> None:
        """The next float32 [N] at 16 kHz of both; `played` may run ahead of `heard`, but not the other way."""
        self._heard = np.concatenate((self._heard, heard))[-WINDOW:]
        self.push_played(played)

    def push_played(self, played: Samples) -> None:
        """What was played after all that was pushed so far; with `PAST` samples all of that is forgotten."""
        self._played = np.concatenate((self._played, played))[-PAST:]

    def played(self, count: int, ago: int) -> Samples:
        """The `count` samples that were pushed as played `ago` samples before the last ones, 0.8 s at most."""
        end = len(self._played) - min(max(ago, 0), _LATEST)
        return self._played[end - count : end]

    def look(self) -> Share | None:
        """What the last quarter of a second was; None where nothing was played or nothing at all heard."""
        heard, played = _flat(self._heard), _flat(self._played)
        if not heard.any() or float(np.mean(played * played)) < _PLAYED_POWER:
            return None
        lag = self._lag(heard, played[_EARLY:])
        start = _LATEST + _EARLY - max(0, lag - _EARLY)
        there = _spectra(played[start : start + WINDOW])
        here = _spectra(heard)
        powers_here, powers_there = np.abs(here) ** 2, np.abs(there) ** 2
        total_there = powers_there.sum(axis=0) + 1e-12
        total_here = powers_here.sum(axis=0)
        total = float(total_here.sum())
        if total <= 0.0:
            return None
        # Steady noise is neither echo nor voice. Of its powers, which scatter as noise does, a tenth lies below this.
        quietest = np.partition(powers_here, len(powers_here) // 10, axis=0)[len(powers_here) // 10]
        noise = np.minimum(len(powers_here) * quietest / 0.105, 0.9 * total_here)
        sounds = 1.0 - float(noise.sum()) / total
        cross = np.abs((here * there.conj()).sum(axis=0)) ** 2
        chance = _OVERLAP * float(((powers_here * powers_there).sum(axis=0) / total_there).sum()) / total
        share = float((cross / total_there).sum()) / total
        explained = (share - chance) / max(sounds * (1.0 - chance), 1e-6)
        return Share(min(1.0, max(0.0, explained)), chance <= _MOST_CHANCE, lag)

    @staticmethod
    def _lag(heard: Samples, played: Samples) -> int:
        """By how many samples `heard` comes after the same place of `played`, by their whitened correlation."""
        cross = np.fft.rfft(played, _FFT) * np.fft.rfft(heard, _FFT).conj()
        size = np.abs(cross)
        # Fully whitened, the bands that hold nothing but noise would count as much as the speech.
        cross /= size + 0.1 * float(size.mean()) + 1e-20
        at = np.fft.irfft(cross, _FFT)[: _LATEST + 1]
        return _LATEST - int(np.argmax(np.abs(at)))


def _flat(samples: Samples) -> Samples:
    """With the high parts of speech as strong as the low ones."""
    out = samples.copy()
    out[1:] -= _PRE_EMPHASIS * samples[:-1]
    return out


def _spectra(samples: Samples) -> NDArray[np.complex64]:
    starts = np.arange(0, len(samples) - _SEGMENT + 1, _HOP)
    return np.fft.rfft(samples[starts[:, None] + np.arange(_SEGMENT)] * _TAPER, axis=1).astype(np.complex64)
