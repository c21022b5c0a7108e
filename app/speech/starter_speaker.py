"""The starter's speaker encoder: how high a person speaks and how long their vocal tract is, measured in a clip.

Pitch: normalised autocorrelation of voiced frames. Vocal tract: a uniform tube of length L has its resonances at
(2i − 1) · c / 4L, so the spacing of the formants (poles of a linear predictor) tells its length (Fant 1960).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soxr
from numpy.typing import NDArray
from torch import Tensor

from app.speech.codec_parts import SAMPLE_RATE
from app.speech.speaker_traits import SPEAKER_SIZE, Traits
from app.voices.pitch import likeness

Floats = NDArray[np.float64]

#: Median pitch and spacing of the formants of the default voice in hertz, by these very measures.
DEFAULT_PITCH, DEFAULT_SPACING = 192.0, 1265.0
#: Octaves of the formants for each octave of the measured spacing and of pitch: least squares over 50 clips whose
#: formants had been moved by known amounts (error 0.05 octaves). The spacing alone is noisy, and lower voices have
#: longer tracts.
SPACING_SLOPE, PITCH_SLOPE = 0.58, 0.12
#: Octaves the decoder was trained for.
PITCH_RANGE, FORMANT_RANGE = (-1.15, 0.4), (-0.36, 0.16)

_RATE = 10_000
_FRAME, _HOP = 400, 100
_LOWEST, _HIGHEST = 60.0, 420.0
_VOICED = 0.6
_ORDER = 12
_LEAST_VOICED_FRAMES = 30


class NoVoiceError(ValueError):
    """A clip holds too little voice to tell whose it is; the message says what to do."""


def _frames(audio: Floats) -> Floats:
    """Frames [N, 400] of 40 ms every 10 ms at 10 kHz that are not far below the loudest."""
    frames = np.lib.stride_tricks.sliding_window_view(audio, _FRAME)[::_HOP]
    level = np.sqrt((frames**2).mean(1))
    return np.asarray(frames[level > 0.1 * np.percentile(level, 95)])


def _pitch(frames: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Pitch in hertz of every frame and whether it is voiced."""
    shape = np.hanning(_FRAME)
    first, last = int(_RATE / _HIGHEST), int(_RATE / _LOWEST)
    area = likeness((frames - frames.mean(1, keepdims=True)) * shape, shape, first, last + 1)
    best = area.max(1)
    # Twice the period correlates as well: take the shortest lag that comes near the best and is a peak.
    inner = area[:, 1:-1]
    peak = (inner >= area[:, :-2]) & (inner >= area[:, 2:]) & (inner > 0.9 * best[:, None])
    lag = np.where(peak.any(1), peak.argmax(1) + 1, area.argmax(1)) + first
    return _RATE / lag, best > _VOICED


def _predictor(frame: Floats) -> Floats:
    """Coefficients [1, a1 … a12] of the linear predictor of one frame (Levinson–Durbin)."""
    windowed = frame * np.hamming(len(frame))
    r = np.correlate(windowed, windowed, "full")[len(frame) - 1 : len(frame) + _ORDER]
    a, error = np.zeros(_ORDER + 1), r[0] + 1e-9
    a[0] = 1.0
    for i in range(1, _ORDER + 1):
        k = -(r[i] + a[1:i] @ r[i - 1 : 0 : -1]) / error
        a[1 : i + 1] += k * np.append(a[i - 1 : 0 : -1], 1.0)
        error *= 1 - k * k
    return a


def _spacing(frames: Floats) -> float:
    """Median spacing of the formants in hertz over voiced frames."""
    found = []
    emphasised = frames[:, 1:] - 0.97 * frames[:, :-1]
    for frame in emphasised:
        roots = np.roots(_predictor(frame))
        roots = roots[roots.imag > 0]
        heights = np.angle(roots) * _RATE / (2 * np.pi)
        widths = -np.log(np.maximum(np.abs(roots), 1e-6)) * _RATE / np.pi
        formants = np.sort(heights[(heights > 200) & (heights < 4800) & (widths < 400)])[:4]
        if len(formants) >= 3:
            places = np.arange(len(formants)) + 0.5
            found.append(float(formants @ places / (places @ places)))
    return float(np.median(found)) if found else DEFAULT_SPACING


class StarterSpeaker:
    """A `SpeakerEncoder` without weights."""

    size = SPEAKER_SIZE

    @classmethod
    def load(cls, folder: Path) -> StarterSpeaker:
        """The encoder of the model in `folder`, which holds no file of it."""
        return cls()

    def traits(self, audio: NDArray[np.float32]) -> Traits:
        """Traits of float32 mono speech at 24 kHz, within what the decoder knows. Raises NoVoiceError."""
        signal = np.asarray(soxr.resample(audio, SAMPLE_RATE, _RATE), np.float64)
        if len(signal) >= _FRAME and np.abs(signal).max() > 0:
            frames = _frames(signal)
            pitch, voiced = _pitch(frames)
            if voiced.sum() >= _LEAST_VOICED_FRAMES:
                octaves = np.log2(np.median(pitch[voiced]) / DEFAULT_PITCH)
                spacing = np.log2(_spacing(frames[voiced]) / DEFAULT_SPACING)
                formants = SPACING_SLOPE * spacing + PITCH_SLOPE * octaves
                return Traits(float(np.clip(octaves, *PITCH_RANGE)), float(np.clip(formants, *FORMANT_RANGE)))
        raise NoVoiceError("There is too little voice in this clip: record three seconds or more of clear speech.")

    def embed(self, audio: NDArray[np.float32]) -> Tensor:
        """Speaker vector float32 [3] of float32 mono speech at 24 kHz. Raises NoVoiceError."""
        return self.traits(audio).vector()
