"""A loss that hears words: the distance of two clips in the states of the starter's ears.

Spectra weigh a vowel's colour like the burst that tells "pat" from "cat"; an encoder trained to recognise words does
not. The ears themselves stand still.
"""

from __future__ import annotations

from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from app.speech.codec_parts import SAMPLE_RATE
from app.speech.features import HOP as EAR_HOP
from app.speech.features import SAMPLE_RATE as EAR_RATE
from app.speech.features import WINDOW as EAR_WINDOW
from app.speech.starter_encoder import StarterEncoder

_SCALE = SAMPLE_RATE / EAR_RATE
#: Window and hop of the ears' front end, in samples at 24 kHz. Its bins keep their width, so the filters stay the same.
WINDOW, HOP = int(EAR_WINDOW * _SCALE), int(EAR_HOP * _SCALE)


class PhoneticLoss(nn.Module):
    """Mean absolute difference of the ears' upper states, in units of their own spread."""

    basis: Tensor

    def __init__(self, model: Path, layers: int = 3) -> None:
        super().__init__()
        self.ears = StarterEncoder.load(model)
        self._layers = layers
        bins = self.ears.filters.shape[1]
        angle = 2 * torch.pi * torch.arange(WINDOW)[:, None] * torch.arange(bins) / WINDOW
        window = torch.hann_window(WINDOW)[:, None]
        self.register_buffer("basis", torch.cat((angle.cos(), angle.sin()), 1) * window, persistent=False)

    def _states(self, audio: Tensor) -> list[Tensor]:
        """States of the last `layers` blocks, each [B, T, 384], of audio [B, n] at 24 kHz."""
        # The log must not see bf16's three digits.
        with torch.autocast(audio.device.type, enabled=False):
            frames = F.pad(audio, (WINDOW // 2, WINDOW // 2)).unfold(-1, WINDOW, HOP)
            real, imaginary = (frames @ self.basis).chunk(2, -1)
            power = (real.square() + imaginary.square()) / _SCALE**2 @ self.ears.filters.T
            log = torch.log10(power.clamp(min=1e-10)).transpose(1, 2)
            mel = (torch.maximum(log, log.amax((1, 2), keepdim=True) - 8) + 4) / 4
        return self.ears.layers(mel)[-self._layers :]

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        """`output`, `target` [B, n] at 24 kHz → scalar."""
        ours = self._states(output)
        with torch.no_grad():
            theirs = self._states(target)
        distances = [(a.float() - b.float()).abs().mean() / b.float().std() for a, b in zip(ours, theirs, strict=True)]
        return torch.stack(distances).mean()
