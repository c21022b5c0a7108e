"""The verb `replay`: the user's side of a conversation from a file, both sides and all events into files."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from app.ask import MAX_SEED, AskError, Model
from app.audio.playback import LATENCY_S
from app.audiofile import check_can_write, read_speech, write_text, write_wav
from app.conversation.timing import CHUNK_S
from app.engine.factory import Engine
from app.omni.turn import FRAMES_PER_SECOND, OUTPUT_RATE
from app.replay import again, bundle
from app.replay.microphone import DELAY_S
from app.replay.model import MEASURED, Compute
from app.replay.stage import Performance, Terms, perform
from app.replay.user import Recording

LONGEST_S = 1800.0
MOST_TAIL_S = 120.0


@dataclass(frozen=True)
class Job:
    """One replay: `out` gets both sides as a stereo WAV, `events` the events as JSON; None: not wanted.

    `compute` None: as measured, or in a reported turn as it was then.
    """

    user: Path
    out: Path | None = None
    events: Path | None = None
    compute: str | None = None
    seed: int | None = None
    voice: str = ""
    tail_s: float = 30.0


def replay(job: Job, model: Model) -> None:
    """Run the whole conversation and write the files; prints a line for each turn, or the JSON without `events`.

    Raises AskError, AudioFileError.
    """
    terms = terms_of(job.compute or MEASURED, job.seed, job.voice, job.tail_s)
    if job.user.suffix.lower() == ".zip":
        _replay_report(job, terms, model)
        return
    samples = read_speech(job.user, LONGEST_S)
    engine = _engine_for(job, model)
    performance = perform(Recording(samples), engine, terms)
    _tell(job, performance, as_json(performance, terms, engine, str(job.user)))


def _replay_report(job: Job, terms: Terms, model: Model) -> None:
    """The same for a reported turn; also tells what was different then."""
    told = bundle.read(job.user)
    engine = _engine_for(job, model)
    terms = again.terms_for(told, terms, engine)
    if job.compute is None:
        terms = replace(terms, compute=again.compute_of(told))
    performance, comparison = again.play_again(told, engine, terms)
    report = as_json(performance, terms, engine, str(job.user)) | {"compared": comparison.as_json()}
    _tell(job, performance, report)
    if job.events is None:
        return
    before = told.facts.get("model")
    name = before.get("name") if isinstance(before, dict) else None
    if name not in (None, engine.info.name):
        print(f"another model: {name} then, {engine.info.name} now")
    if told.turn.earlier:
        print("what was said before in that conversation is not in the report, so the answer may differ")
    for sentence in comparison.sentences():
        print(sentence)


def _engine_for(job: Job, model: Model) -> Engine:
    """The loaded engine, once it is certain that the files can be written. Raises AskError, AudioFileError."""
    for path in (job.out, job.events):
        if path is not None:
            check_can_write(path)
    engine = model.engine()
    check_voice(engine, job.voice)
    return engine


def _tell(job: Job, performance: Performance, report: dict[str, Any]) -> None:
    """Write the files, and print a line for each turn, or `report` where there is no file for it."""
    if job.out is not None:
        write_sides(job.out, performance)
    if job.events is None:
        print(dump(report))
        return
    write_text(job.events, dump(report) + "\n")
    for entry in performance.record.turns.values():
        print(_line(entry.as_json()))


def terms_of(compute: str, seed: int | None, voice: str, tail_s: float = 30.0) -> Terms:
    """The terms as a user gives them. Raises AskError for what cannot be."""
    if seed is not None and not 0 <= seed <= MAX_SEED:
        raise AskError(f"The seed {seed} is out of range; use a whole number from 0 to {MAX_SEED}.")
    if not 0.0 <= tail_s <= MOST_TAIL_S:
        raise AskError(f"A tail of {tail_s:g} seconds is out of range; use 0 to {MOST_TAIL_S:.0f}.")
    try:
        return Terms(Compute.parse(compute), seed, voice, tail_s)
    except ValueError:
        raise AskError(
            f"{compute!r} is no computing time; use measured, instant, or two numbers of milliseconds such as 250,25."
        ) from None


def check_voice(engine: Engine, voice: str) -> None:
    """Raises AskError where the model has no such voice."""
    known = engine.info.voices
    if voice and voice not in known:
        raise AskError(f"There is no voice '{voice}': choose one of {', '.join(known)}.")


def write_sides(path: Path, performance: Performance) -> None:
    """Both sides as a stereo WAV at 24 kHz: the user left, the assistant right. Raises AudioFileError."""
    write_wav(path, np.stack((performance.user, performance.assistant), axis=1), OUTPUT_RATE)


def as_json(performance: Performance, terms: Terms, engine: Engine, source: str) -> dict[str, Any]:
    """All there is to know about a performance. `summary` leaves out the turns that were discarded."""
    turns = [entry.as_json() for entry in performance.record.turns.values()]
    kept = [turn["latencies"] for turn in turns if not turn["discarded"]]
    return {
        "version": 1,
        "source": source,
        "seconds": round(performance.seconds, 4),
        "sample_rate": OUTPUT_RATE,
        "clock": {
            "chunk_s": CHUNK_S,
            "frame_s": 1 / FRAMES_PER_SECOND,
            "microphone_delay_s": DELAY_S,
            "speaker_delay_s": LATENCY_S,
        },
        "compute": str(terms.compute),
        "seed": terms.seed,
        "model": engine.info.name,
        "summary": {
            "turns": len(kept),
            "discarded": len(turns) - len(kept),
            "barge_ins": sum(turn["barge_in"] is not None for turn in turns),
            "underruns": performance.underruns,
            **{f"{name}_median": median(latency[name] for latency in kept) for name in (kept[0] if kept else ())},
        },
        "turns": turns,
        "events": performance.record.events(),
    }


def median(values: Any) -> float | None:
    """The median of those that are not None."""
    there = [value for value in values if value is not None]
    return round(statistics.median(there), 1) if there else None


def dump(report: dict[str, Any]) -> str:
    """JSON that can be read by people too: an event a line."""
    events = ",\n".join("    " + json.dumps(event, ensure_ascii=False) for event in report["events"])
    head = json.dumps({key: value for key, value in report.items() if key != "events"}, ensure_ascii=False, indent=2)
    return head.removesuffix("\n}") + ',\n  "events": [\n' + events + "\n  ]\n}"


def _line(turn: dict[str, Any]) -> str:
    ending = "discarded" if turn["discarded"] else "interrupted" if turn["interrupted"] else "complete"
    wait = turn["latencies"]["first_sound_ms"]
    waited = "no speech" if wait is None else f"after {wait:.0f} ms"
    return f"turn {turn['turn']} ({ending}, {waited}): {turn['question']!r} → {turn['heard'] or ''!r}"
