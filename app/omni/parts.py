"""What an engine is made of."""

from __future__ import annotations

from dataclasses import dataclass

from app.omni.config import OmniConfig
from app.omni.generate import GenerationConfig
from app.omni.stepper import StepNetwork
from app.omni.tokenizer import OmniTokenizer
from app.omni.turn import ModelInfo
from app.omni.voice import Voice
from app.speech.interfaces import AudioEncoder, SpeakerEncoder, SpeechCodec
from app.speech.text_reader import TextReader
from app.vision.interfaces import ImageEncoder


@dataclass(frozen=True)
class EngineParts:
    """The parts of a loaded model."""

    config: OmniConfig
    network: StepNetwork
    tokenizer: OmniTokenizer
    encoder: AudioEncoder
    codec: SpeechCodec
    voices: dict[str, Voice]
    generation: GenerationConfig
    info: ModelInfo
    speaker: SpeakerEncoder | None = None
    eyes: ImageEncoder | None = None
    #: How many earlier exchanges the model has learnt to live with; more confuse it. None: as many as fit.
    history_turns: int | None = None
    #: The codec may have a thread of its own.
    spare_core: bool = False
    #: Reads given texts aloud; None: the Talker does.
    reader: TextReader | None = None
