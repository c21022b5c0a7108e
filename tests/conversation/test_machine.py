"""Every transition of the state machine, on a virtual clock."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.conversation import machine
from app.conversation.events import (
    Action,
    AudioStarted,
    BeginPlayback,
    CancelTurn,
    DiscardTurn,
    EndPlayback,
    EndTurn,
    EnterState,
    Event,
    KeepHeard,
    MicChanged,
    Mode,
    ModeChanged,
    ModelLoading,
    ModelReady,
    Notice,
    PlaybackFinished,
    PushAudio,
    ReplyDone,
    ReplyFailed,
    ReplyGoesOn,
    SpeakerChanged,
    SpeechChunk,
    StartTurn,
    State,
    StopPlayback,
    StopPressed,
    TalkPressed,
    TalkReleased,
    TextSubmitted,
    Tick,
)
from app.conversation.machine import TurnMachine
from app.conversation.timing import CHUNK_S, Timing

T = Timing()


class Drive:
    """A machine with a clock and a chunk counter."""

    def __init__(self, mode: Mode = Mode.OPEN_MIC) -> None:
        self.machine = TurnMachine(mode)
        self.now = 0.0
        self.chunk = 0
        self.send(ModelReady())

    def send(self, *events: Event) -> list[Action]:
        return [action for event in events for action in self.machine.step(event, self.now)]

    def hear(self, probability: float, count: int, echo: bool = False) -> list[Action]:
        out: list[Action] = []
        for _ in range(count):
            self.now += CHUNK_S
            out += self.send(SpeechChunk(self.chunk, probability, echo))
            self.chunk += 1
        return out

    def after(self, seconds: float) -> list[Action]:
        self.now += seconds
        return self.send(Tick())


def idle(drive: Drive) -> None:
    pass


def listening(drive: Drive) -> None:
    drive.hear(0.9, 20)


def holding(drive: Drive) -> None:
    drive.hear(0.1, 20)
    drive.send(TalkPressed())
    drive.hear(0.9, 20)


def thinking(drive: Drive) -> None:
    listening(drive)
    drive.hear(0.1, T.endpoint_chunks)


def speaking(drive: Drive) -> None:
    thinking(drive)
    drive.send(AudioStarted(1))


def finishing(drive: Drive) -> None:
    speaking(drive)
    drive.send(ReplyDone(1, 2.0))


SET_UP: dict[Callable[[Drive], None], State] = {
    idle: State.IDLE,
    listening: State.LISTENING,
    holding: State.LISTENING,
    thinking: State.THINKING,
    speaking: State.SPEAKING,
    finishing: State.SPEAKING,
}
TO_IDLE = EnterState(State.IDLE)
TO_THINKING = EnterState(State.THINKING)
TO_LISTENING = EnterState(State.LISTENING)
DROP: list[Action] = [DiscardTurn(1), CancelTurn(1), TO_IDLE]
CUT: list[Action] = [StopPlayback(1), KeepHeard(1, False), CancelTurn(1)]
CUT_LATE: list[Action] = [StopPlayback(1), KeepHeard(1, False)]
TYPED = StartTurn(2, "hi")

TABLE: list[tuple[Callable[[Drive], None], Event, list[Action]]] = [
    (idle, StopPressed(), []),
    (listening, StopPressed(), DROP),
    (holding, StopPressed(), DROP),
    (thinking, StopPressed(), [KeepHeard(1, False), CancelTurn(1), TO_IDLE]),
    (speaking, StopPressed(), [*CUT, TO_IDLE]),
    (finishing, StopPressed(), [*CUT_LATE, TO_IDLE]),
    (idle, TextSubmitted("hi"), [StartTurn(1, "hi"), TO_THINKING]),
    (listening, TextSubmitted("hi"), [DiscardTurn(1), CancelTurn(1), TYPED, TO_THINKING]),
    (thinking, TextSubmitted("hi"), [KeepHeard(1, False), CancelTurn(1), TYPED]),
    (speaking, TextSubmitted("hi"), [*CUT, TYPED, TO_THINKING]),
    (finishing, TextSubmitted("hi"), [*CUT_LATE, TYPED, TO_THINKING]),
    (idle, TalkPressed(), [StartTurn(1), TO_LISTENING]),
    (listening, TalkPressed(), []),
    (holding, TalkPressed(), []),
    (thinking, TalkPressed(), [KeepHeard(1, False), CancelTurn(1), StartTurn(2), TO_LISTENING]),
    (speaking, TalkPressed(), [*CUT, StartTurn(2), TO_LISTENING]),
    (idle, TalkReleased(), []),
    (listening, TalkReleased(), []),
    (holding, TalkReleased(), []),
    (speaking, TalkReleased(), []),
    (idle, ModeChanged(Mode.MUTED), []),
    (listening, ModeChanged(Mode.MUTED), DROP),
    (listening, ModeChanged(Mode.PUSH_TO_TALK), [EndTurn(1), TO_THINKING]),
    (listening, ModeChanged(Mode.OPEN_MIC), []),
    (holding, ModeChanged(Mode.PUSH_TO_TALK), []),
    (holding, ModeChanged(Mode.MUTED), DROP),
    (speaking, ModeChanged(Mode.MUTED), []),
    (idle, MicChanged(False), []),
    (listening, MicChanged(False), [EndTurn(1), TO_THINKING]),
    (holding, MicChanged(False), [EndTurn(1), TO_THINKING]),
    (speaking, MicChanged(False), []),
    (speaking, SpeakerChanged(False), []),
    (finishing, SpeakerChanged(False), [KeepHeard(1, True), TO_IDLE]),
    (listening, ModelLoading(), DROP),
    (speaking, ModelLoading(), [*CUT, TO_IDLE]),
    (thinking, AudioStarted(1), [BeginPlayback(1), EnterState(State.SPEAKING)]),
    (thinking, AudioStarted(7), []),
    (speaking, AudioStarted(1), []),
    (listening, AudioStarted(1), []),
    (thinking, ReplyDone(1), [KeepHeard(1, True), TO_IDLE]),
    (listening, ReplyDone(1), [DiscardTurn(1), TO_IDLE]),
    (speaking, ReplyDone(1, 2.0), [EndPlayback(1)]),
    (finishing, ReplyDone(1, 2.0), []),
    (speaking, ReplyDone(3, 2.0), []),
    (listening, ReplyFailed(1, "No."), [DiscardTurn(1), TO_IDLE, Notice("No.")]),
    (thinking, ReplyFailed(1, "No."), [KeepHeard(1, False), TO_IDLE, Notice("No.")]),
    (speaking, ReplyFailed(1, "No."), [*CUT_LATE, TO_IDLE, Notice("No.")]),
    (idle, ReplyFailed(1, "No."), []),
    (speaking, PlaybackFinished(1), []),
    (finishing, PlaybackFinished(1), [KeepHeard(1, True), TO_IDLE]),
    (finishing, PlaybackFinished(2), []),
    (thinking, ReplyGoesOn(1), []),
]


@pytest.mark.parametrize(("before", "event", "actions"), TABLE)
def test_transition(before: Callable[[Drive], None], event: Event, actions: list[Action]) -> None:
    drive = Drive()
    before(drive)
    assert drive.machine.state == SET_UP[before]
    got = drive.send(event)
    assert [action for action in got if not isinstance(action, PushAudio)] == actions
    for action in got:
        if isinstance(action, EnterState):
            assert drive.machine.state == action.state


def test_hysteresis_opens_and_closes() -> None:
    drive = Drive()
    drive.hear(0.49, 50)
    assert drive.machine.state == State.IDLE
    assert drive.hear(0.5, 2) == []
    out = drive.hear(0.5, 1)
    assert out == [StartTurn(1), PushAudio(1, 40, 52), TO_LISTENING]
    drive.hear(0.6, 10)
    # Between the two thresholds nothing changes, however long.
    drive.hear(0.4, 100)
    assert drive.machine.state == State.LISTENING
    drive.hear(0.3, 1)
    out = drive.hear(0.4, T.endpoint_chunks - 1)
    assert out[-2:] == [EndTurn(1), TO_THINKING]


def test_a_breath_does_not_end_the_turn() -> None:
    drive = Drive()
    listening(drive)
    for _ in range(5):
        drive.hear(0.1, T.endpoint_chunks - 1)
        drive.hear(0.8, 1)
    assert drive.machine.state == State.LISTENING


def test_a_minute_ends_by_itself_open_or_held() -> None:
    for start in (listening, holding):
        drive = Drive()
        start(drive)
        out = drive.hear(0.9, T.most_chunks)
        at = out.index(Notice(machine.TOO_LONG))
        assert out[at + 1] == EndTurn(1)
        pushed = [action for action in out[:at] if isinstance(action, PushAudio)]
        assert (pushed[-1].last + 1) * CHUNK_S <= 60.0 + 20 * CHUNK_S
    assert drive.send(TalkReleased()) == []


def test_release_waits_for_the_last_word_even_without_chunks() -> None:
    drive = Drive(Mode.PUSH_TO_TALK)
    holding(drive)
    drive.send(TalkReleased())
    assert drive.after(0.05) == []
    assert drive.after(0.15) == [EndTurn(1), TO_THINKING]


def test_push_to_talk_ignores_the_open_microphone() -> None:
    drive = Drive(Mode.PUSH_TO_TALK)
    assert drive.hear(0.9, 100) == []
    drive.send(TextSubmitted("hi"), AudioStarted(1))
    assert drive.hear(0.9, 100) == []


def test_barge_in_needs_240_ms_of_voice_that_is_no_echo() -> None:
    drive = Drive()
    speaking(drive)
    assert drive.hear(0.9, 100, echo=True) == []
    drive.hear(0.1, 10)
    assert drive.hear(0.9, T.barge_in_chunks - 1) == []
    assert drive.hear(0.1, T.run_gap_chunks + 1) == []
    assert drive.hear(0.9, T.barge_in_chunks - 1) == []
    out = drive.hear(0.9, 1)
    assert out[:4] == [*CUT, StartTurn(2)]
    assert 0.24 <= T.barge_in_chunks * CHUNK_S <= 0.3


def test_voice_that_outlasts_the_reply_is_not_lost() -> None:
    drive = Drive()
    finishing(drive)
    drive.hear(0.1, 30)
    first = drive.chunk
    drive.hear(0.9, 5)
    drive.send(PlaybackFinished(1))
    out = drive.hear(0.9, 1)
    assert out == [StartTurn(2), PushAudio(2, first - T.preroll_chunks, first + 5), TO_LISTENING]


def test_barge_in_long_after_the_question_is_a_new_one() -> None:
    drive = Drive()
    thinking(drive)
    drive.hear(0.1, T.resume_chunks)
    out = drive.hear(0.9, T.barge_in_chunks)
    assert out[:3] == [KeepHeard(1, False), CancelTurn(1), StartTurn(2)]


def test_dead_ends_end() -> None:
    drive = Drive()
    listening(drive)
    assert drive.after(T.silent_microphone_s + 0.1) == [EndTurn(1), TO_THINKING]
    drive.now += T.silent_model_s - 1
    drive.send(ReplyGoesOn(1))
    assert drive.after(2) == []
    assert drive.after(T.silent_model_s)[-1] == Notice(machine.NO_ANSWER)
    drive = Drive()
    finishing(drive)
    assert drive.after(2.0) == []
    assert drive.after(T.playback_grace_s) == [StopPlayback(1), KeepHeard(1, True), TO_IDLE]


def test_without_a_loudspeaker_the_reply_ends_with_its_text() -> None:
    drive = Drive()
    thinking(drive)
    drive.send(SpeakerChanged(False))
    assert drive.send(AudioStarted(1)) == [EnterState(State.SPEAKING)]
    assert drive.send(ReplyDone(1, 3.0)) == [KeepHeard(1, True), TO_IDLE]
