"""Which audio encoders, speech codecs and speaker encoders there are, by their names in a model's `config.json`."""

from __future__ import annotations

from pathlib import Path

from app.speech.errors import DamagedModelError
from app.speech.interfaces import AudioEncoder, SpeakerEncoder, SpeechCodec


def load_encoder(kind: str, folder: Path, *, int8: bool = False) -> AudioEncoder:
    """The audio encoder `kind` with the weights in `folder`; `int8`: with eight-bit weights, where it can.

    Raises DamagedModelError.
    """
    if kind == "starter":
        from app.speech.starter_encoder import StarterEncoder

        return StarterEncoder.load(folder, int8=int8)
    if kind == "sensevoice":
        from app.speech.sensevoice import SenseVoice

        return SenseVoice.load(folder)
    raise DamagedModelError(
        f"config.json names the audio encoder '{kind}', which this version of Banter does not have."
    )


def load_codec(kind: str, folder: Path, *, int8: bool = False) -> SpeechCodec:
    """The speech codec `kind` with the weights in `folder`; `int8`: decode with eight-bit weights, where it can.

    Raises DamagedModelError.
    """
    if kind == "starter":
        from app.speech.starter_codec import StarterCodec

        return StarterCodec.load(folder, int8=int8)
    if kind == "mimi":
        from app.speech.mimi import Mimi

        return Mimi.load(folder, int8=int8)
    raise DamagedModelError(f"config.json names the speech codec '{kind}', which this version of Banter does not have.")


def load_speaker_encoder(kind: str, folder: Path) -> SpeakerEncoder:
    """The speaker encoder `kind` with the weights in `folder`. Raises DamagedModelError."""
    if kind == "starter":
        from app.speech.starter_speaker import StarterSpeaker

        return StarterSpeaker()
    if kind == "voiceprint":
        from app.speech.voiceprint_speaker import VoiceprintSpeaker

        return VoiceprintSpeaker.load(folder)
    if kind == "campplus":
        from app.speech.campplus import CamPlus

        return CamPlus.load(folder)
    raise DamagedModelError(
        f"config.json names the speaker encoder '{kind}', which this version of Banter does not have."
    )


def has_speaker_encoder(kind: str, folder: Path) -> bool:
    """Whether `folder` has what the speaker encoder `kind` needs, so that it is worth loading."""
    if kind == "campplus":
        from app.speech.campplus import CamPlus

        return CamPlus.file(folder) is not None
    return kind in ("starter", "voiceprint")
