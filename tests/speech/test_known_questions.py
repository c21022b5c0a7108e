"""Which known question a sentence stands for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from app.speech.errors import DamagedModelError
from app.speech.interfaces import KnownQuestion
from app.speech.known_questions import LIST, WEIGHTS, KnownQuestions
from app.speech.weights import save_weights
from tests.support.sentences import random_encoder

WEATHER, JOKE, AGAIN, UNHEARD, DOUBTFUL = (
    KnownQuestion("how is the weather"),
    KnownQuestion("tell me a joke"),
    KnownQuestion("another one", (("tell me a joke", "Why did the chicken cross the road?"),)),
    KnownQuestion("um"),
    KnownQuestion("explain everything"),
)
QUESTIONS = [WEATHER, JOKE, AGAIN, UNHEARD, DOUBTFUL]
#: Two classes stand for the weather, one for each of the others but for silence.
CLASSES = [0, 0, 1, 2, 4]
AFTER = [[], [], [], ["Why did the chicken cross the road?", "Knock knock, {name}."], []]


def _listing(**changes: Any) -> dict[str, Any]:
    return {
        "questions": [one._asdict() for one in QUESTIONS],
        "classes": CLASSES,
        "after": AFTER,
        "unheard": 3,
        "doubtful": 4,
        "certainty": 0.3,
        "follow_up": 3.0,
    } | changes


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_weights({"weight": torch.eye(5), "bias": torch.zeros(5)}, tmp_path / WEIGHTS)
    (tmp_path / LIST).write_text(json.dumps(_listing()), encoding="utf-8")
    return tmp_path


def _towards(*classes: int) -> torch.Tensor:
    vector = torch.zeros(5)
    vector[list(classes)] = 1.0
    return torch.nn.functional.normalize(vector, dim=0)


def _after(answer: str) -> list[tuple[str, str]]:
    return [("What?", answer)]


def test_every_class_stands_for_its_question(folder: Path) -> None:
    known = KnownQuestions.load(folder, random_encoder())
    assert known.choose("is it raining", _towards(0), ()) == WEATHER
    assert known.choose("will it snow", _towards(1), _after("Good morning.")) == WEATHER
    assert known.choose("make me laugh", _towards(2), ()) == JOKE


def test_a_follow_up_is_meant_only_after_its_answer(folder: Path) -> None:
    known = KnownQuestions.load(folder, random_encoder())
    nearly = torch.nn.functional.normalize(torch.tensor([0.0, 0.0, 1.0, 0.95, 0.0]), dim=0)
    assert known.choose("one more", nearly, ()) == JOKE
    assert known.choose("one more", nearly, _after("Something else.")) == JOKE
    assert known.choose("one more", nearly, _after("why did the  chicken cross the road?")) == AGAIN
    # It was interrupted.
    assert known.choose("one more", nearly, _after("Why did the chicken")) == AGAIN
    assert known.choose("one more", nearly, _after("Why")) == JOKE
    assert known.choose("one more", nearly, _after("Knock knock, old friend.")) == AGAIN
    assert known.choose("one more", nearly, _after("Knock knock.")) == JOKE


def test_a_question_without_a_wording_stays_as_it_is(folder: Path) -> None:
    questions = [KnownQuestion("")._asdict(), *(one._asdict() for one in QUESTIONS[1:])]
    (folder / LIST).write_text(json.dumps(_listing(questions=questions)), encoding="utf-8")
    assert KnownQuestions.load(folder, random_encoder()).choose("is it raining", _towards(0), ()) is None


def test_silence_and_doubt_have_questions_of_their_own(folder: Path) -> None:
    known = KnownQuestions.load(folder, random_encoder())
    assert known.choose(" … ", _towards(1), ()) == UNHEARD
    assert known.choose("blah", torch.zeros(5), ()) == DOUBTFUL


@pytest.mark.parametrize(
    "changes",
    [
        {"calls": {"0": {"tool": "fly"}}},
        {"calls": {"0": {}}},
        {"classes": [0]},
        {"classes": [0, 0, 1, 2, 9]},
        {"after": []},
        {"questions": "none"},
        {"certainty": "high"},
    ],
)
def test_a_list_that_does_not_fit_is_refused(folder: Path, changes: dict[str, Any]) -> None:
    (folder / LIST).write_text(json.dumps(_listing(**changes)), encoding="utf-8")
    with pytest.raises(DamagedModelError, match=LIST):
        KnownQuestions.load(folder, random_encoder())


def test_missing_weights_are_named(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    with pytest.raises(DamagedModelError, match=WEIGHTS):
        KnownQuestions.load(folder, random_encoder())
