"""Given texts, dealt out at the pace of speech."""

from __future__ import annotations

import pytest

from app.omni.generate import GenerationConfig
from app.omni.pace import Pace
from app.omni.sampler import SamplerError

PIECES = ["It", " is", " seventeen", " minutes", ",", " past", " one", "."]
PACE = Pace()


def _deal(pace: Pace = PACE, stretch: float = 1.0, late: float = 0.0) -> list[int]:
    return pace.deal(range(1, len(PIECES) + 1), lambda one: PIECES[one - 1], 0, stretch, late)


def test_all_pieces_come_in_order_with_padding_between_them() -> None:
    dealt = _deal()
    assert [one for one in dealt if one] == [*range(1, len(PIECES) + 1)]
    # The first ones at once, as the voice is to begin at once.
    assert dealt[:3] == [1, 2, 3]
    assert dealt[-1] == len(PIECES)


def test_a_long_word_gives_the_next_one_time() -> None:
    dealt = _deal()
    seventeen, minutes = dealt.index(3), dealt.index(4)
    assert minutes - seventeen > dealt.index(7) - dealt.index(6)


def test_slower_and_later_is_longer() -> None:
    assert len(_deal(stretch=1.3)) > len(_deal()) > len(_deal(stretch=0.8))
    assert len(_deal(late=3.0)) == len(_deal()) + 3


def test_a_piece_comes_before_it_is_heard() -> None:
    at = PACE.begin + sum(PACE.frames(piece) for piece in PIECES[:-1])
    assert len(_deal()) - 1 == round(at - PACE.ahead)


@pytest.mark.parametrize("values", [{"letter": -1}, {"letter": "1"}, {"ahead": 1.5}, {"loud": 1}, [], "fast"])
def test_what_is_no_pace_is_refused(values: object) -> None:
    with pytest.raises(SamplerError, match="pace"):
        GenerationConfig.from_dict({"pace": values})


def test_no_pace_is_the_default() -> None:
    assert GenerationConfig.from_dict({}).pace is None
    assert GenerationConfig.from_dict({"pace": None}).pace is None
    assert GenerationConfig.from_dict({"pace": {"letter": 1.0}}).pace == Pace(letter=1.0)
