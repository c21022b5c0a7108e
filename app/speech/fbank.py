"""SenseVoice's front end: Kaldi's log-mel filter bank at 16 kHz, seven frames stacked for every six, normalised.

The published recogniser adds dither, which makes its features differ from call to call; there is none here.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from app.speech.errors import DamagedModelError

SAMPLE_RATE = 16_000
WINDOW, HOP, MELS = 400, 160, 80
STACK, STRIDE = 7, 6
FEATURES = STACK * MELS

_FFT = 512
_LOW_HZ = 20.0
_PRE_EMPHASIS = 0.97
# The scale of 16-bit samples, and the smallest energy that Kaldi takes the logarithm of.
_FULL_SCALE = 32_768.0
_FLOOR = 1.1920928955078125e-07


def _mel(hz: Tensor | float) -> Tensor:
    return 1127.0 * torch.log1p(torch.as_tensor(hz, dtype=torch.float64) / 700.0)


def kaldi_mel_filters() -> Tensor:
    """Triangular filters [80, 257], equally wide in mel from 20 Hz to 8 kHz; the last bin belongs to none."""
    edges = torch.linspace(float(_mel(_LOW_HZ)), float(_mel(SAMPLE_RATE / 2)), MELS + 2, dtype=torch.float64)
    mels = _mel(torch.arange(_FFT // 2, dtype=torch.float64) * (SAMPLE_RATE / _FFT))
    low, mid, high = (edges[i : MELS + i, None] for i in range(3))
    bank = torch.minimum((mels - low) / (mid - low), (high - mels) / (high - mid)).clamp(min=0)
    return F.pad(bank, (0, 1)).float()


class Fbank:
    """Log-mel frames of 25 ms every 10 ms."""

    def __init__(self) -> None:
        self._filters = kaldi_mel_filters()
        self._window = torch.hamming_window(WINDOW, periodic=False)

    def __call__(self, audio: Tensor) -> Tensor:
        """float32 audio [n] within ±1 → [1 + (n − 400) // 160, 80]; less than 25 ms is filled up with silence."""
        if len(audio) < WINDOW:
            audio = F.pad(audio, (0, WINDOW - len(audio)))
        frames = (audio * _FULL_SCALE).unfold(0, WINDOW, HOP)
        frames = frames - frames.mean(1, keepdim=True)
        before = torch.cat((frames[:, :1], frames[:, :-1]), 1)
        frames = (frames - _PRE_EMPHASIS * before) * self._window
        power = torch.fft.rfft(frames, n=_FFT).abs().square()
        return (power @ self._filters.T).clamp(min=_FLOOR).log()


def stack_frames(frames: Tensor) -> Tensor:
    """Low frame rate: frames [T, 80] → [ceil(T / 6), 560], each row seven frames, the last one shared with the next.

    The first frame stands in for the three before it, the last one for those behind the end.
    """
    rows = math.ceil(len(frames) / STRIDE)
    ahead = frames[:1].expand(STACK // 2, -1)
    needed = (rows - 1) * STRIDE + STACK
    behind = frames[-1:].expand(max(0, needed - len(ahead) - len(frames)), -1)
    padded = torch.cat((ahead, frames, behind))
    return padded[: max(needed, STACK)].unfold(0, STACK, STRIDE)[:rows].transpose(1, 2).flatten(1)


def read_normalisation(path: Path) -> tuple[Tensor, Tensor]:
    """Shift and scale, float32 [560] each, of a Kaldi `am.mvn`: features become (x + shift) · scale.

    Raises DamagedModelError.
    """
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise DamagedModelError(f"{path} is missing or cannot be read: download or copy it again.") from error
    vectors = []
    for name in ("AddShift", "Rescale"):
        found = re.search(rf"<{name}>[^\[]*\[([^\]]*)\]", text)
        try:
            values = [float(number) for number in found.group(1).split()] if found else []
        except ValueError:
            values = []
        if len(values) != FEATURES or not all(map(math.isfinite, values)):
            raise DamagedModelError(
                f"{path} lacks the {FEATURES} values of <{name}>: it is damaged or belongs to another model; "
                "download or copy it again."
            )
        vectors.append(torch.tensor(values, dtype=torch.float32))
    return vectors[0], vectors[1]
