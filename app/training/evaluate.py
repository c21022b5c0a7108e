"""Judge a model folder: `python -m app.training evaluate`.

Held-out wordings in reserved voices go through the engine as a user's would: clean, at 10 dB noise, in a room, and
typed, all answered in the default voice; `voices` asks the clean ones again and answers in the other voices, in turn.
Whisper tiny.en (faster-whisper) reads the spoken answers back. Prints a table, writes JSON.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import soundfile as sf
import soxr
from numpy.typing import NDArray

from app.omni.engine import OmniEngine
from app.omni.turn import INPUT_RATE, OUTPUT_RATE, AudioPiece, Exchange, TurnPiece, TurnRequest, TurnStats
from app.training.corpus import Intent, load_intents
from app.training.measure import add_noise, add_room, errors, faults, nearest, words

Floats = NDArray[np.float32]
LEAD_SECONDS = 0.4
#: Frames of speech without a further word of text after which the text is complete.
QUIET_FRAMES = 16


class Judge:
    """Whisper tiny.en, used for nothing but judging."""

    def __init__(self, folder: Path, threads: int) -> None:
        from faster_whisper import WhisperModel

        self._model = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=threads)

    def read(self, audio: Floats) -> str:
        """Words of speech at 24 kHz."""
        # A recording has a moment of silence before the speech; without it the recogniser loses short first words.
        lead = np.zeros(int(LEAD_SECONDS * OUTPUT_RATE), np.float32)
        clip = soxr.resample(np.concatenate((lead, audio)), OUTPUT_RATE, INPUT_RATE)
        segments, _ = self._model.transcribe(clip, language="en", beam_size=1)
        return " ".join(segment.text for segment in segments)


@dataclass
class Tally:
    """Counts over one condition."""

    turns: int = 0
    right: int = 0
    asked_words: int = 0
    misheard: int = 0
    spoken: int = 0
    spoken_words: int = 0
    misspoken: int = 0
    right_sentence: int = 0
    clean_sound: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    stops: Counter[str] = field(default_factory=Counter)
    rtf: list[float] = field(default_factory=list)
    first_ms: list[float] = field(default_factory=list)
    wrong: list[tuple[str, str, str]] = field(default_factory=list)

    def row(self) -> dict[str, Any]:
        """Figures of the table."""

        def share(part: int, whole: int) -> float | None:
            return round(part / whole, 4) if whole else None

        return {
            "turns": self.turns,
            "right_answer": share(self.right, self.turns),
            "transcript_wer": share(self.misheard, self.asked_words),
            "answer_wer": share(self.misspoken, self.spoken_words),
            "right_sentence": share(self.right_sentence, self.spoken),
            "no_fault": share(self.clean_sound, self.spoken),
            "faults": dict(self.faults),
            "stops": dict(self.stops),
            "rtf_median": round(float(np.median(self.rtf)), 3) if self.rtf else None,
            "first_audio_ms_median": round(float(np.median(self.first_ms)), 1) if self.first_ms else None,
        }


def history(intent: Intent, by_question: dict[str, str]) -> tuple[Exchange, ...]:
    """The intent's context as the app would have it."""
    return tuple(Exchange(t.question, by_question.get(t.question, t.answer)) for t in intent.context)


def questions(folder: Path, limit: int | None) -> Iterator[tuple[str, str, Floats]]:
    """Intent id, wording and speech at 16 kHz of the synthesised development questions."""
    for path in sorted(folder.glob("*.json"))[:limit]:
        row = json.loads(path.read_text())
        audio, rate = sf.read(path.with_suffix(".flac"), dtype="float32")
        yield row["intent"], row["text"], soxr.resample(audio, rate, INPUT_RATE)


def text_is_complete(pieces: list[TurnPiece]) -> bool:
    """Whether the text has been over for a while; it runs ahead of the speech."""
    last = pieces[-QUIET_FRAMES:]
    return len(last) == QUIET_FRAMES and all(isinstance(piece, AudioPiece) for piece in last)


class Evaluation:
    """Runs conditions against one engine."""

    def __init__(self, engine: OmniEngine, judge: Judge | None) -> None:
        self.engine, self.judge = engine, judge
        intents = load_intents()
        self.by_id = {intent.id: intent for intent in intents}
        self.by_question = {
            q: i.spoken_answer for i in intents if not i.context for q in (*i.train_questions, *i.dev_questions)
        }
        self.sentences = [words(intent.spoken_answer) for intent in intents]

    def turn(self, tally: Tally, intent: Intent, wording: str, request: TurnRequest, listen: bool) -> None:
        """One question; `listen` has the judge read the spoken answer, else no more is spoken than it takes."""
        pieces: list[TurnPiece] = []
        for piece in self.engine.run(request, lambda: not listen and text_is_complete(pieces)):
            pieces.append(piece)
        stats = pieces[-1]
        assert isinstance(stats, TurnStats)
        audio = np.concatenate([p.samples for p in pieces if isinstance(p, AudioPiece)] or [np.zeros(1, np.float32)])
        tally.turns += 1
        accepted = [words(answer) for answer in intent.answers]
        if words(stats.reply) in accepted:
            tally.right += 1
        else:
            tally.wrong.append((wording, stats.heard, stats.reply))
        if request.audio is not None:
            tally.asked_words += len(words(wording))
            tally.misheard += errors(words(wording), words(stats.heard))
        tally.rtf.append(stats.rtf)
        tally.first_ms.append(stats.first_audio_ms)
        if listen and self.judge is not None:
            tally.stops[str(stats.stop_reason)] += 1
            said, read = words(stats.reply), words(self.judge.read(audio))
            tally.spoken += 1
            tally.spoken_words += len(said)
            tally.misspoken += errors(said, read)
            tally.right_sentence += self.sentences[nearest(read, self.sentences)] == said
            found = faults(audio, stats.reply)
            tally.faults.update(found)
            tally.clean_sound += not found


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training evaluate`."""
    parser = argparse.ArgumentParser(prog="app.training evaluate", description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="holds `dev` (questions) and `whisper` (the judge)")
    parser.add_argument("--out", type=Path, default=None, help="JSON file for the figures")
    parser.add_argument("--limit", type=int, default=None)
    parser.add_argument("--conditions", default="clean,voices,noise,room,typed")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args(argv)
    engine = OmniEngine.load(args.model, threads=args.threads)
    run = Evaluation(engine, Judge(args.work / "whisper", args.threads))
    rng = np.random.default_rng(1)
    voices = engine.info.voices
    others = voices[1:] or voices
    report: dict[str, Any] = {}
    for condition in args.conditions.split(","):
        tally = Tally()
        if condition == "typed":
            intents = list(run.by_id.values())
            step = max(1, len(intents) // args.limit) if args.limit else 1
            for intent in intents[::step]:
                asked = TurnRequest(
                    text=intent.dev_questions[0], history=history(intent, run.by_question), voice=voices[0], seed=1
                )
                run.turn(tally, intent, intent.dev_questions[0], asked, listen=False)
        else:
            for number, (name, wording, audio) in enumerate(questions(args.work / "dev", args.limit)):
                if name not in run.by_id:
                    continue
                if condition == "noise":
                    audio = add_noise(audio, 10, rng)
                elif condition == "room":
                    audio = add_room(audio, rng)
                intent = run.by_id[name]
                asked = TurnRequest(
                    audio=audio,
                    history=history(intent, run.by_question),
                    voice=others[number % len(others)] if condition == "voices" else voices[0],
                    seed=number,
                )
                run.turn(tally, intent, wording, asked, listen=condition in ("clean", "voices"))
        report[condition] = tally.row()
        print(condition, json.dumps(report[condition]), flush=True)
        report[condition]["wrong"] = tally.wrong[:40]
    if args.out:
        args.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
