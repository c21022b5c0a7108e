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
from app.speech.interfaces import Composed, KnownQuestion
from app.speech.known_questions import LIST, SHARPNESS, WEIGHTS, KnownQuestions, features
from app.speech.sentence_encoder import WIDTH, SentenceEncoder
from app.speech.slot_tagger import SlotTagger, piece_states, presence, sentence_vectors
from app.speech.weights import save_weights
from app.training.calls import listing, renamed, slots_of, tagger_names
from app.training.corpus import Intent, out_of_domain
from app.training.development import INTENTS_FILE, Asked, read_intents
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
from app.training.loop import autocast
from app.training.model import load_text_sources
from app.training.tool_corpus import ToolDraw, ToolIntent

#: What is answered to a question that may be one of several.
DOUBTFUL_INTENT = "fallback.hard_knowledge"
#: Refusals that fit what a tool would have to do, where no call can be written, the best first, and those that fit
#: everything else.
_REFUSED = dict.fromkeys(
    ("current_time", "current_date", "day_of_week_for", "get_weather"), ("fallback.not_able", "fallback.news_sports")
)
_TOOL_REFUSALS = ("fallback.not_able", "smalltalk.ability.limits")
#: Wordings of an intent that are tried on the network.
TRIED = 8
CERTAINTY, FOLLOW_UP = 0.12, 4.5
#: The probability of all questions that call one tool from which on it is called.
CALL_CERTAINTY = 0.12
TOOL_DRAWS = 100
_EPOCHS, _BATCH, _RATE, _NOISE = 10, 512, 2e-3, 0.015

AnyIntent = Intent | ToolIntent


class Known:
    """The classes, and what each stands for. `learnt`: ids of the intents that the network knows."""

    def __init__(self, sources: Sources, learnt: frozenset[str] | None = None) -> None:
        self.sources = sources
        self.classes: list[AnyIntent] = [*sources.intents, *sources.tools]
        self.number = {one.id: index for index, one in enumerate(self.classes)}
        self.known = [one for one in sources.intents if learnt is None or one.id in learnt]
        self.question = {one.id: known_question(one) for one in self.known}
        self._place = {one.id: index for index, one in enumerate(self.known)}

    @property
    def questions(self) -> list[KnownQuestion]:
        """The known questions, with the earlier turns of each."""
        return [KnownQuestion(self.question[one.id], self._turns(one)) for one in self.known]

    def _turns(self, intent: Intent) -> tuple[tuple[str, str], ...]:
        """The earlier turns of an intent, with the answers of the corpus where the network has others."""
        owners = [self.sources.owner.get(turn.question) for turn in intent.context]
        return tuple(
            known if owner is not None and owner.id in self.question else (turn.question, turn.answer)
            for known, owner, turn in zip(known_turns(intent, self.sources), owners, intent.context, strict=True)
        )

    def place(self, intent: AnyIntent) -> int:
        """Index in `questions` of the one that stands for the intent; of a refusal for a tool, whose call is composed
        if it can be."""
        names = [intent.id]
        if isinstance(intent, ToolIntent):
            call = intent.row["tool"]
            names = [*_REFUSED.get(call["name"] if call else "", _TOOL_REFUSALS)]
        names.append(DOUBTFUL_INTENT)
        return next(self._place[name] for name in names if name in self._place)

    def after(self, intent: AnyIntent) -> list[str]:
        """The answers, or their templates, that an intent follows."""
        if isinstance(intent, ToolIntent):
            return [renamed(answer, slots_of(intent)) for answer in intent.turns[-1][1]] if intent.turns else []
        if not intent.context:
            return []
        owner = self.sources.owner.get(intent.context[-1].question)
        answers = owner.answers if owner is not None else ()
        return list(dict.fromkeys([self._turns(intent)[-1][1], intent.context[-1].answer, *answers]))

    def listing(self) -> dict[str, object]:
        """What `known.json` holds."""
        return {
            "questions": [{"question": one.question, "turns": one.turns} for one in self.questions],
            "classes": [self.place(intent) for intent in self.classes],
            "after": [self.after(intent) for intent in self.classes],
            "unheard": self._place[UNHEARD_INTENT],
            "doubtful": self._place[DOUBTFUL_INTENT],
            "calls": {str(self.number[one.id]): listing(one) for one in self.sources.tools},
            "slots": tagger_names(),
            "call_certainty": CALL_CERTAINTY,
            "certainty": CERTAINTY,
            "follow_up": FOLLOW_UP,
        }

    def choose_wordings(self, engine: OmniEngine) -> int:
        """Take the first wording of each intent that the network answers rightly; how many have none."""
        lost = 0
        for intent in self.known:
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
                draws = [intent.draw(rng) for _ in range(TOOL_DRAWS)]
                some = [vary(draw.question, rng, lose=False) for draw in draws[::2]]
                some += [misheard(heard_form(d.question, rng), self.sources, rng, d.values) for d in draws[1::2]]
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


@torch.no_grad()
def all_features(encoder: SentenceEncoder, tagger: SlotTagger, texts: list[str], batch: int = 128) -> Tensor:
    """What the layer reads [N, 384 + slots] of many texts, those of similar lengths together."""
    found = torch.zeros(len(texts), WIDTH + len(tagger.names))
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
    for first in range(0, len(texts), batch):
        some = order[first : first + batch]
        with autocast():
            states, mask, spans = piece_states(encoder, [texts[index] for index in some])
        states = states.float()
        present = presence(tagger.logits(states, mask, spans))
        found[torch.tensor(some)] = features(sentence_vectors(states, mask), present)
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
            noisy = points[some].clone()
            noisy[:, :WIDTH] = F.normalize(noisy[:, :WIDTH] + _NOISE * torch.randn(len(some), WIDTH), dim=-1)
            loss = F.cross_entropy(SHARPNESS * layer(noisy), numbers[some], label_smoothing=0.05)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return layer.weight.detach(), layer.bias.detach()


def judge(known: Known, made: KnownQuestions) -> dict[str, float]:
    """Shares of the held-out questions that are taken for the right known one, and of unknowable ones refused."""
    sources = known.sources
    free: list[bool] = []
    after: list[bool] = []
    calls: list[bool] = []
    for intent in known.classes:
        expected, follows = known.questions[known.place(intent)], known.after(intent)
        turns: list[tuple[str, str]] = [("", follows[0])] if follows else []
        if isinstance(intent, ToolIntent):
            calls += [_is_right(made, intent, draw) for draw in intent.development() if draw.tool]
            continue
        (after if turns else free).extend(
            getattr(made.meant(text, turns), "question", "") == expected.question for text in intent.dev_questions
        )
    refused = {known.questions[known.place(i)] for i in sources.intents if i.domain == "fallback"}
    honest = [made.meant(question, ()) in refused for _, question in out_of_domain()]
    shares = {"questions": free, "follow-ups": after, "tools": calls, "honest": honest}
    return {name: round(float(np.mean(found)), 4) for name, found in shares.items()}


def _is_right(made: KnownQuestions, intent: ToolIntent, draw: ToolDraw) -> bool:
    """Whether exactly the right call is composed."""
    meant = made.meant(draw.question, draw.context)
    asked = Asked(intent.id, draw.question, tool=draw.tool, arguments=draw.arguments)
    return asked.judge("", meant.call if isinstance(meant, Composed) else None)["right"]


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training known`: writes the layer and the list into the model folder."""
    parser = argparse.ArgumentParser(prog="app.training known", description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument(
        "--model", type=Path, required=True, help="model folder with the sentence encoder and the slot tagger"
    )
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    learnt = frozenset(read_intents(args.model)) if (args.model / INTENTS_FILE).exists() else None
    known = Known(load_text_sources(args.work, args.model), learnt)
    encoder = SentenceEncoder.load(args.model)
    if (args.model / "model.safetensors").exists():
        (args.model / LIST).unlink(missing_ok=True)
        engine = OmniEngine.load(args.model, threads=args.threads)
        print(f"{known.choose_wordings(engine)} of {len(known.known)} are not answered rightly in any wording")
    texts, numbers = known.wordings(np.random.default_rng(0))
    tagger = SlotTagger.load(args.model, tagger_names())
    weight, bias = fit(all_features(encoder, tagger, texts), numbers, len(known.classes))
    save_weights({"weight": weight, "bias": bias}, args.model / WEIGHTS, "int8")
    text = json.dumps(known.listing(), ensure_ascii=False)
    (args.model / LIST).write_text(text, encoding="utf-8")
    print(json.dumps(judge(known, KnownQuestions.load(args.model, encoder))))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
