"""Whisper's log-mel front end: 16 kHz, 80 bins, 25 ms window, 10 ms hop (Radford et al. 2022, §2.2)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

SAMPLE_RATE = 16_000
WINDOW = 400
HOP = 160
MELS = 80


def slaney_mel_filters(
    bins: int = WINDOW // 2 + 1,
    rate: int = SAMPLE_RATE,
    mels: int = MELS,
    lowest: float = 0.0,
    highest: float | None = None,
) -> Tensor:
    """Mel filters [mels, bins] on Slaney's scale (linear below 1 kHz, logarithmic above) with unit area.

    They span `lowest` to `highest` hertz, None: half the rate.
    """
    step = 200 / 3
    log_step = math.log(6.4) / 27

    def to_hz(mel: Tensor) -> Tensor:
        return torch.where(mel < 15, mel * step, 1000 * torch.exp(log_step * (mel - 15)))

    def to_mel(hz: float) -> float:
        return hz / step if hz < 1000 else 15 + math.log(hz / 1000) / log_step

    edges = to_hz(torch.linspace(to_mel(lowest), to_mel(highest or rate / 2), mels + 2, dtype=torch.float64))
    freqs = torch.linspace(0, rate / 2, bins, dtype=torch.float64)
    low, mid, high = (edges[i : mels + i, None] for i in range(3))
    bank = torch.minimum((freqs - low) / (mid - low), (high - freqs) / (high - mid)).clamp(min=0)
    return (bank * 2 / (high - low)).float()


def log_mel(audio: Tensor, filters: Tensor, window: Tensor) -> Tensor:
    """Scaled log-mel [80, n // 160] of float32 audio [n] at 16 kHz."""
    spectrum = torch.stft(audio, WINDOW, HOP, window=window, return_complex=True)
    power = filters @ spectrum[:, :-1].abs().square()
    log = torch.log10(power.clamp(min=1e-10))
    return (torch.maximum(log, log.max() - 8) + 4) / 4
