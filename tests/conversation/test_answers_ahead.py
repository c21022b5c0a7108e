"""Answers made before it is certain that the question is over, with a scripted model on a virtual clock."""

from __future__ import annotations

import numpy as np

from app.conversation.events import Mode, State
from app.conversation.timing import Timing
from app.engine import protocol
from app.omni.turn import Exchange
from tests.conversation.fakes import Rig

T = Timing()
#: Chunks of quiet after which `_tried` goes on.
QUIET = 4


def _tried(words: str = "tell me a story", frames: int = 5) -> Rig:
    """The model has answered a question that may go on."""
    rig = Rig()
    rig.hear(0.0, 20)
    rig.hear(0.9, 30)
    rig.hear(0.05, QUIET)
    assert rig.engine.log[-1] == ("end", 100)
    rig.user_text(words)
    rig.text("Once upon a time")
    rig.frames(frames)
    return rig


def test_an_answer_made_ahead_is_there_when_the_question_is_over() -> None:
    rig = _tried()
    assert rig.state == State.LISTENING and rig.player.written == {}
    assert not rig.window.of("question", "reply_delta")
    rig.hear(0.05, 16)
    assert rig.state == State.SPEAKING and rig.player.written == {1: 5 * 1920}
    assert rig.window.of("question", "reply_delta", "state_changed")[-4:] == [
        ("state_changed", State.THINKING, Mode.OPEN_MIC),
        ("question", 1, "tell me a story"),
        ("reply_delta", 1, "Once upon a time"),
        ("state_changed", State.SPEAKING, Mode.OPEN_MIC),
    ]
    rig.frames(3)
    rig.text(" there was a cat.")
    rig.done()
    rig.play()
    assert rig.state == State.IDLE and rig.player.written == {1: 8 * 1920}
    assert rig.window.of("reply_done") == [("reply_done", 1, "Once upon a time there was a cat.", False)]


def test_a_whole_answer_made_ahead_is_played_to_its_end() -> None:
    rig = _tried()
    rig.done()
    rig.hear(0.05, 16)
    assert rig.player.ended == {1}
    rig.play()
    assert rig.state == State.IDLE
    assert rig.window.of("reply_done") == [("reply_done", 1, "Once upon a time", False)]


def test_a_complete_question_ends_sooner_than_one_that_calls_for_more() -> None:
    for words, chunks in (
        ("Tell me a joke.", T.complete_chunks),
        ("tell me a joke", T.endpoint_chunks),
        ("tell me about the", T.unfinished_chunks),
    ):
        rig = _tried(words)
        rig.hear(0.05, chunks - QUIET - 1)
        assert rig.state == State.LISTENING
        rig.hear(0.05, 1)
        assert rig.state == State.SPEAKING


def test_an_answer_made_ahead_to_half_a_question_leaves_no_trace() -> None:
    rig = _tried("tell me")
    rig.done()
    rig.hear(0.05, 5)
    rig.hear(0.9, 1)
    assert ("cancel", 100) in rig.engine.log
    # From the first word to the first syllable after the pause.
    assert rig.engine.heard(101) == list(range(10, 60))
    rig.hear(0.9, 20)
    # The model was not quick enough to stop.
    rig.conversation.engine_event(protocol.TextDelta(100, "late"))
    rig.conversation.engine_event(protocol.AudioFrame(100, 5, np.ones(1920, np.float32).tobytes()))
    rig.hear(0.05, 20)
    rig.user_text("tell me a story")
    rig.text("Yes.")
    rig.frames(2)
    rig.done()
    rig.play()
    assert rig.player.written == {2: 2 * 1920}
    assert rig.window.of("question", "reply_delta", "reply_sound", "reply_done", "turn_discarded")[:3] == [
        ("turn_discarded", 1),
        ("question", 2, "tell me a story"),
        ("reply_delta", 2, "Yes."),
    ]
    rig.conversation.submit_text("more")
    assert rig.engine.log[-1][3] == (Exchange("tell me a story", "Yes."),)


def test_a_model_that_fails_over_half_a_question_is_asked_again_if_it_goes_on() -> None:
    rig = _tried()
    rig.conversation.engine_event(protocol.Failed("Ask in fewer words.", turn=100))
    assert rig.state == State.LISTENING
    rig.hear(0.9, 1)
    assert rig.engine.heard(101) == list(range(10, 55))
    assert not rig.window.of("notice")


def test_a_model_that_fails_before_the_question_is_over_says_so_when_it_is() -> None:
    rig = _tried()
    rig.conversation.engine_event(protocol.Failed("Ask in fewer words.", turn=100))
    rig.hear(0.05, 16)
    assert rig.state == State.IDLE
    assert rig.window.of("question", "notice", "reply_done") == [
        ("question", 1, "tell me a story"),
        ("reply_done", 1, "", True),
        ("notice", "Ask in fewer words."),
    ]


def test_a_model_that_dies_over_half_a_question_says_so() -> None:
    rig = _tried()
    rig.conversation.engine_event(protocol.Failed("It is being restarted.", turn=100))
    rig.conversation.engine_event(protocol.Progress("Loading", 0.1))
    assert rig.state == State.IDLE and rig.window.of("notice") == [("notice", "It is being restarted.")]


def test_the_silence_before_the_first_sound_is_left_out() -> None:
    rig = Rig()
    rig.ask()
    quiet = np.zeros(1920, np.float32)
    late = np.concatenate((quiet[:1200], np.full(720, 0.1, np.float32)))
    for index, samples in enumerate((quiet, late, quiet, late)):
        rig.conversation.engine_event(protocol.AudioFrame(100, index, samples.tobytes()))
        assert rig.state == (State.SPEAKING if index else State.THINKING)
    # 10 ms before the first sound stay; pauses in the answer do too.
    assert rig.player.written == {1: 240 + 720 + 2 * 1920}


def test_an_answer_of_mere_silence_is_given_up_waiting_for() -> None:
    rig = Rig()
    rig.ask()
    rig.frames(5, level=0.0)
    assert rig.state == State.SPEAKING and rig.player.written == {1: 2 * 1920}
