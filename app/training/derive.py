"""Voices made from another voice's recordings: pitch and formants moved, timing kept.

Because every derived voice says every answer in the very rhythm of its source, the Talker learns one plan of each
answer and six ways to sound it. The change is Praat's "Change gender" (PSOLA, with formants moved by resampling); Praat
is a training-time tool only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
#: Range in which the source's pitch is looked for, in hertz.
PITCH_FLOOR, PITCH_CEILING = 75, 500


@dataclass(frozen=True)
class Change:
    """`formants`: ratio (below 1: a longer vocal tract); `pitch`: new median in hertz; `span`: ratio of its range."""

    formants: float
    pitch: float
    span: float


def change_voice(audio: Floats, rate: int, change: Change) -> Floats:
    """Speech of another person in the same rhythm; same length, sample rate `rate`."""
    import parselmouth
    from parselmouth.praat import call

    sound = parselmouth.Sound(audio.astype(np.float64), rate)
    changed = call(sound, "Change gender", PITCH_FLOOR, PITCH_CEILING, change.formants, change.pitch, change.span, 1.0)
    return np.asarray(changed.values[0], np.float32)
