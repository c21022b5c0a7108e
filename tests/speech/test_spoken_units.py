"""Texts put together from recorded words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from app.speech.errors import DamagedModelError
from app.speech.spoken_units import CODES, LIST, NO_CUT, SpokenUnits, Stretch, Word, plain_words, split_words

#: Sentences, the frames at which their words begin, and where they lie among the codes.
SENTENCES = [
    ("It is ten past four.", [0, 2, 4, 6, 9, 12], 0),
    ("Four apples, ten pears.", [0, 3, 8, 11, 15], 12),
    ("The pasta timer rings in ten minutes.", [0, 2, NO_CUT, 9, 12, 14, 17, 21], 27),
]
FRAMES = 48


@pytest.fixture
def units() -> SpokenUnits:
    return SpokenUnits(torch.arange(FRAMES).expand(8, -1), SENTENCES)


def frames(stretch: Stretch) -> list[int]:
    assert stretch.codes is not None and stretch.codes.shape[0] == 8
    return stretch.codes[0].tolist()


def test_words_and_marks() -> None:
    assert split_words("It's ten, or so\u2026 isn\u2019t it? Well-known (here)") == [
        Word("it's", ""), Word("ten", ","), Word("or", ""), Word("so", ""), Word("isn't", ""), Word("it", "."),
        Word("well", ""), Word("known", ""), Word("here", "."),
    ]  # fmt: skip
    assert plain_words("") == [] == plain_words("12 ...")


def test_a_recorded_sentence_is_taken_as_a_whole(units: SpokenUnits) -> None:
    (stretch,) = units.cover("It is ten past four.")
    assert stretch.text == "It is ten past four."
    assert frames(stretch) == [*range(12)]


def test_as_few_stretches_as_can_be(units: SpokenUnits) -> None:
    found = units.cover("The pasta rings in ten past four.")
    assert [one.text for one in found] == ["The ", "pasta ", "rings in ", "ten past four."]


def test_words_between_which_nobody_knows_the_end_stay_together(units: SpokenUnits) -> None:
    assert frames(units.cover("Pasta timer")[0]) == [*range(29, 36)]
    assert [one.codes for one in units.cover("timer")] == [None]
    assert [one.codes for one in units.cover("pasta")] == [None]


def test_the_place_in_the_sentence_counts(units: SpokenUnits) -> None:
    # One "four" ends a sentence, the other begins one.
    assert frames(units.cover("Four.")[0]) in ([9, 10, 11], [12, 13, 14])
    assert frames(units.cover("Pears, ten, four.")[-1]) == [9, 10, 11]
    assert frames(units.cover("Four pears.")[0]) == [12, 13, 14]


def test_words_that_were_never_recorded_stay_together(units: SpokenUnits) -> None:
    found = units.cover("It is quarter past noon, four apples.")
    assert [(one.text, one.codes is None) for one in found] == [
        ("It is ", False), ("quarter ", True), ("past ", False), ("noon, ", True), ("four apples.", False),
    ]  # fmt: skip
    assert units.cover("?!") == []


def test_files(tmp_path: Path) -> None:
    save_file({"codes": torch.arange(FRAMES).expand(8, -1).to(torch.int16).contiguous()}, tmp_path / CODES)
    rows = [{"text": text, "cuts": cuts, "first": first} for text, cuts, first in SENTENCES]
    (tmp_path / LIST).write_text(json.dumps({"sentences": rows}))
    (stretch,) = SpokenUnits.load(tmp_path).cover("ten past four")
    assert frames(stretch) == [*range(4, 12)] and stretch.codes is not None and stretch.codes.dtype == torch.int64
    for wrong in ({"cuts": [0]}, {"first": 40}, {"first": "x"}, {"cuts": None}):
        (tmp_path / LIST).write_text(json.dumps({"sentences": [rows[0] | wrong]}))
        with pytest.raises(DamagedModelError, match=LIST):
            SpokenUnits.load(tmp_path)
