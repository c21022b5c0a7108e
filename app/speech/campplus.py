"""CAM++: whose voice it is, in 192 values (Wang et al. 2023). MiniMind-O's speaker slot was trained with them.

Its front end is not CAM++'s own Kaldi filter bank but the Slaney log-mel that the published vectors were made with.
Modules are named as in the published state dict.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

import numpy as np
import soxr
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from app.speech import weights
from app.speech.features import SAMPLE_RATE, slaney_mel_filters
from app.speech.part_files import find_part_file, missing_part

PART = "campplus"
WHAT = "the speaker encoder, CAM++"
FILES = ("campplus_cn_common.bin", "campplus_cn_common.pt", "campplus_cn_common.safetensors")
SIZE = 192

_INPUT_RATE = 24_000
_FFT, _WINDOW, _HOP = 512, 400, 160
_LOW_HZ, _HIGH_HZ = 20.0, 7_600.0
_FLOOR = 1e-10
_MELS = 80
_HEAD, _INITIAL, _GROWTH, _BOTTLENECK = 32, 128, 32, 128
#: Layers and dilation of the three dense stages.
_STAGES = ((12, 1), (24, 2), (16, 2))
_SEGMENT = 100


class SpeakerFeatures:
    """Log-mel frames of 25 ms every 10 ms, centred, without what is constant over the clip."""

    def __init__(self) -> None:
        self._filters = slaney_mel_filters(_FFT // 2 + 1, SAMPLE_RATE, _MELS, _LOW_HZ, _HIGH_HZ)
        self._window = torch.hann_window(_WINDOW)

    def mel(self, audio: Tensor) -> Tensor:
        """Power in mel bands [80, 1 + n // 160] of float32 audio [n ≥ 257] at 16 kHz."""
        spectrum = torch.stft(audio, _FFT, _HOP, _WINDOW, self._window, return_complex=True)
        return self._filters @ spectrum.abs().square()

    def __call__(self, audio: Tensor) -> Tensor:
        """Features [1 + n // 160, 80] of the same."""
        log = self.mel(audio).clamp(min=_FLOOR).log().T
        return log - log.mean(0)


class Residual(nn.Module):
    """Two convolutions over time and frequency; `stride` thins out the frequencies."""

    def __init__(self, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(_HEAD, _HEAD, 3, (stride, 1), 1, bias=False)
        self.bn1 = nn.BatchNorm2d(_HEAD)
        self.conv2 = nn.Conv2d(_HEAD, _HEAD, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(_HEAD)
        skip = (nn.Conv2d(_HEAD, _HEAD, 1, (stride, 1), bias=False), nn.BatchNorm2d(_HEAD)) if stride > 1 else ()
        self.shortcut = nn.Sequential(*skip)

    def forward(self, x: Tensor) -> Tensor:
        """[B, 32, F, T] → [B, 32, F / stride, T]."""
        inner = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(inner + self.shortcut(x))


class Head(nn.Module):
    """The two-dimensional front of the network."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, _HEAD, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(_HEAD)
        self.layer1 = nn.Sequential(Residual(2), Residual(1))
        self.layer2 = nn.Sequential(Residual(2), Residual(1))
        self.conv2 = nn.Conv2d(_HEAD, _HEAD, 3, (2, 1), 1, bias=False)
        self.bn2 = nn.BatchNorm2d(_HEAD)

    def forward(self, features: Tensor) -> Tensor:
        """[B, 80, T] → [B, 320, T]."""
        x = F.relu(self.bn1(self.conv1(features[:, None])))
        x = self.layer2(self.layer1(x))
        return F.relu(self.bn2(self.conv2(x))).flatten(1, 2)


def normalised(channels: int, *, affine: bool = True, relu: bool = True) -> nn.Sequential:
    """Batch norm with its published name, and a ReLU."""
    steps = nn.Sequential()
    steps.add_module("batchnorm", nn.BatchNorm1d(channels, affine=affine))
    if relu:
        steps.add_module("relu", nn.ReLU())
    return steps


class Tdnn(nn.Module):
    """Convolution, then norm; halves the frame rate."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.linear = nn.Conv1d(channels, _INITIAL, 5, 2, 2, bias=False)
        self.nonlinear = normalised(_INITIAL)

    def forward(self, x: Tensor) -> Tensor:
        """[B, C, T] → [B, 128, ceil(T / 2)]."""
        return self.nonlinear(self.linear(x))


class ContextMask(nn.Module):
    """A local convolution, weighted by what the whole clip and the frame's own second or two are like."""

    def __init__(self, dilation: int) -> None:
        super().__init__()
        self.linear_local = nn.Conv1d(_BOTTLENECK, _GROWTH, 3, 1, dilation, dilation, bias=False)
        self.linear1 = nn.Conv1d(_BOTTLENECK, _BOTTLENECK // 2, 1)
        self.linear2 = nn.Conv1d(_BOTTLENECK // 2, _GROWTH, 1)

    def forward(self, x: Tensor) -> Tensor:
        """[B, 128, T] → [B, 32, T]."""
        segments = F.avg_pool1d(x, _SEGMENT, _SEGMENT, ceil_mode=True)
        own = segments.repeat_interleave(_SEGMENT, -1)[..., : x.shape[-1]]
        context = x.mean(-1, keepdim=True) + own
        return self.linear_local(x) * self.linear2(F.relu(self.linear1(context))).sigmoid()


class DenseLayer(nn.Module):
    """One layer of a dense stage, which adds 32 channels to what it gets."""

    def __init__(self, channels: int, dilation: int) -> None:
        super().__init__()
        self.nonlinear1 = normalised(channels)
        self.linear1 = nn.Conv1d(channels, _BOTTLENECK, 1, bias=False)
        self.nonlinear2 = normalised(_BOTTLENECK)
        self.cam_layer = ContextMask(dilation)

    def forward(self, x: Tensor) -> Tensor:
        """[B, C, T] → [B, C + 32, T]."""
        return torch.cat((x, self.cam_layer(self.nonlinear2(self.linear1(self.nonlinear1(x))))), 1)


class Transit(nn.Module):
    """Norm, then a product that halves the channels."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.nonlinear = normalised(channels)
        self.linear = nn.Conv1d(channels, channels // 2, 1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """[B, C, T] → [B, C / 2, T]."""
        return self.linear(self.nonlinear(x))


class Statistics(nn.Module):
    """Mean and standard deviation over time."""

    def forward(self, x: Tensor) -> Tensor:
        """[B, C, T] → [B, 2·C, 1]."""
        return torch.cat((x.mean(-1), x.std(-1)), 1)[..., None]


class Dense(nn.Module):
    """The speaker vector."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.linear = nn.Conv1d(channels, SIZE, 1, bias=False)
        self.nonlinear = normalised(SIZE, affine=False, relu=False)

    def forward(self, x: Tensor) -> Tensor:
        """[B, C, 1] → [B, 192]."""
        return self.nonlinear(self.linear(x)[..., 0])


class CamPlus(nn.Module):
    """A `SpeakerEncoder`."""

    def __init__(self) -> None:
        super().__init__()
        self.head = Head()
        self.xvector = nn.Sequential()
        self.xvector.add_module("tdnn", Tdnn(_HEAD * _MELS // 8))
        channels = _INITIAL
        for number, (layers, dilation) in enumerate(_STAGES, 1):
            stage = nn.Sequential()
            for layer in range(layers):
                stage.add_module(f"tdnnd{layer + 1}", DenseLayer(channels, dilation))
                channels += _GROWTH
            self.xvector.add_module(f"block{number}", stage)
            self.xvector.add_module(f"transit{number}", Transit(channels))
            channels //= 2
        self.xvector.add_module("out_nonlinear", normalised(channels))
        self.xvector.add_module("stats", Statistics())
        self.xvector.add_module("dense", Dense(2 * channels))
        self._features = SpeakerFeatures()

    @staticmethod
    def file(folder: Path) -> Path | None:
        """The published weights in `campplus` in a model folder, or in the folder itself; None where there are none."""
        return find_part_file(folder, PART, (*FILES, "*.safetensors", "*.bin", "*.pt"), FILES)

    @classmethod
    def load(cls, folder: Path) -> CamPlus:
        """With the weights of `file`. Raises DamagedModelError."""
        path = cls.file(folder)
        if path is None:
            raise missing_part(folder, PART, WHAT, FILES[0])
        with weights.WithoutValues():
            model = cls()
        weights.fill(model, weights.read_tensors(path), str(path), WHAT)
        return model.eval().requires_grad_(False)

    def forward(self, features: Tensor) -> Tensor:
        """Vectors [B, 192] of features [B, T, 80]."""
        return cast(Tensor, self.xvector(self.head(features.transpose(1, 2))))

    @torch.inference_mode()
    def embed(self, audio: NDArray[np.float32]) -> Tensor:
        """Speaker vector float32 [192] of float32 mono speech at 24 kHz, at least half a second; not normalised."""
        samples = soxr.resample(np.asarray(audio, np.float32), _INPUT_RATE, SAMPLE_RATE)
        return self(self._features(torch.from_numpy(np.ascontiguousarray(samples)))[None])[0].clone()
