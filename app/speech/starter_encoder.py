"""The starter's ears: Whisper tiny.en (MIT), encoder and decoder, with the vocabulary cut to common English pieces.

The encoder runs on the real length of the clip. Its decoder reads the words; these are cut into the Thinker's own
pieces, and every piece becomes one feature row; the last row holds what they mean together. Rows so made can also be
computed from text alone, which is how the Thinker learns to listen to far more questions than were ever synthesised.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from tokenizers import Tokenizer, decoders
from torch import Tensor, nn

from app.speech.errors import DamagedModelError
from app.speech.features import HOP, SAMPLE_RATE, WINDOW, log_mel, slaney_mel_filters
from app.speech.interfaces import Composed, Encoded, KnownQuestion
from app.speech.known_questions import LIST as KNOWN_LIST
from app.speech.known_questions import KnownQuestions
from app.speech.sentence_encoder import WEIGHTS as SENTENCE_WEIGHTS
from app.speech.sentence_encoder import SentenceEncoder
from app.speech.weights import WithoutValues, load_tensors, read_json, read_tensor, read_tensors
from app.speech.word_reader import WordReader

WIDTH, HEADS, LAYERS, CONTEXT = 384, 6, 4, 1500
#: Silence put after the clip: the decoder stops reliably where it sees the speech end.
TAIL_SECONDS = 0.5
#: The Thinker's marker for a heard row; its own row stands for a clip without words.
NOTHING_HEARD = 16
_ROWS, _EMBEDDING = "rows.weight", "model.embed_tokens.weight"


def feature_rows(pieces: Tensor, meaning: Tensor) -> Tensor:
    """Feature rows [N + 1, 768]: those of the pieces [N, 384], each with its own half, then the sentence's [384]."""
    return torch.cat((F.pad(pieces, (0, len(meaning))), F.pad(meaning[None], (pieces.shape[1], 0))))


class Attention(nn.Module):
    """Multi-head attention with separate query and key-value projections."""

    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Linear(WIDTH, WIDTH)
        self.key_value = nn.Linear(WIDTH, 2 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)

    @staticmethod
    def split_heads(x: Tensor) -> Tensor:
        """[.., T, WIDTH] → [.., heads, T, d]."""
        return x.unflatten(-1, (HEADS, -1)).transpose(-3, -2)

    def memory(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values [.., heads, T, d] of `x` [.., T, WIDTH]."""
        key, value = self.key_value(x).chunk(2, -1)
        return self.split_heads(key), self.split_heads(value)

    def forward(self, x: Tensor, memory: tuple[Tensor, Tensor]) -> Tensor:
        mixed = F.scaled_dot_product_attention(self.split_heads(self.query(x)), *memory)
        return self.out(mixed.transpose(-3, -2).flatten(-2))


class Block(nn.Module):
    """Pre-norm block; `cross` adds attention to the encoder's output."""

    def __init__(self, cross: bool) -> None:
        super().__init__()
        self.norm, self.attention = nn.LayerNorm(WIDTH), Attention()
        if cross:
            self.cross_norm, self.cross = nn.LayerNorm(WIDTH), Attention()
        self.mlp_norm = nn.LayerNorm(WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def mlp(self, x: Tensor) -> Tensor:
        """The feed-forward half with its residual."""
        return x + self.down(F.gelu(self.up(self.mlp_norm(x))))


def blocks(modules: nn.ModuleList) -> list[Block]:
    """The blocks of one side, with their type."""
    return cast("list[Block]", list(modules))


def sinusoids() -> Tensor:
    """Whisper's fixed places in time, float32 [CONTEXT, WIDTH]: sines, then cosines (Vaswani et al., 2017)."""
    rate = torch.exp(-math.log(10_000) / (WIDTH // 2 - 1) * torch.arange(WIDTH // 2))
    angle = torch.arange(CONTEXT)[:, None] * rate
    return torch.cat((angle.sin(), angle.cos()), 1)


class StarterEncoder(nn.Module):
    """`AudioEncoder` over converted Whisper weights.

    `vocabulary` maps row → piece in byte-level notation; rows `start`, `plain` (no time stamps) and `end` are control
    pieces; `banned` rows (sound effects and stray symbols) are never read, `banned_first` not as the first piece.
    `rows` holds one feature row for each piece of `tokenizer`, the Thinker's.
    """

    feature_size: int = WIDTH
    positions: Tensor
    mask: Tensor
    filters: Tensor
    window: Tensor

    def __init__(self, spec: dict[str, object], tokenizer: Tokenizer) -> None:
        super().__init__()
        self._tokenizer = tokenizer
        self.pieces: list[str] = list(spec["vocabulary"])  # type: ignore[call-overload]
        self.start, self.plain, self.end = (int(spec[k]) for k in ("start", "plain", "end"))  # type: ignore[call-overload]
        vocabulary = len(self.pieces)
        self.conv1 = nn.Conv1d(80, WIDTH, 3, padding=1)
        self.conv2 = nn.Conv1d(WIDTH, WIDTH, 3, stride=2, padding=1)
        self.register_buffer("positions", sinusoids(), persistent=False)
        self.encoder = nn.ModuleList(Block(cross=False) for _ in range(LAYERS))
        self.encoder_norm = nn.LayerNorm(WIDTH)
        self.embed = nn.Embedding(vocabulary, WIDTH)
        self.text_positions = nn.Parameter(torch.zeros(448, WIDTH))
        self.decoder = nn.ModuleList(Block(cross=True) for _ in range(LAYERS))
        self.decoder_norm = nn.LayerNorm(WIDTH)
        self.rows = nn.Embedding(tokenizer.get_vocab_size(), WIDTH)
        mask = torch.zeros(vocabulary)
        mask[list(spec["banned"])] = -torch.inf  # type: ignore[call-overload]
        mask[[self.start, self.plain]] = -torch.inf
        self.register_buffer("mask", mask, persistent=False)
        self.first_banned: list[int] = list(spec["banned_first"])  # type: ignore[call-overload]
        self.register_buffer("filters", slaney_mel_filters(), persistent=False)
        self.register_buffer("window", torch.hann_window(WINDOW), persistent=False)
        self._text = decoders.ByteLevel()
        self._int8 = False
        self._reader: WordReader | None = None
        self._sentences: SentenceEncoder | None = None
        self._known: KnownQuestions | None = None
        self._with_meaning = False

    @classmethod
    def load(cls, folder: Path, *, int8: bool = False) -> StarterEncoder:
        """Read `encoder.json`, `encoder.safetensors` and `tokenizer.json` of a model folder. `int8`: read words with
        eight-bit weights.
        """
        try:
            tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception as error:  # the tokenizer raises plain Exception for every kind of damage
            raise DamagedModelError(f"{folder / 'tokenizer.json'} is missing or damaged: {error}.") from error
        try:
            with WithoutValues():
                encoder = cls(read_json(folder / "encoder.json"), tokenizer)
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedModelError(f"{folder / 'encoder.json'} lacks or garbles a field: {error}.") from error
        encoder._fill(folder)
        encoder._int8 = int8
        if (folder / SENTENCE_WEIGHTS).exists():
            encoder._sentences = SentenceEncoder.load(folder)
            if (folder / KNOWN_LIST).exists():
                encoder._known = KnownQuestions.load(folder, encoder._sentences)
            # The first networks had no row for the sense of a question.
            config = folder / "config.json"
            encoder._with_meaning = not config.exists() or read_json(config).get("audio_hidden_size") != WIDTH
            encoder.feature_size = 2 * WIDTH if encoder._with_meaning else WIDTH
        return encoder.eval().requires_grad_(False)

    def _fill(self, folder: Path) -> None:
        path = folder / "encoder.safetensors"
        state = read_tensors(path)
        if _ROWS not in state:
            # A network beside it has them as its embedding.
            state[_ROWS] = read_tensor(folder / "model.safetensors", _EMBEDDING)
        load_tensors(self, state, path)

    def layers(self, mel: Tensor) -> list[Tensor]:
        """States [B, T, WIDTH] (50 per second) after each block, of log-mel [B, 80, 2·T]."""
        x = F.gelu(self.conv2(F.gelu(self.conv1(mel)))).transpose(1, 2)
        x = x + self.positions[: x.shape[1]]
        states = []
        for block in blocks(self.encoder):
            normed = block.norm(x)
            x = block.mlp(x + block.attention(normed, block.attention.memory(normed)))
            states.append(x)
        return states

    def hear(self, audio: Tensor) -> Tensor:
        """Encoder states [T, WIDTH] (50 per second) of audio [n] at 16 kHz."""
        mel = log_mel(audio, self.filters, self.window)
        return self.encoder_norm(self.layers(mel[None])[-1][0])

    def read(self, states: Tensor) -> tuple[list[int], float]:
        """Greedy reading of encoder states [T, WIDTH]: rows of `vocabulary`, and their mean log-probability."""
        if self._reader is None:
            self._reader = WordReader(self, HEADS, int8=self._int8)
        return self._reader.read(states)

    def decoder_blocks(self) -> list[Block]:
        """The blocks of the decoder."""
        return blocks(self.decoder)

    def train(self, mode: bool = True) -> StarterEncoder:
        """As for every module; what was prepared for reading is made anew, since the weights may change."""
        self._reader = None
        return super().train(mode)

    def text(self, rows: list[int]) -> str:
        """Words of piece rows."""
        return self._text.decode([self.pieces[row] for row in rows]).strip()

    def features(self, text: str) -> Tensor:
        """Feature rows [N ≥ 1, D] of words: one for every piece, and one for what they mean together."""
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        pieces = self.rows.weight[torch.tensor(ids or [NOTHING_HEARD])]
        if self._sentences is None or not self._with_meaning:
            return pieces
        return feature_rows(pieces, self._sentences.vectors([text])[0])

    @torch.inference_mode()
    def meaning(self, text: str) -> Tensor | None:
        """The row [1, D] that stands for the sense of a typed question; None where this model has none."""
        if self._sentences is None or not self._with_meaning:
            return None
        return feature_rows(self.rows.weight[:0], self._sentences.vectors([text])[0])

    @torch.inference_mode()
    def meant(self, text: str, turns: Sequence[tuple[str, str]]) -> KnownQuestion | Composed | None:
        """The known question that `text` stands for after earlier turns, or what it comes to; None where this model has
        no list of them."""
        return None if self._known is None else self._known.meant(text, turns)

    @torch.inference_mode()
    def encode(self, audio: NDArray[np.float32]) -> Encoded:
        """Features [N ≥ 1, D] and words of float32 mono speech at 16 kHz (30 s at most are heard)."""
        tail = int(TAIL_SECONDS * SAMPLE_RATE)
        clip = torch.from_numpy(np.ascontiguousarray(audio, np.float32))[: CONTEXT * 2 * HOP - tail]
        rows, certainty = self.read(self.hear(F.pad(clip, (0, tail))))
        text = self.text(rows)
        return Encoded(self.features(text), text, certainty)
