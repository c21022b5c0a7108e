"""MiniMind-O's ears: SenseVoice-Small. Its encoder makes the Thinker's features, its CTC head reads the words.

The network was trained on features of the bare clip, the recogniser on clips with four queries in front: language,
event, emotion and how numbers are written. So the words take a second pass, which may run beside the answer. Whether
the first pass alone would read as well can only be judged with the published weights: see `transcribe`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from app.speech import weights
from app.speech.errors import DamagedModelError
from app.speech.fbank import FEATURES, SAMPLE_RATE, Fbank, read_normalisation, stack_frames
from app.speech.interfaces import Encoded, Transcript
from app.speech.part_files import part_file
from app.speech.rich_text import Vocabulary, read_vocabulary, transcript
from app.speech.sanm import SanmConfig, SanmEncoder

PART = "sensevoice"
WHAT = "the ears, SenseVoice-Small"
VOCABULARY_FILES = ("*.bpe.model", "tokens.json")
#: Speech beyond this is not heard: the network was trained on at most 1,024 positions, of which this takes 500.
MOST_S = 30.0

# Rows of the table of queries: language "auto", event, emotion, and numbers as digits with punctuation.
_QUERIES = (0, 1, 2, 14)
_QUERY_ROWS = 16
_SIZES = {
    "output_size": "width",
    "attention_heads": "heads",
    "linear_units": "inner",
    "num_blocks": "blocks",
    "tp_blocks": "tp_blocks",
    "kernel_size": "kernel",
}


class CtcHead(nn.Module):
    """Encoder states → log-probabilities of the pieces."""

    def __init__(self, width: int, pieces: int) -> None:
        super().__init__()
        self.ctc_lo = nn.Linear(width, pieces)

    def forward(self, states: Tensor) -> Tensor:
        """[T, width] → [T, pieces]."""
        return self.ctc_lo(states).log_softmax(-1)


class SenseVoice(nn.Module):
    """An `AudioEncoder` and `Transcriber` whose modules are named as in the published state dict."""

    def __init__(
        self, config: SanmConfig, pieces: int, vocabulary: Vocabulary, normalisation: tuple[Tensor, Tensor]
    ) -> None:
        """`pieces`: how many the CTC head knows; `normalisation`: shift and scale of the features, [560] each."""
        super().__init__()
        self.encoder = SanmEncoder(config)
        self.ctc = CtcHead(config.width, pieces)
        self.embed = nn.Embedding(_QUERY_ROWS, FEATURES)
        self.feature_size = config.width
        self._vocabulary = vocabulary
        self._shift, self._scale = normalisation
        self._fbank = Fbank()

    @classmethod
    def load(cls, folder: Path) -> SenseVoice:
        """The published files in `sensevoice` in a model folder, or in the folder itself: `model.pt` or
        `model.safetensors`, `am.mvn`, the sentencepiece model or `tokens.json`, and `config.yaml` where there is one.

        Raises DamagedModelError with the tensor or file that is missing or wrong.
        """
        path = part_file(folder, PART, WHAT, ("model.pt", "*.safetensors"), ("model.pt",))
        home = path.parent
        normalisation = read_normalisation(home / "am.mvn")
        names = [name for pattern in VOCABULARY_FILES for name in sorted(home.glob(pattern))]
        if not names:
            raise DamagedModelError(
                f"The part '{PART}' ({WHAT}) lacks its vocabulary: there is no {' or '.join(VOCABULARY_FILES)} in "
                f"{home}; download the model again in the models window, or copy the published file there."
            )
        state = {name.removeprefix("module."): tensor for name, tensor in weights.read_tensors(path).items()}
        head = state.get("ctc.ctc_lo.bias")
        if head is None:
            raise DamagedModelError(f"{path} lacks 'ctc.ctc_lo.bias': it is incomplete or belongs to another model.")
        with weights.WithoutValues():
            model = cls(read_sizes(home / "config.yaml"), len(head), read_vocabulary(names[0]), normalisation)
        weights.fill(model, state, str(path), WHAT)
        return model.eval().requires_grad_(False)

    def front_end(self, audio: NDArray[np.float32]) -> Tensor:
        """Normalised features [N ≥ 1, 560] of float32 mono speech at 16 kHz: 16.67 a second, of 30 s at most."""
        clip = torch.from_numpy(np.ascontiguousarray(audio, np.float32))[: round(MOST_S * SAMPLE_RATE)]
        return (stack_frames(self._fbank(clip)) + self._shift) * self._scale

    @torch.inference_mode()
    def encode(self, audio: NDArray[np.float32]) -> Encoded:
        """Features [N ≥ 1, 512] of float32 mono speech at 16 kHz (30 s at most are heard), without words."""
        return Encoded(self.encoder(self.front_end(audio)), "")

    @torch.inference_mode()
    def transcribe(
        self, audio: NDArray[np.float32], given_up: Callable[[], bool] = lambda: False, *, queries: bool = True
    ) -> Transcript:
        """The words in float32 mono speech at 16 kHz, with what else the recogniser noticed.

        Raises GivenUpError soon after `given_up` says so. `queries` False reads the very states that `encode` gives,
        which is not how the recogniser was trained.
        """
        features = self.front_end(audio)
        if queries:
            features = torch.cat((self.embed(torch.tensor(_QUERIES)), features))
        return transcript(self.ctc(self.encoder(features, given_up)), self._vocabulary)


def read_sizes(path: Path) -> SanmConfig:
    """Sizes of the encoder in a published `config.yaml`; those of SenseVoice-Small where the file is missing.

    Only the whole numbers of `encoder_conf` are read. Raises DamagedModelError.
    """
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return SanmConfig()
    except OSError as error:
        raise DamagedModelError(f"{path} cannot be read: {error}.") from error
    section = re.search(r"^encoder_conf:[^\S\n]*\n((?:[^\S\n]+.*\n?|\s*\n)*)", text, re.MULTILINE)
    found = dict(re.findall(r"^\s+(\w+):\s*(\d+)\s*$", section.group(1), re.MULTILINE)) if section else {}
    sizes = SanmConfig(**{ours: int(found[name]) for name, ours in _SIZES.items() if name in found})
    if min(sizes.width, sizes.heads, sizes.inner, sizes.blocks, sizes.kernel) < 1 or sizes.width % sizes.heads:
        raise DamagedModelError(f"{path} gives the encoder impossible sizes: download or copy it again.")
    return sizes
