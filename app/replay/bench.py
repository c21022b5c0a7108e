"""The verb `bench duplex`: how the assistant takes turns with a synthesised user, on the virtual clock."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from app.ask import AskError, Model
from app.audio.echo import EchoError
from app.audiofile import write_text
from app.replay.files import as_json, dump, terms_of, write_sides
from app.replay.scenarios import Scenario, scenarios
from app.replay.scores import Outcome, Score, outcome, scores
from app.replay.speech import Synthesiser
from app.replay.stage import Terms, perform

# The replies are to be the same each time.
_SEED = 0


def bench(model: Model, compute: str, seed: int | None, out: Path | None, *, as_json: bool) -> None:
    """Perform every scenario; print a table, or the findings as JSON, and keep all of it in the folder `out`.

    Raises AskError, AudioFileError, SynthesisError.
    """
    terms = terms_of(compute, _SEED if seed is None else seed, "")
    synthesiser = Synthesiser()
    if out is not None:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise AskError(f"The folder {out} cannot be made ({error.strerror}); choose another place.") from error
    engine = model.engine()
    trials: list[dict[str, Any]] = []
    outcomes: list[tuple[str, Outcome]] = []
    for scenario in scenarios(synthesiser):
        if sys.stderr.isatty():
            print(scenario.name, file=sys.stderr, flush=True)
        try:
            found = _trial(scenario, model, terms, out)
        except EchoError as error:
            trials.append({"name": scenario.name, "task": scenario.task, "error": str(error)})
            continue
        trials.append({"name": scenario.name, "task": scenario.task, **found})
        outcomes.append((scenario.task, found))
    table = scores(outcomes)
    report = {
        "version": 1,
        "model": engine.info.name,
        "synthesiser": synthesiser.program,
        "compute": str(terms.compute),
        "seed": terms.seed,
        "scores": [asdict(score) | {"met": score.met} for score in table],
        "trials": trials,
    }
    text = json.dumps(report, ensure_ascii=False, indent=2)
    if out is not None:
        write_text(out / "scores.json", text + "\n")
    print(text if as_json else _table(table, trials))


def _trial(scenario: Scenario, model: Model, terms: Terms, out: Path | None) -> Outcome:
    terms = Terms(terms.compute, terms.seed, terms.voice, terms.tail_s, scenario.echo)
    performance = perform(scenario.script, model.engine(), terms)
    found = outcome(scenario, performance)
    if out is not None:
        name = re.sub(r"[^a-z0-9.-]+", "-", scenario.name.lower()).strip("-")
        write_sides(out / f"{name}.wav", performance)
        report = as_json(performance, terms, model.engine(), scenario.name)
        write_text(out / f"{name}.json", dump(report) + "\n")
    return found


def _table(table: list[Score], trials: list[dict[str, Any]]) -> str:
    lines = [f"{'task':<21} {'':<36} {'trials':>6} {'value':>9} {'target':>9}"]
    for score in table:
        value = "-" if score.value is None else f"{score.value:g} {score.unit}".strip()
        target = "" if score.most is None else f"≤ {score.most:g}"
        target = target if score.least is None else f"≥ {score.least:g}"
        verdict = {True: "met", False: "missed", None: ""}[score.met]
        lines.append(f"{score.task:<21} {score.what:<36} {score.trials:>6} {value:>9} {target:>9}  {verdict}".rstrip())
    lines += [f"{trial['name']}: not tried, {trial['error']}." for trial in trials if "error" in trial]
    return "\n".join(lines)
