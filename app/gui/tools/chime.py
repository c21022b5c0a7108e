"""The sound of a timer, an alarm or a reminder: a small bell, twice, made here."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

RATE = 24_000
STRIKES = 4
_PAUSE_S = 1.6
# Frequencies over that of the note, how loud, and how long each rings: a soft glockenspiel.
_PARTIALS = ((1.0, 1.0, 0.55), (2.0, 0.35, 0.3), (2.76, 0.22, 0.16), (5.4, 0.08, 0.07))
_NOTES = ((659.26, 0.0), (987.77, 0.2))  # E5 and B5
_PEAK = 0.35


def chime() -> NDArray[np.float32]:
    """Some seconds of it, float32 at 24 kHz; each pair of notes is a little louder than the one before."""
    pair = sum((_note(pitch, after) for pitch, after in _NOTES), np.zeros(round(_PAUSE_S * RATE)))
    pair *= _PEAK / np.abs(pair).max()
    swell = np.linspace(0.55, 1.0, STRIKES)
    return np.concatenate([pair * loud for loud in swell]).astype(np.float32)


def _note(pitch: float, after: float) -> NDArray[np.float64]:
    times = np.arange(round(_PAUSE_S * RATE)) / RATE - after
    sound = np.zeros(len(times))
    rings = times >= 0
    t = times[rings]
    for factor, loud, rest in _PARTIALS:
        sound[rings] += loud * np.exp(-t / rest) * np.sin(2 * np.pi * pitch * factor * t)
    # No click at either end.
    sound[rings] *= np.minimum(1.0, t / 0.004)
    tail = round(0.05 * RATE)
    sound[-tail:] *= np.linspace(1.0, 0.0, tail)
    return sound
