"""The verb `bench duplex`: its conversations and their scores."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from app import cli
from app.ask import Model
from app.omni.turn import INPUT_RATE
from app.replay import bench, speech
from app.replay.model import Compute
from app.replay.scenarios import BACKCHANNEL, PAUSE, SMOOTH, TASKS, Scenario, scenarios
from app.replay.scores import Score, outcome, scores
from app.replay.speech import Synthesiser, SynthesisError
from app.replay.user import Line, Script
from tests.replay.counting import FACTORY, Counting, run

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="session")
def some(voice: Synthesiser) -> dict[str, Scenario]:
    """The last scenario of each task."""
    return {scenario.task: scenario for scenario in scenarios(voice)}


def test_every_task_has_scenarios(voice: Synthesiser) -> None:
    every = list(scenarios(voice))
    assert {scenario.task for scenario in every} == set(TASKS)
    assert len({scenario.name for scenario in every}) == len(every)


def test_end_of_turn_is_scored_against_the_script(voice: Synthesiser, some: dict[str, Scenario]) -> None:
    scenario = some[SMOOTH]
    assert scenario.question is not None and scenario.question.last is not None
    performance = run(scenario.script, Counting(frames=30))
    found = outcome(scenario, performance)
    (turn,) = performance.record.turns.values()
    assert turn.first_sound is not None
    expected = (turn.first_sound - scenario.question.last / INPUT_RATE) * 1000
    assert found["taken"] and not found["early"]
    assert found["latency_ms"] == pytest.approx(expected, abs=0.1)
    short = run(Script([Line(scenario.question.samples, 0.6)]), Counting(frames=5))
    assert not outcome(scenario, short)["taken"]


def test_a_turn_taken_in_a_long_pause_is_found(some: dict[str, Scenario]) -> None:
    scenario = some[PAUSE]
    found = outcome(scenario, run(scenario.script, Counting(frames=60), Compute(False)))
    # Two seconds of pause, of which the machine waits for 0.64 s.
    assert found["cut_in"] and found["taken"] and not found["whole"]
    assert found["spoken_s"] is not None and 1.0 <= found["spoken_s"] < 2.2


def test_a_long_sign_of_listening_interrupts_and_is_counted(some: dict[str, Scenario]) -> None:
    scenario = some[BACKCHANNEL]
    performance = run(scenario.script, Counting(frames=60))
    found = outcome(scenario, performance)
    stopped = next(iter(performance.record.turns.values())).interrupted
    assert found["interrupted"] is stopped and found["went_on"] is (not stopped)
    assert found["false_turns"] == len([t for t in performance.record.turns.values() if not t.discarded]) - 1


def test_scores_of_known_findings() -> None:
    table = scores(
        [
            (SMOOTH, {"taken": True, "early": False, "endpoint_ms": 600.0, "latency_ms": 400.0}),
            (SMOOTH, {"taken": False, "early": True, "endpoint_ms": None, "latency_ms": None}),
            (PAUSE, {"taken": False, "cut_in": True, "whole": False}),
            (BACKCHANNEL, {"went_on": True, "false_turns": 2.0}),
            (BACKCHANNEL, {"went_on": True, "false_turns": 1.0}),
        ]
    )
    found = {(score.task, score.what): score for score in table}
    taken = found[SMOOTH, "took the turn (rate)"]
    assert (taken.value, taken.trials, taken.met) == (0.5, 2, False)
    latency = found[SMOOTH, "end of speech → first sound, median"]
    assert (latency.value, latency.trials, latency.met) == (400.0, 1, True)
    assert found[PAUSE, "took the turn in the pause (rate)"].met is True
    assert found[PAUSE, "said anything in the pause (rate)"].met is None
    assert found[BACKCHANNEL, "false turns"].value == 3.0
    untried = found["interruption", "interruption → silence, median"]
    assert (untried.value, untried.trials, untried.met) == (None, 0, None)


def test_a_target_may_be_just_reached() -> None:
    assert Score("", "", 1, 0.9, least=0.9).met and Score("", "", 1, 0.0, most=0.0).met
    assert Score("", "", 1, 0.91, most=0.9).met is False


def test_table_and_files_of_the_bench(
    tmp_path: Path, some: dict[str, Scenario], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    few = [some[SMOOTH], some[PAUSE]]
    monkeypatch.setattr(bench, "scenarios", lambda synthesiser: iter(few))
    model = Model(tmp_path, 1, FACTORY)
    out = tmp_path / "bench"
    bench.bench(model, "300,30", None, out, as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["task", "trials", "value", "target"]
    row = next(line for line in lines if "first sound, median" in line and line.startswith(SMOOTH))
    assert row.split()[-1] in ("met", "missed")
    report = json.loads((out / "scores.json").read_text(encoding="utf-8"))
    assert [trial["task"] for trial in report["trials"]] == [SMOOTH, PAUSE]
    assert report["seed"] == 0 and report["compute"] == "300,30"
    assert len(list(out.glob("*.wav"))) == 2 and len(list(out.glob("*.json"))) == 3
    bench.bench(model, "300,30", None, None, as_json=True)
    assert json.loads(capsys.readouterr().out) == report


def test_without_a_synthesiser_the_bench_says_what_it_needs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    code = cli.main(["bench", "duplex", "--model", str(tmp_path)])
    out, errors = capsys.readouterr()
    assert (code, out) == (2, "")
    assert "espeak-ng or flite" in errors and errors.count("\n") == 1


def test_the_bench_of_speed_takes_no_options_of_the_other(capsys: Capture) -> None:
    assert cli.main(["bench", "--seed", "1"]) == 2
    assert capsys.readouterr().err == "--out, --compute and --seed belong to the bench of turn-taking: bench duplex.\n"


@pytest.mark.skipif(os.name == "nt", reason="a shell script takes the synthesiser's place")
def test_a_synthesiser_that_does_not_work_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "flite"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    synthesiser = speech.Synthesiser()
    assert synthesiser.program == "flite"
    with pytest.raises(SynthesisError, match="flite could not speak"):
        synthesiser.say("Hello")
