"""The starter's speech codec: 24 kHz, 12.5 frames/s, 8 residual codebooks of 1,024 codes.

Frame-domain design: causal log-mel in, complex spectrum out, overlap-add. Everything is causal, so the streaming
decoder is exact. The output lags the input by `LAG` samples (40 ms): the last analysis window must be complete.

The decoder can be given a speaker vector (`app.speech.speaker_traits`): the same codes come out in that person's voice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from app.speech.errors import DamagedModelError
from app.speech.speaker_shape import Film, SpeakerShape
from app.speech.weights import load_into, read_json

SAMPLE_RATE = 24_000
FRAME = 1_920
HOP = 320
WINDOW = 1_280
HOPS_PER_FRAME = FRAME // HOP
BINS = WINDOW // 2 + 1
LAG = WINDOW - HOP


@dataclass(frozen=True)
class CodecConfig:
    """Sizes of the codec; stored in the model folder's `codec.json`. `speaker_size` 0: the codes hold the voice."""

    mels: int = 100
    width: int = 256
    kernel: int = 7
    expansion: int = 3
    encoder_blocks: int = 4
    decoder_blocks: int = 8
    context_width: int = 384
    encoder_layers: int = 2
    decoder_layers: int = 3
    heads: int = 6
    attention_window: int = 64
    codebooks: int = 8
    codebook_size: int = 1024
    code_width: int = 16
    speaker_size: int = 0


def mel_filters(bins: int, rate: int, mels: int) -> Tensor:
    """Triangular HTK-scale mel filters [bins, mels], each normalised to unit sum."""
    top = 2595 * math.log10(1 + rate / 2 / 700)
    edges = 700 * (10 ** (torch.linspace(0, top, mels + 2) / 2595) - 1)
    freqs = torch.linspace(0, rate / 2, bins)[:, None]
    low, mid, high = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (freqs - low) / (mid - low), (high - freqs) / (high - mid)
    bank = torch.minimum(rising, falling).clamp(min=0)
    # A filter narrower than a bin would be all zero: give it its nearest bin.
    empty = bank.sum(0) == 0
    nearest = (freqs - mid).abs().argmin(0)
    bank[nearest[empty], empty.nonzero()[:, 0]] = 1
    return bank / bank.sum(0)


class CausalBlock(nn.Module):
    """ConvNeXt-style block on [B, T, C]: depthwise causal filter, norm, two-layer MLP, residual."""

    kernel: int

    def __init__(self, width: int, kernel: int, expansion: int) -> None:
        super().__init__()
        self.kernel = kernel
        self.filter = nn.Parameter(torch.randn(kernel, width) / math.sqrt(kernel))
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, width * expansion)
        self.down = nn.Linear(width * expansion, width)
        self.scale = nn.Parameter(torch.full((width,), 0.3))

    def forward(self, x: Tensor, past: Tensor, film: Film | None = None) -> tuple[Tensor, Tensor]:
        """`past` [B, kernel − 1, C] precedes `x`; returns the output and the next `past`."""
        padded = torch.cat((past, x), 1)
        steps = x.shape[1]
        if torch.is_grad_enabled():
            # Shifted products: a depthwise Conv1d is several times slower backwards on a CPU.
            mixed = padded[:, :steps] * self.filter[0]
            for tap in range(1, self.kernel):
                mixed = mixed + padded[:, tap : tap + steps] * self.filter[tap]
        else:
            # The same in two operations: a step of one frame is bound by their number.
            mixed = (padded.unfold(1, self.kernel, 1) * self.filter.T).sum(-1)
        mixed = self.norm(mixed)
        if film is not None:
            mixed = film(mixed)
        return x + self.scale * self.down(F.gelu(self.up(mixed))), padded[:, steps:]


class WindowedLayer(nn.Module):
    """Transformer layer over code frames [B, T, C]; attends to the last `window` frames, nearer ones more."""

    slopes: Tensor
    ages: Tensor

    def __init__(self, width: int, heads: int, window: int) -> None:
        super().__init__()
        self.heads, self.window = heads, window
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.mlp_norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        slopes = 2.0 ** (-8.0 * torch.arange(1, heads + 1) / heads)
        self.register_buffer("slopes", slopes, persistent=False)
        self.register_buffer("ages", torch.arange(1.0 - window, 1.0), persistent=False)

    def forward(self, x: Tensor, past: Tensor, film: Film | None = None) -> tuple[Tensor, Tensor]:
        """`past` [B, P, 2C]: keys and values of up to `window − 1` earlier frames; returns output and next `past`."""
        batch, steps, width = x.shape
        normed = self.norm(x)
        if film is not None:
            normed = film(normed)
        query, key_value = self.qkv(normed).split((width, 2 * width), -1)
        memory = torch.cat((past.to(key_value.dtype), key_value), 1)
        key, value = memory.chunk(2, -1)

        def split(t: Tensor) -> Tensor:
            return t.unflatten(-1, (self.heads, -1)).transpose(1, 2)

        total = memory.shape[1]
        if steps == 1 and total <= self.window:
            bias = self.slopes[:, None, None] * self.ages[self.window - total :]
        else:
            age = torch.arange(total - steps, total, device=x.device)[:, None] - torch.arange(total, device=x.device)
            bias = -self.slopes[:, None, None] * age
            bias = bias.masked_fill((age < 0) | (age >= self.window), -torch.inf)
        mixed = F.scaled_dot_product_attention(
            split(query), split(key), split(value), attn_mask=bias.to(query.dtype)[None]
        )
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, steps, width))
        x = x + self.down(F.gelu(self.up(self.mlp_norm(x))))
        return x, memory[:, max(0, total - self.window + 1) :]


class ResidualQuantiser(nn.Module):
    """Residual vector quantiser over [.., code_width] with codebooks learnt by moving averages (training module)."""

    codebooks: Tensor

    def __init__(self, config: CodecConfig) -> None:
        super().__init__()
        self.register_buffer("codebooks", torch.zeros(config.codebooks, config.codebook_size, config.code_width))

    def encode(self, z: Tensor, used: int | None = None) -> Tensor:
        """Codes int64 [.., used] of vectors `z`, nearest neighbour in every stage."""
        residual, codes = z, []
        for book in self.codebooks[:used]:
            distance = book.square().sum(-1) - 2 * residual @ book.T
            codes.append(distance.argmin(-1))
            residual = residual - book[codes[-1]]
        return torch.stack(codes, -1)

    def decode(self, codes: Tensor) -> Tensor:
        """Sum of the codes' vectors: int64 [.., Q] → [.., code_width]."""
        stages = torch.arange(codes.shape[-1], device=codes.device)
        return self.codebooks[stages, codes].sum(-2)


@dataclass
class DecoderState:
    """What the streaming decoder carries from frame to frame."""

    layers: list[Tensor]
    blocks: list[Tensor]
    overlap: Tensor
    films: list[Film]


class StarterCodec(nn.Module):
    """Encoder, quantiser and decoder. `forward` pieces work on batches; `encode`/`decode`/`stream` on one clip."""

    window: Tensor
    mel: Tensor

    def __init__(self, config: CodecConfig | None = None) -> None:
        super().__init__()
        c = self.config = config or CodecConfig()
        self.codebooks, self.codebook_size = c.codebooks, c.codebook_size
        self.register_buffer("window", torch.hann_window(WINDOW), persistent=False)
        self.register_buffer("mel", mel_filters(BINS, SAMPLE_RATE, c.mels), persistent=False)
        self.embed = nn.Linear(c.mels, c.width)
        self.encoder = nn.ModuleList(CausalBlock(c.width, c.kernel, c.expansion) for _ in range(c.encoder_blocks))
        self.join = nn.Linear(c.width * HOPS_PER_FRAME, c.context_width)
        self.encoder_context = nn.ModuleList(
            WindowedLayer(c.context_width, c.heads, c.attention_window) for _ in range(c.encoder_layers)
        )
        self.to_code = nn.Linear(c.context_width, c.code_width)
        self.quantiser = ResidualQuantiser(c)
        self.from_code = nn.Linear(c.code_width, c.context_width)
        self.decoder_context = nn.ModuleList(
            WindowedLayer(c.context_width, c.heads, c.attention_window) for _ in range(c.decoder_layers)
        )
        self.unjoin = nn.Linear(c.context_width, c.width * HOPS_PER_FRAME)
        self.decoder = nn.ModuleList(CausalBlock(c.width, c.kernel, c.expansion) for _ in range(c.decoder_blocks))
        self.norm = nn.LayerNorm(c.width)
        self.head = nn.Linear(c.width, 2 * BINS)
        widths = [c.context_width] * c.decoder_layers + [c.width] * c.decoder_blocks
        self.speaker = SpeakerShape(c.speaker_size, widths) if c.speaker_size else None

    @classmethod
    def load(cls, folder: Path) -> StarterCodec:
        """Read `codec.json` and `codec.safetensors` of a model folder."""
        try:
            config = CodecConfig(**read_json(folder / "codec.json"))
        except TypeError as error:
            raise DamagedModelError(f"{folder / 'codec.json'} has unknown fields: {error}.") from error
        codec = cls(config)
        load_into(codec, folder / "codec.safetensors")
        return codec.eval().requires_grad_(False)

    # --- analysis

    def log_mel(self, audio: Tensor) -> Tensor:
        """Causal log-mel [B, n / 320, mels] of audio [B, n]; frame k sees samples up to 320·(k + 1)."""
        frames = F.pad(audio, (LAG, 0)).unfold(-1, WINDOW, HOP) * self.window
        power = torch.fft.rfft(frames).abs() @ self.mel
        return torch.log(power + 1e-4)

    def analyse(self, mel: Tensor) -> Tensor:
        """Log-mel [B, 6·T, mels] → unquantised codes [B, T, code_width]."""
        x = self.embed(mel)
        for block in self.encoder:
            x, _ = block(x, x.new_zeros(x.shape[0], self.config.kernel - 1, x.shape[2]))
        x = self.join(x.unflatten(1, (-1, HOPS_PER_FRAME)).flatten(2))
        for layer in self.encoder_context:
            x, _ = layer(x, x.new_zeros(x.shape[0], 0, 2 * x.shape[2]))
        # A fixed scale: otherwise the commitment loss shrinks the vectors until the codes collapse.
        return F.layer_norm(self.to_code(x), (self.config.code_width,))

    # --- synthesis

    def initial_state(self, batch: int = 1, speaker: Tensor | None = None) -> DecoderState:
        """State before the first frame. `speaker` [B, speaker_size]; None: in the voice that was coded."""
        c, zeros = self.config, self.window.new_zeros
        films: list[Film] = []
        if self.speaker is not None:
            films = self.speaker(zeros(batch, c.speaker_size) if speaker is None else speaker.to(self.window))
        return DecoderState(
            [zeros(batch, 0, 2 * c.context_width) for _ in self.decoder_context],
            [zeros(batch, c.kernel - 1, c.width) for _ in self.decoder],
            zeros(batch, LAG),
            films,
        )

    def spectrum(self, vectors: Tensor, state: DecoderState) -> Tensor:
        """Code vectors [B, T, code_width] → complex frames as (log-magnitude, phase) [B, 6·T, 2·BINS]."""
        x = self.from_code(vectors)
        films = iter(state.films)
        for index, layer in enumerate(self.decoder_context):
            x, state.layers[index] = layer(x, state.layers[index], next(films, None))
        x = self.unjoin(x).unflatten(-1, (HOPS_PER_FRAME, -1)).flatten(1, 2)
        for index, block in enumerate(self.decoder):
            x, state.blocks[index] = block(x, state.blocks[index].to(x.dtype), next(films, None))
        return self.head(self.norm(x))

    def overlap_add(self, spectrum: Tensor, state: DecoderState) -> Tensor:
        """Spectra → audio [B, 320·frames] by inverse FFT, Hann window and overlap-add (75 % overlap sums to 1.5)."""
        magnitude, phase = spectrum.float().chunk(2, -1)
        # The bound keeps an untrained or foreign code from producing infinities.
        magnitude = torch.exp(magnitude.clamp(max=6.0))
        frames = torch.fft.irfft(torch.polar(magnitude, phase)) * (self.window / 1.5)
        batch, count, _ = frames.shape
        out = F.fold(frames.transpose(1, 2), (1, LAG + count * HOP), (1, WINDOW), stride=(1, HOP)).reshape(batch, -1)
        out = torch.cat((out[:, :LAG] + state.overlap, out[:, LAG:]), 1)
        state.overlap = out[:, count * HOP :]
        return out[:, : count * HOP]

    # --- SpeechCodec

    @torch.inference_mode()
    def encode(self, audio: NDArray[np.float32]) -> Tensor:
        """Codes int64 [8, ceil(n / 1920)] of float32 mono speech at 24 kHz."""
        frames = max(1, -(-len(audio) // FRAME))
        padded = np.zeros(frames * FRAME, np.float32)
        padded[: len(audio)] = audio
        vectors = self.analyse(self.log_mel(torch.from_numpy(padded)[None].to(self.window)))
        return self.quantiser.encode(vectors)[0].T.contiguous()

    def _opening(self, speaker: Tensor | None) -> DecoderState:
        """State of one clip; a vector of another size is a voice of another model."""
        if speaker is None or self.speaker is None:
            return self.initial_state()
        if speaker.shape != (self.config.speaker_size,):
            raise ValueError(
                f"The codec takes speaker vectors of {self.config.speaker_size} values, not {tuple(speaker.shape)}."
            )
        return self.initial_state(1, speaker[None])

    @torch.inference_mode()
    def decode(self, codes: Tensor, speaker: Tensor | None = None) -> NDArray[np.float32]:
        """Speech float32 [T · 1920] of codes int64 [8, T]; `speaker` float32 [speaker_size] or as coded."""
        state = self._opening(speaker)
        vectors = self.quantiser.decode(codes.T[None].to(self.window.device))
        return self.overlap_add(self.spectrum(vectors, state), state)[0].cpu().numpy()

    def stream(self, speaker: Tensor | None = None) -> CodecStream:
        """A fresh streaming decoder; `speaker` float32 [speaker_size] or as coded."""
        return CodecStream(self, speaker)


class CodecStream:
    """Frame-by-frame decoding of one utterance; equals `StarterCodec.decode` up to rounding."""

    @torch.inference_mode()
    def __init__(self, codec: StarterCodec, speaker: Tensor | None) -> None:
        self._codec = codec
        self._state = codec._opening(speaker)

    @torch.inference_mode()
    def step(self, codes: Tensor) -> NDArray[np.float32]:
        """Decode codes int64 [8] to float32 [1920] at 24 kHz."""
        vectors = self._codec.quantiser.decode(codes.view(1, 1, -1).to(self._codec.window.device))
        audio = self._codec.overlap_add(self._codec.spectrum(vectors, self._state), self._state)
        return audio[0].cpu().numpy()
