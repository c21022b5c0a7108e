"""MiniMind-O's speech codec: Kyutai's Mimi through the `moshi` package, 24 kHz, 12.5 frames/s, 8 of its codebooks.

Decoding keeps the state of every convolution and the attention's cache, so nothing is decoded twice and a stream
equals the decoding of the whole.
"""

from __future__ import annotations

import copy
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from app.speech import weights
from app.speech.errors import DamagedModelError
from app.speech.mimi_weights import moshi_state
from app.speech.part_files import part_file

PART = "mimi"
WHAT = "the speech codec, Mimi"
KYUTAI_FILE = "tokenizer-e351c8d8-checkpoint125.safetensors"
CODEBOOKS, CODES = 8, 2048
FRAME = 1_920

#: Positions, 25 a second, that the attention looks back.
_CONTEXT = 250


class MissingPackageError(DamagedModelError):
    """The package that decodes Mimi is not installed."""


def build_mimi(codebooks: int = CODEBOOKS) -> Any:
    """moshi's `MimiModel` with this many codebooks, without values. Raises MissingPackageError."""
    # Otherwise moshi compiles itself at its first use, for which few computers have a compiler.
    os.environ.setdefault("NO_TORCH_COMPILE", "1")
    try:
        from moshi.models import loaders
    except ImportError as error:
        raise MissingPackageError(
            f"This model speaks through the package 'moshi', which cannot be used here ({error}): install it with "
            "`pip install --no-deps moshi einops sentencepiece`, then load the model again."
        ) from error

    config: dict[str, Any] = copy.deepcopy(loaders._mimi_config)
    config["quantizer"]["n_q"] = codebooks
    with weights.WithoutValues():
        return loaders.get_mimi(None, config, num_codebooks=codebooks)


def _synthesis(mimi: Any) -> Any:
    """Mimi's decoder half as one streaming module: codes int64 [1, 8, T] → audio [1, 1, 1920 · T]."""
    from moshi.modules.streaming import StreamingContainer

    class Synthesis(StreamingContainer):
        def __init__(self) -> None:
            super().__init__()
            self.quantizer = mimi.quantizer
            self.upsample = mimi.upsample
            self.transformer = mimi.decoder_transformer
            self.decoder = mimi.decoder

        def forward(self, codes: Tensor) -> Tensor:
            (x,) = self.transformer(self.upsample(self.quantizer.decode(codes)))
            return self.decoder(x)

    return Synthesis()


class Mimi:
    """A `SpeechCodec`. May be used from several threads; one at a time computes."""

    codebooks = CODEBOOKS
    codebook_size = CODES

    def __init__(self, model: Any) -> None:
        """`model`: moshi's MimiModel, which is then this object's own."""
        self._model = model.eval().requires_grad_(False)
        self._synthesis = _synthesis(self._model)
        self._lock = threading.Lock()

    @classmethod
    def load(cls, folder: Path) -> Mimi:
        """The published weights in `mimi` in a model folder (`model.safetensors` for the transformers library or
        Kyutai's own file), or Kyutai's file in the folder itself.

        Raises DamagedModelError with the tensor or file that is missing or wrong.
        """
        inside = ("model.safetensors", KYUTAI_FILE, "*.safetensors", "pytorch_model.bin")
        path = part_file(folder, PART, WHAT, inside, (KYUTAI_FILE,))
        model = build_mimi()
        state = moshi_state(weights.read_tensors(path), model.state_dict(), str(path))
        weights.fill(model, state, str(path), WHAT)
        return cls(model)

    @torch.inference_mode()
    def encode(self, audio: NDArray[np.float32]) -> Tensor:
        """Codes int64 [8, ceil(n / 1920)] of float32 mono speech at 24 kHz; one frame for no audio at all."""
        frames = max(1, -(-len(audio) // FRAME))
        padded = np.zeros(frames * FRAME, np.float32)
        padded[: len(audio)] = audio
        with self._lock:
            codes: Tensor = self._model.encode(torch.from_numpy(padded)[None, None])
        return codes[0].clone()

    @torch.inference_mode()
    def decode(self, codes: Tensor, speaker: Tensor | None = None) -> NDArray[np.float32]:
        """Speech float32 [T · 1920] of codes int64 [8, T]; the codes hold the voice, so `speaker` changes nothing."""
        if not codes.shape[1]:
            return np.zeros(0, np.float32)
        with self._lock:
            return np.asarray(self._synthesis(codes[None])[0, 0])

    @torch.inference_mode()
    def stream(self, speaker: Tensor | None = None) -> MimiStream:
        """A fresh streaming decoder; streams share nothing but the weights."""
        from moshi.modules.transformer import set_attention_context

        with self._lock:
            # A frame is two positions, whose keys are both in the cache before the first one looks back: without room
            # for one more, it would miss the oldest key of its window, and differ a little from the whole.
            set_attention_context(self._synthesis, _CONTEXT + 1)
            with self._synthesis.streaming(1):
                state = self._synthesis.get_streaming_state()
            set_attention_context(self._synthesis, _CONTEXT)
            return MimiStream(self, state)

    @torch.inference_mode()
    def step(self, codes: Tensor, state: dict[str, Any]) -> NDArray[np.float32]:
        """Decode codes int64 [8] to float32 [1920], from and into the state of one stream."""
        with self._lock:
            self._synthesis.set_streaming_state(state)
            try:
                return np.asarray(self._synthesis(codes[None, :, None])[0, 0])
            finally:
                self._synthesis.set_streaming_state(dict.fromkeys(state))


class MimiStream:
    """The state of one utterance: a `StreamingDecoder`."""

    def __init__(self, codec: Mimi, state: dict[str, Any]) -> None:
        self._codec = codec
        self._state = state

    def step(self, codes: Tensor) -> NDArray[np.float32]:
        """Decode one frame of codes int64 [8] to float32 [1920] at 24 kHz."""
        return self._codec.step(codes, self._state)
