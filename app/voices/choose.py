"""The best stretch of a clip, and that stretch as the model gets it."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from app.voices.clip import FRAME, FRAME_S, RATE, Clip, Samples

CHOSEN_S = 3.0
"""How much of a clip a voice is made from where the model does not say otherwise."""

TARGET_DB = -23.0
_PEAK = 0.95
_FADE = RATE // 100
# How much a frame of speech is worth less when its peaks are cut off, and the whole when it begins or ends in
# the midst of a word.
_CLIPPED = 3.0
_MID_WORD = 0.04
# A stretch this much quieter than the loudest one loses a tenth.
_QUIETER_DB = 10.0


def best_start(clip: Clip, seconds: float = CHOSEN_S) -> float:
    """Where, in seconds, the stretch of `seconds` begins that has most speech in it, at a good level, with its peaks
    whole, and that cuts no word in two where that can be had. 0 for a clip that is no longer than that.
    """
    width = round(seconds / FRAME_S)
    count = len(clip.speech)
    if count <= width:
        return 0.0
    speech = clip.speech.astype(np.float64)
    worth = sliding_window_view(speech - _CLIPPED * (clip.clipped & clip.speech), width).mean(axis=1)
    power = np.where(clip.speech, 10.0 ** (clip.level_db / 10), 0.0)
    share = sliding_window_view(speech, width).sum(axis=1)
    level = 10 * np.log10(sliding_window_view(power, width).sum(axis=1) / np.maximum(share, 1) + 1e-12)
    worth -= 0.1 * np.clip((level.max() - level) / _QUIETER_DB, 0.0, 3.0)
    starts = np.arange(count - width + 1)
    before = np.where(starts > 0, clip.speech[starts - 1], False)
    after = np.concatenate((clip.speech[width:], [False]))
    worth -= _MID_WORD * (before & clip.speech[starts]) + _MID_WORD * (after & clip.speech[starts + width - 1])
    return float(np.argmax(worth)) * FRAME_S


def cut(clip: Clip, start_s: float, seconds: float = CHOSEN_S) -> Samples:
    """The stretch as it is heard, float32 mono at 24 kHz; it is moved so that it lies inside the clip."""
    first = max(0, min(round(start_s * RATE), len(clip.samples) - round(seconds * RATE)))
    return clip.samples[first : first + round(seconds * RATE)]


def prepare(clip: Clip, start_s: float, seconds: float = CHOSEN_S) -> Samples:
    """The stretch as the model gets it: its speech at −23 dB of full scale, or as loud as its peaks allow, its ends
    faded over 10 ms.
    """
    piece = cut(clip, start_s, seconds).astype(np.float32)
    if not len(piece):
        return piece
    first = round(max(0.0, start_s) / FRAME_S)
    spoken = clip.speech[first : first + len(piece) // FRAME]
    frames = piece[: len(spoken) * FRAME].reshape(len(spoken), FRAME)
    heard = frames[spoken] if spoken.any() else piece
    level = float(np.sqrt(np.mean(np.square(heard, dtype=np.float64))))
    peak = float(np.abs(piece).max())
    if level > 0:
        piece = piece * np.float32(min(10 ** (TARGET_DB / 20) / level, _PEAK / peak))
    fade = min(_FADE, len(piece) // 2)
    ramp = np.linspace(0.0, 1.0, fade, dtype=np.float32)
    piece = piece.copy()
    piece[:fade] *= ramp
    piece[len(piece) - fade :] *= ramp[::-1]
    return piece
