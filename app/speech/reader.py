"""The reader: phonemes in, the codec's codes out, for texts that the Talker never learnt.

It works as FastSpeech (Ren et al., 2019) does: layers over the phonemes tell how long each of them lasts, and layers
over the codec's frames, which are given the phonemes at their own time, tell the code vectors of all frames at once. So
the sound has the right length, and nothing is said twice.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from app.speech.errors import DamagedModelError
from app.speech.pronunciation import SIGNS
from app.speech.weights import WithoutValues, load_into, read_json

CONFIG, WEIGHTS = "reader.json", "reader.safetensors"
#: Durations are counted in steps of 25 ms, frames of the codec in 80 ms.
STEPS_PER_FRAME = 3.2
#: Silence before the first sign and after the last one.
LEAD, TAIL = 2.0, 4.0
#: The sign of that silence; those of `pronunciation` follow it.
_EDGE = 0
_INDEX = {sign: number for number, sign in enumerate(SIGNS, 1)}
#: No sign is shorter; silence excepted, none is longer.
_SHORTEST, _LONGEST = 0.5, 30.0


@dataclass(frozen=True)
class ReaderConfig:
    """Sizes; stored in `reader.json`."""

    sound_width: int = 192
    sound_layers: int = 3
    width: int = 256
    layers: int = 4
    heads: int = 4
    kernel: int = 5
    #: A frame is shown the phonemes at so many moments, each by so many numbers.
    moments: int = 8
    moment_width: int = 64
    code_width: int = 16


class ReaderLayer(nn.Module):
    """Transformer layer on [B, T, C] that sees both sides, what is near better, with a filter along the time."""

    slopes: Tensor

    def __init__(self, width: int, heads: int, kernel: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.filter_norm = nn.LayerNorm(width)
        self.filter = nn.Parameter(torch.randn(kernel, width) * 0.1)
        self.mlp_norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.register_buffer("slopes", 2.0 ** (-4.0 * torch.arange(1, heads + 1) / heads), persistent=False)

    def forward(self, x: Tensor, there: Tensor, dropout: float = 0.0) -> Tensor:
        """x [B, T, C], `there` bool [B, T]: what is no padding → [B, T, C]."""
        batch, steps, _ = x.shape
        query, key, value = self.qkv(self.norm(x)).view(batch, steps, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        places = torch.arange(steps, device=x.device)
        bias = -self.slopes[:, None, None] * (places[:, None] - places).abs()
        bias = bias[None].masked_fill(~there[:, None, None], -torch.inf)
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=bias.to(query.dtype))
        x = x + F.dropout(self.out(mixed.transpose(1, 2).flatten(2)), dropout)
        half = len(self.filter) // 2
        padded = F.pad(self.filter_norm(x) * there[..., None], (0, 0, half, half))
        x = x + sum(padded[:, tap : tap + steps] * weight for tap, weight in enumerate(self.filter))
        return x + F.dropout(self.down(F.gelu(self.up(self.mlp_norm(x)))), dropout)


class Reader(nn.Module):
    """`forward` works on batches of known durations, `read` on one text."""

    def __init__(self, config: ReaderConfig | None = None) -> None:
        super().__init__()
        c = self.config = config or ReaderConfig()
        self.signs = nn.Embedding(len(SIGNS) + 1, c.sound_width)
        self.sounds = nn.ModuleList(ReaderLayer(c.sound_width, c.heads, c.kernel) for _ in range(c.sound_layers))
        self.sound_norm = nn.LayerNorm(c.sound_width)
        self.duration = nn.Linear(c.sound_width, 1)
        self.moment = nn.Linear(c.sound_width, c.moment_width)
        self.join = nn.Linear(c.moments * (c.moment_width + 2), c.width)
        self.frames = nn.ModuleList(ReaderLayer(c.width, c.heads, c.kernel) for _ in range(c.layers))
        self.norm = nn.LayerNorm(c.width)
        self.head = nn.Linear(c.width, c.code_width)
        self.dropout = 0.0

    @classmethod
    def load(cls, folder: Path) -> Reader:
        """Read `reader.json` and `reader.safetensors` of a model folder. Raises DamagedModelError."""
        try:
            config = ReaderConfig(**read_json(folder / CONFIG))
        except TypeError as error:
            raise DamagedModelError(f"{folder / CONFIG} has unknown fields: {error}.") from error
        with WithoutValues():
            reader = cls(config)
        load_into(reader, folder / WEIGHTS)
        return reader.eval().requires_grad_(False)

    def fields(self) -> dict[str, int]:
        """What `reader.json` holds."""
        return asdict(self.config)

    def hear(self, signs: Tensor, there: Tensor | None = None) -> Tensor:
        """Signs int64 [B, N] → what they sound like in their neighbourhood [B, N, sound_width]; `there` bool [B, N]:
        which are no padding."""
        x = self.signs(signs)
        there = torch.ones_like(signs, dtype=torch.bool) if there is None else there
        for layer in self.sounds:
            x = layer(x, there, self.dropout)
        return self.sound_norm(x)

    def last(self, sounds: Tensor) -> Tensor:
        """Logarithms of the durations in steps [B, N]."""
        return self.duration(sounds).squeeze(-1)

    def vectors(self, sounds: Tensor, steps: Tensor, frames: int, there: Tensor | None = None) -> Tensor:
        """Code vectors [B, frames, code_width] of sounds [B, N, C] that last `steps` [B, N] (0: padding); `there` bool
        [B, frames]: which are no padding."""
        c = self.config
        ends = steps.cumsum(1)
        at = (torch.arange(frames * c.moments, device=steps.device) + 0.5) * (STEPS_PER_FRAME / c.moments)
        at = at.expand(len(steps), -1).contiguous()
        index = torch.searchsorted(ends, at, right=True).clamp(max=steps.shape[1] - 1)
        lasting = steps.gather(1, index).clamp(min=0.1)
        # How much of the sign is over, and how long it is; what lies behind the end keeps its distance.
        over = ((at - ends.gather(1, index)) / lasting + 1).clamp(0, 2)
        moments = self.moment(sounds)
        moments = moments.gather(1, index[..., None].expand(-1, -1, c.moment_width))
        moments = torch.cat((moments, over[..., None], lasting.log()[..., None].to(moments)), -1)
        x = self.join(moments.view(len(steps), frames, -1))
        there = torch.ones(len(steps), frames, dtype=torch.bool) if there is None else there
        for layer in self.frames:
            x = layer(x, there, self.dropout)
        return self.head(self.norm(x))

    @torch.inference_mode()
    def read(self, phonemes: str) -> tuple[Tensor, list[float]]:
        """Code vectors float32 [T, code_width] of phonemes (`app.speech.pronunciation`), and at which frame each of
        them begins. Raises ValueError where there are none."""
        if not phonemes.strip():
            raise ValueError("There are no phonemes to read.")
        signs = numbers(phonemes)[None]
        sounds = self.hear(signs)
        steps = self.last(sounds).exp().clamp(_SHORTEST, _LONGEST)
        steps[0, 0], steps[0, -1] = LEAD, TAIL
        frames = int(torch.ceil(steps.sum() / STEPS_PER_FRAME))
        vectors = self.vectors(sounds, steps, frames)[0]
        return vectors, (steps.cumsum(1)[0, :-2] / STEPS_PER_FRAME).tolist()


def numbers(phonemes: str) -> Tensor:
    """Signs of a text int64 [N + 2], silence on both sides."""
    return torch.tensor([_EDGE, *(_INDEX[sign] for sign in phonemes), _EDGE])
