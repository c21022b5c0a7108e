"""How an answer sounded, packed for keeping: FLAC, 16 bits, mono. Needs the package soundfile."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float32]


def pack(samples: Samples, rate: int) -> bytes:
    """float32 [N] within ±1 as the bytes of a FLAC file."""
    import soundfile

    file = io.BytesIO()
    soundfile.write(file, np.clip(samples, -1.0, 1.0), rate, format="FLAC", subtype="PCM_16")
    return file.getvalue()


def unpack(flac: bytes) -> tuple[Samples, int]:
    """float32 [N] and the rate in hertz. Raises RuntimeError where the bytes are no FLAC file."""
    import soundfile

    samples, rate = soundfile.read(io.BytesIO(flac), dtype="float32", always_2d=True)
    return samples[:, 0], int(rate)
