"""Teach how words are said that the lexicon lacks: `python -m app.training spelling`.

Learns from both parts of Misaki's lexicon and writes `spelling.safetensors` into the model folder.
"""

from __future__ import annotations

import hashlib

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from app.speech.pronunciation import SIGNS
from app.speech.spelling import BLANK, PER_LETTER, WEIGHTS, Spelling, spelt
from app.speech.weights import save_weights
from app.training.lexicon import load_whole
from app.training.loop import Run, stage_arguments

_HELD_OUT = 100
_DROPOUT = 0.1


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training spelling`."""
    args = stage_arguments("spelling", __doc__, rate=2e-3, batch=256).parse_args(argv)
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    entries = load_whole(args.work / "misaki")
    rows = [(word, entry[""]) for word, entry in entries.items() if len(entry[""]) <= PER_LETTER * len(word)]
    held = [row for row in rows if int(hashlib.sha256(row[0].encode()).hexdigest()[:8], 16) % _HELD_OUT == 0]
    learnt = sorted(set(rows) - set(held), key=lambda row: len(row[0]))
    model = Spelling()
    run = Run(args.work / "spelling", model, minutes=args.minutes, rate=args.rate)
    rng = np.random.default_rng(run.step)

    def step() -> tuple[Tensor]:
        model.dropout = _DROPOUT
        near = 8 * args.batch
        first = int(rng.integers(-near, len(learnt)))
        some = learnt[max(first, 0) : max(first, 0) + near]
        batch = [some[i] for i in rng.choice(len(some), min(args.batch, len(some)), replace=False)]
        said = [torch.tensor([SIGNS.index(sign) + 1 for sign in phonemes]) for _, phonemes in batch]
        logits = model(spelt([word for word, _ in batch])).float().log_softmax(-1).transpose(0, 1)
        letters = torch.tensor([PER_LETTER * len(word) for word, _ in batch])
        lengths = torch.tensor([len(row) for row in said])
        return (F.ctc_loss(logits, torch.cat(said), letters, lengths, BLANK, zero_infinity=True),)

    def report() -> dict[str, float]:
        model.dropout = 0.0
        guessed = model.guess([word for word, _ in held])
        pairs = [(one, wanted) for one, (_, wanted) in zip(guessed, held, strict=True)]
        sounds = [one.translate(_STRESS) == wanted.translate(_STRESS) for one, wanted in pairs]
        right = float(np.mean([one == wanted for one, wanted in pairs]))
        return {"right": right, "right but for the stress": float(np.mean(sounds))}

    run.go(step, report)
    save_weights(model.state_dict(), args.model / WEIGHTS, "int8")
    return 0


_STRESS = str.maketrans("", "", "ˈˌ")

if __name__ == "__main__":
    raise SystemExit(main())
