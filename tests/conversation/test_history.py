"""What of a reply counts as heard, and what the model is told of it."""

from __future__ import annotations

import pytest

from app.conversation.history import CHARACTERS_PER_SECOND, History, Reply
from app.omni.turn import OUTPUT_RATE, Exchange

TEXT = "The capital of France is Paris."


@pytest.mark.parametrize(
    ("share", "heard"),
    [
        (0.0, ""),
        (0.05, ""),
        (0.13, "The"),
        (0.5, "The capital of"),
        (0.99, "The capital of France is"),
        (1.0, TEXT),
    ],
)
def test_share_of_a_complete_reply(share: float, heard: str) -> None:
    assert Reply(TEXT, 48_000, complete=True).heard(int(48_000 * share)) == heard


def test_incomplete_reply_is_not_taken_for_its_whole() -> None:
    # All generated speech has been played, but far more text is there than it can have spoken.
    reply = Reply(TEXT, OUTPUT_RATE // 2)
    heard = reply.heard(OUTPUT_RATE // 2)
    assert 0 < len(heard) <= CHARACTERS_PER_SECOND / 2


def test_text_without_spaces_is_cut_at_the_character() -> None:
    assert Reply("巴黎是法国的首都", 8_000, complete=True).heard(4_000) == "巴黎是法"


def test_no_words_no_exchange() -> None:
    history = History(keep=2)
    history.add("", "answer")
    history.add("question", " ")
    assert history.for_model() == ()
    for n in range(3):
        history.add(f" q{n}", f"a{n} ")
    assert history.for_model() == (Exchange("q1", "a1"), Exchange("q2", "a2"))
    history.clear()
    assert history.for_model() == ()
