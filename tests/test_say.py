"""The verb `say`: a text read aloud into a file or through a loudspeaker."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.ask import AskError, Model
from app.audiofile import AudioFileError
from app.omni.turn import FRAME_SAMPLES
from app.say import Words, say
from tests.support.command import run_here
from tests.support.virtual_audio import missing, read_wav, virtual_card

FACTORY = "tests.engine.scripted:ScriptedEngine.load"

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def model(tmp_path: Path) -> Model:
    folder = tmp_path / "model"
    folder.mkdir()
    return Model(folder, 1, FACTORY)


def test_words_are_written_and_told_of(model: Model, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "a.wav"
    say(Words("it is five", "bob", 7, out), model, as_json=False)
    assert capsys.readouterr() == ("", "")
    written, rate = soundfile.read(out, dtype="float32")
    assert rate == 24_000 and len(written) == 3 * FRAME_SAMPLES
    say(Words("it is five", "bob", 7, out), model, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["reply"], told["voice"], told["seed"], told["frames"]) == (" it is five", "bob", 7, 3)


def test_a_dash_reads_stdin(model: Model, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\ufeffcafé au lait\n".encode())))
    say(Words("-", out=tmp_path / "a.wav"), model, as_json=True)
    assert json.loads(capsys.readouterr().out)["reply"] == " café au lait"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"caf\xe9")))
    with pytest.raises(AskError, match="not UTF-8"):
        say(Words("-", out=tmp_path / "a.wav"), model, as_json=True)


@pytest.mark.parametrize("words", [Words(" \n"), Words("Hi", seed=-1), Words("Hi", seed=2**63)])
def test_bad_words_are_refused_before_the_model_is_loaded(words: Words) -> None:
    with pytest.raises(AskError, match=r"empty|out of range"):
        say(words, Model(Path("nowhere"), 1, FACTORY), as_json=False)
    with pytest.raises(AudioFileError, match="no folder"):
        say(Words("Hi", out=Path("/nowhere/a.wav")), Model(Path("nowhere"), 1, FACTORY), as_json=False)


def test_the_command(tmp_path: Path, capsys: Capture) -> None:
    code, out, errors = run_here(capsys, "say", "Hello", "--model", tmp_path / "nowhere", "--out", tmp_path / "a.wav")
    assert (code, out) == (2, "") and "no model folder" in errors and errors.count("\n") == 1
    assert run_here(capsys, "say")[0] == 2


@pytest.mark.live
@pytest.mark.skipif(missing() != "", reason=missing())
def test_it_is_heard(tmp_path: Path) -> None:
    """Through a virtual loudspeaker, and returns when the last of it has been heard."""
    code = f"""
import time
from pathlib import Path
from app.ask import Model
from app.say import Words, say
started = time.monotonic()
say(Words("word " * 20), Model(Path({str(tmp_path)!r}), 1, {FACTORY!r}), as_json=False)
print(time.monotonic() - started)
"""
    with virtual_card() as card, card.recording(tmp_path / "heard.wav"):
        program = card.python(code)
        printed, _ = program.communicate(timeout=120)
        assert program.returncode == 0, printed
    assert float(printed.split()[-1]) > 20 * 0.08
    heard, rate = read_wav(tmp_path / "heard.wav")
    assert np.count_nonzero(np.abs(heard) > 0.05) > 0.9 * 20 * 0.08 * rate
