"""Recordings made for the Talker as lessons for the reader: `python -m app.training recorded`.

The answers and sayings were spoken before anybody kept durations, and their silence was cut off. Kokoro tells the
durations again without speaking; a reader that has begun to learn from `readings` tells where the speech begins, as the
lead with which its own vectors fit the recording best. Writes rows into `readings` that name the recording.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import soundfile as sf
import torch
from torch import Tensor

from app.speech.pronunciation import SIGNS
from app.speech.reader import STEPS_PER_FRAME, Reader, numbers
from app.speech.starter_codec import StarterCodec
from app.training.choices import prepare
from app.training.kokoro import Kokoro, phonemes
from app.training.synthesize import DEFAULT_SOURCE, DEFAULT_VOICE

#: Leads that are tried, in steps; a fit worse than this is left out.
_TRIED = np.arange(-1.0, 4.01, 0.25)
_WORST = 0.6


def plain_signs(symbols: str, steps: list[int]) -> tuple[str, list[float]]:
    """Signs of `app.speech.pronunciation` for Kokoro's symbols of espeak, whose marks of length go to the vowel before
    them, with their steps."""
    said, lasting = [], [float(steps[0])]
    for symbol, step in zip(symbols, steps[1:-1], strict=True):
        if symbol in SIGNS:
            said.append(symbol)
            lasting.append(float(step))
        else:
            lasting[-1] += step
    return "".join(said), [*lasting, float(steps[-1])]


def fit(reader: Reader, vectors: Tensor, signs: Tensor, steps: Tensor) -> tuple[float, float]:
    """The lead in steps with which the reader's vectors come nearest to those of a recording [T, code_width], and how
    near they come (mean square)."""
    count, frames = len(_TRIED), len(vectors)
    lasting = steps.expand(count, -1).clone()
    lasting[:, 0] = torch.from_numpy(_TRIED)
    # A sign before the beginning lasts no time.
    late = lasting[:, 0].clamp(max=0)
    lasting[:, 0] = lasting[:, 0].clamp(min=0)
    lasting[:, 1] = (lasting[:, 1] + late).clamp(min=0)
    lasting[:, -1] = (frames * STEPS_PER_FRAME - lasting[:, :-1].sum(1)).clamp(min=0)
    with torch.inference_mode():
        sounds = reader.hear(signs[None]).expand(count, -1, -1)
        made = reader.vectors(sounds, lasting, frames)
    errors = (made - vectors).square().mean((1, 2))
    best = int(errors.argmin())
    return float(_TRIED[best]), float(errors[best])


def rows(work: Path, model: Path) -> Iterator[tuple[Path, dict[str, object] | None]]:
    """Where the row of each recording belongs, and the row; None where nothing fits."""
    kokoro, codec, reader = Kokoro(work), StarterCodec.load(model), Reader.load(model)
    for path in sorted(path for kind in ("sayings", "answers") for path in (work / kind).glob("*.json")):
        out = work / "readings" / f"{path.stem}.json"
        told = json.loads(path.read_text(encoding="utf-8"))
        if out.exists() or told["voice"] != DEFAULT_VOICE:
            continue
        symbols = phonemes(told["text"])
        said, steps = plain_signs(symbols, kokoro.durations(symbols, {DEFAULT_SOURCE: 1.0}, told["speed"]))
        vectors = codec.vectors(prepare(sf.read(path.with_suffix(".flac"), dtype="float32")[0], 0))
        lead, error = fit(reader, vectors, numbers(said), torch.tensor(steps))
        row = {"text": told["text"], "phonemes": said, "steps": [max(lead, 0.0), steps[1] + min(lead, 0.0), *steps[2:]]}
        file = path.with_suffix(".flac").relative_to(work)
        fits = error < _WORST and steps[1] + min(lead, 0.0) > 0
        yield out, {**row, "file": str(file), "error": round(error, 3)} if fits else None


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training recorded`."""
    parser = argparse.ArgumentParser(prog="app.training recorded", description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="model folder with the codec and a first reader")
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    errors: list[float] = []
    for done, (path, row) in enumerate(rows(args.work, args.model), 1):
        if row is not None:
            path.write_text(json.dumps(row), encoding="utf-8")
            errors.append(float(str(row["error"])))
        if done % 200 == 0:
            print(f"{done} recordings, {len(errors)} fit, mean error {np.mean(errors):.3f}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
