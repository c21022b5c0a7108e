"""The parts of the omni model that differ between the starter and MiniMind-O."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import torch
from numpy.typing import NDArray


class KnownQuestion(NamedTuple):
    """`question` as a model has learnt it, after the `turns` (question, answer) that came before it then."""

    question: str
    turns: tuple[tuple[str, str], ...] = ()


class Composed(NamedTuple):
    """What a question comes to without the Thinker: the text of a `call`, or an `answer` with words of the question."""

    call: str = ""
    answer: str = ""


class Encoded(NamedTuple):
    """Encoder output: `features` float32 [T, D]; `text` the user's words, "" where there are none.

    A `Transcriber` gives no words here: reading them takes a pass of its own.
    `certainty`: mean log-probability of the pieces of `text`, at most 0; 0 too where the encoder cannot tell.
    """

    features: torch.Tensor
    text: str
    certainty: float = 0.0


class Transcript(NamedTuple):
    """The words in a clip, "" for none, with `certainty` as in `Encoded`.

    `language` is a code such as "zh", `emotion` such as "happy", `events` what was heard besides or instead of speech,
    such as "Laughter"; empty where the recogniser did not tell.
    """

    text: str
    certainty: float = 0.0
    language: str = ""
    emotion: str = ""
    events: tuple[str, ...] = ()


class AudioEncoder(Protocol):
    """Speech understanding: waveform in, features for the Thinker's `audio_proj` out."""

    feature_size: int

    def encode(self, audio: NDArray[np.float32]) -> Encoded:
        """Encode float32 mono speech at 16 kHz."""
        ...


@runtime_checkable
class Transcriber(Protocol):
    """Reads the words of a clip apart from `encode`; both may run at the same time on two threads."""

    def transcribe(self, audio: NDArray[np.float32], given_up: Callable[[], bool]) -> Transcript:
        """The words in float32 mono speech at 16 kHz. `given_up` is asked often; raises GivenUpError after a yes."""
        ...


class GivenUpError(Exception):
    """What was being worked out is not wanted any more."""


@runtime_checkable
class QuestionReader(Protocol):
    """An audio encoder that also has something to say about the words of a question."""

    def meaning(self, text: str) -> torch.Tensor | None:
        """Feature rows float32 [N, D] that follow the typed words; None for none."""
        ...

    def meant(self, text: str, turns: Sequence[tuple[str, str]]) -> KnownQuestion | Composed | None:
        """The known question that `text` stands for after earlier turns (question, answer), or what it comes to; None
        where the model takes any wording."""
        ...


class StreamingDecoder(Protocol):
    """Decoder state of one utterance."""

    def step(self, codes: torch.Tensor) -> NDArray[np.float32]:
        """Decode one frame of codes (int64 [8]) to float32 [1920] at 24 kHz."""
        ...


class SpeechCodec(Protocol):
    """Codes ↔ speech at 24 kHz, 12.5 frames/s."""

    codebooks: int
    codebook_size: int

    def encode(self, audio: NDArray[np.float32]) -> torch.Tensor:
        """Codes int64 [8, ceil(n / 1920)] of float32 mono speech at 24 kHz."""
        ...

    def decode(self, codes: torch.Tensor, speaker: torch.Tensor | None = None) -> NDArray[np.float32]:
        """Speech float32 [T · 1920] of codes int64 [8, T].

        `speaker` is the voice's speaker vector (float32 [S]): a codec whose codes leave the voice open needs it, one
        whose codes hold the voice ignores it.
        """
        ...

    def stream(self, speaker: torch.Tensor | None = None) -> StreamingDecoder:
        """A fresh streaming decoder; frame by frame it equals `decode` within 1e-4."""
        ...


@runtime_checkable
class CodeFinder(Protocol):
    """A codec that finds codes for code vectors which no encoder made."""

    def nearest(self, vectors: torch.Tensor) -> torch.Tensor:
        """Codes int64 [8, T] of unquantised code vectors [T, code_width]."""
        ...


class SpeakerEncoder(Protocol):
    """Whose voice it is: speech in, the vector that the Talker takes for a speaker out."""

    def embed(self, audio: NDArray[np.float32]) -> torch.Tensor:
        """The speaker of float32 mono speech at 24 kHz, as float32 [S] with the model's `spk_emb_size` S."""
        ...
