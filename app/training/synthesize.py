"""Speak the corpus with Kokoro: answers and words in the default voice, questions in many others.

Every utterance is one 16-bit FLAC file named by its content, so a run that was killed goes on where it stopped.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from app.speech.sentence_encoder import TOKENIZER
from app.speech.speaker_traits import Traits
from app.speech.spoken_units import SpokenUnits
from app.tools.words.dates import MONTHS, WEEKDAYS
from app.tools.words.numbers import ONES, TENS, ordinal
from app.training.choices import load_choices
from app.training.corpus import load_intents
from app.training.kokoro import RESERVED_VOICES, SAMPLE_RATE, Kokoro
from app.training.sayings import plan_sayings
from app.training.tool_corpus import load_tools

#: Voices of the menu, the default first: how they differ from it.
VOICES = {
    "ava": Traits(),
    "max": Traits(pitch=-0.75, formants=-0.23),
    "emma": Traits(pitch=-0.15, formants=-0.09),
    "george": Traits(pitch=-0.98, formants=-0.29),
    "bella": Traits(pitch=0.25, formants=0.07),
    "finn": Traits(pitch=-0.45, formants=-0.18),
    "nora": Traits(pitch=0.15, formants=-0.25),
    "iris": Traits(pitch=0.36, formants=0.15),
}
DEFAULT_VOICE = next(iter(VOICES))
#: The default voice in Kokoro.
DEFAULT_SOURCE = "af_heart"
#: Every answer is recorded at each of these; `choose` picks the clearest.
ANSWER_SPEEDS = (1.0, 0.9)
#: Words that results of tools consist of, whose ends are heard best when they are recorded alone.
NEEDED = (
    "i'll", "you're", "it's", "we're", "they're", "that's", "there's", "what's", "who's", "let's", "don't", "doesn't",
    "can't", "won't", "isn't", "aren't", *ONES, *TENS[1:], "hundred", "thousand", "million", "point", "minus",
    "percent", "first", "second", "third", "fifth", "eighth", "ninth", "twelfth", "twentieth", "thirtieth",
    *(ordinal(number) for number in (4, 6, 7, 10, 11, *range(13, 20))), *map(str.lower, (*WEEKDAYS, *MONTHS)),
    "today", "tomorrow", "tonight", "midnight", "noon", "o'clock", "quarter", "half", "past", "hour", "hours", "minute",
    "minutes", "seconds", "day", "days", "week", "weeks", "degrees", "celsius", "fahrenheit", "miles", "kilometres",
    "metres", "centimetres", "feet", "inches", "yards", "pounds", "kilograms", "grams", "ounces", "litres", "pints",
    "timer", "alarm", "reminder", "note", "notes", "heads", "tails", "weather", "volume", "battery", "memory", "disk",
)  # fmt: skip
_COMMON = re.compile(r"[a-z]{3,}")
_EDGE_SILENCE = 0.01  # relative to the peak
_LEAD_S, _TAIL_S = 0.04, 0.16


@dataclass(frozen=True)
class Utterance:
    """One line to speak. `kind` is `answer`, `saying`, `word`, `question` or `dev`."""

    kind: str
    intent: str
    text: str
    voice: str
    speed: float

    @property
    def name(self) -> str:
        key = f"{self.text}|{self.voice}|{self.speed:.2f}"
        return hashlib.sha256(key.encode()).hexdigest()[:20]


def trim(
    audio: np.ndarray,
    rate: int = SAMPLE_RATE,
    *,
    silence: float = _EDGE_SILENCE,
    lead_s: float = _LEAD_S,
    tail_s: float = _TAIL_S,
) -> np.ndarray:
    """Cut both ends as far as they are softer than `silence`, beside the peak, keeping a short lead and tail."""
    loud = np.flatnonzero(np.abs(audio) > silence * np.abs(audio).max())
    if loud.size == 0:
        return audio
    first = max(0, int(loud[0]) - int(lead_s * rate))
    return audio[first : int(loud[-1]) + int(tail_s * rate)]


def plan_answers() -> list[Utterance]:
    """Every answer in the default voice at every speed, the usual speed first."""
    return [
        Utterance("answer", intent.id, intent.spoken_answer, DEFAULT_VOICE, speed)
        for speed in ANSWER_SPEEDS
        for intent in load_intents()
    ]


def plan_spoken_sayings() -> list[Utterance]:
    """Every sentence of `sayings` in the default voice."""
    return [Utterance("saying", "", sentence, DEFAULT_VOICE, 1.0) for sentence in plan_sayings()]


def plan_dev() -> list[Utterance]:
    """One held-out wording of every intent, and one for every call with its numbers in words, in reserved voices."""
    voices = sorted(RESERVED_VOICES)
    asked = [(intent.id, intent.dev_questions[0]) for intent in load_intents()]
    asked += [(tool.id, tool.development()[0].question) for tool in load_tools() if tool.row["tool"]]
    plan = [Utterance("dev", name, text, voices[index % 4], 1.0) for index, (name, text) in enumerate(asked)]
    random.Random(2).shuffle(plan)
    return plan


def plan_words(model: Path) -> list[Utterance]:
    """`NEEDED`, and common words that no recording of the model folder holds, in the default voice, the commonest
    first: the whole words of the sentence encoder's vocabulary, sorted by how common they were where it was trained."""
    units = SpokenUnits.load(model)
    vocabulary = json.loads((model / TOKENIZER).read_text(encoding="utf-8"))["model"]["vocab"]
    words = [word for word, _ in sorted(vocabulary.items(), key=lambda item: int(item[1])) if _COMMON.fullmatch(word)]
    missing = [word for word in words if any(one.codes is None for one in units.cover(word))]
    return [Utterance("word", "", word, DEFAULT_VOICE, 1.0) for word in dict.fromkeys((*NEEDED, *missing))]


def plan_questions(kokoro_voices: Path, per_intent: int = 1) -> list[Utterance]:
    """Training questions in every voice that is not reserved."""
    voices = sorted(path.stem for path in kokoro_voices.glob("*.bin"))
    voices = [voice for voice in voices if voice not in RESERVED_VOICES]
    rng = random.Random(3)
    plan = [
        Utterance("question", intent.id, wording, rng.choice(voices), rng.choice((0.9, 1.0, 1.15)))
        for intent in load_intents()
        for wording in rng.sample(intent.train_questions, per_intent)
    ]
    rng.shuffle(plan)
    return plan


def synthesize(plan: list[Utterance], kokoro: Kokoro, out: Path) -> Iterator[Path]:
    """Speak what is missing from `out`; yields every finished file. Writes `<name>.flac` and `<name>.json`."""
    import soundfile as sf

    out.mkdir(parents=True, exist_ok=True)
    for utterance in plan:
        path = out / f"{utterance.name}.flac"
        if not path.with_suffix(".json").exists():
            voice = DEFAULT_SOURCE if utterance.voice == DEFAULT_VOICE else utterance.voice
            audio = trim(kokoro.speak(utterance.text, {voice: 1.0}, utterance.speed))
            sf.write(path, audio, SAMPLE_RATE, subtype="PCM_16")
            path.with_suffix(".json").write_text(json.dumps(asdict(utterance)))
        yield path


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training synthesize`."""
    parser = argparse.ArgumentParser(prog="app.training synthesize", description=__doc__)
    parser.add_argument("kind", choices=("answers", "sayings", "questions", "dev", "words"))
    parser.add_argument("--model", type=Path, help="for `words`: model folder made by `units`")
    parser.add_argument("--work", type=Path, required=True, help="folder made by `fetch`")
    parser.add_argument("--part", default="0/1", help="share of the work, as INDEX/COUNT")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--limit", type=int, default=None)
    args = parser.parse_args(argv)
    index, count = (int(x) for x in args.part.split("/"))
    if args.kind == "answers":
        # What `choose` has settled needs no further recording.
        settled = load_choices(args.work)
        plan = [utterance for utterance in plan_answers() if utterance.intent not in settled]
    elif args.kind == "sayings":
        plan = plan_spoken_sayings()
    elif args.kind == "words":
        if args.model is None:
            parser.error("`words` needs --model")
        plan = plan_words(args.model)
    elif args.kind == "dev":
        plan = plan_dev()
    else:
        plan = plan_questions(args.work / "voices")
    plan = plan[: args.limit][index::count]
    kokoro = Kokoro(args.work, args.threads)
    for done, _ in enumerate(synthesize(plan, kokoro, args.work / args.kind), 1):
        if done % 50 == 0:
            print(f"{args.kind} {args.part}: {done}/{len(plan)}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
