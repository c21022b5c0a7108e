"""The `banter` command: exit codes, and one sentence for whatever is wrong with its input."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app import ask, bench, paths
from tests.support.command import run_here

ROOT = Path(__file__).parents[1]
WAIT_S = 240.0

Capture = pytest.CaptureFixture[str]
needs_starter = pytest.mark.skipif(
    not (paths.starter_model() / "config.json").is_file(), reason="the starter model is not in this checkout"
)


def banter(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command as a user does."""
    return subprocess.run(
        [sys.executable, "-m", "app", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=WAIT_S,
        check=False,
    )


def assert_one_sentence(errors: str) -> None:
    assert errors.endswith(".\n") and errors.count("\n") == 1, errors
    assert "Traceback" not in errors and "usage:" not in errors


def write_sound(path: Path, samples: np.ndarray) -> Path:
    soundfile.write(path, samples, 16_000)
    return path


@pytest.fixture
def bad_input(tmp_path: Path) -> dict[str, list[str | Path]]:
    """Arguments of `ask` that need no model to be refused."""
    noise = np.random.default_rng(0).uniform(-0.5, 0.5, 61 * 16_000)
    history = tmp_path / "history.json"
    history.write_text('{"q": "Hi"}')
    text = tmp_path / "letter.wav"
    text.write_text("Dear Sir or Madam")
    good = write_sound(tmp_path / "good.wav", noise[:16_000])
    return {
        "missing file": [tmp_path / "nowhere.wav"],
        "not audio": [text],
        "silent": [write_sound(tmp_path / "silent.wav", noise[:16_000] * 0)],
        "too short": [write_sound(tmp_path / "short.wav", noise[:3_000])],
        "too long": [write_sound(tmp_path / "long.wav", noise)],
        "neither": [],
        "both": [good, "--text", "Hello"],
        "empty text": ["--text", " "],
        "long text": ["--text", "x" * 501],
        "no picture": ["--text", "Hello", "--image", text],
        "missing picture": ["--image", tmp_path / "nowhere.png"],
        "batch and picture": ["--batch", history, "--image", text],
        "bad history": ["--text", "Hello", "--history", history],
        "missing history": ["--text", "Hello", "--history", tmp_path / "nowhere.json"],
        "unwritable output": [good, "--out", tmp_path / "no" / "a.wav"],
        "output is a folder": [good, "--out", tmp_path],
        "missing model": [good, "--model", tmp_path / "nowhere"],
        "bad seed": [good, "--seed", "x"],
        "negative seed": [good, "--seed", "-1"],
        "no threads": [good, "--threads", "0"],
        "unknown option": [good, "--loud"],
        "missing batch": ["--batch", tmp_path / "nowhere.jsonl"],
        "batch and text": ["--batch", history, "--text", "Hello"],
    }


CASES = [
    "missing file",
    "not audio",
    "silent",
    "too short",
    "too long",
    "neither",
    "both",
    "empty text",
    "long text",
    "no picture",
    "missing picture",
    "batch and picture",
    "bad history",
    "missing history",
    "unwritable output",
    "output is a folder",
    "missing model",
    "bad seed",
    "negative seed",
    "no threads",
    "unknown option",
    "missing batch",
    "batch and text",
]


def test_bad_input_exits_2_with_one_sentence(bad_input: dict[str, list[str | Path]], capsys: Capture) -> None:
    assert set(bad_input) == set(CASES)
    for case, arguments in bad_input.items():
        code, out, errors = run_here(capsys, "ask", *arguments)
        assert (code, out) == (2, ""), case
        assert_one_sentence(errors)


@pytest.mark.parametrize("case", ["missing file", "not audio", "bad history"])
def test_the_real_command_says_the_same(bad_input: dict[str, list[str | Path]], case: str) -> None:
    done = banter("ask", *bad_input[case])
    assert (done.returncode, done.stdout) == (2, "")
    assert_one_sentence(done.stderr)


def test_damaged_model(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{")
    done = banter("ask", "--text", "Hello", "--model", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert_one_sentence(done.stderr)
    assert str(tmp_path) in done.stderr


def test_unknown_verb(capsys: Capture) -> None:
    code, out, errors = run_here(capsys, "sing")
    assert (code, out) == (2, "")
    assert_one_sentence(errors)


def test_version_and_help(capsys: Capture) -> None:
    code, out, _ = run_here(capsys, "--version")
    assert code == 0 and out.startswith("banter ")
    code, out, _ = run_here(capsys, "ask", "--help")
    assert code == 0 and "--batch" in out


def test_batch_with_a_bad_line_exits_2(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask, "ask_batch", lambda source, model, default: (1, 3))
    code, _, errors = run_here(capsys, "ask", "--batch", tmp_path / "q.jsonl")
    assert code == 2 and errors == '1 of 3 lines failed; their "error" says why.\n'


def test_ctrl_c_is_quiet(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ask, "ask", interrupted)
    assert run_here(capsys, "ask", "--text", "Hello") == (130, "", "")


def test_bench_that_cannot_measure_exits_2(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "bench", lambda folder, as_json: False)
    code, _, errors = run_here(capsys, "bench")
    assert code == 2
    assert_one_sentence(errors)


def test_command_starts_without_torch_and_qt() -> None:
    check = "import sys, app.cli, app.ask; print(sorted({'torch', 'PySide6', 'av'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True, timeout=WAIT_S, check=True
    )
    assert done.stdout == "[]\n"


@needs_starter
def test_spoken_answer_asked_back(tmp_path: Path) -> None:
    out = tmp_path / "a.wav"
    typed = banter("ask", "--text", "What can you do?", "--json", "--seed", "3", "--out", out)
    assert typed.returncode == 0, typed.stderr
    answer = json.loads(typed.stdout)
    assert answer["reply"] and answer["seed"] == 3
    assert soundfile.info(out).duration == pytest.approx(answer["audio_seconds"], abs=0.01)
    spoken = banter("ask", out)
    assert spoken.returncode == 0, spoken.stderr
    assert spoken.stdout.strip() and spoken.stdout.strip() == spoken.stderr.strip()


@needs_starter
def test_batch_with_the_starter(tmp_path: Path) -> None:
    source = tmp_path / "q.jsonl"
    lines = [{"text": "Hello"}, {"text": "Hello", "voice": "nobody"}, {"text": "Hello", "seed": 1}]
    source.write_text("\n".join(map(json.dumps, lines)))
    done = banter("ask", "--batch", source)
    first, second, third = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 2
    assert first["reply"] and third["seed"] == 1
    assert "nobody" in second["error"]


@needs_starter
def test_unknown_voice() -> None:
    known = banter("voices").stdout.split()
    assert len(known) >= 6
    done = banter("ask", "--text", "Hello", "--voice", "nobody")
    assert (done.returncode, done.stdout) == (2, "")
    assert_one_sentence(done.stderr)
    assert all(voice in done.stderr for voice in known)


@needs_starter
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_while_answering(tmp_path: Path) -> None:
    source = tmp_path / "q.jsonl"
    source.write_text('{"text": "Hello"}\n' * 200)
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "ask", "--batch", source],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=WAIT_S)
    assert process.returncode == 130
    assert "Traceback" not in errors


@needs_starter
def test_six_voices() -> None:
    assert len(banter("voices").stdout.split()) >= 6
