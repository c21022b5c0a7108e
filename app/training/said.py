"""The codes of every answer as the Talker says them: `python -m app.training said`.

With the right history behind it and the right words before it, the Talker still misses many of the finer codes. Its
likeliest codes lie on the recording frame by frame, so the decoder can learn what they should sound like. Writes
`said.safetensors`: `<intent>|0` with the right history, `<intent>|1` with one of the Talker's own codes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor

from app.omni.config import CODEBOOKS
from app.omni.model import OmniModel
from app.speech.sentence_encoder import SentenceEncoder
from app.training.batch import code_streams
from app.training.examples import Sources
from app.training.loop import autocast
from app.training.model import load_or_create, load_sources
from app.training.talker import Prompted, SpeechBatch, bridges

#: Answers of a batch.
_GROUP = 16


def _likeliest(model: OmniModel, jobs: list[tuple[Prompted, Tensor, Tensor]]) -> list[Tensor]:
    """Likeliest codes int64 [8, T] of answers given as (prompt, history codes, right codes)."""
    items = []
    for prompted, history, codes in jobs:
        inputs, _ = code_streams(history, prompted.start, model.config)
        _, targets = code_streams(codes, prompted.start, model.config)
        items.append((prompted.bridge, inputs, targets))
    batch = SpeechBatch(items, model.config)
    with autocast():
        states = model.talker(batch.bridge, batch.inputs, batch.speakers)
        logits = model.talker.lm_head(states.flatten(0, 1))[..., : model.config.code_count]
    likeliest = logits.argmax(-1).unflatten(1, states.shape[:2]).transpose(0, 1)
    said = []
    for row, (prompted, _, codes) in enumerate(jobs):
        frames = codes.shape[1]
        books = [likeliest[row, b, prompted.start + b : prompted.start + b + frames] for b in range(CODEBOOKS)]
        said.append(torch.stack(books))
    return said


@torch.no_grad()
def say(model: OmniModel, sources: Sources, sentences: SentenceEncoder) -> dict[str, Tensor]:
    """Said codes int16 of every answer, twice: with the right history, and with what was said before as history."""
    prompts = bridges(model, sources, sentences, np.random.default_rng(0))
    names = sorted(prompts, key=lambda name: sources.codes[name].shape[1])
    found: dict[str, Tensor] = {}
    for first in range(0, len(names), _GROUP):
        group = names[first : first + _GROUP]
        right = [sources.codes[name] for name in group]
        history = right
        for variant in range(2):
            jobs = [(prompts[n][variant], h, c) for n, h, c in zip(group, history, right, strict=True)]
            history = _likeliest(model, jobs)
            found.update({f"{n}|{variant}": h.to(torch.int16) for n, h in zip(group, history, strict=True)})
    return found


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training said`."""
    parser = argparse.ArgumentParser(prog="app.training said", description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    model = load_or_create(args.model, args.work / "minilm").eval()
    sources = load_sources(args.work, args.model, model)
    said = say(model, sources, SentenceEncoder.load(args.model))
    save_file(said, args.work / "said.safetensors")
    right = [(said[f"{name}|{v}"] == sources.codes[name]).float().mean(1) for name in sources.codes for v in range(2)]
    print("right by codebook, right history:", [round(x, 2) for x in torch.stack(right[0::2]).mean(0).tolist()])
    print("right by codebook, own history:", [round(x, 2) for x in torch.stack(right[1::2]).mean(0).tolist()])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
