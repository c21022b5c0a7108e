"""Train the Talker on a finished Thinker: `python -m app.training talker`.

The Thinker stands still, so its bridge states are computed once. A Talker that only ever sees the right codes behind it
learns to follow them instead of the words, and strays into other sentences when it speaks alone; so most of what it
sees here is spoilt: single codes, whole steps, or stretches of another answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor

from app.omni.chat import READ_ALOUD
from app.omni.config import CODEBOOKS, OmniConfig
from app.omni.model import OmniModel
from app.omni.pace import Pace
from app.speech.sentence_encoder import SentenceEncoder
from app.training.batch import TextBatch, by_length, code_streams
from app.training.examples import Example, Question, Sources, assemble, known_example
from app.training.loop import autocast, join_group, network_run, stage_arguments
from app.training.model import load_or_create, load_sources, speaker_vectors

STOP_WEIGHT = 5.0
#: The first codebooks carry the words.
BOOK_WEIGHTS = (2.2, 1.6, 1.2, 0.9, 0.7, 0.5, 0.5, 0.4)
#: How often an answer comes behind its question for each time that it is read aloud, and how many ways of dealing out
#: there are of a sentence that is only read aloud.
KNOWN_PROMPTS, SAYING_PROMPTS = 2, 2
PACE = Pace()
#: Frames of silence at the end of a recording.
_TAIL = 3.0
PAD = 0
#: Prompt positions the Talker sees when its prompt is cut, and how often it is.
SHORT_PROMPT, CUT_SHARE = 6, 0.6


#: Bridge states, inputs and targets of one example.
SpeechItem = tuple[Tensor, Tensor, Tensor]


@dataclass(frozen=True)
class Prompted:
    """Bridge states float16 [start + longest answer + 9, H] behind one prompt; the answer begins at `start`."""

    bridge: Tensor
    start: int


def prompted_answers(sources: Sources, rng: np.random.Generator) -> Iterator[tuple[str, Example]]:
    """Every answer that has codes, behind its known question and read aloud, and every saying read aloud. What is read
    aloud is dealt out at the pace of speech, a little differently each time."""
    for intent in sources.intents:
        if intent.id in sources.codes:
            for _ in range(KNOWN_PROMPTS):
                yield intent.id, known_example(intent, sources)
            yield intent.id, dealt(sources, intent.spoken_answer, intent.id, rng)
    for sentence in sources.sayings:
        for _ in range(SAYING_PROMPTS):
            yield sentence, dealt(sources, sentence, sentence, rng)


def dealt(sources: Sources, text: str, name: str, rng: np.random.Generator) -> Example:
    """A given text at the pace of its recording, or nearly."""
    whole = assemble(sources, "", Question(READ_ALOUD), text)
    ids = paced(sources.tokenizer, whole.answer, sources.codes[name].shape[1], rng)
    return replace(whole, text=[*whole.text[: whole.start], *ids, *whole.text[whole.start + len(whole.answer) :]])


def paced(tokenizer: Tokenizer, ids: list[int], frames: int, rng: np.random.Generator) -> list[int]:
    """The pieces of a sentence dealt out over its recording of so many frames, or nearly: the pace of a text is never
    exactly that of the Talker."""
    expected = sum(PACE.frames(tokenizer.decode([one])) for one in ids)
    stretch = (frames - PACE.begin - _TAIL) / max(expected, 1.0) * float(np.exp(0.04 * rng.standard_normal()))
    return PACE.deal(ids, lambda one: str(tokenizer.decode([one])), PAD, stretch, float(rng.uniform(-1.0, 1.0)))


class Started(Protocol):
    """A sequence whose answer begins at `start`."""

    @property
    def start(self) -> int: ...


Line = TypeVar("Line", bound=Started)


@torch.no_grad()
def listened(
    model: OmniModel,
    codes: Mapping[str, Tensor],
    sequences: Iterable[tuple[str, Line]],
    embed: Callable[[list[Line], int], Tensor],
) -> dict[str, list[Prompted]]:
    """Bridge states behind the prompts of sequences, as long as the speech of their names in `codes`, by name.

    `embed` makes the Thinker's input [B, T, H] of some sequences, with at least so many positions.
    """
    jobs = [(name, one, one.start + codes[name].shape[1] + CODEBOOKS + 1) for name, one in sequences]
    jobs.sort(key=lambda job: job[2])
    found: dict[str, list[Prompted]] = {}
    for first in range(0, len(jobs), 48):
        group = jobs[first : first + 48]
        with autocast():
            states = model.model.listen(embed([one for _, one, _ in group], group[-1][2]))
        for (name, one, length), state in zip(group, states, strict=True):
            found.setdefault(name, []).append(Prompted(state[:length].half().clone(), one.start))
    return found


def lengthened(text: Tensor, length: int, pad: int) -> Tensor:
    """Text int64 [B, T] with at least `length` positions."""
    return F.pad(text, (0, max(0, length - text.shape[1])), value=pad)


def bridges(
    model: OmniModel, sources: Sources, sentences: SentenceEncoder, rng: np.random.Generator
) -> dict[str, list[Prompted]]:
    """Bridge states of everything that has codes, behind its prompts, by intent or sentence."""

    def embed(examples: list[Example], length: int) -> Tensor:
        batch = TextBatch(examples, model.config, sentences)
        text = lengthened(batch.text, length, model.config.pad_token_id)
        return model.embed(text, batch.features, batch.feature_lengths)

    return listened(model, sources.codes, prompted_answers(sources, rng), embed)


def spoil(inputs: Tensor, start: int, foreign: Tensor, code_count: int, rng: np.random.Generator) -> Tensor:
    """`inputs` int64 [8, T] of an answer from `start` on with some of its codes replaced.

    A fifth stays nearly whole; of the rest some lose single codes, some whole steps, at any rate up to all of them, and
    some get a stretch of `foreign`, the inputs of another answer laid out from the same `start`.
    """
    kind, length = rng.random(), inputs.shape[1]
    code = inputs < code_count
    hit = torch.zeros_like(code)
    other = torch.randint_like(inputs, code_count)
    if kind < 0.5:
        rate = 0.05 if kind < 0.2 else float(rng.random())
        hit = torch.rand(inputs.shape) < rate
    elif kind < 0.7:
        hit = (torch.rand(length) < float(rng.random()))[None].expand_as(hit)
    else:
        first = int(rng.integers(start, length))
        last = int(rng.integers(first, length)) + 1
        span = min(last, foreign.shape[1]) - first
        if span > 0:
            hit[:, first : first + span] = foreign[:, first : first + span] < code_count
            other[:, first : first + span] = foreign[:, first : first + span]
        hit |= torch.rand(inputs.shape) < 0.05
    return torch.where(hit & code, other, inputs)


def spoilt_item(
    prompted: Prompted, codes: Tensor, foreign: Tensor, config: OmniConfig, rng: np.random.Generator
) -> SpeechItem:
    """An example of `codes` with a spoilt history, and often a shortened prompt; `foreign` are codes of another one."""
    bridge, start = prompted.bridge, prompted.start
    if rng.random() < CUT_SHARE:
        cut = max(0, start - SHORT_PROMPT)
        bridge, start = bridge[cut:], start - cut
    inputs, targets = code_streams(codes, start, config)
    other, _ = code_streams(foreign, start, config)
    return bridge, spoil(inputs, start, other, config.code_count, rng), targets


def whole_item(prompted: Prompted, codes: Tensor, config: OmniConfig, foreign: Tensor | None = None) -> SpeechItem:
    """An example with the right history, or with the codes of a `foreign` one in its place."""
    inputs, targets = code_streams(codes, prompted.start, config)
    if foreign is not None:
        other, _ = code_streams(foreign, prompted.start, config)
        span = min(other.shape[1], inputs.shape[1])
        inputs[:, :span] = other[:, :span]
    return prompted.bridge, inputs, targets


class SpeechBatch:
    """`bridge` float32 [B, T, H], `inputs` and `targets` int64 [B, 8, T], `speakers` float32 [B, 3]."""

    def __init__(self, items: list[SpeechItem], config: OmniConfig) -> None:
        batch, length = len(items), max(inputs.shape[1] for _, inputs, _ in items)
        self.bridge = torch.zeros(batch, length, config.hidden_size)
        self.inputs = torch.full((batch, CODEBOOKS, length), config.audio_pad_token)
        self.targets = torch.full((batch, CODEBOOKS, length), -100)
        # The codes are the same in every voice, so the Talker sees any of them and learns that it does not matter.
        voices = speaker_vectors()
        self.speakers = voices[torch.randint(len(voices), (batch,))]
        self.speakers[:, 1:] += 0.1 * torch.randn(batch, self.speakers.shape[1] - 1)
        for row, (bridge, inputs, targets) in enumerate(items):
            span = inputs.shape[1]
            self.bridge[row, :span] = bridge[:span]
            self.inputs[row, :, :span] = inputs
            self.targets[row, :, :span] = targets


class Batches:
    """Endless speech batches of similar lengths."""

    def __init__(
        self,
        sources: Sources,
        prompts: dict[str, list[Prompted]],
        config: OmniConfig,
        size: int,
        seed: int,
    ) -> None:
        self.sources, self.prompts, self._config = sources, prompts, config
        self._size = size
        self._rng = np.random.default_rng(seed)
        self.names = list(prompts)
        self._order: list[str] = []
        self._ready: list[SpeechBatch] = []

    def _next_name(self) -> str:
        # Every sentence equally often: chance would leave some of them far behind.
        if not self._order:
            self._order = [self.names[i] for i in self._rng.permutation(len(self.names))]
        return self._order.pop()

    def item(self, name: str) -> SpeechItem:
        """A spoilt example of one sentence."""
        rng, codes = self._rng, self.sources.codes
        prompted = self.prompts[name][rng.integers(len(self.prompts[name]))]
        other = self.names[rng.integers(len(self.names))]
        return spoilt_item(prompted, codes[name], codes[other], self._config, rng)

    def __next__(self) -> SpeechBatch:
        if not self._ready:
            items = [self.item(self._next_name()) for _ in range(16 * self._size)]
            groups = by_length(items, lambda item: item[1].shape[1], self._size, self._rng)
            self._ready = [SpeechBatch(group, self._config) for group in groups]
        return self._ready.pop()


def speech_loss(model: OmniModel, batch: SpeechBatch) -> Tensor:
    """Cross-entropy of the codes, weighted by codebook; stops count more."""
    spoken = (batch.targets != -100).any(1)
    states = model.talker(batch.bridge, batch.inputs, batch.speakers)
    logits = model.talker.lm_head(states[spoken]).float()
    targets = batch.targets.transpose(1, 2)[spoken].T
    weights = torch.ones(model.config.audio_vocab_size)
    weights[model.config.audio_stop_token] = STOP_WEIGHT
    loss = F.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), weight=weights, ignore_index=-100, reduction="none"
    ).view_as(targets)
    return (loss.mean(1) * torch.tensor(BOOK_WEIGHTS)).mean()


@torch.no_grad()
def code_hits(model: OmniModel, items: list[SpeechItem]) -> Tensor:
    """Which codes are the likeliest, bool [8, N], at all positions at which the first codebook speaks."""
    batch = SpeechBatch(items, model.config)
    states = model.talker(batch.bridge, batch.inputs, batch.speakers)
    asked = batch.targets[:, 0] != -100
    hits: Tensor = model.talker.lm_head(states[asked]).argmax(-1) == batch.targets.transpose(1, 2)[asked].T
    return hits


def steadiness(model: OmniModel, batches: Batches, answers: int = 48) -> dict[str, float]:
    """Share of codes that are likeliest: the first codebook with the right history and with that of another answer, and
    the last four with the right one."""
    names, codes, config = batches.names, batches.sources.codes, model.config
    chosen = np.random.default_rng(4).choice(len(names), answers, replace=False)
    prompted = {index: batches.prompts[names[index]][0] for index in chosen}
    right = code_hits(model, [whole_item(prompted[i], codes[names[i]], config) for i in chosen])
    foreign = code_hits(
        model, [whole_item(prompted[i], codes[names[i]], config, codes[names[(i + 7) % len(names)]]) for i in chosen]
    )
    # Where the first codebook speaks, all others do but for the first and last few steps.
    shares = {"right": right[0], "fine": right[4:], "foreign": foreign[0]}
    return {name: round(hits.float().mean().item(), 3) for name, hits in shares.items()}


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training talker`."""
    parser = stage_arguments("talker", __doc__, rate=5e-4, batch=32)
    parser.add_argument("--thinker", type=Path, default=None, help="checkpoint of the stage `thinker`")
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    rank = join_group()
    torch.manual_seed(0)
    model = load_or_create(args.model, args.work / "minilm")
    if args.thinker is not None:
        trained = torch.load(args.thinker, weights_only=True)["model"]
        if (args.model / "model.safetensors").exists():
            trained |= {k: v for k, v in model.state_dict().items() if k.startswith("talker.")}
        # Otherwise the Talker is the one that the Thinker's parent had.
        model.load_state_dict(trained)
    sources = load_sources(args.work, args.model, model)
    run = network_run(args, "talker", model.talker, model)
    prompts = bridges(model, sources, SentenceEncoder.load(args.model), np.random.default_rng(run.step))
    batches = Batches(sources, prompts, model.config, args.batch, run.step * 8 + rank)
    # From here on every process draws its own examples.
    torch.manual_seed(run.step * 8 + rank)
    run.go(lambda: (speech_loss(model, next(batches)),), lambda: steadiness(model, batches))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
