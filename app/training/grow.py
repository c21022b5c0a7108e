"""Teach a finished network more answers: `python -m app.training grow thinker` and `… grow talker`, in any order or at
the same time, then `… grow together`.

Up to the bridge the Thinker stands still. So the Talker finds every answer that it knows as it was, and has only the
new ones to learn; and the Thinker's upper blocks learn to write them behind their known questions. Old answers come
back now and then, so that they stay. For networks of the first layout, whose typed questions are words alone.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from app.omni.chat import READ_ALOUD
from app.omni.checkpoint import load_config, load_model, save_weights
from app.omni.model import OmniModel
from app.speech.sentence_encoder import WIDTH
from app.training.batch import by_length
from app.training.corpus import Intent, load_intents
from app.training.development import read_intents
from app.training.examples import EMPTY_THOUGHT, EOS, OPENING, Sources, as_text, block, known_question, known_turns
from app.training.export import GENERATION, HISTORY_TURNS, write_intents
from app.training.loop import autocast, join_group, network_run, stage_arguments
from app.training.model import answer_codes, load_tokenizer, saying_codes
from app.training.talker import (
    Prompted,
    SpeechBatch,
    SpeechItem,
    code_hits,
    lengthened,
    listened,
    paced,
    speech_loss,
    spoilt_item,
    whole_item,
)

#: How often an example is one of the answers that were known before.
OLD_SHARE = {"thinker": 0.3, "talker": 0.2}
#: How often it is a sentence that is read aloud: one of the sayings, or an answer.
SAYING_SHARE, READING_SHARE = 0.05, 0.1
#: Wordings of an old answer that may stand before it.
_OLD_WORDINGS = 6
_STEPS_AHEAD = 16
_JUDGED = 20


@dataclass(frozen=True)
class Line:
    """One sequence of text; the answer begins at `start`."""

    text: list[int]
    start: int
    answer: list[int]


class Growth:
    """What there is to learn, and what is known."""

    def __init__(self, folder: Path, model: OmniModel) -> None:
        self.model = model
        self._sources = Sources(load_intents(), load_tokenizer(folder), torch.empty(0, WIDTH))
        known = read_intents(folder)
        self.old = [intent for intent in self._sources.intents if known.get(intent.id) == intent.spoken_answer]
        self.new = [intent for intent in self._sources.intents if known.get(intent.id) != intent.spoken_answer]

    def line(self, intent: Intent, wording: str) -> Line:
        """The answer behind a wording of its question, after the earlier turns that belong to it."""
        history = as_text(known_turns(intent, self._sources))
        return self._line(history + block("user", wording), self._sources.ids(intent.spoken_answer))

    def reading(self, text: str, frames: int, rng: np.random.Generator) -> Line:
        """A text to be read aloud, dealt out over so many frames of its recording."""
        answer = paced(self._sources.tokenizer, self._sources.ids(text), frames, rng)
        return self._line(block("user", READ_ALOUD), answer)

    def _line(self, turns: str, answer: list[int]) -> Line:
        prompt = self._sources.ids(turns + OPENING + EMPTY_THOUGHT)
        return Line([*prompt, *answer, EOS, *self._sources.ids("\n")], len(prompt), answer)

    def draw(self, rng: np.random.Generator) -> Line:
        """A new answer behind its known question, or an old one."""
        if rng.random() >= OLD_SHARE["thinker"]:
            intent = self.new[rng.integers(len(self.new))]
            return self.line(intent, known_question(intent))
        intent = self.old[rng.integers(len(self.old))]
        wordings = intent.train_questions[:_OLD_WORDINGS]
        return self.line(intent, wordings[rng.integers(len(wordings))])

    def padded(self, lines: list[Line]) -> tuple[Tensor, Tensor]:
        """Text and targets int64 [B, T]."""
        length = max(len(line.text) for line in lines)
        text = torch.full((len(lines), length), self.model.config.pad_token_id)
        target = torch.full((len(lines), length), -100)
        for row, line in enumerate(lines):
            text[row, : len(line.text)] = torch.tensor(line.text)
            target[row, line.start - 1 : line.start + len(line.answer)] = torch.tensor([*line.answer, EOS])
        return text, target

    @torch.no_grad()
    def known_share(self, intents: list[Intent]) -> float:
        """Share of the answers that are right, piece for piece, behind their known questions."""
        lines = sorted((self.line(one, known_question(one)) for one in intents), key=lambda line: len(line.text))
        right = 0
        for first in range(0, len(lines), 48):
            text, target = self.padded(lines[first : first + 48])
            with autocast():
                logits = self.model.thinker_forward(text).text_logits
            right += int(((logits.argmax(-1) == target) | (target == -100)).all(1).sum())
        return right / len(lines)


def grow_thinker(growth: Growth, args: argparse.Namespace, rank: int) -> None:
    """The blocks above the bridge learn to write the new answers."""
    model = growth.model
    model.requires_grad_(False)
    upper = nn.ModuleList([*model.model.layers[model.config.resolved_bridge_layer + 1 :], model.model.norm])
    upper.requires_grad_(True)
    run = network_run(args, "grown-thinker", upper, model)
    rng = np.random.default_rng(run.step * 8 + rank)
    ready: list[list[Line]] = []

    def losses() -> tuple[Tensor]:
        if not ready:
            drawn = [growth.draw(rng) for _ in range(_STEPS_AHEAD * args.batch)]
            ready.extend(by_length(drawn, lambda line: len(line.text), args.batch, rng))
        text, target = growth.padded(ready.pop())
        chosen = target != -100
        logits = model.thinker_forward(text, text_positions=chosen).text_logits
        return (F.cross_entropy(logits.float(), target[chosen]),)

    def report() -> dict[str, float]:
        return {
            name: round(growth.known_share(some[::4]), 3) for name, some in (("new", growth.new), ("old", growth.old))
        }

    run.go(losses, report)


class Speaking:
    """The bridge states behind every known question and of every text that is read aloud, and examples of speech."""

    def __init__(self, growth: Growth, work: Path, seed: int) -> None:
        self._growth, self.rng = growth, np.random.default_rng(seed)
        sayings = saying_codes(work)
        self._codes = answer_codes(work) | sayings
        self.old, self.new, self.sayings = [i.id for i in growth.old], [i.id for i in growth.new], [*sayings]
        self._orders: dict[str, list[str]] = {}
        intents = [*growth.old, *growth.new]
        self._prompts = self._listen((one.id, growth.line(one, known_question(one))) for one in intents)
        given = [(one.id, one.spoken_answer) for one in intents] + [(one, one) for one in sayings for _ in range(2)]
        self._readings = self._listen(
            (name, growth.reading(text, self._codes[name].shape[1], self.rng)) for name, text in given
        )

    def _listen(self, lines: Iterable[tuple[str, Line]]) -> dict[str, list[Prompted]]:
        growth, model = self._growth, self._growth.model

        def embed(some: list[Line], length: int) -> Tensor:
            return model.embed(lengthened(growth.padded(some)[0], length, model.config.pad_token_id))

        return listened(model, self._codes, lines, embed)

    def _next(self, kind: str, names: list[str]) -> str:
        """Each of the names equally often."""
        order = self._orders.setdefault(kind, [])
        if not order:
            order.extend(names[index] for index in self.rng.permutation(len(names)))
        return order.pop()

    def draw(self) -> SpeechItem:
        """A new answer, an old one now and then, or something that is read aloud."""
        luck = self.rng.random()
        if luck < SAYING_SHARE:
            return self._spoilt(self._readings, self._next("saying", self.sayings))
        if luck < SAYING_SHARE + READING_SHARE:
            return self._spoilt(self._readings, self._next("reading", [*self.new, *self.old]))
        if luck < SAYING_SHARE + READING_SHARE + OLD_SHARE["talker"]:
            return self._spoilt(self._prompts, self._next("old", self.old))
        return self._spoilt(self._prompts, self._next("new", self.new))

    def _spoilt(self, prompts: Mapping[str, list[Prompted]], name: str) -> SpeechItem:
        rng, among = self.rng, prompts[name]
        every = (self.old, self.new, self.sayings)[rng.integers(3)] or self.new
        foreign = self._codes[every[rng.integers(len(every))]]
        return spoilt_item(among[rng.integers(len(among))], self._codes[name], foreign, self._growth.model.config, rng)

    def steadiness(self) -> dict[str, float]:
        """Share of the first codebook's codes that are likeliest, with the right history and with a foreign one."""
        model, codes, shares = self._growth.model, self._codes, dict[str, float]()
        kinds = (("new", self.new, self._prompts), ("old", self.old, self._prompts),
                 ("said", self.sayings, self._readings))  # fmt: skip
        for kind, every, prompts in kinds:
            if not (names := every[::_JUDGED]):
                continue
            others = [*names[7 % len(names) :], *names[: 7 % len(names)]]
            right = [whole_item(prompts[name][0], codes[name], model.config) for name in names]
            foreign = [
                whole_item(prompts[name][0], codes[name], model.config, codes[other])
                for name, other in zip(names, others, strict=True)
            ]
            for history, items in (("right", right), ("foreign", foreign)):
                shares[f"{kind} {history}"] = round(code_hits(model, items)[0].float().mean().item(), 3)
        return shares


def grow_talker(growth: Growth, args: argparse.Namespace, rank: int) -> None:
    """The Talker learns to say the new answers."""
    model = growth.model
    run = network_run(args, "grown-talker", model.talker, model)
    speaking = Speaking(growth, args.work, run.step * 8 + rank)
    torch.manual_seed(run.step * 8 + rank)
    ready: list[SpeechBatch] = []

    def losses() -> tuple[Tensor]:
        if not ready:
            items = [speaking.draw() for _ in range(_STEPS_AHEAD * args.batch)]
            groups = by_length(items, lambda item: item[1].shape[1], args.batch, speaking.rng)
            ready.extend(SpeechBatch(group, model.config) for group in groups)
        return (speech_loss(model, ready.pop()),)

    run.go(losses, speaking.steadiness)


def put_together(folder: Path, work: Path) -> None:
    """The grown halves into the model folder that they were grown from, which then has all intents of the corpus."""
    state = load_model(folder).state_dict()
    for part, wanted in (("thinker", False), ("talker", True)):
        grown = torch.load(work / f"grown-{part}" / "last.pt", weights_only=True)["model"]
        state |= {name: tensor for name, tensor in grown.items() if name.startswith("talker.") is wanted}
    save_weights(state, folder / "model.safetensors", "int8")
    config = load_config(folder)
    section = config.banter | {"history_turns": HISTORY_TURNS, "generation": GENERATION}
    dataclasses.replace(config, banter=section).save(folder)
    write_intents(folder)


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training grow`: checkpoints `grown-thinker/last.pt` and `grown-talker/last.pt` in WORK, and with
    `together` the network in the model folder."""
    parser = stage_arguments("grow", __doc__, rate=6e-4, batch=32)
    parser.add_argument("part", choices=("thinker", "talker", "together"))
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    if args.part == "together":
        put_together(args.model, args.work)
        return 0
    rank = join_group()
    growth = Growth(args.model, load_model(args.model).requires_grad_(True).train())
    (grow_thinker if args.part == "thinker" else grow_talker)(growth, args, rank)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
