"""Tell the known questions apart: `python -m app.training known`.

One linear layer on the vectors of the sentence encoder, which stands still. It learns from every wording of the corpus,
as it is typed and as it may be heard, and from instances of the tools' questions. Writes `known.safetensors` and
`known.json`. A tool whose call holds values of the question cannot be known by heart: it stands for a polite refusal.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from app.speech.interfaces import KnownQuestion
from app.speech.known_questions import LIST, SHARPNESS, WEIGHTS, KnownQuestions
from app.speech.sentence_encoder import WIDTH, SentenceEncoder
from app.speech.weights import save_weights
from app.training.corpus import Intent, out_of_domain
from app.training.examples import (
    UNHEARD_INTENT,
    Sources,
    heard_form,
    is_known,
    known_question,
    known_turns,
    misheard,
    vary,
)
from app.training.model import load_text_sources
from app.training.tool_corpus import ToolIntent

#: What is answered to a question that may be one of several, and to what a tool would have to do.
DOUBTFUL_INTENT, NOT_ABLE_INTENT = "fallback.hard_knowledge", "fallback.not_able"
CERTAINTY, FOLLOW_UP = 0.12, 3.0
TOOL_DRAWS = 40
_EPOCHS, _BATCH, _RATE, _NOISE = 10, 512, 2e-3, 0.015

AnyIntent = Intent | ToolIntent


class Known:
    """The classes, and the question that each stands for."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.classes: list[AnyIntent] = [*sources.intents, *sources.tools]
        self.number = {one.id: index for index, one in enumerate(self.classes)}
        self.questions = [KnownQuestion(known_question(i), tuple(known_turns(i, sources))) for i in sources.known]
        self._place = {one.id: index for index, one in enumerate(sources.known)}

    def place(self, intent: AnyIntent) -> int:
        """Index in `questions` of the one that stands for the intent."""
        by_heart = not isinstance(intent, ToolIntent) or is_known(intent)
        return self._place[intent.id if by_heart else NOT_ABLE_INTENT]

    def after(self, intent: AnyIntent) -> str:
        """The answer that an intent follows, if any."""
        turns = known_turns(intent, self.sources)
        return turns[-1][1] if turns else ""

    def listing(self) -> dict[str, object]:
        """What `known.json` holds."""
        return {
            "questions": [{"question": one.question, "turns": one.turns} for one in self.questions],
            "classes": [self.place(intent) for intent in self.classes],
            "after": [self.after(intent) for intent in self.classes],
            "unheard": self._place[UNHEARD_INTENT],
            "doubtful": self._place[DOUBTFUL_INTENT],
            "certainty": CERTAINTY,
            "follow_up": FOLLOW_UP,
        }

    def wordings(self, rng: np.random.Generator) -> tuple[list[str], Tensor]:
        """Everything it learns from, and its classes."""
        texts: list[str] = []
        numbers: list[int] = []
        for intent in self.classes:
            if isinstance(intent, ToolIntent):
                some = [vary(intent.draw(rng).question, rng, lose=False) for _ in range(TOOL_DRAWS)]
            else:
                questions = intent.train_questions
                some = [*questions]
                some += [misheard(heard_form(vary(q, rng), rng), self.sources, rng) for q in questions]
                some += [heard for q in questions for heard in self.sources.heard.get(q, ())]
            texts += some
            numbers += [self.number[intent.id]] * len(some)
        return texts, torch.tensor(numbers)


def vectors(encoder: SentenceEncoder, texts: list[str], batch: int = 256) -> Tensor:
    """Unit vectors [N, 384] of many texts, those of similar lengths together."""
    found = torch.zeros(len(texts), WIDTH)
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
    for first in range(0, len(texts), batch):
        some = order[first : first + batch]
        found[torch.tensor(some)] = encoder.vectors([texts[index] for index in some])
    return found


def fit(points: Tensor, numbers: Tensor, classes: int) -> tuple[Tensor, Tensor]:
    """Weight [C, D] and bias [C] by cross-entropy; begins with the mean of each class."""
    layer = torch.nn.Linear(points.shape[1], classes)
    means = torch.zeros(classes, points.shape[1]).index_add_(0, numbers, points)
    with torch.no_grad():
        layer.weight.copy_(F.normalize(means, dim=-1))
        layer.bias.zero_()
    optimiser = torch.optim.AdamW(layer.parameters(), _RATE, weight_decay=1e-4)
    for epoch in range(_EPOCHS):
        for group in optimiser.param_groups:
            group["lr"] = _RATE * (1 - epoch / _EPOCHS)
        for some in torch.randperm(len(points)).split(_BATCH):
            noisy = F.normalize(points[some] + _NOISE * torch.randn(len(some), points.shape[1]), dim=-1)
            loss = F.cross_entropy(SHARPNESS * layer(noisy), numbers[some], label_smoothing=0.05)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return layer.weight.detach(), layer.bias.detach()


def judge(known: Known, made: KnownQuestions, encoder: SentenceEncoder) -> dict[str, float]:
    """Shares of the held-out questions that are taken for the right known one, and of unknowable ones refused."""
    sources = known.sources
    free: list[bool] = []
    after: list[bool] = []
    calls: list[bool] = []
    for intent in known.classes:
        expected, last = known.questions[known.place(intent)], known.after(intent)
        right, wordings = after if last else free, list(intent.dev_questions)
        if isinstance(intent, ToolIntent):
            right, wordings = calls, [draw.question for draw in intent.development()]
        found = encoder.vectors(wordings)
        right += [made.meant(text, one, last) == expected for text, one in zip(wordings, found, strict=True)]
    refused = {known.questions[known.place(i)] for i in sources.intents if i.domain == "fallback"}
    unknown = [question for _, question in out_of_domain()]
    honest = [made.meant(q, v, "") in refused for q, v in zip(unknown, vectors(encoder, unknown), strict=True)]
    shares = {"questions": free, "follow-ups": after, "tools": calls, "honest": honest}
    return {name: round(float(np.mean(found)), 4) for name, found in shares.items()}


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training known`: writes the layer and the list into the model folder."""
    parser = argparse.ArgumentParser(prog="app.training known", description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="model folder with the sentence encoder")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    known = Known(load_text_sources(args.work, args.model))
    encoder = SentenceEncoder.load(args.model)
    texts, numbers = known.wordings(np.random.default_rng(0))
    weight, bias = fit(vectors(encoder, texts), numbers, len(known.classes))
    save_weights({"weight": weight, "bias": bias}, args.model / WEIGHTS, "float16")
    (args.model / LIST).write_text(json.dumps(known.listing(), ensure_ascii=False), encoding="utf-8")
    print(json.dumps(judge(known, KnownQuestions.load(args.model), encoder)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
