"""Measuring in processes of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app import bench
from app.bench import FULL_SIZE, STARTER, Case, Figures

FACTORY = "tests.engine.scripted:ScriptedEngine.load"


def test_figures_of_an_engine(tmp_path: Path) -> None:
    figures = bench.measure(Case(STARTER, 1, str(tmp_path), FACTORY))
    assert isinstance(figures, Figures), figures
    # The scripted engine sleeps 20 ms a frame.
    assert 19 <= figures.step_ms_median <= figures.step_ms_p95
    assert figures.rtf >= 19 / 80
    assert figures.first_audio_ms >= 19
    assert 10 < figures.memory_mb < 1_000


def test_missing_model_is_a_sentence(tmp_path: Path) -> None:
    result = bench.measure(Case(STARTER, 1, str(tmp_path / "nowhere"), FACTORY))
    assert result == f"There is no model folder {tmp_path / 'nowhere'}; check the name."


def test_process_that_dies_is_a_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "die"
    folder.mkdir()
    assert "stopped unexpectedly" in str(bench.measure(Case(STARTER, 1, str(folder), FACTORY)))


def test_table_and_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    figures = Figures(20.123, 30.0, 0.25, 100.0, 500.0)
    monkeypatch.setattr(bench, "measure", lambda case: figures if case.threads == 1 else "No luck.")
    assert not bench.bench(Path("model"), as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert " ".join(lines[0].split()) == "model threads step ms p95 ms RTF first audio ms memory MB"
    assert lines[1].split() == ["starter", "1", "20.1", "30.0", "0.25", "100", "500"]
    assert lines[2].endswith("No luck.")
    assert not bench.bench(Path("model"), as_json=True)
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert rows[0]["model"] == STARTER and rows[0]["rtf"] == 0.25
    assert rows[1] == {"model": STARTER, "threads": 2, "error": "No luck."}
    assert len(rows) == len(lines) - 1


@pytest.mark.slow
def test_full_size_network(tmp_path: Path) -> None:
    figures = bench.measure(Case(FULL_SIZE, 1, str(tmp_path)))
    assert isinstance(figures, Figures), figures
    assert 0 < figures.step_ms_median < figures.first_audio_ms
    # 113 million float32 weights.
    assert figures.memory_mb > 430


def test_full_size_prints_one_object(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    results: dict[object, object] = {
        bench._full_size_child: {"weights": "int8", "step_ms": 10.0},
        bench._resident_child: 170.5,
    }
    monkeypatch.setattr(bench, "_apart", lambda target, arguments: results[target])
    assert bench.full_size(as_json=True) is None
    found = json.loads(capsys.readouterr().out)
    assert found == {"full_size": {"weights": "int8", "step_ms": 10.0, "resident_mb": 170.5}}
    results[bench._full_size_child] = "Too little memory."
    assert bench.full_size(as_json=True) == "Too little memory."


@pytest.mark.slow
def test_full_size_beside_the_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.full_size(as_json=True) is None
    found = json.loads(capsys.readouterr().out)["full_size"]
    assert found["step_ms"] < found["baseline_step_ms"]
    assert found["weights_mb"] <= 0.6 * found["baseline_weights_mb"]
    assert found["steps_to_first_frame"] <= 9
