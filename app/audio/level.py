"""Loudness of a piece of sound."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

FLOOR_DB = -120.0


def rms_db(samples: NDArray[np.float32]) -> float:
    """Root mean square of float32 [N] in dB of full scale (a full-scale square wave is 0), `FLOOR_DB` at
    least.
    """
    if len(samples) == 0:
        return FLOOR_DB
    power = float(np.dot(samples, samples)) / len(samples)
    return max(FLOOR_DB, 10.0 * math.log10(power + 1e-30))
