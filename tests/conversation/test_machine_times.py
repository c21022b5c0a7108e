"""What the state machine does as time passes, chunk by chunk."""

from __future__ import annotations

import pytest

from app.conversation import answer, machine
from app.conversation.events import (
    AudioStarted,
    CancelTurn,
    ConfirmTurn,
    DiscardTurn,
    DuckPlayback,
    EndTurn,
    EnterState,
    Heard,
    HoldPlayback,
    KeepHeard,
    Mode,
    Notice,
    PlaybackFinished,
    PushAudio,
    Recognise,
    ReplyDone,
    ReplyGoesOn,
    ResumePlayback,
    SpeakerChanged,
    StartTurn,
    State,
    StopPlayback,
    TalkReleased,
    TextSubmitted,
    TryTurn,
    Words,
)
from app.conversation.timing import CHUNK_S
from tests.conversation.drive import (
    AGAIN,
    CONFIRMED,
    CUT,
    GOES_ON,
    TAKEN,
    TO_IDLE,
    TO_LISTENING,
    TO_THINKING,
    Drive,
    T,
    asked,
    finishing,
    held,
    holding,
    listening,
    speaking,
    starting,
    thinking,
    tried,
)


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
    # Something was heard after the question was tried: all of it is asked.
    assert out[-6:] == [*AGAIN, PushAudio(2, 40, drive.chunk - 1), EndTurn(2), TO_THINKING]


def test_a_breath_does_not_end_the_turn() -> None:
    drive = Drive()
    listening(drive)
    for _ in range(5):
        drive.hear(0.1, T.endpoint_chunks - 1)
        drive.hear(0.8, 1)
    assert drive.machine.state == State.LISTENING


@pytest.mark.parametrize(
    ("words", "chunks"),
    [
        (None, T.endpoint_chunks),
        ("tell me a joke", T.endpoint_chunks),
        ("Tell me a joke.", T.complete_chunks),
        ("Can you tell me about the", T.unfinished_chunks),
    ],
)
def test_the_words_so_far_say_how_long_to_wait(words: str | None, chunks: int) -> None:
    drive = Drive()
    listening(drive)
    assert TryTurn(1) not in drive.hear(0.1, T.speculative_chunks - 1)
    # What the model hears is all that was said, and no more follows.
    assert drive.hear(0.1, 1) == [PushAudio(1, drive.chunk - 1, drive.chunk - 1), TryTurn(1)]
    if words is not None:
        assert drive.send(Heard(1, words)) == []
    assert drive.hear(0.1, chunks - T.speculative_chunks - 1) == []
    assert drive.hear(0.1, 1) == CONFIRMED


def test_who_goes_on_is_asked_for_the_whole_question_as_often_as_it_takes() -> None:
    drive = Drive()
    listening(drive)
    for turn in range(1, 5):
        drive.hear(0.1, T.complete_chunks - 1)
        out = drive.hear(0.9, 1)
        assert out[:3] == [DiscardTurn(turn), CancelTurn(turn), StartTurn(turn + 1)]
        # From the first chunk to the one that holds the first sound after the pause.
        assert out[3:] == [PushAudio(turn + 1, 0, drive.chunk - 1)]
        assert drive.hear(0.9, 1) == [PushAudio(turn + 1, drive.chunk - 1, drive.chunk - 1)]
        # What the model still says to the part of it is too late.
        assert drive.send(Heard(turn, "Tell me."), AudioStarted(turn), ReplyDone(turn, 1.0)) == []
    assert drive.machine.state == State.LISTENING


def test_a_last_word_too_faint_to_be_a_voice_is_asked_for_too() -> None:
    drive = Drive()
    tried(drive)
    drive.hear(0.4, 2)
    drive.send(Heard(1, "Tell me a joke."))
    out = drive.hear(0.1, T.complete_chunks - T.speculative_chunks - 2)
    assert out == [*AGAIN, PushAudio(2, 0, drive.chunk - 1), EndTurn(2), TO_THINKING]


def test_neither_a_cough_nor_a_pause_with_the_button_held_is_tried() -> None:
    drive = Drive()
    drive.hear(0.9, T.least_voiced_chunks - 1)
    out = drive.hear(0.1, T.endpoint_chunks)
    assert TryTurn(1) not in out and out[-1] == TO_IDLE
    drive = Drive()
    holding(drive)
    assert TryTurn(1) not in drive.hear(0.1, T.unfinished_chunks)


def test_a_microphone_that_falls_silent_confirms_what_was_tried() -> None:
    drive = Drive()
    tried(drive)
    assert drive.after(T.silent_microphone_s + 0.1) == CONFIRMED


def test_a_voice_with_the_first_sound_of_the_answer_goes_on_with_the_question() -> None:
    for quiet in (0, T.reaction_chunks - 1):
        drive = Drive()
        starting(drive)
        drive.hear(0.1, quiet)
        assert drive.hear(0.9, T.barge_in_chunks - 1) == []
        out = drive.hear(0.9, 1)
        again = [StopPlayback(1), DiscardTurn(1), CancelTurn(1), StartTurn(2)]
        assert out == [*again, PushAudio(2, 0, drive.chunk - 1), TO_LISTENING]


def test_a_voice_before_the_answer_is_still_going_on_when_it_has_begun() -> None:
    drive = Drive()
    thinking(drive)
    drive.hear(0.9, 3)
    drive.send(AudioStarted(1))
    out = drive.hear(0.9, T.barge_in_chunks - 3)
    assert DiscardTurn(1) in out and out[-1] == TO_LISTENING


def test_a_typed_question_is_not_gone_on_with() -> None:
    drive = Drive()
    drive.send(TextSubmitted("hi"), AudioStarted(1))
    drive.hear(0.9, T.duck_chunks - 1)
    assert drive.hear(0.9, 1) == [DuckPlayback(1)]


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
    out = drive.hear(0.1, T.endpoint_chunks - quiet)
    assert [action for action in out if not isinstance(action, PushAudio)] == [TryTurn(2), TO_THINKING, ConfirmTurn(2)]


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
    assert drive.after(T.silent_model_s)[-1] == Notice(answer.NO_ANSWER)
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


def test_while_the_canceller_settles_it_takes_more_voice_to_hold_the_answer_and_as_much_to_stop_it() -> None:
    drive = Drive()
    speaking(drive)
    out = drive.hear(0.9, T.settling_chunks - 1, settling=True)
    assert out == [DuckPlayback(1)]
    assert drive.hear(0.9, 1, settling=True) == [HoldPlayback(1)]
    assert drive.hear(0.9, T.interruption_chunks - T.settling_chunks, settling=True)[-1] == TO_LISTENING
    # Once it has, or where there is no echo, no more than ever.
    drive = Drive()
    speaking(drive)
    assert drive.hear(0.9, T.barge_in_chunks) == [DuckPlayback(1), HoldPlayback(1)]


def test_who_was_cut_off_is_given_more_time_until_it_is_no_longer_needed() -> None:
    def waits(drive: Drive) -> int:
        turn = drive.machine.turn
        for count in range(1, 100):
            if TO_THINKING in drive.hear(0.1, 1):
                return count
        raise AssertionError(f"turn {turn} does not end")

    drive = Drive()
    listening(drive)
    usual = waits(drive)
    # The user goes on after all.
    drive.hear(0.9, 20)
    longer = waits(drive)
    assert usual == T.endpoint_chunks and longer > usual
    for _ in range(12):
        turn = drive.machine.turn
        assert turn is not None
        drive.send(AudioStarted(turn), ReplyDone(turn, 1.0), PlaybackFinished(turn))
        drive.hear(0.1, 60)
        drive.hear(0.9, 20)
        shorter = waits(drive)
        assert shorter <= longer
        longer = shorter
    assert shorter == usual
