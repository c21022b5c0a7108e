"""The conversation as a whole, with a scripted model and loudspeaker on a virtual clock."""

from __future__ import annotations

import numpy as np
import pytest

from app.conversation import answer, machine
from app.conversation.events import Mode, State
from app.conversation.timing import Timing
from app.engine import protocol
from app.omni.turn import Exchange, StopReason
from tests.conversation.fakes import FakeChunk, Rig


def test_a_spoken_question_is_answered() -> None:
    rig = Rig()
    rig.hear(0.0, 50)
    rig.ask()
    # 320 ms before the voice, the voice, the quiet until it was tried; nothing twice, nothing missing.
    assert rig.engine.heard(100) == list(range(40, 80 + Timing().speculative_chunks))
    assert rig.engine.log[-1] == ("end", 100)
    rig.user_text("what time is it")
    rig.text("It is")
    rig.frames(1)
    assert rig.state == State.SPEAKING
    rig.text(" noon.")
    rig.frames(9)
    rig.done()
    assert rig.state == State.SPEAKING
    rig.play()
    assert rig.state == State.IDLE
    assert rig.window.of("question", "reply_delta", "reply_done") == [
        ("question", 1, "what time is it"),
        ("reply_delta", 1, "It is"),
        ("reply_delta", 1, " noon."),
        ("reply_done", 1, "It is noon.", False),
    ]
    rig.ask()
    assert rig.engine.log[-2] == ("start", 101, "Ann", (Exchange("what time is it", "It is noon."),), None)


def test_speaking_over_it_stops_it_and_loses_no_word() -> None:
    rig = Rig()
    rig.ask()
    rig.user_text("tell me a story")
    rig.text("One day a fox met a crow in the woods.")
    rig.frames(50)
    rig.play(10)
    rig.hear(0.02, 40)
    start = rig.chunks
    rig.hear(0.9, 7)
    assert rig.state == State.SPEAKING and rig.player.changes == ["duck", "hold"]
    rig.hear(0.9, 19)
    assert rig.state == State.LISTENING and rig.player.stops == 1
    assert ("cancel", 100) in rig.engine.log
    assert rig.engine.heard(101) == list(range(start - 10, start + 26))
    assert rig.window.of("reply_done") == [("reply_done", 1, "One day", True)]
    # What the cancelled turn still sends is dropped.
    rig.conversation.engine_event(protocol.TextDelta(100, "late"))
    rig.conversation.engine_event(protocol.AudioFrame(100, 50, np.zeros(1920, np.float32).tobytes()))
    rig.conversation.playback_finished(1)
    assert rig.state == State.LISTENING
    assert len(rig.window.of("reply_delta")) == 1


def test_the_very_first_reply_can_be_interrupted_as_soon_as_it_can_be_noticed() -> None:
    rig = Rig()
    rig.ask()
    rig.frames(2)
    rig.hear(0.0, Timing().reaction_chunks)
    rig.hear(0.95, 7)
    assert rig.player.changes == ["duck", "hold"] and rig.state == State.SPEAKING
    rig.hear(0.95, 19)
    assert rig.state == State.LISTENING and rig.player.stops == 1


def test_mm_hm_does_not_interrupt_and_no_does() -> None:
    for words, state in (("mm hm", State.SPEAKING), ("no", State.LISTENING)):
        rig = Rig()
        rig.ask()
        rig.frames(50)
        rig.play(2)
        rig.hear(0.0, 20)
        first = rig.chunks
        rig.hear(0.9, 12)
        rig.hear(0.0, 8)
        assert rig.engine.log[-1] == ("recognise", 1, [float(chunk) for chunk in range(first - 10, first + 20)])
        rig.recognised(words)
        assert rig.state == state
        assert rig.player.changes == ["duck", "hold"] + ["resume"] * (state == State.SPEAKING)


def test_without_echo_cancellation_the_microphone_is_ignored_while_it_speaks() -> None:
    rig = Rig()
    rig.ask()
    rig.frames(20)
    rig.play(2)
    rig.hear(0.95, 40, echo_free=False)
    assert rig.state == State.SPEAKING
    rig.done()
    rig.play()
    assert rig.state == State.IDLE
    # The room rings on for a while.
    rig.hear(0.95, 10, echo_free=False)
    assert rig.state == State.IDLE
    rig.hear(0.0, 10, echo_free=False)
    rig.hear(0.95, 3, echo_free=False)
    assert rig.state == State.LISTENING


def test_without_echo_cancellation_the_answer_does_not_come_into_the_next_question() -> None:
    rig = Rig(Mode.PUSH_TO_TALK)
    rig.hear(0.0, 20)
    rig.conversation.submit_text("Tell me a story.")
    rig.frames(20)
    rig.hear(0.95, 30, echo_free=False)
    rig.conversation.talk_pressed()
    first = rig.chunks
    rig.hear(0.95, 10, echo_free=False)
    assert rig.engine.heard(101) == [0.0] * 10 + [float(chunk) for chunk in range(first, first + 10)]


def test_going_on_after_a_pause_sends_the_whole_question() -> None:
    rig = Rig()
    rig.hear(0.0, 20)
    rig.ask()
    rig.hear(0.9, 8)
    assert rig.state == State.LISTENING
    assert rig.engine.heard(101) == list(range(10, 78))
    assert rig.window.of("turn_discarded") == [("turn_discarded", 1)]
    rig.hear(0.05, 20)
    assert rig.engine.log[-1] == ("end", 101)


def test_a_cough_is_no_question() -> None:
    rig = Rig()
    rig.hear(0.9, 4)
    rig.hear(0.1, 20)
    assert rig.state == State.IDLE
    assert rig.engine.log[-1] == ("cancel", 100)
    assert rig.window.of("turn_discarded") == [("turn_discarded", 1)]
    assert not rig.window.of("notice")


def test_button_with_late_last_word_and_bouncing_key() -> None:
    rig = Rig(Mode.PUSH_TO_TALK)
    rig.hear(0.9, 30)
    assert rig.state == State.IDLE
    rig.conversation.talk_pressed()
    rig.hear(0.9, 20)
    rig.hear(0.0, 40)
    assert rig.state == State.LISTENING
    rig.conversation.talk_released()
    rig.hear(0.9, 2)
    rig.conversation.talk_pressed()
    rig.hear(0.9, 20)
    assert rig.state == State.LISTENING
    rig.conversation.talk_released()
    rig.hear(0.9, 4)
    assert rig.state == State.LISTENING
    rig.hear(0.9, 2)
    assert rig.state == State.THINKING
    assert rig.engine.heard(100) == list(range(20, 117))


def test_what_comes_late_and_all_at_once_after_the_button_is_heard_whole() -> None:
    rig = Rig(Mode.PUSH_TO_TALK)
    rig.hear(0.0, 20)
    rig.conversation.talk_pressed()
    late = [FakeChunk(np.full(512, 20 + n, np.float32), rig.now + 0.032 * n, -30.0, 0.9) for n in range(12)]
    rig.chunks += len(late)
    rig.conversation.chunk(*late)
    rig.hear(0.9, 8)
    rig.conversation.talk_released()
    rig.hear(0.9, 5)
    assert rig.state == State.THINKING
    assert rig.engine.heard(100) == list(range(10, 45))


def test_button_without_speech_says_so() -> None:
    rig = Rig(Mode.PUSH_TO_TALK)
    rig.conversation.talk_pressed()
    rig.hear(0.1, 30)
    rig.conversation.talk_released()
    rig.wait(0.3)
    assert rig.state == State.IDLE
    assert rig.window.of("notice") == [("notice", machine.NO_SPEECH)]


def test_typed_questions_need_no_sound_at_all() -> None:
    rig = Rig(Mode.PUSH_TO_TALK, speaker=False)
    assert rig.conversation.submit_text("  hello ")
    assert not rig.conversation.submit_text("  ")
    assert rig.engine.log == [("start", 100, "Ann", (), "hello")]
    rig.text("Hi.")
    rig.frames(3)
    assert rig.state == State.SPEAKING
    rig.done()
    assert rig.state == State.IDLE
    assert rig.window.of("question", "reply_done") == [
        ("question", 1, "hello"),
        ("reply_done", 1, "Hi.", False),
    ]


def test_nothing_starts_before_the_model_is_there() -> None:
    rig = Rig(ready=False)
    assert not rig.conversation.submit_text("hello")
    rig.conversation.talk_pressed()
    rig.hear(0.9, 30)
    assert rig.engine.log == [] and rig.state == State.IDLE
    # One sentence each, not one for every chunk.
    assert rig.window.of("notice") == [("notice", machine.NOT_READY)] * 3


def test_three_exchanges_are_remembered() -> None:
    rig = Rig()
    for n in range(5):
        rig.conversation.submit_text(f"q{n}")
        rig.text(f"a{n}")
        rig.frames(2)
        rig.done()
        rig.play()
    rig.conversation.submit_text("q5")
    assert rig.engine.log[-1][3] == (Exchange("q2", "a2"), Exchange("q3", "a3"), Exchange("q4", "a4"))
    rig.conversation.start_afresh()
    rig.conversation.submit_text("q6")
    assert rig.engine.log[-1][3] == ()


def test_dead_worker_leaves_a_usable_conversation() -> None:
    rig = Rig()
    rig.ask()
    rig.user_text("hello")
    rig.text("Hello to you.")
    rig.frames(30)
    rig.play(5)
    rig.conversation.engine_event(protocol.Failed("It is being restarted.", turn=100))
    assert rig.state == State.IDLE and rig.player.stops == 1
    assert ("notice", "It is being restarted.") in rig.window.calls
    rig.conversation.engine_event(protocol.Progress("Loading", 0.1))
    assert not rig.conversation.submit_text("again")
    rig.conversation.engine_event(protocol.Ready(rig.window.of("model_ready")[0][1], 0.1))
    assert rig.conversation.submit_text("again")


def test_model_that_gave_up_is_told_as_fatal() -> None:
    rig = Rig()
    rig.ask()
    rig.conversation.engine_event(protocol.Failed("Choose another model.", turn=100, fatal=True))
    assert rig.state == State.IDLE and not rig.conversation.ready
    assert rig.window.of("model_failed") == [("model_failed", "Choose another model.", True)]


@pytest.mark.parametrize("reason", [StopReason.ERROR, StopReason.EOS])
def test_an_empty_answer_is_not_silent(reason: StopReason) -> None:
    rig = Rig()
    rig.ask()
    rig.done(reason)
    assert rig.state == State.IDLE
    assert len(rig.window.of("notice")) == 1


def test_lost_devices_are_survived() -> None:
    rig = Rig()
    rig.ask()
    rig.user_text("hello")
    rig.text("Hi.")
    rig.frames(5)
    rig.conversation.speaker_lost("The loudspeaker has gone away.")
    rig.frames(5)
    rig.done()
    assert rig.state == State.IDLE
    assert rig.window.of("reply_done") == [("reply_done", 1, "Hi.", False)]
    assert rig.window.calls.count(("speaker_changed", False, "The loudspeaker has gone away.")) == 1
    rig.hear(0.9, 30)
    rig.conversation.microphone_lost("The microphone has gone away.")
    assert rig.state == State.THINKING
    rig.conversation.stop()
    rig.conversation.talk_pressed()
    assert rig.window.calls[-1] == ("notice", machine.NO_MICROPHONE)
    rig.hear(0.0)
    assert rig.window.of("microphone_changed")[-1] == ("microphone_changed", True, "")
    rig.conversation.talk_pressed()
    assert rig.state == State.LISTENING


def test_what_was_said_while_muted_is_never_sent() -> None:
    rig = Rig()
    rig.hear(0.1, 20)
    rig.conversation.set_mode(Mode.MUTED)
    rig.hear(0.9, 50)
    assert rig.engine.log == []
    rig.conversation.talk_pressed()
    assert rig.window.calls[-1] == ("notice", machine.MUTED)
    rig.conversation.set_mode(Mode.OPEN_MIC)
    rig.hear(0.9, 5)
    assert rig.engine.heard(100) == list(range(70, 75))


def test_after_the_reply_a_normal_voice_is_heard() -> None:
    rig = Rig()
    rig.ask()
    rig.frames(20)
    rig.done()
    for frame in range(20):
        rig.play(frame + 1)
        rig.hear(0.9, 2, echo_free=False)
    rig.play()
    rig.hear(0.0, 20, echo_free=False)
    rig.hear(0.9, 3, echo_free=False)
    assert rig.state == State.LISTENING


SLEPT_S = 3_600.0


def test_a_computer_that_slept_while_it_thought_still_answers() -> None:
    rig = Rig()
    rig.ask()
    rig.now += SLEPT_S
    rig.wait(1.0)
    assert rig.state == State.THINKING and rig.window.of("notice") == []
    rig.frames(10)
    rig.done()
    rig.play()
    assert rig.state == State.IDLE and rig.window.of("reply_done") == [("reply_done", 1, "", False)]
    # It is still not waited for without end.
    rig.ask()
    rig.wait(61.0)
    assert rig.window.of("notice") == [("notice", answer.NO_ANSWER)]


def test_a_computer_that_slept_while_it_spoke_goes_on_speaking() -> None:
    rig = Rig()
    rig.ask()
    rig.text("A long answer.")
    rig.frames(20)
    rig.done()
    rig.play(3.0)
    rig.now += SLEPT_S
    rig.wait(1.0)
    assert rig.state == State.SPEAKING and rig.player.stops == 0
    rig.play()
    assert rig.window.of("reply_done") == [("reply_done", 1, "A long answer.", False)]


def test_a_computer_that_slept_while_it_listened_answers_what_it_heard() -> None:
    rig = Rig()
    rig.hear(0.9, 30)
    rig.now += SLEPT_S
    # The microphone comes back with the computer, and nobody speaks any more.
    rig.hear(0.05, 25)
    assert rig.state == State.THINKING
    assert len(rig.engine.heard(rig.engine.number)) >= 30
