"""The switches of speech generation beside each other."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from app.compare import PROMPTS, VARIANTS, Variant, compare, sped_up, table
from app.omni.engine import OmniEngine
from app.paths import starter_model
from app.speech.starter_speaker import NoVoiceError

RATE = 24_000


@pytest.fixture(scope="module")
def engine() -> OmniEngine:
    return OmniEngine.load(starter_model(), threads=1)


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    """Somebody's speech at 24 kHz: what the model itself says of a text it never saw depends on the processor."""
    if shutil.which("espeak-ng") is None:
        pytest.skip("needs espeak-ng")
    file = tmp_path_factory.mktemp("clip") / "clip.wav"
    text = "This is what I sound like on an ordinary day, when I read some lines aloud."
    subprocess.run(["espeak-ng", "-v", "en-us", "-w", str(file), text], check=True)
    samples, rate = soundfile.read(file, dtype="float32")
    return np.asarray(soxr.resample(samples, rate, RATE), np.float32)


def test_speech_gets_faster_and_keeps_its_pitch() -> None:
    tone = np.sin(2 * np.pi * 200 * np.arange(3 * RATE) / RATE).astype(np.float32)
    faster = sped_up(tone)
    assert len(faster) == pytest.approx(len(tone) / 1.5, rel=0.1)
    crossings = np.count_nonzero(np.diff(np.signbit(faster))) / 2 / (len(faster) / RATE)
    assert crossings == pytest.approx(200, rel=0.1)


def test_switches_change_the_speech_and_are_put_back(engine: OmniEngine, clip: np.ndarray, tmp_path: Path) -> None:
    delivered = engine.generation
    variants = (VARIANTS[0], Variant("length", "6 frames", {"max_frames": 6}))
    rows = compare(
        engine,
        1,
        clip=clip,
        variants=variants,
        prompts=["Good morning to you."],
        out=tmp_path,
        recognise=lambda audio: "good",
    )
    assert engine.generation == delivered
    whole, cut, *clones = rows
    assert whole.reasons == {"eos": 1} and whole.unended == 0
    assert cut.reasons == {"max_frames": 1} and cut.unended == 1
    assert cut.length < whole.length
    assert 0.5 < whole.length < 2 and 0 < whole.silence < 0.9
    assert whole.word_errors == 0.75
    assert [row.name for row in clones] == ["as it is", "1.5 × as fast"]
    assert len(list(tmp_path.glob("*/0-0.wav"))) == 4
    lines = table(rows).splitlines()
    assert len(lines) == 5 and lines[2].startswith("length")


def test_same_seed_same_row(engine: OmniEngine, clip: np.ndarray) -> None:
    first, second = (compare(engine, 1, clip=clip, variants=VARIANTS[:1], prompts=["It is late."])[0] for _ in range(2))
    assert first == second


def test_a_model_that_has_no_voice_to_clone_is_compared_without(
    engine: OmniEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(self: OmniEngine, audio: np.ndarray) -> None:
        raise NoVoiceError("There is too little voice.")

    monkeypatch.setattr(OmniEngine, "make_voice", none)
    assert len(compare(engine, 1, variants=VARIANTS[:1], prompts=["It is late."])) == 1


def test_prompts_have_all_lengths() -> None:
    entries = json.loads(PROMPTS.read_text(encoding="utf-8"))
    assert {entry["length"] for entry in entries} == {"short", "medium", "long"}
