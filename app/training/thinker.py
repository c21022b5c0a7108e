"""Train the Thinker's understanding: `python -m app.training thinker`.

Questions, typed and heard, with the beginnings of their answers: once an answer has begun rightly the rest is known by
heart, so three in four examples stop after a few pieces, but never a call of a tool.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from app.omni.model import OmniModel
from app.speech.sentence_encoder import SentenceEncoder
from app.training.batch import TextBatch, by_length
from app.training.examples import (
    Example,
    Question,
    Sources,
    as_text,
    assemble,
    draw_text,
    imagined,
    known_example,
    tool_example,
)
from app.training.loop import autocast, join_group, network_run, stage_arguments
from app.training.model import load_or_create, load_sources

#: Answer pieces kept in a shortened example.
BEGINNING = 6
SHORTENED = 0.75
EAR_WEIGHT = 0.2
#: Share of questions taken from real transcripts.
REAL_SHARE = 0.2


def shorten(example: Example) -> Example:
    """The same example with the beginning of its answer alone."""
    answer = example.answer[:BEGINNING]
    return replace(example, text=example.text[: example.start + len(answer)], answer=answer)


def ear_distance(model: OmniModel, pieces: int) -> Tensor:
    """How far `audio_proj` puts heard pieces from where they land when typed, as a share of their variance."""
    assert model.audio_proj is not None
    table = model.model.embed_tokens.weight.detach()
    rows = table[torch.randint(len(table), (pieces,))]
    noisy = rows + 0.05 * rows.std() * torch.randn_like(rows)
    return (
        F.mse_loss(model.audio_proj(F.pad(noisy, (0, model.config.audio_hidden_size - noisy.shape[1]))), rows)
        / table.var()
    )


def align_ears(model: OmniModel, steps: int = 1000) -> None:
    """Fit `audio_proj` before a run, so that hearing and reading start out as one."""
    assert model.audio_proj is not None
    optimiser = torch.optim.Adam(model.audio_proj.parameters(), 3e-3)
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = 3e-3 * (1 - step / steps)
        loss = ear_distance(model, 768)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    print(f"ears aligned, {loss.item():.3f} of the variance left", flush=True)


class Understanding(nn.Module):
    """The Thinker and what it is to learn."""

    def __init__(self, model: OmniModel) -> None:
        super().__init__()
        self.model = model
        model.talker.requires_grad_(False)

    def losses(self, batch: TextBatch) -> tuple[Tensor, Tensor]:
        """Cross-entropy of the answers' pieces, and the ears' distance, weighted."""
        chosen = batch.target != -100
        out = self.model.thinker_forward(
            batch.text,
            audio_features=batch.features,
            audio_lengths=batch.feature_lengths,
            text_positions=chosen,
        )
        words = F.cross_entropy(out.text_logits.float(), batch.target[chosen])
        return words, EAR_WEIGHT * ear_distance(self.model, 256)


def development_intents(sources: Sources, heard: bool, every: int = 1) -> list[Example]:
    """A held-out wording of every n-th intent, typed or as the ears would read it."""
    rng = np.random.default_rng(9)
    examples = []
    for intent in sources.intents[::every]:
        wording = intent.dev_questions[0]
        asked = imagined(wording, sources, rng) if heard else Question(wording)
        turns = [
            (t.question, o.spoken_answer if (o := sources.owner.get(t.question)) else t.answer) for t in intent.context
        ]
        examples.append(assemble(sources, as_text(turns), asked, intent.spoken_answer))
    return examples


def development_calls(sources: Sources) -> list[Example]:
    """The development questions of all tools that are answered by a call, typed."""
    draws = (draw for tool in sources.tools for draw in tool.development() if draw.tool is not None)
    return [tool_example(sources, draw, draw.context, Question(draw.question)) for draw in draws]


@torch.no_grad()
def accuracy(model: OmniModel, examples: list[Example], sentences: SentenceEncoder) -> float:
    """Share of the examples whose likeliest answer is the right one, piece for piece."""
    examples = sorted(examples, key=lambda e: len(e.text))
    right = 0
    for start in range(0, len(examples), 64):
        batch = TextBatch(examples[start : start + 64], model.config, sentences)
        with autocast():
            logits = model.thinker_forward(
                batch.text, audio_features=batch.features, audio_lengths=batch.feature_lengths
            ).text_logits
        hit = (logits.argmax(-1) == batch.target) | (batch.target == -100)
        right += int(hit.all(1).sum())
    return right / len(examples)


class Batches:
    """Endless batches of similar lengths."""

    def __init__(
        self, sources: Sources, model: OmniModel, sentences: SentenceEncoder, size: int, seed: int, known: float
    ) -> None:
        """`known`: the share of questions in the wording that stands for all others of its intent."""
        self._sources, self._config, self._sentences, self._size = sources, model.config, sentences, size
        self._rng = np.random.default_rng(seed)
        self._known = known
        self._ready: list[list[Example]] = []

    def _draw(self) -> Example:
        if self._rng.random() < self._known:
            known = self._sources.known
            return known_example(known[self._rng.integers(len(known))], self._sources)
        example = draw_text(self._sources, self._rng, REAL_SHARE)
        short = not example.composed and self._rng.random() < SHORTENED and len(example.answer) > BEGINNING
        return shorten(example) if short else example

    def __next__(self) -> TextBatch:
        if not self._ready:
            drawn = [self._draw() for _ in range(16 * self._size)]
            self._ready = by_length(drawn, lambda example: len(example.text), self._size, self._rng)
        return TextBatch(self._ready.pop(), self._config, self._sentences)


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training thinker`."""
    parser = stage_arguments("thinker", __doc__, rate=3e-4, batch=32)
    parser.add_argument("--parent", type=Path, help="older model folder: a new network begins with what fits of it")
    parser.add_argument("--known", type=float, default=0.0, help="share of questions in their known wording")
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    rank = join_group()
    torch.manual_seed(0)
    model = load_or_create(args.model, args.work / "minilm", args.parent)
    sources = load_sources(args.work, args.model, model)
    sentences = SentenceEncoder.load(args.model)
    learner = Understanding(model)
    run = network_run(args, "thinker", learner, model)
    if not run.resumed:
        align_ears(model)
    # From here on every process draws its own examples.
    torch.manual_seed(run.step * 8 + rank)
    batches = Batches(sources, model, sentences, args.batch, run.step * 8 + rank, args.known)

    judged = {
        "known": [known_example(intent, sources) for intent in sources.known[::3]],
        "typed": development_intents(sources, heard=False, every=3),
        "heard": development_intents(sources, heard=True, every=3),
        "calls": development_calls(sources),
    }

    def report() -> dict[str, float]:
        return {name: round(accuracy(model, examples, sentences), 3) for name, examples in judged.items()}

    run.go(lambda: learner.losses(next(batches)), report)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
