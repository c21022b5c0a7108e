"""The starter's speech codec: 24 kHz, 12.5 frames/s, 8 residual codebooks of 1,024 codes.

Frame-domain design: causal log-mel in, complex spectrum out, overlap-add. Everything is causal, so the streaming
decoder is exact. The output lags the input by `LAG` samples (40 ms): the last analysis window must be complete.

The decoder can be given a speaker vector (`app.speech.speaker_traits`): the same codes come out in that person's voice.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from app.speech.codec_parts import (
    BINS,
    FRAME,
    HOP,
    HOPS_PER_FRAME,
    LAG,
    MAX_LOG_MAGNITUDE,
    OVERLAP_SUM,
    SAMPLE_RATE,
    WINDOW,
    CausalBlock,
    CodecConfig,
    ResidualQuantiser,
    WindowedLayer,
)
from app.speech.errors import DamagedModelError
from app.speech.frame_decoder import FrameDecoder, FrameStream
from app.speech.speaker_shape import Film, SpeakerShape
from app.speech.weights import WithoutValues, load_into, read_json


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
        self._int8 = False
        self._frames: FrameDecoder | None = None

    @classmethod
    def load(cls, folder: Path, *, int8: bool = False) -> StarterCodec:
        """Read `codec.json` and `codec.safetensors` of a model folder. `int8`: decode with eight-bit weights."""
        try:
            config = CodecConfig(**read_json(folder / "codec.json"))
        except TypeError as error:
            raise DamagedModelError(f"{folder / 'codec.json'} has unknown fields: {error}.") from error
        with WithoutValues():
            codec = cls(config)
        load_into(codec, folder / "codec.safetensors")
        codec._int8 = int8
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
            x = block(x)
        x = self.join(x.unflatten(1, (-1, HOPS_PER_FRAME)).flatten(2))
        for layer in self.encoder_context:
            x = layer(x)
        # A fixed scale: otherwise the commitment loss shrinks the vectors until the codes collapse.
        return F.layer_norm(self.to_code(x), (self.config.code_width,))

    # --- synthesis

    def films(self, speaker: Tensor | None, batch: int = 1) -> list[Film]:
        """What `speaker` [B, speaker_size] does to the norms, layers first; None: the voice that was coded."""
        if self.speaker is None:
            return []
        if speaker is None:
            speaker = self.window.new_zeros(batch, self.config.speaker_size)
        return self.speaker(speaker.to(self.window))

    def spectrum(self, vectors: Tensor, speaker: Tensor | None = None) -> Tensor:
        """Code vectors [B, T, code_width] → complex frames as (log-magnitude, phase) [B, 6·T, 2·BINS]."""
        films = iter(self.films(speaker, len(vectors)))
        x = self.from_code(vectors)
        for layer in self.decoder_context:
            x = layer(x, next(films, None))
        x = self.unjoin(x).unflatten(-1, (HOPS_PER_FRAME, -1)).flatten(1, 2)
        for block in self.decoder:
            x = block(x, next(films, None))
        return self.head(self.norm(x))

    def overlap_add(self, spectrum: Tensor) -> Tensor:
        """Spectra → audio [B, 320·frames] by inverse FFT, Hann window and overlap-add."""
        magnitude, phase = spectrum.float().chunk(2, -1)
        magnitude = torch.exp(magnitude.clamp(max=MAX_LOG_MAGNITUDE))
        frames = torch.fft.irfft(torch.polar(magnitude, phase)) * (self.window / OVERLAP_SUM)
        batch, count, _ = frames.shape
        out = F.fold(frames.transpose(1, 2), (1, LAG + count * HOP), (1, WINDOW), stride=(1, HOP)).reshape(batch, -1)
        return out[:, : count * HOP]

    # --- SpeechCodec

    @torch.inference_mode()
    def encode(self, audio: NDArray[np.float32]) -> Tensor:
        """Codes int64 [8, ceil(n / 1920)] of float32 mono speech at 24 kHz."""
        return self.nearest(self.vectors(audio))

    @torch.inference_mode()
    def vectors(self, audio: NDArray[np.float32]) -> Tensor:
        """Unquantised code vectors [ceil(n / 1920), code_width] of float32 mono speech at 24 kHz."""
        frames = max(1, -(-len(audio) // FRAME))
        padded = np.zeros(frames * FRAME, np.float32)
        padded[: len(audio)] = audio
        return self.analyse(self.log_mel(torch.from_numpy(padded)[None].to(self.window)))[0]

    def nearest(self, vectors: Tensor) -> Tensor:
        """Codes int64 [8, T] of unquantised code vectors [T, code_width]."""
        return self.quantiser.encode(vectors).T.contiguous()

    @torch.inference_mode()
    def decode(self, codes: Tensor, speaker: Tensor | None = None) -> NDArray[np.float32]:
        """Speech float32 [T · 1920] of codes int64 [8, T]; `speaker` float32 [speaker_size] or as coded."""
        stream = self.stream(speaker)
        frames = [stream.step(frame) for frame in codes.T]
        return np.concatenate(frames) if frames else np.zeros(0, np.float32)

    @torch.inference_mode()
    def stream(self, speaker: Tensor | None = None) -> FrameStream:
        """A fresh streaming decoder; `speaker` float32 [speaker_size] or as coded.

        Raises ValueError for a vector of another size, which is a voice of another model.
        """
        if speaker is not None and self.speaker is not None:
            if speaker.shape != (self.config.speaker_size,):
                raise ValueError(
                    f"The codec takes speaker vectors of {self.config.speaker_size} values, not {tuple(speaker.shape)}."
                )
            speaker = speaker[None]
        if self._frames is None:
            self._frames = FrameDecoder(self, int8=self._int8)
        return FrameStream(self._frames, self.films(speaker))

    def train(self, mode: bool = True) -> StarterCodec:
        """As for every module; what was prepared for decoding is made anew, since the weights may change."""
        self._frames = None
        return super().train(mode)
