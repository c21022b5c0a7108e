"""Speak the corpus with Kokoro: answers and sayings in the default voice, questions in many others.

Every utterance is one 16-bit FLAC file named by its content, so a run that was killed goes on where it stopped.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from app.speech.speaker_traits import Traits
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
#: Whose voices of Kokoro a menu of voiceprints has, the default one's first: eight that are as unlike as can be.
SOURCES = {
    "ava": "af_heart", "max": "am_michael", "emma": "bf_emma", "george": "hm_psi", "bella": "jf_gongitsune",
    "finn": "am_puck", "nora": "ff_siwis", "iris": "zm_yunxia",
}  # fmt: skip
DEFAULT_VOICE, DEFAULT_SOURCE = next(iter(SOURCES.items()))
#: Every answer is recorded at each of these; `choose` picks the clearest.
ANSWER_SPEEDS = (1.0, 0.9)
_EDGE_SILENCE = 0.01  # relative to the peak
_LEAD_S, _TAIL_S = 0.04, 0.16


@dataclass(frozen=True)
class Utterance:
    """One line to speak. `kind` is `answer`, `saying`, `question` or `dev`."""

    kind: str
    intent: str
    text: str
    voice: str
    speed: float

    @property
    def name(self) -> str:
        key = f"{self.text}|{self.voice}|{self.speed:.2f}"
        return hashlib.sha256(key.encode()).hexdigest()[:20]


def trim(audio: np.ndarray, rate: int = SAMPLE_RATE) -> np.ndarray:
    """Cut silence off both ends, keeping a short lead and tail."""
    loud = np.flatnonzero(np.abs(audio) > _EDGE_SILENCE * np.abs(audio).max())
    if loud.size == 0:
        return audio
    first = max(0, int(loud[0]) - int(_LEAD_S * rate))
    return audio[first : int(loud[-1]) + int(_TAIL_S * rate)]


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
    parser.add_argument("kind", choices=("answers", "sayings", "questions", "dev"))
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
