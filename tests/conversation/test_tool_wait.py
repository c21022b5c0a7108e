"""The state machine around tools, on a virtual clock."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.conversation.events import (
    Action,
    AudioStarted,
    BeginPlayback,
    CancelTurn,
    DiscardTurn,
    EndPlayback,
    EnterState,
    Event,
    KeepHeard,
    ModelLoading,
    Notice,
    PlaybackFinished,
    PushAudio,
    Recognise,
    ReplyDone,
    ReplyFailed,
    ResumePlayback,
    StartTurn,
    State,
    StopPlayback,
    StopPressed,
    TalkPressed,
    TextSubmitted,
    Words,
)
from app.conversation.tool_events import (
    CancelTools,
    Phrase,
    PhraseMade,
    RefuseTools,
    RunTools,
    Say,
    ToolEnded,
    ToolsCalled,
)
from app.conversation.tool_wait import MOST_CALLS
from tests.conversation.drive import (
    CUT,
    SET_UP,
    TO_IDLE,
    TO_LISTENING,
    TO_THINKING,
    TYPED,
    Drive,
    T,
    calling,
    finishing,
    holding_on,
    idle,
    listening,
    setting,
    speaking,
    telling,
    thinking,
)

TO_TOOLS = EnterState(State.TOOL_WAIT)
ANSWER = Say(1, Phrase.ANSWER)
LEFT: list[Action] = [CancelTools(1), KeepHeard(1, False), CancelTurn(1)]
CUT_TOOLS: list[Action] = [StopPlayback(1), *LEFT]

TABLE: list[tuple[Callable[[Drive], None], Event, list[Action]]] = [
    (thinking, ToolsCalled(1, (7,)), [TO_TOOLS, RunTools(1, (7,))]),
    (thinking, ToolsCalled(1), [TO_TOOLS]),
    (thinking, ToolsCalled(1, asking=False), [TO_TOOLS, ANSWER]),
    (thinking, ToolsCalled(2, (7,)), []),
    (speaking, ToolsCalled(1, (7,)), [TO_TOOLS, RunTools(1, (7,))]),
    (finishing, ToolsCalled(1, (7,)), []),
    (listening, ToolsCalled(1, (7,)), []),
    (idle, ToolsCalled(1, (7,)), []),
    (calling, ToolsCalled(1, (8, 9)), [RunTools(1, (8, 9))]),
    (calling, ToolsCalled(1, tuple(range(8, 8 + MOST_CALLS))), [RefuseTools(1, tuple(range(8, 8 + MOST_CALLS)))]),
    (calling, ToolEnded(1, 7), [ANSWER]),
    (calling, ToolEnded(1, 8), []),
    (calling, ToolEnded(2, 7), []),
    (calling, PhraseMade(1), []),
    (holding_on, ToolEnded(1, 7), []),
    (holding_on, PhraseMade(1, 1.0), []),
    (telling, ToolEnded(1, 7), []),
    (telling, ToolsCalled(1, (8,)), []),
    (telling, ReplyDone(1, 2.0), [EndPlayback(1)]),
    (telling, PlaybackFinished(1), []),
    (calling, StopPressed(), [*LEFT, TO_IDLE]),
    (setting, StopPressed(), [*LEFT, TO_IDLE]),
    (holding_on, StopPressed(), [*CUT_TOOLS, TO_IDLE]),
    (telling, StopPressed(), [*CUT, TO_IDLE]),
    (calling, TextSubmitted("hi"), [*LEFT, TYPED, TO_THINKING]),
    (calling, TalkPressed(), [*LEFT, StartTurn(2), TO_LISTENING]),
    (holding_on, TalkPressed(), [*CUT_TOOLS, StartTurn(2), TO_LISTENING]),
    (calling, ModelLoading(), [*LEFT, TO_IDLE]),
    (calling, ReplyFailed(1, "No."), [CancelTools(1), KeepHeard(1, False), TO_IDLE, Notice("No.")]),
    (calling, AudioStarted(1), [BeginPlayback(1)]),
    (holding_on, Words(1, "mm hm"), []),
]


@pytest.mark.parametrize(("before", "event", "actions"), TABLE)
def test_transition(before: Callable[[Drive], None], event: Event, actions: list[Action]) -> None:
    drive = Drive()
    before(drive)
    assert drive.machine.state == SET_UP[before]
    got = drive.send(event)
    assert [action for action in got if not isinstance(action, PushAudio)] == actions


def test_a_fast_tool_is_not_talked_about() -> None:
    drive = Drive()
    calling(drive)
    assert drive.after(T.hold_s - 0.01) == []
    assert drive.send(ToolEnded(1, 7)) == [ANSWER]
    assert drive.send(AudioStarted(1)) == [BeginPlayback(1), EnterState(State.SPEAKING)]


def test_the_answer_waits_for_the_model_to_finish_its_call() -> None:
    drive = Drive()
    thinking(drive)
    drive.send(ToolsCalled(1, (7,)))
    assert drive.send(ToolEnded(1, 7)) == []
    assert drive.send(PhraseMade(1)) == [ANSWER]


def test_a_slow_tool_is_talked_about_twice_and_then_left() -> None:
    drive = Drive()
    calling(drive)
    assert drive.after(T.hold_s) == [Say(1, Phrase.HOLD)]
    drive.send(AudioStarted(1))
    assert drive.machine.state == State.TOOL_WAIT
    assert drive.after(5.0) == [], "it is still being made"
    drive.send(PhraseMade(1, 1.5))
    assert drive.after(1.5 + T.still_s - 0.1) == []
    assert drive.after(0.2) == [Say(1, Phrase.STILL)]
    drive.send(PhraseMade(1, 3.0))
    said: list[Action] = []
    while drive.machine.state == State.TOOL_WAIT and not said:
        said = drive.after(0.5)
    assert said == [CancelTools(1), Say(1, Phrase.LATE), EnterState(State.SPEAKING)]
    assert drive.send(ToolEnded(1, 7)) == [], "nobody waits for it any more"
    assert drive.send(ReplyDone(1, 4.0)) == [EndPlayback(1)]
    assert drive.send(PlaybackFinished(1)) == [KeepHeard(1, True), TO_IDLE]


def test_a_result_during_the_hold_phrase_follows_it() -> None:
    drive = Drive()
    holding_on(drive)
    assert drive.send(ToolEnded(1, 7)) == []
    assert drive.send(PhraseMade(1, 1.0)) == [ANSWER, EnterState(State.SPEAKING)]


def test_all_tools_of_a_turn_are_waited_for() -> None:
    drive = Drive()
    thinking(drive)
    drive.send(ToolsCalled(1, (7, 8)), PhraseMade(1))
    assert drive.send(ToolEnded(1, 8)) == []
    assert drive.send(ToolEnded(1, 7)) == [ANSWER]


def test_what_goes_on_undoes_a_question_but_not_a_deed() -> None:
    asked = Drive()
    calling(asked)
    got = [one for one in asked.hear(0.9, T.barge_in_chunks + T.interruption_chunks) if isinstance(one, DiscardTurn)]
    assert got == [DiscardTurn(1)]
    done = Drive()
    setting(done)
    done.hear(0.1, 5)
    left = done.hear(0.9, T.interruption_chunks)
    assert KeepHeard(1, False) in left and CancelTools(1) in left and DiscardTurn(1) not in left


@pytest.mark.parametrize("before", [setting, holding_on])
def test_a_sign_of_listening_carries_on_with_a_tool(before: Callable[[Drive], None]) -> None:
    drive = Drive()
    before(drive)
    drive.hear(0.1, T.resume_chunks)
    drive.hear(0.9, T.barge_in_chunks)
    asked = drive.hear(0.1, T.aside_gap_chunks)
    serial = next(one.serial for one in asked if isinstance(one, Recognise))
    got = drive.send(Words(serial, "mm hm"))
    assert got == ([ResumePlayback(1)] if before is holding_on else [])
    assert drive.machine.state == State.TOOL_WAIT
    assert Say(1, Phrase.ANSWER) in drive.send(ToolEnded(1, 7), PhraseMade(1, 1.0))


def test_other_words_take_the_turn_from_a_tool() -> None:
    drive = Drive()
    setting(drive)
    drive.hear(0.1, T.resume_chunks)
    drive.hear(0.9, T.barge_in_chunks)
    drive.hear(0.1, T.aside_gap_chunks)
    got = drive.send(Words(1, "stop"))
    assert [one for one in got if not isinstance(one, PushAudio)] == [*LEFT, StartTurn(2), TO_LISTENING]


def test_an_answer_that_comes_while_the_user_speaks_waits() -> None:
    drive = Drive()
    setting(drive)
    drive.hear(0.1, T.resume_chunks)
    drive.hear(0.9, T.barge_in_chunks)
    drive.send(ToolEnded(1, 7))
    got = drive.send(AudioStarted(1))
    assert [type(one).__name__ for one in got] == ["BeginPlayback", "EnterState", "HoldPlayback"]
