"""The codes of every answer as the Talker and the reader say them: `python -m app.training said`.

With the right history behind it and the right words before it, the Talker still misses many of the finer codes. Its
likeliest codes lie on the recording frame by frame, so the decoder can learn what they should sound like. So do those
of the reader when it is told how long the phonemes last. Writes `said.safetensors`: `<intent>|0` with the right
history, `<intent>|1` with one of the Talker's own codes, `<intent>|read` of the reader.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor

from app.omni.config import CODEBOOKS
from app.omni.model import OmniModel
from app.speech.reader import STEPS_PER_FRAME, Reader, numbers
from app.speech.sentence_encoder import WIDTH, SentenceEncoder
from app.speech.starter_codec import StarterCodec
from app.training.batch import code_streams
from app.training.choices import load_choices
from app.training.examples import Sources
from app.training.kokoro import STEP
from app.training.loop import autocast
from app.training.model import answer_codes, load_or_create, load_sources
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


def read(work: Path, folder: Path, codes: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Codes int16 of the answers that `recorded` has durations for, as long as `codes`, as the reader reads them."""
    reader, codec = Reader.load(folder), StarterCodec.load(folder)
    found: dict[str, Tensor] = {}
    for intent, choice in load_choices(work).items():
        row = work / "readings" / f"{choice.file}.json"
        if choice.file is None or intent not in codes or not row.exists():
            continue
        told = json.loads(row.read_text(encoding="utf-8"))
        steps, frames = torch.tensor([told["steps"]]), codes[intent].shape[1]
        steps[0, 0] += choice.shift / STEP
        steps[0, -1] = (frames * STEPS_PER_FRAME - steps[0, :-1].sum()).clamp(min=0)
        vectors = reader.vectors(reader.hear(numbers(told["phonemes"])[None]), steps, frames)[0]
        found[f"{intent}|read"] = codec.nearest(vectors).to(torch.int16)
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
    found: dict[str, Tensor] = {}
    codes = answer_codes(args.work)
    model = load_or_create(args.model, args.work / "minilm").eval()
    if model.config.audio_hidden_size > WIDTH:
        found = say(model, load_sources(args.work, args.model, model), SentenceEncoder.load(args.model))
        right = [(found[f"{name}|{v}"] == codes[name]).float().mean(1) for name in codes for v in range(2)]
        print("right by codebook, right history:", [round(x, 2) for x in torch.stack(right[0::2]).mean(0).tolist()])
        print("right by codebook, own history:", [round(x, 2) for x in torch.stack(right[1::2]).mean(0).tolist()])
    else:
        print("A network from before the sense of a question was heard is not asked: only the reader says the answers.")
    read_aloud = read(args.work, args.model, codes)
    right = [(one == codes[name.rsplit("|", 1)[0]]).float().mean(1) for name, one in read_aloud.items()]
    print("right by codebook, reader:", [round(x, 2) for x in torch.stack(right).mean(0).tolist()])
    save_file({**found, **read_aloud}, args.work / "said.safetensors")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
