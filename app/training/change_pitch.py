"""The same speech higher or lower, at the same length: Praat's PSOLA, a training-time tool only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
#: Range in which the speech's pitch is looked for, in hertz.
PITCH_FLOOR, PITCH_CEILING = 75, 500


def change_pitch(audio: Floats, rate: int, octaves: float) -> Floats:
    """float32 mono speech at `rate` with its whole melody moved by `octaves`; its formants stay.

    By a ratio: a decoder that hears no more than codes and a speaker vector can follow that.
    """
    import parselmouth
    from parselmouth.praat import call

    sound = parselmouth.Sound(audio.astype(np.float64), rate)
    heights = sound.to_pitch(pitch_floor=PITCH_FLOOR, pitch_ceiling=PITCH_CEILING).selected_array["frequency"]
    voiced = heights[heights > 0]
    if not voiced.size:
        return audio
    median = float(np.median(voiced)) * 2**octaves
    changed = call(sound, "Change gender", PITCH_FLOOR, PITCH_CEILING, 1.0, median, 1.0, 1.0)
    return np.asarray(changed.values[0], np.float32)
