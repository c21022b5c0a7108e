"""How periodic short windows of sound are, lag by lag: what pitch is read from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def likeness(windows: Floats, shape: Floats, first: int, last: int) -> Floats:
    """Normalised autocorrelation [N, last − first] of `windows` [N, W] at the lags from `first` on, before `last`.

    `windows` have been multiplied with the window function `shape` [W], whose own autocorrelation is divided out
    (Boersma 1993): 1 at a lag after which the sound repeats itself exactly, however long that is.
    """
    size = 2 * len(shape)
    own = np.fft.irfft(np.square(np.abs(np.fft.rfft(shape, size))))
    correlation = np.fft.irfft(np.square(np.abs(np.fft.rfft(windows, size))))
    return np.asarray(correlation[:, first:last] / own[first:last] / (correlation[:, :1] / own[0] + 1e-12))
