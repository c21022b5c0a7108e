"""Texts put together from recorded words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from app.speech.errors import DamagedModelError
from app.speech.spoken_units import LIST, NO_CUT, SpokenUnits, Stretch, Word, packed, plain_words, split_words, unpacked

#: Sentences, the frames at which their words begin, and where they lie among the codes.
SENTENCES = [
    ("It is ten past four.", [0, 2, 4, 6, 9, 12]),
    ("Four apples, ten pears.", [0, 3, 8, 11, 15]),
    ("The pasta timer rings in ten minutes.", [0, 2, NO_CUT, 9, 12, 14, 17, 21]),
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


def test_a_word_that_was_recorded_alone_is_taken_before_one_that_was_cut_out() -> None:
    units = SpokenUnits(torch.arange(FRAMES + 4).expand(8, -1), [*SENTENCES, ("ten", [0, 4])])
    assert frames(units.cover("Ten")[0]) == [*range(FRAMES, FRAMES + 4)]
    assert frames(units.cover("ten past")[0]) == [*range(4, 9)]


def test_codes_take_ten_bits() -> None:
    codes = torch.randint(1024, (8, 100), generator=torch.Generator().manual_seed(0))
    low, high = packed(codes)
    assert (low.dtype, high.dtype) == (torch.uint8, torch.uint16)
    assert torch.equal(unpacked(low, high), codes)


def test_files(units: SpokenUnits, tmp_path: Path) -> None:
    units.save(tmp_path)
    again = SpokenUnits.load(tmp_path)
    for text in ("ten past four", "The pasta timer rings in ten past four, pears"):
        for one, other in zip(again.cover(text), units.cover(text), strict=True):
            assert one.text == other.text and one.codes is not None and other.codes is not None
            assert torch.equal(one.codes, other.codes)
    rows = json.loads((tmp_path / LIST).read_text())["sentences"]
    for wrong in (
        rows[1:],
        [["", [0]]],
        [[rows[0][0], [0]], *rows[1:]],
        [[rows[0][0], None]],
        None,
        [[rows[0][0], "x"]],
    ):
        (tmp_path / LIST).write_text(json.dumps({"sentences": wrong}))
        with pytest.raises(DamagedModelError, match=LIST):
            SpokenUnits.load(tmp_path)
