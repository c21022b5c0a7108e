"""Train the Thinker's understanding: `python -m app.training thinker`.

Questions, typed and heard, with the beginnings of their answers: once an answer has begun rightly the rest is known by
heart, so three in four examples stop after a few pieces, but never a call of a tool. The state at the end of a question
is also pulled towards MiniLM's sentence vector of the plain wording, which carries over what MiniLM knows about
paraphrases.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from app.omni.model import OmniModel
from app.training.batch import TextBatch, by_length
from app.training.examples import Example, Sources, as_text, assemble, draw_text, imagined_features, tool_example
from app.training.loop import Run, autocast, join_group, stage_arguments
from app.training.minilm import SentenceVectors
from app.training.model import load_or_create, load_sources

#: Answer pieces kept in a shortened example.
BEGINNING = 6
SHORTENED = 0.75
VECTOR_WEIGHT, EAR_WEIGHT = 0.5, 0.2
_VECTORS_AT_ONCE = 8192
#: Share of questions taken from real transcripts.
REAL_SHARE = 0.2


def shorten(example: Example) -> Example:
    """The same example with the beginning of its answer alone."""
    answer = example.answer[:BEGINNING]
    return Example(example.text[: example.start + len(answer)], example.start, answer, example.features)


def ear_distance(model: OmniModel, pieces: int) -> Tensor:
    """How far `audio_proj` puts heard pieces from where they land when typed, as a share of their variance."""
    assert model.audio_proj is not None
    table = model.model.embed_tokens.weight.detach()
    rows = table[torch.randint(len(table), (pieces,))]
    noisy = rows + 0.05 * rows.std() * torch.randn_like(rows)
    return F.mse_loss(model.audio_proj(noisy), rows) / table.var()


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
    """The Thinker with a projection from its state at the end of a prompt to a sentence vector."""

    def __init__(self, model: OmniModel) -> None:
        super().__init__()
        self.model = model
        model.talker.requires_grad_(False)
        self.to_vector = nn.Linear(model.config.hidden_size, 384)

    def losses(self, batch: TextBatch, vectors: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Cross-entropy of the answers' pieces; weighted, 1 − cosine to `vectors` [B, 384] and the ears' distance."""
        chosen = batch.target != -100
        out = self.model.thinker_forward(
            batch.text,
            audio_features=batch.features,
            audio_lengths=batch.feature_lengths,
            text_positions=chosen,
        )
        words = F.cross_entropy(out.text_logits.float(), batch.target[chosen])
        state = out.hidden[torch.arange(len(vectors)), batch.starts - 1]
        away = 1 - F.cosine_similarity(self.to_vector(state).float(), vectors, dim=-1)
        return words, VECTOR_WEIGHT * away.mean(), EAR_WEIGHT * ear_distance(self.model, 256)


def development_intents(sources: Sources, heard: bool, every: int = 1) -> list[Example]:
    """A held-out wording of every n-th intent, typed or as the ears would read it."""
    rng = np.random.default_rng(9)
    examples = []
    for intent in sources.intents[::every]:
        asked: str | Tensor = intent.dev_questions[0]
        if heard:
            asked = imagined_features(intent.dev_questions[0], sources, rng)
        turns = [
            (t.question, o.spoken_answer if (o := sources.owner.get(t.question)) else t.answer) for t in intent.context
        ]
        examples.append(assemble(sources, as_text(turns), asked, intent.spoken_answer))
    return examples


def development_calls(sources: Sources) -> list[Example]:
    """The development questions of all tools that are answered by a call, typed."""
    draws = (draw for tool in sources.tools for draw in tool.development() if draw.tool is not None)
    return [tool_example(sources, draw, draw.context, draw.question) for draw in draws]


@torch.no_grad()
def accuracy(model: OmniModel, examples: list[Example]) -> float:
    """Share of the examples whose likeliest answer is the right one, piece for piece."""
    examples = sorted(examples, key=lambda e: len(e.text))
    right = 0
    for start in range(0, len(examples), 64):
        batch = TextBatch(examples[start : start + 64], model.config)
        with autocast():
            logits = model.thinker_forward(
                batch.text, audio_features=batch.features, audio_lengths=batch.feature_lengths
            ).text_logits
        hit = (logits.argmax(-1) == batch.target) | (batch.target == -100)
        right += int(hit.all(1).sum())
    return right / len(examples)


class Batches:
    """Endless batches of similar lengths, each with the sentence vectors of its questions."""

    def __init__(self, sources: Sources, model: OmniModel, vectors: dict[str, Tensor], size: int, seed: int) -> None:
        self._sources, self._config, self._vectors, self._size = sources, model.config, vectors, size
        self._rng = np.random.default_rng(seed)
        self._ready: list[tuple[TextBatch, Tensor]] = []

    def __next__(self) -> tuple[TextBatch, Tensor]:
        if not self._ready:
            drawn = []
            for _ in range(16 * self._size):
                example, wording = draw_text(self._sources, self._rng, REAL_SHARE)
                if not example.composed and self._rng.random() < SHORTENED and len(example.answer) > BEGINNING:
                    example = shorten(example)
                drawn.append((example, self._vectors[wording]))
            for group in by_length(drawn, lambda pair: len(pair[0].text), self._size, self._rng):
                examples, vectors = zip(*group, strict=True)
                self._ready.append((TextBatch(examples, self._config), torch.stack(vectors)))
        return self._ready.pop()


def question_vectors(sources: Sources, work: Path) -> dict[str, Tensor]:
    """MiniLM's vector of every plain wording; `work/vectors.pt` keeps what was computed before."""
    cache = work / "vectors.pt"
    found: dict[str, Tensor] = torch.load(cache, weights_only=True) if cache.exists() else {}
    missing = [wording for wording in sources.all_questions() if wording not in found]
    for first in range(0, len(missing), _VECTORS_AT_ONCE):
        print(f"{len(missing) - first} sentence vectors to be computed", flush=True)
        some = missing[first : first + _VECTORS_AT_ONCE]
        # Copies: a view would keep the whole table in every entry of the file.
        found.update({w: v.clone() for w, v in zip(some, SentenceVectors(work / "minilm")(some), strict=True)})
        torch.save(found, cache)
    return found


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training thinker`."""
    parser = stage_arguments("thinker", __doc__, rate=3e-4, batch=32)
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    rank = join_group()
    torch.manual_seed(0)
    model = load_or_create(args.model, args.work / "minilm")
    sources = load_sources(args.work, args.model, model)
    learner = Understanding(model)
    run = Run(
        args.work / "thinker",
        learner,
        minutes=args.minutes,
        rate=args.rate,
        keep=lambda: {"model": model.state_dict()},
    )
    if not run.resumed:
        align_ears(model)
    # From here on every process draws its own examples.
    torch.manual_seed(run.step * 8 + rank)
    batches = Batches(sources, model, question_vectors(sources, args.work), args.batch, run.step * 8 + rank)

    judged = {
        "typed": development_intents(sources, heard=False, every=3),
        "heard": development_intents(sources, heard=True, every=3),
        "calls": development_calls(sources),
    }

    def report() -> dict[str, float]:
        return {name: round(accuracy(model, examples), 3) for name, examples in judged.items()}

    run.go(lambda: learner.losses(*next(batches)), report)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
