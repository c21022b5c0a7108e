"""Conversations on the virtual clock: real detector, real turn machine, and a model whose every sample is known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from app.conversation.timing import CHUNK_S, Timing
from app.omni.turn import INPUT_RATE, OUTPUT_RATE
from app.replay.microphone import Echo
from app.replay.model import Compute, VirtualModel
from app.replay.record import Record
from app.replay.stage import Performance, Terms, perform
from app.replay.timeline import Timeline
from app.replay.user import Line, Recording, Script
from tests.replay.counting import COMPUTE, FIRST_S, FRAME_S, Counting, Samples, run, tone

# The devices' own delays: 20 ms for the microphone, 30 ms for the loudspeaker, whose fade takes 10 ms.
SPEAKER_S, FADE_S = 0.03, 0.01
# What the turn machine wants: some quiet chunks of 32 ms to try a turn, 20 to end one whose words tell nothing, 7
# voiced ones to hold the answer.
TRY_S, ENDPOINT_S, BARGE_IN_S, MICROPHONE_S = Timing().speculative_chunks * CHUNK_S, 0.64, 0.224, 0.02


def kinds(performance: Performance) -> list[str]:
    return [event["type"] for event in performance.record.events()]


# --- the clock


def test_things_happen_in_the_order_of_their_time() -> None:
    timeline, seen = Timeline(), list[tuple[str, float]]()

    def note(name: str) -> Callable[[], None]:
        return lambda: seen.append((name, timeline.now()))

    def second() -> None:
        note("second")()
        timeline.at(1.0, note("too late"))

    timeline.at(3.0, note("never"))
    timeline.at(2.0, second)
    timeline.at(1.0, note("first"))
    timeline.at(2.0, note("third"))
    timeline.run(lambda: len(seen) == 4)
    assert seen == [("first", 1.0), ("second", 2.0), ("third", 2.0), ("too late", 2.0)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("measured", Compute(True)),
        ("instant", Compute(False)),
        ("250,25", Compute(False, 0.25, 0.025)),
        ("0,0", Compute(False)),
    ],
)
def test_computing_times(text: str, expected: Compute) -> None:
    compute = Compute.parse(text)
    assert compute == expected
    assert Compute.parse(str(compute)) == compute


@pytest.mark.parametrize("text", ["", "fast", "250", "250,", "-1,2", "nan,1", "1,inf", "1,2,3"])
def test_wrong_computing_times(text: str) -> None:
    with pytest.raises(ValueError):
        Compute.parse(text)


# --- one turn, to the sample


def test_an_answer_to_the_sample(question: Samples) -> None:
    engine = Counting(frames=30)
    line = Line(question, 0.5)
    performance = run(Script([line]), engine)
    (turn,) = performance.record.turns.values()
    assert line.last is not None and turn.speech_end is not None and turn.end_of_turn is not None
    # The detector sees the end of the voice within 200 ms of its true end.
    assert abs(turn.speech_end - line.last / INPUT_RATE) < 0.2
    waited = turn.end_of_turn - turn.speech_end
    assert ENDPOINT_S + MICROPHONE_S - 1e-6 <= waited <= ENDPOINT_S + MICROPHONE_S + 0.1
    assert turn.asked is not None and turn.first_frame is not None and turn.first_sample is not None
    assert turn.end_of_turn - turn.asked == pytest.approx(ENDPOINT_S - TRY_S)
    assert turn.first_frame == pytest.approx(turn.asked + FIRST_S)
    # It was made while the end of the turn was not certain yet.
    assert turn.first_frame < turn.end_of_turn
    assert turn.first_sample == pytest.approx(turn.end_of_turn + SPEAKER_S)
    assert turn.first_sound == pytest.approx(turn.first_sample, abs=1e-4)
    assert turn.reply_end == pytest.approx(turn.first_sample + 30 * FRAME_S, abs=1e-4)
    first = round(turn.first_sample * OUTPUT_RATE)
    spoken = np.concatenate([tone(index) for index in range(30)])
    np.testing.assert_array_equal(performance.assistant[first : first + len(spoken)], spoken)
    assert not performance.assistant[:first].any() and not performance.assistant[first + len(spoken) :].any()
    assert turn.heard == turn.reply == " ".join(str(index) for index in range(30))
    assert not turn.interrupted and performance.underruns == 0
    order = ["user_speech_start", "turn_start", "user_speech_end", "asked", "first_frame", "end_of_turn", "reply_start"]
    order += ["compute_end", "reply_end", "turn_end"]
    assert [kind for kind in kinds(performance) if kind in order] == order


def test_the_user_is_on_the_left_where_he_spoke(question: Samples) -> None:
    performance = run(Script([Line(question, 0.5)]), Counting(frames=5))
    assert len(performance.user) == len(performance.assistant)
    loud = np.flatnonzero(np.abs(performance.user) > 0.02)
    assert loud[0] / OUTPUT_RATE == pytest.approx(0.5, abs=0.03)
    assert loud[-1] / OUTPUT_RATE == pytest.approx(0.5 + len(question) / INPUT_RATE, abs=0.03)


def test_the_model_hears_the_question_from_its_first_syllable(question: Samples) -> None:
    engine = Counting(frames=5)
    run(Script([Line(question, 0.5)]), engine)
    (request,) = engine.questions
    assert request.audio is not None and request.seed == 0
    place = np.correlate(request.audio, question, "valid")
    at = int(np.argmax(place))
    np.testing.assert_allclose(request.audio[at : at + len(question)], question, atol=1e-6)
    assert at <= 10 * 512


def test_a_measured_model_takes_its_time(question: Samples) -> None:
    performance = run(Script([Line(question, 0.5)]), Counting(frames=3, wall_s=0.05), Compute())
    (turn,) = performance.record.turns.values()
    waited = turn.latencies()["model_ms"]
    assert waited is not None and waited >= 50.0


def test_an_instant_model_takes_none(question: Samples) -> None:
    performance = run(Script([Line(question, 0.5)]), Counting(frames=3, wall_s=0.05), Compute(False))
    (turn,) = performance.record.turns.values()
    assert turn.latencies()["model_ms"] == 0.0


def test_a_model_too_slow_for_its_speech_stutters(question: Samples) -> None:
    performance = run(Script([Line(question, 0.5)]), Counting(frames=10), Compute(False, 0.3, 0.12))
    assert performance.underruns > 0 and "underrun" in kinds(performance)
    sound = performance.assistant[performance.assistant != 0.0]
    spoken = np.concatenate([tone(index) for index in range(10)])
    # All of it is heard, in order, with holes.
    np.testing.assert_array_equal(sound, spoken[spoken != 0.0])
    (turn,) = performance.record.turns.values()
    assert turn.first_sample is not None and turn.reply_end is not None
    assert turn.reply_end - turn.first_sample > 10 * FRAME_S


def test_a_model_that_fails(question: Samples) -> None:
    performance = run(Script([Line(question, 0.5)]), Counting(fault_at=5))
    (turn,) = performance.record.turns.values()
    assert turn.failed and turn.barge_in is None and turn.reply_end is not None
    notices = [event["text"] for event in performance.record.events() if event["type"] == "notice"]
    assert any("scripted fault" in sentence for sentence in notices)


def test_nothing_but_silence() -> None:
    performance = perform(Recording(np.zeros(2 * INPUT_RATE, np.float32)), Counting(), Terms(COMPUTE))
    assert performance.record.turns == {} and not performance.assistant.any()
    assert performance.seconds == 2.0


# --- more than one turn


def test_an_interruption_to_the_sample(question: Samples, interruption: Samples) -> None:
    engine = Counting(frames=100)
    cut_in = Line(interruption, 1.0, reply=1)
    performance = run(Script([Line(question, 0.5), cut_in]), engine)
    # The interruption has pauses in it, after which it was tried in vain.
    first, second = [turn for turn in performance.record.turns.values() if not turn.discarded]
    assert cut_in.first is not None and first.first_sample is not None
    assert cut_in.first == round((first.first_sample + 1.0) * INPUT_RATE)
    assert first.interrupted and first.barge_in is not None and first.barge_in_speech is not None
    assert abs(first.barge_in_speech - cut_in.first / INPUT_RATE) < 0.15
    assert first.barge_in - first.barge_in_speech >= BARGE_IN_S + MICROPHONE_S - 1e-6
    assert first.stopped is not None
    assert first.stopped == pytest.approx(first.barge_in + SPEAKER_S + FADE_S, abs=1e-4)
    silent = slice(round(first.stopped * OUTPUT_RATE), round((second.first_sample or 0.0) * OUTPUT_RATE) - 1)
    assert not performance.assistant[silent].any()
    assert performance.assistant[silent.start - 400 : silent.start].any()
    # Only what was heard is remembered, and the model is told so with the next question.
    assert first.heard and first.reply.startswith(first.heard) and len(first.heard) < len(first.reply)
    assert engine.questions[-1].history[0].a == first.heard
    assert not second.interrupted and second.heard == second.reply
    assert engine.made[0] < 100
    stop_ms = first.latencies()["stop_ms"]
    assert stop_ms == pytest.approx((first.stopped - first.barge_in_speech) * 1000, abs=0.1)


def test_a_cancelled_step_still_holds_the_model_up() -> None:
    timeline = Timeline()
    record = Record(timeline)
    model = VirtualModel(Counting(frames=3), timeline, record, Compute(False, 2.0, 1.0), None)
    arrivals: list[tuple[str, float]] = []
    record.to_conversation = lambda event: arrivals.append((type(event).__name__, timeline.now()))
    first = model.start_turn(text="one")
    timeline.at(0.5, lambda: model.cancel(first))
    timeline.at(0.6, lambda: arrivals.append((f"turn {model.start_turn(text='two')}", timeline.now())))
    timeline.run(lambda: False)
    frames = [at for name, at in arrivals if name == "AudioFrame"]
    # The first step ends at 2.0, and nothing of it arrives; only then the second turn begins.
    assert frames == [4.0, 5.0, 6.0]
    assert not model.busy and arrivals[-1] == ("TurnDone", 6.0)


def test_its_own_echo_is_no_interruption(question: Samples) -> None:
    pytest.importorskip("livekit")
    performance = run(Script([Line(question, 0.5)]), Counting(frames=40), echo=Echo(-6.0, 0.1))
    (turn,) = performance.record.turns.values()
    assert not turn.interrupted and turn.heard == turn.reply
