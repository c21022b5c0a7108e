"""Sentences of a wide vocabulary that the reader learns to read: `python -m app.training readings`.

They are sentences of the corpus in which many of the words have been exchanged for others, common and rare, so that
every sound is met in many neighbourhoods, in the rhythm of real sentences; and what tools come back with. Kokoro says
them in the default voice and tells how long each phoneme lasts. Writes `readings/<hash>.flac` and `.json`; resumes by
file.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import soundfile as sf
from numpy.typing import NDArray

from app.speech.pronunciation import Pronouncer
from app.training.corpus import load_intents
from app.training.kokoro import SAMPLE_RATE, Kokoro
from app.training.lexicon import load_whole
from app.training.pieces import vocabulary
from app.training.sayings import plan_sayings
from app.training.synthesize import DEFAULT_SOURCE

#: Sentences that stay as they are, and how many of the words of the others are exchanged; of those, names and rare
#: words of the lexicon.
_AS_IS, _EXCHANGED, _RARE = 0.25, 0.5, 0.3
#: The share of what tools say; statements for one question; the words of a sentence.
_SAYINGS, _STATEMENTS = 0.2, 2
_MIN_WORDS, _MAX_WORDS = 4, 24
_CONTENT = re.compile(r"\b[A-Za-z]{4,}\b")
_GLUE = frozenset(
    (
        "that", "this", "with", "from", "have", "what", "when", "where", "which", "there", "their", "they", "then",
        "than", "them", "your", "will", "would", "could", "should", "about", "into", "over", "under", "after",
        "before", "because", "while", "does", "were", "been", "being", "some", "more", "most", "very", "just", "only",
        "also", "each", "other", "these", "those", "such", "like", "here", "every", "please", "tell", "know", "want",
        "need", "make", "many", "much",
    )
)  # fmt: skip


@dataclass(frozen=True)
class Reading:
    """A text and its phonemes."""

    text: str
    phonemes: str

    @property
    def name(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()[:20]


def split_words(model: Path, lexicon: Sequence[str]) -> tuple[list[str], list[str]]:
    """Common words, the commonest first (of the sentence encoder), and the others of the lexicon."""
    known = set(lexicon)
    common = [word for word in vocabulary(model) if len(word) > 3 and word in known and word not in _GLUE]
    return common, sorted(known - set(common))


def sentences(common: Sequence[str], rare: Sequence[str], seed: int = 0) -> Iterator[str]:
    """Endless sentences."""
    rng = Random(seed)
    questions = [question for intent in load_intents() for question in intent.train_questions]
    kinds = [questions, *[[answer for intent in load_intents() for answer in intent.answers]] * _STATEMENTS]
    sources = [[text for text in kind if _MIN_WORDS <= len(text.split()) <= _MAX_WORDS] for kind in kinds]

    def other(found: re.Match[str]) -> str:
        word = found[0]
        if word.lower() in _GLUE or rng.random() >= _EXCHANGED:
            return word
        if rng.random() < _RARE:
            return rng.choice(rare)
        # The logarithm of the rank is even: half of the words are among the few hundred commonest.
        return common[int(len(common) ** rng.random()) - 1]

    sayings = plan_sayings()
    while True:
        if rng.random() < _SAYINGS:
            yield rng.choice(sayings)
            continue
        text = rng.choice(rng.choice(sources)).strip()
        text = text if text[-1] in ".?!" else text + rng.choice("?.")
        yield text if rng.random() < _AS_IS else _CONTENT.sub(other, text)


def plan(work: Path, model: Path, count: int, seed: int = 0) -> list[Reading]:
    """The first `count` sentences that the lexicon covers."""
    entries = load_whole(work / "misaki")
    pronouncer = Pronouncer(entries)
    common, rare = split_words(model, list(entries))
    found: dict[str, Reading] = {}
    for text in sentences(common, rare, seed):
        if len(found) == count:
            break
        known = all(pronouncer.known(word.strip("'")) for word in re.findall(r"[a-z']+", text.lower()))
        if known and text not in found and not re.search(r"\d", text):
            found[text] = Reading(text, pronouncer.phonemes(text))
    return list(found.values())


def record(readings: Sequence[Reading], kokoro: Kokoro, out: Path) -> Iterator[Path]:
    """Speak what is missing from `out`; yields every finished file."""
    out.mkdir(parents=True, exist_ok=True)
    for reading in readings:
        path = out / f"{reading.name}.flac"
        if not path.with_suffix(".json").exists():
            audio, steps = kokoro.say(reading.phonemes, {DEFAULT_SOURCE: 1.0})
            sf.write(path, _whole(audio), SAMPLE_RATE, subtype="PCM_16")
            row = {"text": reading.text, "phonemes": reading.phonemes, "steps": steps}
            path.with_suffix(".json").write_text(json.dumps(row), encoding="utf-8")
        yield path


def _whole(audio: NDArray[np.float32]) -> NDArray[np.float32]:
    """Speech within full scale."""
    return np.asarray(audio / max(1.0, float(np.abs(audio).max()) / 0.99), np.float32)


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training readings`."""
    parser = argparse.ArgumentParser(prog="app.training readings", description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="folder made by `fetch`")
    parser.add_argument("--model", type=Path, required=True, help="model folder with the sentence encoder")
    parser.add_argument("--count", type=int, default=4000)
    parser.add_argument("--part", default="0/1", help="share of the work, as INDEX/COUNT")
    args = parser.parse_args(argv)
    index, count = (int(x) for x in args.part.split("/"))
    readings = plan(args.work, args.model, args.count)[index::count]
    for done, _ in enumerate(record(readings, Kokoro(args.work), args.work / "readings"), 1):
        if done % 50 == 0:
            print(f"readings {args.part}: {done}/{len(readings)}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
