"""Words that no lexicon has."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from app.speech.pronunciation import SIGNS
from app.speech.spelling import BLANK, PER_LETTER, WEIGHTS, Spelling, _collapsed, spelt
from app.speech.weights import save_weights


@pytest.fixture
def spelling() -> Spelling:
    torch.manual_seed(0)
    return Spelling().eval().requires_grad_(False)


def test_signs_come_of_the_letters_alone(spelling: Spelling) -> None:
    words = ["a", "cat's", "extraordinary", "na1ïve"]
    together = spelling.guess(words)
    assert together == [spelling.guess([word])[0] for word in words]
    assert all(
        set(said) <= set(SIGNS) and len(said) <= PER_LETTER * len(word)
        for word, said in zip(words, together, strict=True)
    )
    assert spelling.guess([]) == []
    assert spelling(spelt(words)).shape == (4, PER_LETTER * len("extraordinary"), len(SIGNS) + 1)


def test_repeats_are_one_sign_unless_a_blank_is_between_them() -> None:
    k, a = SIGNS.index("k") + 1, SIGNS.index("æ") + 1
    assert _collapsed(torch.tensor([BLANK, k, k, BLANK, a, a, BLANK, a, BLANK])) == "kææ"


def test_it_is_kept_in_a_folder(spelling: Spelling, tmp_path: Path) -> None:
    save_weights(spelling.state_dict(), tmp_path / WEIGHTS, "float32")
    assert Spelling.load(tmp_path).guess(["banter"]) == spelling.guess(["banter"])
