"""Whose voice it is, as one vector: the speaker encoder of Resemblyzer (Apache-2.0).

Generalized end-to-end loss (Wan et al., 2018): an LSTM reads windows of 1.6 s; their mean, scaled to unit length, is
the voice, and the cosine of two of them says how alike they are. Silences are cut first, as it was trained without.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soxr
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from app.speech.codec_parts import SAMPLE_RATE as SPEECH_RATE
from app.speech.features import HOP, SAMPLE_RATE, WINDOW, slaney_mel_filters
from app.speech.weights import WithoutValues, load_into

WIDTH = 256
WEIGHTS = "voiceprint.safetensors"
_MELS, _LAYERS = 40, 3
_WINDOW_FRAMES, _STEP_FRAMES = 160, 77
_LOUDNESS_DB = -30
#: Frames so much quieter than the loud ones are silence, but for those so near to sound.
_QUIET_DB, _NEAR_FRAMES = 35, 9


class Voiceprint(nn.Module):
    """Speech → unit vector [256] of its voice."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(_MELS, WIDTH, _LAYERS, batch_first=True)
        self.linear = nn.Linear(WIDTH, WIDTH)
        self._filters, self._hann = slaney_mel_filters(mels=_MELS), torch.hann_window(WINDOW)

    @classmethod
    def load(cls, folder: Path) -> Voiceprint:
        """Read `voiceprint.safetensors` of a model folder. Raises DamagedModelError."""
        with WithoutValues():
            made = cls()
        load_into(made, folder / WEIGHTS)
        return made.eval().requires_grad_(False)

    def _mel(self, speech: NDArray[np.float32]) -> Tensor:
        """Mel power [frames, 40] without silences."""
        audio = torch.from_numpy(soxr.resample(np.asarray(speech, np.float32), SPEECH_RATE, SAMPLE_RATE))
        level = audio.square().mean().sqrt().clamp(min=1e-6)
        audio = audio * max(1.0, 10 ** (_LOUDNESS_DB / 20) / float(level))
        spectrum = torch.stft(audio, WINDOW, HOP, window=self._hann, pad_mode="constant", return_complex=True)
        mel = (self._filters @ spectrum.abs().square()).T
        loudness = 10 * torch.log10(mel.sum(1).clamp(min=1e-12))
        loud = loudness > loudness.quantile(0.95) - _QUIET_DB
        near = F.max_pool1d(loud.float()[None, None], 2 * _NEAR_FRAMES + 1, 1, _NEAR_FRAMES)[0, 0] > 0
        return mel[near]

    @torch.no_grad()
    def of(self, speech: NDArray[np.float32]) -> Tensor:
        """The voice of float32 mono speech at 24 kHz, 0.1 s at least."""
        mel = self._mel(speech)
        if len(mel) < _WINDOW_FRAMES:
            mel = F.pad(mel, (0, 0, 0, _WINDOW_FRAMES - len(mel)))
        windows = mel.unfold(0, _WINDOW_FRAMES, _STEP_FRAMES).transpose(1, 2)
        states = self.lstm(windows)[1][0][-1]
        return F.normalize(F.normalize(F.relu(self.linear(states)), dim=-1).mean(0), dim=0)
