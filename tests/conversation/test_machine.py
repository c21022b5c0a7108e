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
    DuckPlayback,
    EndPlayback,
    EndTurn,
    EnterState,
    Event,
    HoldPlayback,
    KeepHeard,
    MicChanged,
    Mode,
    ModeChanged,
    ModelLoading,
    ModelReady,
    Notice,
    PlaybackFinished,
    PushAudio,
    Recognise,
    ReplyDone,
    ReplyFailed,
    ReplyGoesOn,
    ResumePlayback,
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
    Words,
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


def ducked(drive: Drive) -> None:
    finishing(drive)
    drive.hear(0.9, T.duck_chunks)


def held(drive: Drive) -> None:
    finishing(drive)
    drive.hear(0.9, T.barge_in_chunks)


def asked(drive: Drive) -> None:
    held(drive)
    drive.hear(0.1, T.aside_gap_chunks)


SET_UP: dict[Callable[[Drive], None], State] = {
    idle: State.IDLE,
    listening: State.LISTENING,
    holding: State.LISTENING,
    thinking: State.THINKING,
    speaking: State.SPEAKING,
    finishing: State.SPEAKING,
    ducked: State.SPEAKING,
    held: State.SPEAKING,
    asked: State.SPEAKING,
}
TO_IDLE = EnterState(State.IDLE)
TO_THINKING = EnterState(State.THINKING)
TO_LISTENING = EnterState(State.LISTENING)
DROP: list[Action] = [DiscardTurn(1), CancelTurn(1), TO_IDLE]
CUT: list[Action] = [StopPlayback(1), KeepHeard(1, False), CancelTurn(1)]
CUT_LATE: list[Action] = [StopPlayback(1), KeepHeard(1, False)]
TAKEN: list[Action] = [*CUT_LATE, StartTurn(2), TO_LISTENING]
GOES_ON: list[Action] = [ResumePlayback(1)]
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
    (asked, Words(1, "mm hm"), GOES_ON),
    (asked, Words(1, "Right."), GOES_ON),
    (asked, Words(1, ""), GOES_ON),
    (asked, Words(1, "Stop!"), TAKEN),
    (asked, Words(1, "and who was he"), TAKEN),
    (asked, Words(1, None), TAKEN),
    (asked, Words(0, "mm hm"), []),
    (asked, Words(2, "stop"), []),
    (held, Words(1, "stop"), []),
    (finishing, Words(1, "stop"), []),
    (listening, Words(1, "stop"), []),
    (held, MicChanged(False), GOES_ON),
    (ducked, MicChanged(False), GOES_ON),
    (held, ModeChanged(Mode.MUTED), GOES_ON),
    (asked, ModeChanged(Mode.PUSH_TO_TALK), GOES_ON),
    (held, StopPressed(), [*CUT_LATE, TO_IDLE]),
    (held, TextSubmitted("hi"), [*CUT_LATE, TYPED, TO_THINKING]),
    (held, TalkPressed(), TAKEN),
    (held, SpeakerChanged(False), [KeepHeard(1, True), TO_IDLE]),
    (held, ReplyFailed(1, "No."), [*CUT_LATE, TO_IDLE, Notice("No.")]),
    (ducked, PlaybackFinished(1), [KeepHeard(1, True), TO_IDLE]),
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


def test_a_voice_ducks_the_answer_at_once_then_holds_it_then_takes_the_turn() -> None:
    drive = Drive()
    speaking(drive)
    drive.hear(0.1, 30)
    assert drive.hear(0.9, T.duck_chunks - 1) == []
    assert drive.hear(0.9, 1) == [DuckPlayback(1)]
    assert drive.hear(0.9, T.barge_in_chunks - T.duck_chunks - 1) == []
    assert drive.hear(0.9, 1) == [HoldPlayback(1)]
    assert drive.hear(0.9, T.interruption_chunks - T.barge_in_chunks - 1) == []
    first = drive.chunk + 1 - T.interruption_chunks
    out = drive.hear(0.9, 1)
    assert out == [*CUT, StartTurn(2), PushAudio(2, first - T.preroll_chunks, drive.chunk - 1), TO_LISTENING]
    # The detector is sure one chunk after the voice has begun.
    assert 0.24 <= (T.barge_in_chunks + 1) * CHUNK_S <= 0.3


def test_a_voice_too_short_to_be_one_lets_the_answer_go_on() -> None:
    drive = Drive()
    speaking(drive)
    drive.hear(0.9, T.barge_in_chunks - 1)
    assert drive.hear(0.1, T.run_gap_chunks + 1) == [ResumePlayback(1)]
    assert drive.hear(0.9, T.barge_in_chunks - 1) == [DuckPlayback(1)]


def test_its_own_echo_does_nothing_and_takes_back_what_was_believed_of_it() -> None:
    drive = Drive()
    speaking(drive)
    assert drive.hear(0.9, 100, echo=True) == []
    drive.hear(0.9, T.duck_chunks)
    assert drive.hear(0.9, 1, echo=True) == [ResumePlayback(1)]
    for _ in range(20):
        drive.hear(0.9, 3)
        out = drive.hear(0.9, 2, echo=True)
    assert ResumePlayback(1) in out and drive.machine.state == State.SPEAKING


def test_the_words_of_a_short_voice_decide() -> None:
    drive = Drive()
    finishing(drive)
    drive.hear(0.1, 30)
    first = drive.chunk
    drive.hear(0.9, 10)
    assert drive.hear(0.1, T.aside_gap_chunks - 1) == []
    assert drive.hear(0.1, 1) == [Recognise(1, first - T.preroll_chunks, drive.chunk - 1)]
    assert drive.hear(0.1, 5) == []
    # Nobody has gone on, so the turn ends as soon as any other would.
    drive.send(Words(1, "no"))
    assert drive.machine.state == State.LISTENING
    quiet = T.aside_gap_chunks + 5
    assert drive.hear(0.1, T.endpoint_chunks - quiet)[-2:] == [EndTurn(2), TO_THINKING]


def test_who_goes_on_after_mm_hm_is_asked_again() -> None:
    drive = Drive()
    asked(drive)
    drive.hear(0.9, 2)
    assert drive.send(Words(1, "mm hm")) == []
    out = drive.hear(0.1, T.aside_gap_chunks)
    assert isinstance(out[0], Recognise) and out[0].serial == 2
    assert drive.send(Words(2, "mm hm")) == GOES_ON


def test_words_that_do_not_come_are_an_interruption() -> None:
    drive = Drive()
    asked(drive)
    assert drive.after(T.words_s - 0.1) == []
    out = drive.after(0.2)
    assert [action for action in out if not isinstance(action, PushAudio)] == TAKEN


def test_a_microphone_that_falls_silent_does_not_hold_the_answer_for_ever() -> None:
    drive = Drive()
    held(drive)
    assert drive.after(T.deaf_s - 0.1) == []
    assert drive.after(0.2) == GOES_ON
    # The time that it was held for counts as none.
    assert drive.after(2.0 + T.playback_grace_s - 0.1) == []
    assert drive.after(0.2)[-1] == TO_IDLE


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
