"""What goes into one turn of the model and what comes out. No torch here."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

INPUT_RATE = 16_000
OUTPUT_RATE = 24_000
FRAME_SAMPLES = 1_920
FRAMES_PER_SECOND = 12.5
IMAGE_SIDE = 256
"""Rows of a picture and pixels in a row."""
TRIAL_VOICE = "/trial"
"""The voice that was made last, before it has a name; no named voice has a slash in it."""


class StopReason(StrEnum):
    """Why a turn ended."""

    EOS = "eos"
    MAX_FRAMES = "max_frames"
    TEXT_RATIO_CAP = "text_ratio_cap"
    SILENCE_WATCHDOG = "silence_watchdog"
    REPETITION_WATCHDOG = "repetition_watchdog"
    TOOL_CALL = "tool_call"
    CANCELLED = "cancelled"
    ERROR = "error"


@dataclass(frozen=True)
class ToolUse:
    """A call of a tool: `arguments` is a JSON object as text. `result`: what the tool gave, as the model is to read it,
    None while it has given nothing.
    """

    name: str
    arguments: str
    result: str | None = None


@dataclass(frozen=True)
class Exchange:
    """An earlier question, the tools that were used for its answer, and what was heard of the answer."""

    q: str
    a: str
    tools: tuple[ToolUse, ...] = ()


@dataclass(frozen=True)
class TurnRequest:
    """One question: `audio` (float32 mono at 16 kHz, within ±1) or `text`, exactly one of them, perhaps about a
    picture: `image`, uint8 RGB bytes of IMAGE_SIDE rows of IMAGE_SIDE pixels (see `app.pictures`).

    With `say` the words of the reply are given and only spoken, as an answer to the question or, without one, as a
    text that is read aloud. `seed` None draws a fresh one; the seed in use comes back in `TurnStats`. `temperature` (0
    or more, 0 takes the likeliest words) None is the model's own. `system`: what the model is told about itself first.
    """

    audio: NDArray[np.float32] | None = None
    text: str | None = None
    history: tuple[Exchange, ...] = ()
    voice: str = ""
    seed: int | None = None
    temperature: float | None = None
    say: str | None = None
    image: bytes | None = None
    system: str = ""


@dataclass(frozen=True)
class Heard:
    """The user's words as the audio encoder read them."""

    text: str


@dataclass(frozen=True)
class TextPiece:
    """The next piece of the reply's text (whole characters, may start with a space)."""

    text: str


@dataclass(frozen=True)
class AudioPiece:
    """One codec frame: float32 [1920] at 24 kHz."""

    index: int
    samples: NDArray[np.float32]


@dataclass(frozen=True)
class ToolCallPiece:
    """The model calls a tool instead of answering: the text between its call markers, as it wrote it. Not `closed`: it
    ended without the closing marker.
    """

    text: str
    closed: bool


@dataclass(frozen=True)
class TurnStats:
    """The last thing a turn yields. Times in milliseconds; `rtf` = compute time / audio time while speaking."""

    heard: str
    reply: str
    voice: str
    stop_reason: StopReason
    seed: int
    frames: int
    audio_seconds: float
    encode_ms: float
    prefill_ms: float
    first_audio_ms: float
    step_ms_median: float
    step_ms_p95: float
    rtf: float


@dataclass(frozen=True)
class ModelInfo:
    """What a loaded model can do. `voices` in menu order, the default first; those of the user's own, `own_voices`,
    come last. It makes a voice from a clip of `clip_s` seconds, 0: it cannot make any. `speaker` is the kind of
    encoder that does it, `speaker_size` how many values its vectors have. `unknown` are the answers with which it says
    that it does not know, or cannot do something with words, and `unheard` those to what it has not understood. `sees`:
    it can be asked about pictures.
    """

    name: str
    folder: str
    voices: tuple[str, ...]
    parameters: int
    languages: tuple[str, ...] = ("en",)
    own_voices: tuple[str, ...] = ()
    clip_s: float = 0.0
    speaker: str = ""
    speaker_size: int = 0
    unknown: tuple[str, ...] = ()
    unheard: tuple[str, ...] = ()
    sees: bool = False
    extras: dict[str, str] = field(default_factory=dict)


TurnPiece = Heard | TextPiece | AudioPiece | ToolCallPiece | TurnStats
