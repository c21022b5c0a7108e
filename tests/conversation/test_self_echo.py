"""The assistant does not answer what it has said itself, and a user may say what it said."""

from __future__ import annotations

import pytest

from app.conversation.events import Mode, State
from app.conversation.self_echo import HALF_DUPLEX_S, REASON, repeats
from app.conversation.timing import Timing
from tests.conversation.fakes import Rig

ANSWER = "You could bake some bread, call an old friend, or take the long way home along the river."
ECHO = "call an old friend or take the long way"
T = Timing()


@pytest.mark.parametrize(
    "text",
    [
        "bake some bread",
        "You could bake some bread, call an old friend.",
        "could bake some bred call an old friends",
        "or take the long way home along the liver",
        "take a long way home",
    ],
)
def test_its_own_words_are_known_again(text: str) -> None:
    assert repeats(text, ANSWER)


@pytest.mark.parametrize(
    "text",
    ["", "bread", "bread!", "some bread", "or an", "call the police", "I have no old friend", "why along the river",
     "what kind of bread is good", "home friend bread river", "is it a long way home"],
)  # fmt: skip
def test_what_anybody_may_say_is_kept(text: str) -> None:
    assert not repeats(text, ANSWER)


def test_a_question_in_the_words_of_the_answer_is_kept() -> None:
    assert not repeats("What is the capital of France?", "Paris is the capital of France.")
    assert repeats("Paris is the capital of France.", "Paris is the capital of France.")
    assert repeats("What is it that you would like", "Hm. What is it that you would like to know?")


def test_it_works_without_spaces_between_words() -> None:
    assert repeats("可以烤面包", "你可以烤面包, 也可以给老朋友打电话。")
    assert not repeats("你好吗", "你可以烤面包, 也可以给老朋友打电话。")
    assert not repeats("面包", "你可以烤面包。")


def answering(mode: Mode = Mode.OPEN_MIC) -> Rig:
    rig = Rig(mode)
    rig.ask() if mode == Mode.OPEN_MIC else rig.conversation.submit_text("Hello")
    rig.text(ANSWER)
    rig.frames(70)
    rig.done()
    rig.play(60)
    rig.hear(0.0, 20)
    return rig


def interrupted(rig: Rig, words: str) -> None:
    """A voice long enough to stop the answer, of which the ears then make `words`."""
    rig.hear(0.95, T.interruption_chunks)
    assert rig.state == State.LISTENING
    rig.hear(0.0, T.speculative_chunks)
    rig.user_text(words)


def test_a_short_echo_lets_the_answer_go_on() -> None:
    rig = answering()
    rig.hear(0.95, 12)
    rig.hear(0.0, T.aside_gap_chunks)
    rig.recognised("take the long way home")
    assert rig.state == State.SPEAKING and rig.player.changes == ["duck", "hold", "resume"]


def test_an_echo_that_stopped_the_answer_is_no_question() -> None:
    rig = answering()
    turn = rig.engine.number - 99
    interrupted(rig, ECHO)
    assert rig.state == State.IDLE
    assert rig.window.of("turn_discarded")[-1] == ("turn_discarded", turn + 1)
    assert not [call for call in rig.window.of("question") if call[1] == turn + 1]
    assert rig.engine.log[-1] == ("cancel", turn + 1 + 99)


def test_an_echo_whose_words_come_late_is_dropped_too() -> None:
    rig = answering()
    rig.hear(0.95, T.interruption_chunks)
    rig.hear(0.0, T.endpoint_chunks)
    assert rig.state == State.THINKING
    rig.user_text(ECHO)
    assert rig.state == State.IDLE and rig.window.of("turn_discarded")


@pytest.mark.parametrize("words", ["Stop.", "Bake some what?", "Who is my old friend and where does he live?"])
def test_an_interruption_is_answered(words: str) -> None:
    rig = answering()
    interrupted(rig, words)
    rig.hear(0.0, T.unfinished_chunks)
    assert rig.state == State.THINKING and rig.window.of("question")[-1][2] == words


def test_what_is_repeated_later_or_with_the_button_down_is_a_question() -> None:
    rig = answering()
    rig.play()
    assert rig.state == State.IDLE
    rig.wait(2.0)
    rig.hear(0.0, 30)
    rig.ask()
    rig.user_text(ECHO)
    assert rig.state == State.THINKING and rig.window.of("question")[-1][2] == ECHO
    rig = answering(Mode.PUSH_TO_TALK)
    rig.conversation.talk_pressed()
    rig.hear(0.9, 30)
    rig.conversation.talk_released()
    rig.hear(0.0, 10)
    rig.user_text(ECHO)
    assert rig.state == State.THINKING and rig.window.of("question")[-1][2] == ECHO


def again(rig: Rig) -> None:
    rig.hear(0.0, 60)
    rig.ask()
    rig.user_text("What can I do today?")
    rig.text(ANSWER)
    rig.frames(70)
    rig.done()
    rig.play(60)
    rig.hear(0.0, 20)


def test_after_two_echoes_it_does_not_listen_while_it_speaks_for_a_minute_and_says_why() -> None:
    rig = answering()
    interrupted(rig, ECHO)
    assert not rig.window.of("half_duplex")
    # No question comes between: the second answer is a typed one's.
    rig.hear(0.0, 60)
    rig.conversation.submit_text("What can I do today?")
    rig.text(ANSWER)
    rig.frames(70)
    rig.play(60)
    rig.hear(0.0, 20)
    interrupted(rig, ECHO)
    assert rig.window.of("half_duplex") == [("half_duplex", REASON)]
    again(rig)
    rig.hear(0.95, 60)
    assert rig.state == State.SPEAKING and rig.player.changes.count("duck") == 2
    # The button still works, and after a minute so does the voice.
    rig.conversation.talk_pressed()
    assert rig.state == State.LISTENING
    rig.conversation.stop()
    rig.wait(HALF_DUPLEX_S)
    again(rig)
    assert rig.window.of("half_duplex")[-1] == ("half_duplex", "")
    rig.hear(0.95, T.interruption_chunks)
    assert rig.state == State.LISTENING


def test_a_question_between_two_echoes_breaks_the_row() -> None:
    rig = answering()
    interrupted(rig, ECHO)
    again(rig)
    interrupted(rig, ECHO)
    assert rig.state == State.IDLE and not rig.window.of("half_duplex")
