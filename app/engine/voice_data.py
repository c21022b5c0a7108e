"""Voices on their way between the window's process and the model's. No torch."""

from __future__ import annotations

import numpy as np

from app.engine.protocol import VoiceData
from app.voices.file import OwnVoice


def pack(voice: OwnVoice) -> VoiceData:
    """For the way between the processes."""
    codes = None if voice.ref_codes is None else voice.ref_codes.astype("<i4").tobytes()
    return VoiceData(voice.name, voice.spk_emb.astype("<f4").tobytes(), codes)


def unpack(data: VoiceData, model: str = "", speaker: str = "") -> OwnVoice:
    """The voice that `pack` packed, made by the encoder `speaker` of `model`."""
    codes = None
    if data.ref_codes is not None:
        codes = np.frombuffer(data.ref_codes, "<i4").reshape(8, -1).astype(np.int64)
    return OwnVoice(data.name, np.frombuffer(data.spk_emb, "<f4").astype(np.float32), codes, model, speaker)
