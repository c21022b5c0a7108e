"""Judge a model folder: `python -m app.training evaluate`.

Held-out wordings in reserved voices go through the engine as a user's would: clean, at 10 dB noise, in a room, and
typed, all answered in the default voice; `voices` asks the clean ones again and answers in the other voices, in turn.
Then calls of tools, spoken and typed, follow-ups, and questions that nothing in the corpus answers. `results` and
`reading` are given texts that training never heard: what tools come back with, and everyday sentences; right is what
is read back word for word. `speakers` tells how well voices hold (`voice_likeness`). Whisper tiny.en (faster-whisper)
reads the spoken answers back. What is spoken needs the folder of `synthesize`; without it, only the typed questions are
asked. Prints a table, writes JSON.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.judge import Judge
from app.measure import add_noise, add_room, errors, faults, nearest, words
from app.omni.engine import OmniEngine
from app.omni.turn import (
    AudioPiece,
    Exchange,
    ToolCallPiece,
    TurnPiece,
    TurnRequest,
    TurnStats,
)
from app.paths import starter_model
from app.speech.speakable import speakable
from app.training.development import Asked, Development
from app.training.voice_likeness import held

Floats = NDArray[np.float32]
#: Frames of speech without a further word of text after which the text is complete.
QUIET_FRAMES = 16
SPOKEN = ("clean", "voices", "noise", "room", "calls")
TYPED = ("typed", "typed-calls", "follow-ups", "out-of-domain")
GIVEN = ("results", "reading")
#: Those whose spoken answers are read back.
LISTENED = ("clean", "voices", *GIVEN)
SPEAKERS = "speakers"
CONDITIONS = (*SPOKEN, *TYPED, *GIVEN, SPEAKERS)
_COLUMNS = ("turns", "right", "right_tool", "best_answer", "transcript_wer", "answer_wer", "right_sentence", "no_fault")


@dataclass
class Tally:
    """Counts over one condition."""

    turns: int = 0
    right: Counter[str] = field(default_factory=Counter)
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

    def clock(self, stats: TurnStats) -> None:
        """Keep how long a turn took."""
        self.rtf.append(stats.rtf)
        self.first_ms.append(stats.first_audio_ms)

    def row(self) -> dict[str, Any]:
        """Figures of the table."""

        def share(part: int, whole: int) -> float | None:
            return round(part / whole, 4) if whole else None

        return {
            "turns": self.turns,
            **{name: share(count, self.turns) for name, count in sorted(self.right.items())},
            "transcript_wer": share(self.misheard, self.asked_words),
            "answer_wer": share(self.misspoken, self.spoken_words),
            "right_sentence": share(self.right_sentence, self.spoken),
            "no_fault": share(self.clean_sound, self.spoken),
            "faults": dict(self.faults),
            "stops": dict(self.stops),
            "rtf_median": round(float(np.median(self.rtf)), 3) if self.rtf else None,
            "first_audio_ms_median": round(float(np.median(self.first_ms)), 1) if self.first_ms else None,
        }


def text_is_complete(pieces: list[TurnPiece]) -> bool:
    """Whether the text has been over for a while; it runs ahead of the speech."""
    last = pieces[-QUIET_FRAMES:]
    return len(last) == QUIET_FRAMES and all(isinstance(piece, AudioPiece) for piece in last)


def sound(pieces: Iterable[TurnPiece]) -> Floats:
    """The speech of a turn; a single zero where there is none."""
    return np.concatenate([p.samples for p in pieces if isinstance(p, AudioPiece)] or [np.zeros(1, np.float32)])


class Evaluation:
    """Runs conditions against one engine."""

    def __init__(self, engine: OmniEngine, development: Development, judge: Judge | None) -> None:
        self.engine, self.development, self.judge = engine, development, judge

    def turn(self, tally: Tally, asked: Asked, request: TurnRequest, listen: bool) -> None:
        """One question; `listen` has the judge read the spoken answer, else no more is spoken than it takes."""
        pieces: list[TurnPiece] = []
        for piece in self.engine.run(request, lambda: not listen and text_is_complete(pieces)):
            pieces.append(piece)
        stats = pieces[-1]
        assert isinstance(stats, TurnStats)
        audio = sound(pieces)
        call = written_call(pieces)
        tally.turns += 1
        judged = asked.judge(stats.reply, call)
        for name, good in judged.items():
            tally.right[name] += good
        if not judged["right"]:
            tally.wrong.append((asked.wording, stats.heard, call or stats.reply))
        if request.audio is not None:
            tally.asked_words += len(words(asked.wording))
            tally.misheard += errors(words(asked.wording), words(stats.heard))
        if listen:
            said, read = self.listen(tally, stats, audio)
            sentences = self.development.sentences
            tally.right_sentence += sentences[nearest(read, sentences)] == said
        else:
            tally.clock(stats)

    def listen(self, tally: Tally, stats: TurnStats, audio: Floats) -> tuple[list[str], list[str]]:
        """Have the judge read the speech of a turn; the words that were to be said, and those that were read."""
        assert self.judge is not None
        tally.clock(stats)
        tally.stops[str(stats.stop_reason)] += 1
        # A recogniser writes figures and signs.
        said, read = words(stats.reply), words(speakable(self.judge.read(audio)))
        tally.spoken += 1
        tally.spoken_words += len(said)
        tally.misspoken += errors(said, read)
        found = faults(audio, stats.reply)
        tally.faults.update(found)
        tally.clean_sound += not found
        return said, read

    def given(self, condition: str, limit: int | None) -> Tally:
        """Texts that are read aloud, in all voices in turn."""
        tally, voices = Tally(), self.engine.info.voices
        texts = self.development.results() if condition == "results" else self.development.reading()
        for number, sentence in enumerate(texts[:limit]):
            request = TurnRequest(say=sentence, voice=voices[number % len(voices)], seed=number)
            pieces = [*self.engine.run(request, lambda: False)]
            stats = pieces[-1]
            assert isinstance(stats, TurnStats)
            said, read = self.listen(tally, stats, sound(pieces))
            tally.turns += 1
            tally.right["right"] += said == read
            if said != read:
                tally.wrong.append((sentence, "", " ".join(read)))
        return tally

    def run(self, condition: str, dev: Path | None, limit: int | None) -> Tally:
        """All questions of a condition, or `limit` of them; spoken ones are in `dev`."""
        tally, rng = Tally(), np.random.default_rng(1)
        voices = self.engine.info.voices
        others = voices[1:] or voices
        for number, (asked, audio) in enumerate(self._questions(condition, dev, limit)):
            if audio is not None and condition in ("noise", "room"):
                audio = add_noise(audio, 10, rng) if condition == "noise" else add_room(audio, rng)
            request = TurnRequest(
                audio=audio,
                text=asked.wording if audio is None else None,
                history=tuple(Exchange(q, a) for q, a in asked.turns),
                voice=others[number % len(others)] if condition == "voices" else voices[0],
                seed=number,
            )
            self.turn(tally, asked, request, listen=condition in LISTENED)
        return tally

    def _questions(self, condition: str, dev: Path | None, limit: int | None) -> Iterable[tuple[Asked, Floats | None]]:
        if condition in SPOKEN:
            assert dev is not None
            return list(self.development.spoken(dev, condition == "calls"))[:limit]
        sources: dict[str, Callable[[], list[Asked]]] = {
            "typed": self.development.questions,
            "typed-calls": self.development.calls,
            "follow-ups": self.development.follow_ups,
            "out-of-domain": self.development.out_of_domain,
        }
        found = sources[condition]()
        step = max(1, len(found) // limit) if limit else 1
        return [(asked, None) for asked in found[::step][:limit]]


def written_call(pieces: Iterable[TurnPiece]) -> str | None:
    """What was written between call markers, if anything was."""
    return next((piece.text for piece in pieces if isinstance(piece, ToolCallPiece)), None)


def table(report: dict[str, dict[str, Any]]) -> str:
    """The figures as a table for the model card."""
    rows = ["| condition | " + " | ".join(_COLUMNS).replace("_", " ") + " |", "| --- " * (len(_COLUMNS) + 1) + "|"]
    for condition, figures in report.items():
        cells = [figures.get(name) for name in _COLUMNS]
        shown = ["" if c is None else f"{c:.1%}" if isinstance(c, float) else str(c) for c in cells]
        rows.append(f"| {condition} | " + " | ".join(shown) + " |")
    return "\n".join(rows)


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training evaluate`."""
    parser = argparse.ArgumentParser(prog="app.training evaluate", description=__doc__)
    parser.add_argument("--model", type=Path, default=starter_model())
    parser.add_argument("--work", type=Path, help="holds `dev` (spoken questions) and `whisper` (the judge)")
    parser.add_argument("--out", type=Path, default=None, help="JSON file for the figures")
    parser.add_argument("--limit", type=int, default=None, help="questions of each condition")
    parser.add_argument("--conditions", default=",".join(CONDITIONS))
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args(argv)
    conditions = args.conditions.split(",")
    if unknown := set(conditions) - {*CONDITIONS}:
        parser.error(f"no such conditions: {', '.join(sorted(unknown))}; there are {', '.join(CONDITIONS)}")
    if args.work is None:
        conditions = [condition for condition in conditions if condition in TYPED]
        print("without --work there are no spoken questions: only typed ones are asked", flush=True)
    judge = Judge(args.work / "whisper", args.threads) if {*conditions} & {*LISTENED} else None
    run = Evaluation(OmniEngine.load(args.model, threads=args.threads), Development(args.model), judge)
    report: dict[str, dict[str, Any]] = {}
    for condition in conditions:
        if condition == SPEAKERS:
            report[condition] = held(run.engine, args.work)
            print(condition, json.dumps(report[condition]), flush=True)
            continue
        if condition in GIVEN:
            tally = run.given(condition, args.limit)
        else:
            tally = run.run(condition, args.work and args.work / "dev", args.limit)
        report[condition] = tally.row()
        print(condition, json.dumps(report[condition]), flush=True)
        report[condition]["wrong"] = tally.wrong[:40]
    print(table(report))
    if args.out:
        args.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
