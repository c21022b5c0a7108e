"""Tune MiniLM on the corpus: `python -m app.training sentences`.

Its vectors alone tell nine in ten held-out wordings apart. A short run at a low rate, in which the vector of a wording
is to lie nearest to the mean of its intent, adds what the corpus knows: which differences matter here, and how
questions look that were typed in haste or misheard.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn

from app.speech.sentence_encoder import TOKENIZER, WEIGHTS, WIDTH, SentenceEncoder
from app.speech.weights import save_weights
from app.training.examples import TOOL_SHARE, Sources, heard_form, misheard, vary
from app.training.loop import Run, stage_arguments
from app.training.model import load_text_sources
from app.training.pieces import cut_pieces

SHARPNESS = 20.0
#: Share of the wordings that are read as the ears might mishear them, and of those that they did mishear.
_MISHEARD, _REAL = 0.3, 0.1
_HEAD_RATE = 20.0
_BEGIN_WITH = 8


def load_minilm(folder: Path) -> SentenceEncoder:
    """The published encoder in a folder with `model.safetensors` and `tokenizer.json`."""
    encoder = SentenceEncoder(Tokenizer.from_file(str(folder / "tokenizer.json")))
    weights = {name.removeprefix("bert."): t.float() for name, t in load_file(folder / "model.safetensors").items()}
    # It knows more places than it is ever shown.
    encoder.load_state_dict({name: weights[name][: len(own)] for name, own in encoder.state_dict().items()})
    return encoder.eval()


class Classes:
    """What can be told apart by a question alone: intents and tool questions without earlier turns."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        names = [*(intent.id for intent in sources.free), *(tool.id for tool in sources.free_tools)]
        self.number = {name: n for n, name in enumerate(names)}
        self._heard = [(i, q) for i, q in sources.wordings if i.id in self.number]

    def draw(self, rng: np.random.Generator) -> tuple[str, int]:
        """A wording as it may arrive, and its class."""
        sources = self._sources
        if rng.random() < TOOL_SHARE:
            tool = sources.free_tools[int(rng.integers(len(sources.free_tools)))]
            draw = tool.draw(rng)
            text, number = vary(draw.question, rng, lose=False), self.number[tool.id]
        elif rng.random() < _REAL and self._heard:
            intent, question = self._heard[int(rng.integers(len(self._heard)))]
            options = sources.heard[question]
            return options[int(rng.integers(len(options)))], self.number[intent.id]
        else:
            while (intent := sources.any_intent(rng)).id not in self.number:
                pass
            question = intent.train_questions[int(rng.integers(len(intent.train_questions)))]
            text, number = vary(question, rng), self.number[intent.id]
        return (misheard(heard_form(text, rng), sources, rng) if rng.random() < _MISHEARD else text), number

    def means(self, encoder: SentenceEncoder) -> Tensor:
        """The mean vector of some wordings of every class, unit length."""
        rows = []
        for intent in self._sources.free:
            rows.append(encoder.vectors(intent.train_questions[:_BEGIN_WITH]).mean(0))
        for tool in self._sources.free_tools:
            rows.append(encoder.vectors([tool.sense(q) for q in tool.train_questions[:_BEGIN_WITH]]).mean(0))
        return F.normalize(torch.stack(rows), dim=-1)

    def development(self) -> tuple[list[str], Tensor]:
        """The held-out wordings and their classes."""
        pairs = [(q, self.number[i.id]) for i in self._sources.free for q in i.dev_questions]
        pairs += [(d.question, self.number[t.id]) for t in self._sources.free_tools for d in t.development()]
        return [text for text, _ in pairs], torch.tensor([number for _, number in pairs])


class Tuned(nn.Module):
    """The encoder and a vector for every class; the latter learn faster."""

    def __init__(self, encoder: SentenceEncoder, classes: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.means = nn.Parameter(torch.zeros(classes, WIDTH))

    @torch.no_grad()
    def begin(self, means: Tensor) -> None:
        """Start with these vectors [classes, 384]."""
        self.means.copy_(means / _HEAD_RATE)

    def loss(self, texts: list[str], classes: Tensor) -> Tensor:
        """Cross-entropy of the classes by cosine."""
        vectors = self.encoder(*self.encoder.cut(texts))
        logits = SHARPNESS * vectors @ F.normalize(self.means * _HEAD_RATE, dim=-1).T
        return F.cross_entropy(logits, classes, label_smoothing=0.05)


def _judge(tuned: Tuned, classes: Classes) -> Callable[[], dict[str, float]]:
    texts, wanted = classes.development()

    def report() -> dict[str, float]:
        tuned.encoder.eval()
        found = torch.cat([tuned.encoder.vectors(texts[n : n + 128]) for n in range(0, len(texts), 128)])
        right = (found @ F.normalize(tuned.means, dim=-1).T).argmax(1) == wanted
        return {"nearest mean": round(right.float().mean().item(), 4)}

    return report


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training sentences`: writes the encoder into the model folder."""
    parser: argparse.ArgumentParser = stage_arguments("sentences", __doc__, rate=3e-5, batch=64)
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    sources = load_text_sources(args.work, args.model)
    classes = Classes(sources)
    encoder = load_minilm(args.work / "minilm")
    tuned = Tuned(encoder, len(classes.number))
    run = Run(args.work / "sentences", tuned, minutes=args.minutes, rate=args.rate)
    if not run.resumed:
        tuned.begin(classes.means(encoder))
    report = _judge(tuned, classes)
    print(json.dumps({"step": run.step, **report()}), flush=True)
    rng = np.random.default_rng(run.step)

    def losses() -> tuple[Tensor]:
        texts, numbers = zip(*(classes.draw(rng) for _ in range(args.batch)), strict=True)
        return (tuned.loss(list(texts), torch.tensor(numbers)),)

    run.go(losses, report)
    save_weights(encoder.state_dict(), args.model / WEIGHTS, "int8")
    shutil.copy(args.work / "minilm" / "tokenizer.json", args.model / TOKENIZER)
    cut_pieces(args.model)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
