"""Words that take a pass of their own are read while the answer is made, and never hold it up."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from app.omni.hearing import Hearing
from app.omni.turn import Heard, TextPiece, TurnPiece, TurnRequest
from app.speech.interfaces import Encoded, GivenUpError, Transcript
from tests.omni.tiny import LevelEncoder

QUESTION = TurnRequest(audio=np.zeros(9_600, np.float32))
FIRST, SECOND, THIRD = (TextPiece(text) for text in ("one", "two", "three"))


class SlowReader:
    """Reads as soon as it is allowed to; `mistake` is raised instead."""

    feature_size = 6

    def __init__(self, mistake: Exception | None = None) -> None:
        self.allowed = threading.Event()
        self.given_up = threading.Event()
        self.finished = threading.Event()
        self._mistake = mistake

    def encode(self, audio: NDArray[np.float32]) -> Encoded:
        return Encoded(torch.ones(3, 6), "")

    def transcribe(self, audio: NDArray[np.float32], given_up: Callable[[], bool]) -> Transcript:
        try:
            while not self.allowed.wait(0.001):
                if given_up():
                    self.given_up.set()
                    raise GivenUpError
            if self._mistake is not None:
                raise self._mistake
            return Transcript("why is the sky blue", -0.1, "en")
        finally:
            self.finished.set()


def never() -> bool:
    return False


def test_an_encoder_that_reads_at_once_is_heard_before_the_answer() -> None:
    hearing = Hearing(LevelEncoder(), QUESTION)
    assert list(hearing.at_once()) == [Heard("10 rows")]
    assert list(hearing.beside(iter([FIRST, SECOND]), never)) == [FIRST, SECOND]
    assert hearing.features is not None and len(hearing.features) == 10 and hearing.text == "10 rows"


def test_a_typed_question_is_not_heard() -> None:
    hearing = Hearing(SlowReader(), TurnRequest(text="hello"))
    assert list(hearing.at_once()) == []
    assert list(hearing.beside(iter([FIRST]), never)) == [FIRST]
    assert hearing.features is None and hearing.text == "hello"


def test_words_come_among_the_answer_as_soon_as_they_are_read() -> None:
    reader = SlowReader()
    hearing = Hearing(reader, QUESTION)

    def answer() -> Iterator[TurnPiece]:
        yield FIRST
        reader.allowed.set()
        assert reader.finished.wait(20)
        threads = [thread for thread in threading.enumerate() if thread.name == "words"]
        for thread in threads:
            thread.join(20)
        yield SECOND
        yield THIRD

    assert list(hearing.at_once()) == [] and hearing.text == ""
    pieces = list(hearing.beside(answer(), never))
    assert pieces == [FIRST, Heard("why is the sky blue"), SECOND, THIRD]
    assert hearing.text == "why is the sky blue"


def test_words_that_take_longer_than_the_answer_are_waited_for() -> None:
    reader = SlowReader()
    hearing = Hearing(reader, QUESTION)

    def cancelled() -> bool:
        reader.allowed.set()
        return False

    pieces = list(hearing.beside(iter([FIRST, SECOND]), cancelled))
    assert pieces == [FIRST, SECOND, Heard("why is the sky blue")]


@pytest.mark.parametrize("closed", [False, True])
def test_nothing_goes_on_reading_for_a_turn_that_is_over(closed: bool) -> None:
    reader = SlowReader()
    hearing = Hearing(reader, QUESTION)
    pieces = hearing.beside(iter([FIRST]), lambda: True)
    assert next(pieces) == FIRST
    if closed:
        pieces.close()  # type: ignore[attr-defined]
    else:
        assert list(pieces) == []
    assert reader.given_up.is_set() and hearing.text == ""


def test_what_goes_wrong_while_reading_is_not_lost() -> None:
    reader = SlowReader(ValueError("no words"))
    reader.allowed.set()
    with pytest.raises(ValueError, match="no words"):
        list(Hearing(reader, QUESTION).beside(iter([FIRST]), never))
