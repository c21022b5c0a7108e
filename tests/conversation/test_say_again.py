"""An answer said once more, the speech handed over for keeping, and conversations taken up again."""

from __future__ import annotations

import numpy as np

from app.conversation.events import Mode, State
from app.omni.turn import FRAME_SAMPLES, Exchange
from tests.conversation.fakes import Rig

SOUND = np.full(10 * FRAME_SAMPLES, 0.1, np.float32)


def test_it_plays_to_the_end_without_the_model() -> None:
    rig = Rig(Mode.PUSH_TO_TALK)
    assert rig.conversation.say_again(SOUND)
    assert rig.state == State.SPEAKING and rig.engine.log == []
    turn = rig.player.current
    assert turn is not None and rig.player.written[turn] == len(SOUND) and turn in rig.player.ended
    rig.play(3)
    rig.conversation.tick()
    assert rig.window.of("reply_level")[-1][1] > -30.0
    rig.play()
    assert rig.state == State.IDLE
    assert rig.window.of("question", "reply_done", "reply_sound", "notice") == []


def test_it_is_stopped_like_an_answer() -> None:
    rig = Rig(Mode.PUSH_TO_TALK)
    rig.conversation.say_again(SOUND)
    rig.conversation.stop()
    assert rig.state == State.IDLE and rig.player.current is None and rig.engine.log == []
    rig.conversation.say_again(SOUND)
    rig.conversation.talk_pressed()
    assert rig.state == State.LISTENING and rig.player.current is None
    assert [entry[0] for entry in rig.engine.log] == ["start"]


def test_it_takes_the_turn_from_an_answer_and_the_model_is_asked_as_before() -> None:
    rig = Rig(Mode.PUSH_TO_TALK)
    rig.conversation.submit_text("One?")
    rig.text("A first answer")
    rig.frames(20)
    rig.play(2)
    rig.conversation.say_again(SOUND)
    assert ("cancel", 100) in rig.engine.log and rig.window.of("reply_done")
    rig.frames(3)
    turn = rig.player.current
    assert turn is not None and rig.player.written[turn] == len(SOUND), "no stale frame among it"
    rig.play()
    rig.conversation.submit_text("Two?")
    assert rig.engine.log[-1][0] == "start" and rig.engine.log[-1][4] == "Two?"


def test_not_while_the_user_talks_nor_without_loudspeaker_or_model() -> None:
    rig = Rig(Mode.PUSH_TO_TALK)
    rig.conversation.talk_pressed()
    assert not rig.conversation.say_again(SOUND) and rig.state == State.LISTENING
    assert not Rig(speaker=False).conversation.say_again(SOUND)
    assert not Rig(ready=False).conversation.say_again(SOUND)
    assert not Rig().conversation.say_again(SOUND[:0])


def test_the_speech_that_was_heard_is_handed_over_before_the_end() -> None:
    rig = Rig(Mode.PUSH_TO_TALK)
    rig.conversation.submit_text("One?")
    rig.text("An answer of some words")
    rig.frames(10)
    rig.done()
    rig.play(4)
    rig.conversation.stop()
    calls = rig.window.of("reply_sound", "reply_done")
    assert [call[0] for call in calls] == ["reply_sound", "reply_done"]
    assert len(calls[0][2]) == 4 * FRAME_SAMPLES and calls[0][2].dtype == np.float32
    rig.conversation.submit_text("Two?")
    rig.text("Yes")
    rig.frames(2)
    rig.done()
    rig.play()
    assert len(rig.window.of("reply_sound")[-1][2]) == 2 * FRAME_SAMPLES


def test_a_conversation_is_taken_up_again() -> None:
    rig = Rig(Mode.PUSH_TO_TALK)
    rig.conversation.submit_text("Forgotten?")
    rig.text("Yes")
    rig.frames(2)
    rig.done()
    rig.play()
    rig.conversation.resume([("One?", "A long"), ("Two?", "")])
    rig.conversation.submit_text("Three?")
    assert rig.engine.log[-1][3] == (Exchange("One?", "A long"),)
