"""MiniMind-O's speech codec: Kyutai's Mimi through the `moshi` package, 24 kHz, 12.5 frames/s, 8 of its codebooks.

Encoding is moshi's. Decoding is its arithmetic in a form for single frames (`mimi_frames`), twice as fast; nothing is
decoded twice, and a stream equals the decoding of the whole.
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
from app.speech.mimi_frames import MimiDecoder, MimiFrames
from app.speech.mimi_weights import moshi_state
from app.speech.part_files import part_file

PART = "mimi"
WHAT = "the speech codec, Mimi"
KYUTAI_FILE = "tokenizer-e351c8d8-checkpoint125.safetensors"
CODEBOOKS, CODES = 8, 2048
FRAME = 1_920


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


class Mimi:
    """A `SpeechCodec`. May be used from several threads; one at a time encodes."""

    codebooks = CODEBOOKS
    codebook_size = CODES

    def __init__(self, model: Any, *, int8: bool = False) -> None:
        """`model`: moshi's MimiModel, which is then this object's own and loses its decoder. `int8`: decode with
        eight-bit weights, where that is quicker."""
        self._model = model.eval().requires_grad_(False)
        self._decoder = MimiDecoder(model, int8=int8)
        # It has the decoder's weights in a form of its own: twice would be 160 MB more.
        del model.decoder, model.decoder_transformer, model.upsample
        self._lock = threading.Lock()

    @classmethod
    def load(cls, folder: Path, *, int8: bool = False) -> Mimi:
        """The published weights in `mimi` in a model folder (`model.safetensors` for the transformers library or
        Kyutai's own file), or Kyutai's file in the folder itself.

        Raises DamagedModelError with the tensor or file that is missing or wrong.
        """
        inside = ("model.safetensors", KYUTAI_FILE, "*.safetensors", "pytorch_model.bin")
        path = part_file(folder, PART, WHAT, inside, (KYUTAI_FILE,))
        model = build_mimi()
        state = moshi_state(weights.read_tensors(path), model.state_dict(), str(path))
        weights.fill(model, state, str(path), WHAT)
        return cls(model, int8=int8)

    @torch.inference_mode()
    def encode(self, audio: NDArray[np.float32]) -> Tensor:
        """Codes int64 [8, ceil(n / 1920)] of float32 mono speech at 24 kHz; one frame for no audio at all."""
        frames = max(1, -(-len(audio) // FRAME))
        padded = np.zeros(frames * FRAME, np.float32)
        padded[: len(audio)] = audio
        with self._lock:
            codes: Tensor = self._model.encode(torch.from_numpy(padded)[None, None])
        return codes[0].clone()

    def decode(self, codes: Tensor, speaker: Tensor | None = None) -> NDArray[np.float32]:
        """Speech float32 [T · 1920] of codes int64 [8, T]; the codes hold the voice, so `speaker` changes nothing."""
        stream = self.stream()
        return np.concatenate([np.zeros(0, np.float32), *(stream.step(frame) for frame in codes.T)])

    def stream(self, speaker: Tensor | None = None) -> MimiFrames:
        """A fresh streaming decoder; streams share nothing but the weights."""
        return MimiFrames(self._decoder)
