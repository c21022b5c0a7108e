"""The speaker encoder of a starter whose decoder takes on a person's whole voice: pitch, and a voiceprint."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from app.speech.starter_speaker import StarterSpeaker
from app.speech.voiceprint import WIDTH, Voiceprint

#: Its name in a model's `config.json`.
KIND = "voiceprint"
#: Values of a speaker vector: a one (zero: "as coded"), pitch in octaves from the default voice, the voiceprint.
SIZE = 2 + WIDTH
#: The values of a voiceprint are small beside the others: its length.
_LENGTH = 8.0


def speaker_vector(pitch: float, print_: Tensor) -> Tensor:
    """float32 [258] of `pitch` in octaves from the default voice and a unit vector [256]."""
    return torch.cat((torch.tensor([1.0, pitch]), _LENGTH * print_))


class VoiceprintSpeaker:
    """A `SpeakerEncoder`."""

    size = SIZE

    def __init__(self, voiceprint: Voiceprint) -> None:
        self._voiceprint, self._measure = voiceprint, StarterSpeaker()

    @classmethod
    def load(cls, folder: Path) -> VoiceprintSpeaker:
        """Read `voiceprint.safetensors` of a model folder. Raises DamagedModelError."""
        return cls(Voiceprint.load(folder))

    def embed(self, audio: NDArray[np.float32]) -> Tensor:
        """Speaker vector float32 [258] of float32 mono speech at 24 kHz. Raises NoVoiceError."""
        return speaker_vector(self._measure.traits(audio).pitch, self._voiceprint.of(audio))
