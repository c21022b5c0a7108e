"""A picture goes with one question, the next one, however that is asked."""

from __future__ import annotations

from typing import Any

from app.conversation.events import Mode, State
from app.engine import protocol
from tests.conversation.fakes import Rig

CAT, DOG = b"cat", b"dog"


def told(rig: Rig) -> list[tuple[Any, ...]]:
    return rig.window.of("question", "picture_taken", "picture_returned", "turn_discarded")


def test_a_typed_question_takes_it() -> None:
    rig = Rig(Mode.PUSH_TO_TALK)
    rig.conversation.show_picture(CAT)
    assert rig.engine.looked == [CAT]
    rig.conversation.submit_text("What is this?")
    rig.conversation.stop()
    rig.conversation.submit_text("And now?")
    assert rig.engine.pictures == {100: CAT, 101: None}
    assert told(rig) == [("question", 1, "What is this?"), ("picture_taken", 1, CAT), ("question", 2, "And now?")]


def test_a_spoken_question_takes_what_is_there_when_it_ends() -> None:
    rig = Rig(Mode.PUSH_TO_TALK)
    rig.conversation.show_picture(CAT)
    rig.conversation.talk_pressed()
    rig.hear(0.9, 30)
    assert not told(rig)
    rig.conversation.show_picture(DOG)
    rig.conversation.talk_released()
    rig.hear(0.0, 10)
    assert rig.state == State.THINKING
    assert rig.engine.pictures == {100: DOG} and told(rig) == [("picture_taken", 1, DOG)]


def test_one_that_was_removed_goes_with_no_question() -> None:
    rig = Rig()
    rig.conversation.show_picture(CAT)
    rig.conversation.show_picture(None)
    rig.ask()
    assert rig.engine.pictures == {100: None} and not rig.window.of("picture_taken")


def test_an_open_microphone_shows_nothing_before_the_question_is_complete() -> None:
    rig = Rig()
    rig.conversation.show_picture(CAT)
    rig.hear(0.9, 30)
    rig.hear(0.0, 5)
    # It is tried, with its picture, and goes on.
    assert rig.engine.pictures == {100: CAT} and not rig.window.of("picture_taken")
    rig.hear(0.9, 30)
    rig.hear(0.0, 60)
    assert rig.engine.pictures[rig.engine.number] == CAT
    assert [call[0] for call in told(rig)] == ["turn_discarded", "picture_taken"]


def test_what_was_no_question_gives_it_back() -> None:
    rig = Rig(Mode.PUSH_TO_TALK)
    rig.conversation.show_picture(CAT)
    rig.conversation.talk_pressed()
    rig.hear(0.0, 30)
    rig.conversation.talk_released()
    rig.hear(0.0, 10)
    assert rig.state == State.IDLE and not rig.window.of("picture_taken")
    rig.conversation.submit_text("What is this?")
    assert rig.engine.pictures[rig.engine.number] == CAT


def test_a_question_that_goes_on_after_its_end_keeps_it() -> None:
    rig = Rig()
    rig.conversation.show_picture(CAT)
    rig.ask()
    first = rig.engine.number
    rig.hear(0.9, 40)
    rig.hear(0.0, 60)
    assert rig.engine.number > first and rig.engine.pictures[rig.engine.number] == CAT
    calls = [call[0] for call in told(rig)]
    assert calls == ["picture_taken", "picture_returned", "turn_discarded", "picture_taken"]


def test_a_newer_one_is_not_replaced_by_one_that_comes_back() -> None:
    rig = Rig()
    rig.conversation.show_picture(CAT)
    rig.ask()
    rig.conversation.show_picture(DOG)
    rig.hear(0.9, 40)
    rig.hear(0.0, 60)
    assert rig.engine.pictures[rig.engine.number] == DOG


def test_words_that_are_for_somebody_else_leave_it() -> None:
    rig = Rig(Mode.PUSH_TO_TALK)
    rig.conversation.set_intercept(lambda text: text == "stop")
    rig.conversation.show_picture(CAT)
    rig.conversation.submit_text("stop")
    assert rig.engine.pictures == {} and not rig.window.of("picture_taken")
    rig.conversation.talk_pressed()
    rig.hear(0.9, 30)
    rig.conversation.talk_released()
    rig.hear(0.0, 10)
    rig.conversation.engine_event(protocol.UserText(rig.engine.number, "stop"))
    assert [call[0] for call in rig.window.of("picture_taken", "picture_returned")] == [
        "picture_taken",
        "picture_returned",
    ]
    rig.conversation.submit_text("What is this?")
    assert rig.engine.pictures[rig.engine.number] == CAT
