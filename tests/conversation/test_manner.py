"""The user's wishes about turn-taking, on the real state machine."""

from __future__ import annotations

import itertools

import pytest

from app.conversation.events import (
    Action,
    AudioStarted,
    ConfirmTurn,
    HoldPlayback,
    Mode,
    ModelReady,
    ReplyDone,
    SpeechChunk,
    StartTurn,
    TextSubmitted,
)
from app.conversation.machine import TurnMachine
from app.conversation.manner import timing_for
from app.conversation.timing import CHUNK_S, Timing
from app.settings import Patience, Sensitivity


class Room:
    """A machine that hears chunks, 32 ms each."""

    def __init__(self) -> None:
        self.machine = TurnMachine(Mode.OPEN_MIC)
        self.machine.step(ModelReady(), 0.0)
        self.count = 0

    def hear(self, probability: float) -> list[Action]:
        self.count += 1
        return self.machine.step(SpeechChunk(self.count - 1, probability), self.count * CHUNK_S)

    def silence_until_answered(self) -> int:
        for _ in range(20):
            self.hear(0.9)
        for number in range(1, 200):
            if any(isinstance(action, ConfirmTurn) for action in self.hear(0.0)):
                return number
        raise AssertionError("no end of the turn")

    def voice_until_held(self) -> int:
        now = self.count * CHUNK_S
        (turn,) = [a.turn for a in self.machine.step(TextSubmitted("Hi"), now) if isinstance(a, StartTurn)]
        self.machine.step(AudioStarted(turn), now)
        for number in range(1, 200):
            if any(isinstance(action, HoldPlayback) for action in self.hear(0.9)):
                return number
        raise AssertionError("never held")


def test_nothing_changes_for_whoever_has_changed_nothing() -> None:
    assert timing_for(Patience.NORMAL, Sensitivity.NORMAL) == Timing()


@pytest.mark.parametrize(("patience", "seconds"), [("quick", 0.448), ("normal", 0.64), ("slow", 1.28)])
def test_patience_is_the_silence_before_the_answer(patience: str, seconds: float) -> None:
    room = Room()
    room.machine.set_timing(timing_for(Patience(patience), Sensitivity.NORMAL))
    assert room.silence_until_answered() * CHUNK_S == pytest.approx(seconds)


def test_the_next_turn_goes_by_what_was_chosen_last() -> None:
    room = Room()
    usual = room.silence_until_answered()
    room.machine.step(ReplyDone(1), room.count * CHUNK_S)
    room.machine.set_timing(timing_for(Patience.SLOW, Sensitivity.NORMAL))
    room.hear(0.0)
    assert room.silence_until_answered() == 2 * usual


def test_sensitivity_is_the_voice_that_holds_an_answer() -> None:
    held = []
    for sensitivity in (Sensitivity.HIGH, Sensitivity.NORMAL, Sensitivity.LOW):
        room = Room()
        room.machine.set_timing(timing_for(Patience.NORMAL, sensitivity))
        held.append(room.voice_until_held())
    assert held == [4, Timing().barge_in_chunks, 13]


@pytest.mark.parametrize(("patience", "sensitivity"), list(itertools.product(Patience, Sensitivity)))
def test_the_lengths_stay_in_order(patience: Patience, sensitivity: Sensitivity) -> None:
    timing = timing_for(patience, sensitivity)
    assert timing.duck_chunks < timing.barge_in_chunks < timing.interruption_chunks
    assert timing.speculative_chunks < timing.complete_chunks < timing.endpoint_chunks < timing.unfinished_chunks
    assert timing.unfinished_chunks < timing.resume_chunks
