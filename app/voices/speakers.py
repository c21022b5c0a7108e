"""Does more than one person speak in a clip? A plain guess from pitch and timbre."""

from __future__ import annotations

from functools import cache

import numpy as np
import soxr
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from app.voices.clip import FRAME, RATE, Clip
from app.voices.pitch import likeness

Matrix = NDArray[np.float64]

_RATE = 12_000
_WINDOW = 512
_HOP = 192
_LOWEST_HZ, _HIGHEST_HZ = 65.0, 400.0
_VOICED = 0.4
_BANDS = 20
_CEPSTRA = 10
# Voiced windows that are judged together, some half a second: less says more about the vowel than about the person.
_UNIT = 30
_LEAST_UNITS = 4
_SMALLEST_SHARE = 0.2
# How far apart two groups must be: in semitones, in spreads of the pitch inside them, and in spreads of the timbre
# beyond what chance makes of so few units. Of
# 45 clips of one synthesised voice none is taken for two; of 136 pairs, four seconds of each, two thirds are found.
_PITCH_ST = 5.0
_PITCH_SPREADS = 3.0
_TIMBRE = 2.8
_LEAST_SIDE = 3


def two_speakers(clip: Clip) -> bool:
    """Whether the voiced parts of the clip fall into two groups that are clearly apart in pitch, or into a first and a
    second part that are clearly apart in timbre.

    What it cannot see: two people with like voices, two of like pitch who take turns more than once, a second voice
    that is heard for less than about a second or only together with the first one, and music. One person who acts two
    voices, or walks away from the microphone, counts as two.
    """
    pitch, timbre = _voiced(clip)
    count = len(pitch) // _UNIT
    if count < _LEAST_UNITS:
        return False
    pitches = np.array([np.median(pitch[i * _UNIT : (i + 1) * _UNIT]) for i in range(count)])
    timbres = np.array([timbre[i * _UNIT : (i + 1) * _UNIT].mean(axis=0) for i in range(count)])
    gap, spreads = _apart_in_pitch(pitches)
    return (gap >= _PITCH_ST and spreads >= _PITCH_SPREADS) or _apart_in_timbre(timbres) >= _TIMBRE


def _apart_in_pitch(pitches: NDArray[np.float64]) -> tuple[float, float]:
    """How far the higher units are above the lower ones where they are split best: in semitones, and in spreads inside
    the groups. `pitches` [U] in semitones.
    """
    ordered = np.sort(pitches)
    least = max(2, round(_SMALLEST_SHARE * len(ordered)))
    best = (0.0, 0.0)
    for at in range(least, len(ordered) - least + 1):
        low, high = ordered[:at], ordered[at:]
        gap = float(np.median(high) - np.median(low))
        inside = np.concatenate((low - low.mean(), high - high.mean()))
        best = max(best, (gap, gap / max(float(inside.std()), 0.5)), key=lambda pair: pair[1])
    return best


def _apart_in_timbre(timbres: Matrix) -> float:
    """How far the units before the best point in time are from those after it, in standard errors. `timbres` [U, C]."""
    count, best = len(timbres), 0.0
    for at in range(_LEAST_SIDE, count - _LEAST_SIDE + 1):
        one, other = timbres[:at], timbres[at:]
        inside = np.concatenate((one - one.mean(axis=0), other - other.mean(axis=0)))
        spread = np.maximum(inside.std(axis=0) * np.sqrt(count / (count - 2)), 1e-3)
        distance = np.linalg.norm((one.mean(axis=0) - other.mean(axis=0)) / spread)
        best = max(best, float(distance / np.sqrt(timbres.shape[1] * (1 / at + 1 / (count - at)))))
    return best


def _voiced(clip: Clip) -> tuple[NDArray[np.float64], Matrix]:
    """Pitch in semitones [V] and cepstra [V, C] of the voiced windows inside speech."""
    samples = soxr.resample(clip.samples, RATE, _RATE).astype(np.float64)
    if len(samples) < _WINDOW:
        return np.zeros(0), np.zeros((0, _CEPSTRA))
    windows = sliding_window_view(samples, _WINDOW)[::_HOP]
    middle = (np.arange(len(windows)) * _HOP + _WINDOW // 2) * (RATE // _RATE) // FRAME
    spoken = np.append(clip.speech, False)[np.minimum(middle, len(clip.speech))]
    windows = windows[spoken] * np.hanning(_WINDOW)
    first, last = int(_RATE / _HIGHEST_HZ), int(_RATE / _LOWEST_HZ)
    like = likeness(windows, np.hanning(_WINDOW), first, last)
    # The shortest lag that is nearly as good as the best one: its multiples are as good.
    lag = np.argmax(like >= 0.9 * like.max(axis=1, keepdims=True), axis=1)
    lag = np.array([_climb(row, at) for row, at in zip(like, lag, strict=True)], int)
    voiced = like[np.arange(len(lag)), lag] >= _VOICED if len(lag) else np.zeros(0, bool)
    pitch = 12 * np.log2(_RATE / (lag + first))
    energy = np.log(np.square(np.abs(np.fft.rfft(windows, 2 * _WINDOW))) @ _bands() + 1e-9)
    cepstra = energy @ np.cos(np.pi / _BANDS * (np.arange(_BANDS)[:, None] + 0.5) * np.arange(1, _CEPSTRA + 1))
    return pitch[voiced], cepstra[voiced]


def _climb(row: NDArray[np.float64], at: int) -> int:
    """The top of the hill that `at` is on."""
    while at + 1 < len(row) and row[at + 1] > row[at]:
        at += 1
    return at


@cache
def _bands() -> Matrix:
    """Triangular bands even on the mel scale, 150 Hz to 5 kHz: [bins, bands]."""
    top, bottom = (2595 * np.log10(1 + hz / 700) for hz in (5_000.0, 150.0))
    edges = 700 * (10 ** (np.linspace(bottom, top, _BANDS + 2) / 2595) - 1)
    hertz = np.fft.rfftfreq(2 * _WINDOW, 1 / _RATE)[:, None]
    up = (hertz - edges[:-2]) / (edges[1:-1] - edges[:-2])
    down = (edges[2:] - hertz) / (edges[2:] - edges[1:-1])
    return np.maximum(0.0, np.minimum(up, down))
