"""The verb `bench`: speed and memory of the starter, and of the full-size network with random weights.

Each row is measured in a process of its own, so that threads and memory are those of that case alone.
"""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

from app.ask import AskError, Model
from app.engine.factory import OMNI_ENGINE, failure_sentence, set_thread_environment
from app.engine.spawning import ignore_interrupts, interrupts_held_back
from app.omni.turn import FRAMES_PER_SECOND, INPUT_RATE, OUTPUT_RATE, AudioPiece, TurnRequest

STARTER = "starter"
FULL_SIZE = "full size, network"
FULL_SIZE_MIMI = "full size with Mimi"
THREADS = (1, 2)

_FRAME_MS = 1000 / FRAMES_PER_SECOND
_SPOKEN_TURNS = 3
_TYPED_QUESTION = "What can you do?"
_QUESTION_S = 3
_PROMPT_LENGTH = 100
_WARM_STEPS = 5
_STEPS = 60
# Text runs one step ahead and each codebook one step behind the one before: a whole frame needs so many
# steps.
_STEPS_TO_FIRST_FRAME = 9


@dataclass(frozen=True)
class Case:
    """What one process measures. `folder` is the starter's."""

    subject: str
    threads: int
    folder: str
    factory: str = OMNI_ENGINE


@dataclass(frozen=True)
class Figures:
    """One row. A step makes one frame, 80 ms of speech; `rtf` = mean step / 80 ms; `memory_mb` = resident, in
    MiB.

    `first_audio_ms`: from the end of a spoken question (starter) or of a prompt of 100 positions (full size,
    without its audio encoder) to the first frame.
    """

    step_ms_median: float
    step_ms_p95: float
    rtf: float
    first_audio_ms: float
    memory_mb: float


def bench(folder: Path, *, as_json: bool) -> bool:
    """Measure every case and print a table or JSON; a case that cannot be measured says why in its row.

    Returns whether all could be measured.
    """
    subjects = [STARTER, FULL_SIZE]
    if importlib.util.find_spec("moshi") is not None:
        subjects.append(FULL_SIZE_MIMI)
    rows: list[dict[str, Any]] = []
    if not as_json:
        print(_line("model", "threads", "step ms", "p95 ms", "RTF", "first audio ms", "memory MB"))
    for subject in subjects:
        for threads in THREADS:
            result = measure(Case(subject, threads, str(folder)))
            figures = asdict(result) if isinstance(result, Figures) else {"error": result}
            rows.append({"model": subject, "threads": threads, **figures})
            if not as_json:
                print(_row(subject, threads, result), flush=True)
    if as_json:
        print(json.dumps({"cores": psutil.cpu_count(), "rows": rows}, ensure_ascii=False))
    return not any("error" in row for row in rows)


def full_size(*, as_json: bool) -> str | None:
    """Measure the full-size network beside a plain implementation and print the figures, each stage's name to stderr.

    A sentence where that is impossible.
    """
    result = _apart(_full_size_child, ())
    if isinstance(result, str):
        return result
    result["resident_mb"] = _apart(_resident_child, (result["weights"],))
    if as_json:
        print(json.dumps({"full_size": result}, ensure_ascii=False))
    else:
        for name, value in result.items():
            print(f"{name:<28} {value}")
    return None


def measure(case: Case) -> Figures | str:
    """Measure one case in a fresh process; a sentence instead of figures when that is impossible."""
    result: Figures | str = _apart(_child, (case,))
    return result


def _apart(target: Callable[..., None], arguments: tuple[object, ...]) -> Any:
    """What `target`, called with a connection and the arguments in a fresh process, sends; a sentence if nothing."""
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe(duplex=False)
    process = context.Process(target=target, args=(theirs, *arguments), name="banter-bench", daemon=True)
    with interrupts_held_back():
        process.start()
    theirs.close()
    try:
        result: Any = mine.recv()
    except EOFError:
        result = "The measurement stopped unexpectedly; there may be too little memory."
    finally:
        mine.close()
    process.join()
    return result


def _child(connection: Connection, case: Case) -> None:
    ignore_interrupts()
    result: Figures | str
    try:
        if case.subject == STARTER:
            result = _measure_engine(case)
        else:
            result = _measure_full_size(case.threads, with_mimi=case.subject == FULL_SIZE_MIMI)
    except AskError as error:
        result = str(error)
    except Exception as error:
        result = failure_sentence(error, "measuring")
    connection.send(result)


def _full_size_child(connection: Connection) -> None:
    ignore_interrupts()
    result: dict[str, Any] | str
    try:
        from app import full_size

        result = full_size.measure(lambda stage: print(f"… {stage}", file=sys.stderr, flush=True))
    except Exception as error:
        result = failure_sentence(error, "measuring")
    connection.send(result)


def _resident_child(connection: Connection, form: Any) -> None:
    ignore_interrupts()
    from app import full_size

    connection.send(full_size.resident(form))


def _measure_engine(case: Case) -> Figures:
    """A typed question, then its own spoken answer as a spoken question, a few times."""
    engine = Model(Path(case.folder), case.threads, case.factory).engine()

    def turn(request: TurnRequest) -> tuple[list[float], list[NDArray[np.float32]]]:
        """Milliseconds from the start to each frame, and the frames."""
        started = time.perf_counter()
        arrivals, frames = [], []
        for piece in engine.run(request, lambda: False):
            if isinstance(piece, AudioPiece):
                arrivals.append((time.perf_counter() - started) * 1000)
                frames.append(piece.samples)
        if len(frames) < 2:
            raise ValueError("the model said nothing")
        return arrivals, frames

    import soxr

    _, frames = turn(TurnRequest(text=_TYPED_QUESTION, seed=0))
    question = np.concatenate(frames)[: _QUESTION_S * OUTPUT_RATE]
    spoken = np.clip(soxr.resample(question, OUTPUT_RATE, INPUT_RATE), -1, 1).astype(np.float32)
    steps: list[float] = []
    first: list[float] = []
    for seed in range(_SPOKEN_TURNS):
        arrivals, _ = turn(TurnRequest(audio=spoken, seed=seed))
        first.append(arrivals[0])
        steps += np.diff(arrivals).tolist()
    return _figures(steps, statistics.median(first))


def _measure_full_size(threads: int, *, with_mimi: bool) -> Figures:
    """The dense MiniMind-O network with random weights, stepped through one utterance."""
    set_thread_environment(threads)
    import torch

    from app.omni.config import CODEBOOKS, OmniConfig
    from app.omni.model import OmniModel
    from app.omni.prompt import build_prompt
    from app.omni.stepper import Stepper

    torch.set_num_threads(threads)
    generator = np.random.default_rng(0)
    config = OmniConfig()
    network = Stepper(OmniModel(config).eval())
    decode = None
    if with_mimi:
        from app.full_size import random_mimi
        from app.speech.mimi_frames import MimiDecoder, MimiFrames

        decode = MimiFrames(MimiDecoder(random_mimi())).step
    prompt = build_prompt(config, generator.integers(100, config.vocab_size, _PROMPT_LENGTH).tolist())

    def step() -> float:
        started = time.perf_counter()
        codes = generator.integers(0, config.code_count, CODEBOOKS)
        network.step(int(generator.integers(100, config.vocab_size)), codes, need_text=True, need_audio=True)
        if decode is not None:
            decode(torch.from_numpy(codes))
        return (time.perf_counter() - started) * 1000

    started = time.perf_counter()
    network.prefill(prompt, _PROMPT_LENGTH + _WARM_STEPS + _STEPS, lambda: False)
    prefill_ms = (time.perf_counter() - started) * 1000
    for _ in range(_WARM_STEPS):
        step()
    steps = [step() for _ in range(_STEPS)]
    return _figures(steps, prefill_ms + _STEPS_TO_FIRST_FRAME * statistics.median(steps))


def _figures(steps: list[float], first_audio_ms: float) -> Figures:
    return Figures(
        step_ms_median=round(statistics.median(steps), 2),
        step_ms_p95=round(float(np.percentile(steps, 95)), 2),
        rtf=round(statistics.fmean(steps) / _FRAME_MS, 3),
        first_audio_ms=round(first_audio_ms, 1),
        memory_mb=round(psutil.Process().memory_info().rss / 2**20, 1),
    )


def _row(subject: str, threads: int, result: Figures | str) -> str:
    if isinstance(result, str):
        return f"{subject:<20} {threads:>7}  {result}"
    return _line(
        subject,
        str(threads),
        f"{result.step_ms_median:.1f}",
        f"{result.step_ms_p95:.1f}",
        f"{result.rtf:.2f}",
        f"{result.first_audio_ms:.0f}",
        f"{result.memory_mb:.0f}",
    )


def _line(subject: str, *cells: str) -> str:
    widths = (7, 8, 7, 5, 14, 9)
    return f"{subject:<20} " + " ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
