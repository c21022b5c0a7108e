"""A reference clip: the recording that a voice is made from, and what is heard in it frame by frame."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import soxr
from numpy.typing import NDArray

from app.audio.level import FLOOR_DB
from app.audio.vad import CHUNK, SileroVad
from app.audiofile import read_speech

RATE = 24_000
FRAME = 768
"""Samples of a frame: 32 ms, as long as a chunk of the speech detector."""
FRAME_S = FRAME / RATE
LONGEST_S = 120.0

_DETECTOR_RATE = 16_000
_SPEECH = 0.5
# A breath between two words is no pause, and a click of one frame is no speech.
_FILL_FRAMES = 6
_LEAST_FRAMES = 4
# Natural speech comes this close to its highest peak in a frame or two, cut-off peaks in many.
_NEAR_PEAK = 0.98
_AT_PEAK = 3

Samples = NDArray[np.float32]


@dataclass(frozen=True)
class Clip:
    """float32 mono at 24 kHz within ±1, and for each whole frame of 32 ms: whether somebody speaks in it (bool
    [F]), its level in dB of full scale (float32 [F]), and whether its peaks look cut off (bool [F]).
    """

    samples: Samples
    speech: NDArray[np.bool_]
    level_db: NDArray[np.float32]
    clipped: NDArray[np.bool_]

    @property
    def seconds(self) -> float:
        """Length."""
        return len(self.samples) / RATE

    @property
    def speech_s(self) -> float:
        """How long somebody speaks in it, in seconds."""
        return float(self.speech.sum()) * FRAME_S

    @cached_property
    def speech_level_db(self) -> float:
        """How loud the speech is: the 95th percentile of its frames, in dB of full scale."""
        heard = self.level_db[self.speech]
        return float(np.percentile(heard, 95)) if len(heard) else FLOOR_DB

    @cached_property
    def noise_level_db(self) -> float:
        """How loud it is while nobody speaks; where somebody always does, the quietest frames stand for it."""
        pauses = self.level_db[~self.speech]
        if len(pauses) >= _FILL_FRAMES:
            return float(np.median(pauses))
        return float(np.percentile(self.level_db, 5)) if len(self.level_db) else FLOOR_DB


def read_clip(path: Path | str) -> Clip:
    """The clip in a sound file of any format that libsndfile or FFmpeg reads, up to two minutes.

    Raises AudioFileError with one sentence, and FileNotFoundError where the speech detector is missing.
    """
    return listen(read_speech(path, LONGEST_S, RATE))


def listen(samples: Samples) -> Clip:
    """What is heard in float32 mono at 24 kHz within ±1. Takes about 15 ms for each second.

    Raises FileNotFoundError with one sentence where the speech detector is missing.
    """
    count = len(samples) // FRAME
    frames = samples[: count * FRAME].reshape(count, FRAME)
    power = np.mean(np.square(frames, dtype=np.float64), axis=1)
    level = np.maximum(FLOOR_DB, 10 * np.log10(power + 1e-30)).astype(np.float32)
    peak = float(np.abs(samples).max()) if len(samples) else 0.0
    near = np.abs(frames) >= _NEAR_PEAK * peak if peak > 0 else np.zeros(frames.shape, bool)
    return Clip(samples, _smooth(_probabilities(samples, count) >= _SPEECH), level, near.sum(axis=1) >= _AT_PEAK)


def _probabilities(samples: Samples, count: int) -> NDArray[np.float32]:
    """The detector's probability of speech for each of `count` frames."""
    detector = SileroVad()
    heard = soxr.resample(samples, RATE, _DETECTOR_RATE).astype(np.float32)
    heard = np.pad(heard, (0, max(0, count * CHUNK - len(heard))))
    chunks = heard[: count * CHUNK].reshape(count, CHUNK)
    return np.array([detector.probability(chunk) for chunk in chunks], np.float32)


def _smooth(speech: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Without gaps too short for pauses, then without stretches too short for words."""
    result = speech.copy()
    for value, most in ((False, _FILL_FRAMES - 1), (True, _LEAST_FRAMES - 1)):
        for first, last in stretches(result == value):
            inside = first > 0 and last < len(result)
            if last - first <= most and (inside or value):
                result[first:last] = not value
    return result


def stretches(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where `mask` is true: first index and the one after the last, for each stretch."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False])).astype(np.int8)))
    return [(int(first), int(last)) for first, last in zip(edges[::2], edges[1::2], strict=True)]
