"""The verb `replay`: what it writes, and what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app import paths
from app.ask import Model
from app.omni.turn import FRAME_SAMPLES, INPUT_RATE, OUTPUT_RATE
from app.replay.files import Job, replay
from tests.replay.counting import FACTORY, FRAME_S, tone
from tests.support.command import run_here

ROOT = Path(__file__).parents[2]

Capture = pytest.CaptureFixture[str]
needs_starter = pytest.mark.skipif(
    not (paths.starter_model() / "config.json").is_file(), reason="the starter model is not in this checkout"
)


def test_files_of_a_replay(recording: Path, capsys: Capture) -> None:
    out, events = recording.with_name("both.wav"), recording.with_name("events.json")
    replay(Job(recording, out, events, "300,30", seed=3), Model(recording.parent, 1, FACTORY))
    both, rate = soundfile.read(out, dtype="float32")
    report = json.loads(events.read_text(encoding="utf-8"))
    assert rate == OUTPUT_RATE and both.ndim == 2 and both.shape[1] == 2
    assert len(both) / rate == pytest.approx(report["seconds"], abs=1e-3)
    (turn,) = report["turns"]
    assert turn["question"] == "spoken words" and turn["seed"] == 3
    at = round(turn["first_sample"] * rate)
    np.testing.assert_allclose(both[at : at + FRAME_SAMPLES, 1], tone(0), atol=1e-3)
    assert report["summary"]["first_sample_ms_median"] == turn["latencies"]["first_sample_ms"]
    times = [event["t"] for event in report["events"]]
    assert times == sorted(times)
    assert all(event["frame"] == int(event["t"] / FRAME_S + 1e-3) for event in report["events"])
    assert capsys.readouterr().out.startswith("turn 1 (complete, after ")


def test_the_same_seed_gives_the_same_files(recording: Path) -> None:
    made = []
    for number in range(2):
        out, events = recording.with_name(f"{number}.wav"), recording.with_name(f"{number}.json")
        replay(Job(recording, out, events, "300,30", seed=3), Model(recording.parent, 1, FACTORY))
        made.append((out.read_bytes(), events.read_bytes()))
    assert made[0] == made[1]


def test_without_a_tail_the_file_is_as_long_as_the_recording(recording: Path, capsys: Capture) -> None:
    out = recording.with_name("both.wav")
    replay(Job(recording, out, tail_s=0.0), Model(recording.parent, 1, FACTORY))
    assert soundfile.info(out).duration == pytest.approx(soundfile.info(recording).duration, abs=1e-4)
    assert json.loads(capsys.readouterr().out)["version"] == 1


def test_bad_input_exits_2_with_one_sentence(tmp_path: Path, capsys: Capture) -> None:
    good = tmp_path / "good.wav"
    soundfile.write(good, np.random.default_rng(0).uniform(-0.5, 0.5, INPUT_RATE), INPUT_RATE)
    letter = tmp_path / "letter.wav"
    letter.write_text("Dear Sir or Madam")
    cases: dict[str, list[str | Path]] = {
        "nothing": [],
        "missing file": [tmp_path / "nowhere.wav"],
        "a folder": [tmp_path],
        "not audio": [letter],
        "no computing time": [good, "--compute", "fast"],
        "negative seed": [good, "--seed", "-1"],
        "long tail": [good, "--tail", "1000"],
        "no tail": [good, "--tail", "nan"],
        "output is a folder": [good, "--out", tmp_path],
        "no folder for the events": [good, "--json", tmp_path / "no" / "e.json"],
        "missing model": [good, "--model", tmp_path / "nowhere"],
    }
    for case, arguments in cases.items():
        code, out, errors = run_here(capsys, "replay", *arguments)
        assert (code, out) == (2, ""), case
        assert errors.endswith(".\n") and errors.count("\n") == 1, (case, errors)
    assert not (tmp_path / "no").exists()


def test_a_recording_may_be_longer_than_a_question(tmp_path: Path) -> None:
    long = tmp_path / "long.wav"
    soundfile.write(long, np.random.default_rng(0).uniform(-0.01, 0.01, 61 * INPUT_RATE), INPUT_RATE)
    events = tmp_path / "e.json"
    replay(Job(long, None, events, "instant"), Model(tmp_path, 1, FACTORY))
    report = json.loads(events.read_text())
    assert report["seconds"] == pytest.approx(61.0) and report["turns"] == []


@needs_starter
@pytest.mark.slow
def test_the_real_command_with_the_starter(recording: Path) -> None:
    out, events = recording.with_name("both.wav"), recording.with_name("events.json")
    command: list[str | Path] = [sys.executable, "-m", "app", "replay", recording, "--out", out, "--json", events]
    done = subprocess.run(
        [*command, "--seed", "1", "--threads", "1"], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    (turn,) = json.loads(events.read_text(encoding="utf-8"))["turns"]
    assert turn["question"] and turn["reply"] and turn["latencies"]["model_ms"] > 0
    both, _ = soundfile.read(out)
    assert np.abs(both[:, 1]).max() > 0.05
