"""How recordings are chosen and laid out, and the loss that hears words."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf
import torch
from numpy.typing import NDArray

from app.measure import pace
from app.speech.codec_parts import FRAME, LAG
from app.speech.starter_codec import StarterCodec
from app.training.choices import Choice, load_choices, prepare
from app.training.choose import SHIFTS, Chooser
from app.training.corpus import Intent, load_intents
from app.training.phonetic import PhoneticLoss
from app.training.synthesize import plan_answers

STARTER = Path(__file__).parents[2] / "models" / "starter"
needs_starter = pytest.mark.skipif(not (STARTER / "codec.safetensors").exists(), reason="no starter model")


def babble(seconds: float, seed: int = 0) -> NDArray[np.float32]:
    """A voiced sound whose pitch and loudness wander, at 24 kHz."""
    rng = np.random.default_rng(seed)
    time = np.arange(int(seconds * 24_000)) / 24_000
    pitch = 140 + 30 * np.sin(2 * np.pi * rng.uniform(1, 3) * time)
    phase = 2 * np.pi * np.cumsum(pitch) / 24_000
    voice = sum(np.sin(n * phase) / n for n in range(1, 20))
    loudness = 0.5 + 0.5 * np.sin(2 * np.pi * rng.uniform(3, 5) * time)
    return np.asarray(0.1 * voice * loudness, np.float32)


def test_a_recording_is_laid_out_in_whole_frames_with_room_for_the_lag() -> None:
    speech = babble(1.03)
    laid = prepare(speech, FRAME // 2)
    assert len(laid) % FRAME == 0
    assert not laid[: FRAME // 2].any()
    assert len(laid) - (FRAME // 2 + len(speech)) >= LAG
    quiet = prepare(speech * 0.05, FRAME // 2)
    assert np.allclose(quiet, laid, atol=1e-4)


def test_choices_are_read_back(tmp_path: Path) -> None:
    assert load_choices(tmp_path) == {}
    (tmp_path / "choices").mkdir()
    choice = Choice("abc", 960, 1, False)
    (tmp_path / "choices" / "smalltalk.hello.json").write_text(json.dumps(vars(choice)))
    assert load_choices(tmp_path) == {"smalltalk.hello": choice}


def test_pace_counts_the_sounding_part_alone() -> None:
    speech = np.concatenate((np.zeros(24_000, np.float32), babble(2), np.zeros(24_000, np.float32)))
    assert pace(speech, "one two three four") == pytest.approx(2, rel=0.1)


class ScriptedJudge:
    """Reads what it is told, in turn."""

    def __init__(self, *readings: str) -> None:
        self.readings, self.asked = list(readings), 0

    def read(self, audio: NDArray[np.float32]) -> str:
        self.asked += 1
        return self.readings.pop(0)


def recorded(folder: Path) -> Intent:
    """An intent with both recordings in `folder`, slow enough for its text."""
    intent = next(i for i in load_intents() if 4 <= len(i.spoken_answer.split()) <= 7)
    for utterance in plan_answers():
        if utterance.intent == intent.id:
            speech = np.concatenate((babble(1.8), np.zeros(4000, np.float32)))
            sf.write(folder / f"{utterance.name}.flac", speech, 24_000, subtype="PCM_16")
            (folder / f"{utterance.name}.json").write_text("{}")
    return intent


@needs_starter
def test_the_first_clear_recording_wins_and_the_rest_are_not_read(tmp_path: Path) -> None:
    intent = recorded(tmp_path)
    judge = ScriptedJudge("nothing of the kind", intent.spoken_answer)
    choice = Chooser(StarterCodec.load(STARTER), judge, tmp_path).choose(intent, None)  # type: ignore[arg-type]
    assert choice is not None and choice.errors == 0 and not choice.hasty
    assert (choice.shift, judge.asked) == (SHIFTS[1], 2)


@needs_starter
def test_without_a_clear_one_the_best_of_all_is_taken_once_all_are_there(tmp_path: Path) -> None:
    intent = recorded(tmp_path)
    almost = " ".join(intent.spoken_answer.split()[1:])
    codec = StarterCodec.load(STARTER)
    choice = Chooser(codec, ScriptedJudge("", "", almost, ""), tmp_path).choose(intent, None)  # type: ignore[arg-type]
    assert choice is not None and 0 < choice.errors < len(intent.spoken_answer.split())
    last = [u.name for u in plan_answers() if u.intent == intent.id][-1]
    assert choice.file == last
    (tmp_path / f"{last}.json").unlink()
    assert Chooser(codec, ScriptedJudge("", ""), tmp_path).choose(intent, None) is None  # type: ignore[arg-type]


@needs_starter
def test_phonetic_loss_hears_what_the_ears_hear() -> None:
    loss = PhoneticLoss(STARTER)
    speech = torch.from_numpy(babble(2))[None]
    assert loss(speech, speech).item() == 0
    other = torch.from_numpy(babble(2, seed=1))[None]
    faint = (0.8 * speech).requires_grad_()
    near = loss(faint, speech)
    assert near < 0.5 * loss(other, speech)
    near.backward()
    assert faint.grad is not None and faint.grad.abs().sum() > 0
