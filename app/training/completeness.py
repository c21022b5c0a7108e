"""Learn when a request is complete: `python -m app.training completeness`.

Every question of the corpus is a whole one, and each of its beginnings is not; see `app.conversation.completeness`.
A minute on one core.
"""

from __future__ import annotations

import argparse
import json
import random

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.numpy import save_file
from torch import Tensor

from app.conversation.completeness import SLOTS, WEIGHTS, features, words_of
from app.training.corpus import DATA, Intent, load_intents
from app.training.examples import UNHEARD_INTENT

_EPOCHS, _BATCH, _RATE = 2, 4096, 0.03
# Whole requests taken for beginnings, at which the found beginnings are reported.
_FALSE = (0.01, 0.03, 0.1, 0.2)


def requests(intents: list[Intent]) -> list[str]:
    """Training questions of `intents`, and those of the tools with their slots filled."""
    filled = []
    for line in (DATA / "tools.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for question in row["questions"]:
            for name, values in row.get("slots", {}).items():
                spoken = values if isinstance(values, list) else ["twenty"]
                question = question.replace("{" + name + "}", spoken[len(question) % len(spoken)])
            filled.append(question)
    return [question for intent in intents for question in intent.train_questions] + filled


def examples(questions: list[str], rng: random.Random | None = None) -> tuple[Tensor, Tensor]:
    """Features int64 [N, F] and whether they are of a whole question, float32 [N].

    Of each question all beginnings that are no questions themselves; with `rng` one of all.
    """
    split = [words for words in map(words_of, questions) if len(words) > 1]
    known = {tuple(words) for words in split}
    rows, whole = [], []
    for words in split:
        cuts = range(1, len(words)) if rng is None else [rng.randrange(1, len(words))]
        for end in (*cuts, len(words)):
            if end == len(words) or tuple(words[:end]) not in known:
                rows.append(features(words[:end]))
                whole.append(end == len(words))
    return torch.tensor(rows), torch.tensor(whole, dtype=torch.float32)


def fit(rows: Tensor, whole: Tensor) -> tuple[Tensor, Tensor]:
    """Weights [SLOTS] and bias [1]; whole questions and beginnings count the same in all."""
    weights, bias = torch.zeros(SLOTS, requires_grad=True), torch.zeros(1, requires_grad=True)
    optimiser = torch.optim.Adam((weights, bias), _RATE)
    balance = (1 - whole).sum() / whole.sum()
    for _ in range(_EPOCHS):
        for chosen in torch.randperm(len(rows)).split(_BATCH):
            score = weights[rows[chosen]].sum(1) + bias
            loss = F.binary_cross_entropy_with_logits(score, whole[chosen], pos_weight=balance)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return weights.detach(), bias.detach()


def report(score: Tensor, whole: Tensor) -> None:
    """Print which thresholds find how many beginnings at which price."""
    complete, begun = score[whole == 1].sort().values, score[whole == 0]
    for share in _FALSE:
        threshold = complete[int(share * len(complete))]
        found = (begun < threshold).float().mean()
        print(f"below {threshold:5.2f}: {share:4.0%} of whole questions, {found:.0%} of begun ones")


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training completeness`."""
    argparse.ArgumentParser(prog="app.training completeness", description=__doc__).parse_args(argv)
    torch.manual_seed(0)
    rng = random.Random(0)
    # What nobody could understand is no whole request.
    intents = [intent for intent in load_intents() if intent.id != UNHEARD_INTENT]
    rng.shuffle(intents)
    held_out, rest = intents[: len(intents) // 5], intents[len(intents) // 5 :]
    print(f"questions of {len(held_out)} intents that were not learnt from:")
    rows, whole = examples([q for intent in held_out for q in intent.dev_questions], rng)
    weights, bias = fit(*examples(requests(rest)))
    report(weights[rows].sum(1) + bias, whole)
    weights, bias = fit(*examples(requests(intents)))
    print("other wordings of all intents, with what is kept:")
    rows, whole = examples([q for intent in intents for q in intent.dev_questions], rng)
    report(weights[rows].sum(1) + bias, whole)
    save_file({"weights": weights.numpy().astype(np.float16), "bias": bias.numpy()}, WEIGHTS)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
