"""What silence looks like in codes and in samples, and keeping samples inside ±1."""

from __future__ import annotations

import logging

import numpy as np
from numpy.typing import NDArray

from app.omni.turn import FRAME_SAMPLES
from app.speech.interfaces import SpeechCodec

log = logging.getLogger(__name__)

_QUIET_RMS = 1e-3
_KNEE = 0.9


def silence_codes(codec: SpeechCodec) -> frozenset[int]:
    """Codes of codebook 0 that the codec gives for silence and very low noise.

    Empty, which switches masks and exemptions off, when there are suspiciously many: over max(64, 5 % of the
    codes).
    """
    generator = np.random.default_rng(0)
    found: set[int] = set()
    for frames in (4, 13):
        for level in (0.0, 1e-5, 1e-4):
            noise = generator.standard_normal(frames * FRAME_SAMPLES) * level
            found.update(codec.encode(noise.astype(np.float32))[0].tolist())
    legal = all(0 <= code < codec.codebook_size for code in found)
    if not found or not legal or len(found) > max(64, codec.codebook_size // 20):
        log.warning("no usable set of silence codes (%d found): silence masking is off", len(found))
        return frozenset()
    return frozenset(found)


def is_quiet(samples: NDArray[np.float32]) -> bool:
    """Below -60 dBFS."""
    return bool(np.sqrt(np.mean(np.square(samples, dtype=np.float64))) < _QUIET_RMS)


def soft_limit(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """Leave samples up to 0.9 alone and bend louder ones towards ±1 instead of clipping them."""
    size = np.abs(samples)
    if not size.size or float(size.max()) <= _KNEE:
        return samples
    bent = _KNEE + (1 - _KNEE) * np.tanh((size - _KNEE) / (1 - _KNEE))
    return np.where(size > _KNEE, np.copysign(bent, samples), samples).astype(np.float32)
