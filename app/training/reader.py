"""Teach the reader to read aloud: `python -m app.training reader`.

It learns from `readings`: how long Kokoro makes each phoneme, and the codec's vectors of the recordings, which are
analysed at several places of the grid of frames. Writes `reader.safetensors` and `reader.json` into the model folder.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile as sf
import torch
import torch.nn.functional as F
from torch import Tensor

from app.speech.codec_parts import LAG
from app.speech.reader import CONFIG, STEPS_PER_FRAME, WEIGHTS, Reader, numbers
from app.speech.starter_codec import StarterCodec
from app.speech.weights import save_weights
from app.training.choices import even_level
from app.training.kokoro import STEP
from app.training.loop import Run, stage_arguments

#: Each recording is analysed so often, with another silence before it (in steps).
ANALYSES, _LEADS = 4, (0.8, 4.0)
#: One recording in so many is held out.
_HELD_OUT = 50
_DROPOUT = 0.1
_DURATION_WEIGHT = 0.3


@dataclass(frozen=True)
class Clip:
    """Signs int64 [N], their steps float32 [N], and the code vectors float16 [T, code_width] of one analysis."""

    signs: Tensor
    steps: Tensor
    vectors: Tensor


def analyse(path: Path, codec: StarterCodec, count: int) -> list[Clip]:
    """`count` analyses of the recording that belongs to the row `path`."""
    row = json.loads(path.read_text(encoding="utf-8"))
    file = path.parent.parent / row["file"] if "file" in row else path.with_suffix(".flac")
    audio = even_level(sf.read(file, dtype="float32")[0])
    rng = np.random.default_rng(list(path.stem.encode()))
    signs, steps = numbers(row["phonemes"]), torch.tensor(row["steps"], dtype=torch.float32)
    if len(signs) != len(steps):
        raise ValueError(f"{path} has {len(steps)} durations for {len(signs)} signs")
    found = []
    for lead in rng.uniform(*_LEADS, count):
        begin = round((row["steps"][0] - lead) * STEP)
        part = audio[begin:] if begin > 0 else np.pad(audio, (-begin, 0))
        vectors = codec.vectors(np.pad(part, (0, LAG)))
        lasting = steps.clone()
        lasting[0] = row["steps"][0] - begin / STEP
        lasting[-1] = len(vectors) * STEPS_PER_FRAME - lasting[:-1].sum()
        found.append(Clip(signs, lasting, vectors.half()))
    return found


def load_clips(work: Path, codec: StarterCodec, count: int = ANALYSES) -> tuple[list[Clip], list[Clip]]:
    """Clips to learn from and held out, those analysed before from `readings/clips-<count>.pt`."""
    cache = work / "readings" / f"clips-{count}.pt"
    known: dict[str, list[tuple[Tensor, Tensor, Tensor]]] = {}
    if cache.exists():
        known = torch.load(cache, weights_only=True)
    for path in sorted((work / "readings").glob("*.json")):
        if path.stem not in known:
            known[path.stem] = [(c.signs, c.steps, c.vectors) for c in analyse(path, codec, count)]
    torch.save(known, cache)
    learnt: list[Clip] = []
    held: list[Clip] = []
    for name, clips in known.items():
        held_out = hashlib.sha256(name.encode()).digest()[0] % _HELD_OUT == 0
        (held if held_out else learnt).extend(Clip(*clip) for clip in clips)
    return learnt, held


class Batches:
    """Draws clips of like length."""

    def __init__(self, clips: Sequence[Clip], size: int, rng: np.random.Generator) -> None:
        self._clips = sorted(clips, key=lambda clip: len(clip.vectors))
        self._size, self._rng = size, rng

    def draw(self) -> list[Clip]:
        """The next ones."""
        first = int(self._rng.integers(0, max(1, len(self._clips) - 4 * self._size)))
        near = self._clips[first : first + 4 * self._size]
        return [near[i] for i in self._rng.choice(len(near), min(self._size, len(near)), replace=False)]


def losses(reader: Reader, clips: Sequence[Clip]) -> tuple[Tensor, Tensor]:
    """Mean square error of the vectors, which have a variance of one, and the error of the durations' logarithms."""
    signs = torch.nn.utils.rnn.pad_sequence([clip.signs for clip in clips], batch_first=True)
    steps = torch.nn.utils.rnn.pad_sequence([clip.steps for clip in clips], batch_first=True)
    wanted = torch.nn.utils.rnn.pad_sequence([clip.vectors.float() for clip in clips], batch_first=True)
    counts = torch.tensor([len(clip.signs) for clip in clips])
    frames = torch.tensor([len(clip.vectors) for clip in clips])
    spoken = torch.arange(signs.shape[1]) < counts[:, None]
    heard = torch.arange(wanted.shape[1]) < frames[:, None]
    sounds = reader.hear(signs, spoken)
    # Of the silence on both sides the length is given.
    inner = (torch.arange(signs.shape[1]) > 0) & (torch.arange(signs.shape[1]) < counts[:, None] - 1)
    lasting = F.smooth_l1_loss(reader.last(sounds).float()[inner], steps[inner].clamp(min=0.5).log(), beta=0.2)
    made = reader.vectors(sounds, steps, wanted.shape[1], heard)
    return F.mse_loss(made.float()[heard], wanted[heard]), _DURATION_WEIGHT * lasting


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training reader`: writes the reader into the model folder."""
    parser = stage_arguments("reader", __doc__, rate=1e-3, batch=32)
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    learnt, held = load_clips(args.work, StarterCodec.load(args.model))
    reader = Reader()
    run = Run(args.work / "reader", reader, minutes=args.minutes, rate=args.rate)
    batches = Batches(learnt, args.batch, np.random.default_rng(run.step))
    print(f"{len(learnt)} clips, {len(held)} held out", flush=True)

    def step() -> tuple[Tensor, ...]:
        reader.dropout = _DROPOUT
        return losses(reader, batches.draw())

    def report() -> dict[str, float]:
        reader.dropout = 0.0
        with torch.inference_mode():
            parts = [[float(x) for x in losses(reader, held[i : i + 32])] for i in range(0, len(held), 32)]
        error, lasting = np.mean(parts, 0)
        return {"vectors": round(error, 4), "durations": round(lasting / _DURATION_WEIGHT, 4)}

    run.go(step, report)
    save_weights(reader.state_dict(), args.model / WEIGHTS, "int8")
    (args.model / CONFIG).write_text(json.dumps(reader.fields()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
