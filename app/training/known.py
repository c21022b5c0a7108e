"""Tell the known questions apart: `python -m app.training known`.

One linear layer on the vectors of the sentence encoder, which stands still. It learns from every wording of the corpus,
as it is typed and as it may be heard, and from instances of the tools' questions. Writes `known.safetensors` and
`known.json`. A tool whose call holds values of the question cannot be known by heart: it stands for a polite refusal,
and so does what a network has not learnt. With a network in the model folder, of the wordings of each intent the first
one is taken that it answers rightly.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from app.measure import words
from app.omni.engine import OmniEngine
from app.omni.turn import Exchange, TurnPiece, TurnRequest, TurnStats
from app.speech.interfaces import KnownQuestion
from app.speech.known_questions import LIST, SHARPNESS, WEIGHTS, KnownQuestions
from app.speech.sentence_encoder import WIDTH, SentenceEncoder
from app.speech.weights import save_weights
from app.training.corpus import Intent, out_of_domain
from app.training.development import INTENTS_FILE
from app.training.evaluate import text_is_complete
from app.training.examples import (
    UNHEARD_INTENT,
    Sources,
    heard_form,
    known_question,
    known_turns,
    misheard,
    vary,
)
from app.training.model import load_text_sources
from app.training.tool_corpus import ToolIntent

#: What is answered to a question that may be one of several, and to what a tool would have to do.
DOUBTFUL_INTENT = "fallback.hard_knowledge"
#: Refusals that fit a tool, the best first, and those that fit everything else.
_REFUSED = dict.fromkeys(
    ("current_time", "current_date", "day_of_week_for", "get_weather"), ("fallback.not_able", "fallback.news_sports")
)
_TOOL_REFUSALS = ("fallback.not_able", "smalltalk.ability.limits")
#: Wordings of an intent that are tried on the network.
TRIED = 8
CERTAINTY, FOLLOW_UP = 0.12, 3.0
TOOL_DRAWS = 40
_EPOCHS, _BATCH, _RATE, _NOISE = 10, 512, 2e-3, 0.015

AnyIntent = Intent | ToolIntent


class Known:
    """The classes, and the question that each stands for. `learnt`: ids of the intents that the network knows."""

    def __init__(self, sources: Sources, learnt: frozenset[str] | None = None) -> None:
        self.sources = sources
        self.classes: list[AnyIntent] = [*sources.intents, *sources.tools]
        self.number = {one.id: index for index, one in enumerate(self.classes)}
        self.known = [one for one in sources.known if learnt is None or one.id in learnt]
        self.question = {one.id: known_question(one) for one in self.known}
        self._place = {one.id: index for index, one in enumerate(self.known)}

    @property
    def questions(self) -> list[KnownQuestion]:
        """The known questions, with the earlier turns of each."""
        return [KnownQuestion(self.question[one.id], self._turns(one)) for one in self.known]

    def _turns(self, intent: AnyIntent) -> tuple[tuple[str, str], ...]:
        """The earlier turns of an intent, with the answers of the corpus where the network has others."""
        turns = known_turns(intent, self.sources)
        if isinstance(intent, Intent):
            owners = [self.sources.owner.get(turn.question) for turn in intent.context]
            turns = [
                known if owner is not None and owner.id in self.question else (turn.question, turn.answer)
                for known, owner, turn in zip(turns, owners, intent.context, strict=True)
            ]
        return tuple(turns)

    def place(self, intent: AnyIntent) -> int:
        """Index in `questions` of the one that stands for the intent."""
        names = [intent.id]
        if intent.id.startswith("tool."):
            call = intent.row["tool"] if isinstance(intent, ToolIntent) else None
            names += _REFUSED.get(call["name"] if call else "", _TOOL_REFUSALS)
        names.append(DOUBTFUL_INTENT)
        return next(self._place[name] for name in names if name in self._place)

    def after(self, intent: AnyIntent) -> str:
        """The answer that an intent follows, if any."""
        turns = self._turns(intent)
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

    def choose_wordings(self, engine: OmniEngine) -> int:
        """Take the first wording of each intent that the network answers rightly; how many have none."""
        lost = 0
        for intent in self.known:
            if isinstance(intent, ToolIntent):
                continue
            turns, answer = self._turns(intent), words(intent.spoken_answer)
            for wording in intent.train_questions[:TRIED]:
                if words(_reply(engine, KnownQuestion(wording, turns))) == answer:
                    self.question[intent.id] = wording
                    break
            else:
                # In other words, and after what was really said, it may do better.
                self.question[intent.id] = ""
                lost += 1
        return lost

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


def _reply(engine: OmniEngine, known: KnownQuestion) -> str:
    """The text that the network answers to exactly these words."""
    turns = tuple(Exchange(q, a) for q, a in known.turns)
    pieces: list[TurnPiece] = []
    for piece in engine.run(TurnRequest(text=known.question, history=turns), lambda: text_is_complete(pieces)):
        pieces.append(piece)
    stats = pieces[-1]
    assert isinstance(stats, TurnStats)
    return stats.reply


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
        right += [
            (made.meant(text, one, last) or KnownQuestion("")).question == expected.question
            for text, one in zip(wordings, found, strict=True)
        ]
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
    listing = args.model / INTENTS_FILE
    learnt = None
    if listing.exists():
        learnt = frozenset(line.split("\t")[0] for line in listing.read_text(encoding="utf-8").splitlines())
    known = Known(load_text_sources(args.work, args.model), learnt)
    encoder = SentenceEncoder.load(args.model)
    if (args.model / "model.safetensors").exists():
        (args.model / LIST).unlink(missing_ok=True)
        engine = OmniEngine.load(args.model, threads=args.threads)
        print(f"{known.choose_wordings(engine)} of {len(known.known)} are not answered rightly in any wording")
    texts, numbers = known.wordings(np.random.default_rng(0))
    weight, bias = fit(vectors(encoder, texts), numbers, len(known.classes))
    save_weights({"weight": weight, "bias": bias}, args.model / WEIGHTS, "float16")
    text = json.dumps(known.listing(), ensure_ascii=False)
    (args.model / LIST).write_text(text, encoding="utf-8")
    print(json.dumps(judge(known, KnownQuestions.load(args.model), encoder)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
