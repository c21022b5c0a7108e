"""What a performed scenario is worth, after Full-Duplex-Bench, with the detector-free fallback for the words.

The truth about the user is the script, not the speech detector. The assistant has taken the turn when a second of
its speech is heard; what is heard is measured on its side of the recording, in 10 ms louder than −45 dBFS.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.omni.turn import INPUT_RATE, OUTPUT_RATE
from app.replay import scenarios as sc
from app.replay.record import TurnEntry, loud_windows
from app.replay.scenarios import Scenario
from app.replay.stage import Performance

TAKEN_S = 1.0

Outcome = dict[str, bool | float | None]


@dataclass(frozen=True)
class Score:
    """One line of the table. `value` None: no trial came to that. `target` as a bound, "most" or "least" it may be."""

    task: str
    what: str
    trials: int
    value: float | None
    unit: str = ""
    most: float | None = None
    least: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without one or without a value."""
        if self.value is None or (self.most is None and self.least is None):
            return None
        return (self.most is None or self.value <= self.most) and (self.least is None or self.value >= self.least)


def outcome(scenario: Scenario, performance: Performance) -> Outcome:
    """The findings of one trial; times in milliseconds, None where it did not come to that."""
    match scenario.task:
        case sc.PAUSE:
            return _pause(scenario, performance)
        case sc.SMOOTH:
            return _smooth(scenario, performance)
        case sc.INTERRUPTION | sc.DOUBLE_TALK:
            return _interruption(scenario, performance)
        case _:
            return _undisturbed(scenario, performance)


def scores(outcomes: Sequence[tuple[str, Outcome]]) -> list[Score]:
    """The table of the findings, given as (task, outcome)."""

    def of(task: str, name: str) -> list[float]:
        values = [found.get(name) for kind, found in outcomes if kind == task]
        return [float(value) for value in values if value is not None]

    def line(task: str, what: str, name: str, reduce: Callable[[list[float]], float], **more: Any) -> Score:
        values = of(task, name)
        return Score(task, what, len(values), round(reduce(values), 3) if values else None, **more)

    def share(values: list[float]) -> float:
        return float(np.mean(values))

    def half(values: list[float]) -> float:
        return float(np.median(values))

    def late(values: list[float]) -> float:
        return float(np.percentile(values, 95))

    found = [
        line(sc.PAUSE, "took the turn in the pause (rate)", "taken", share, most=0.26),
        line(sc.PAUSE, "said anything in the pause (rate)", "cut_in", share),
        line(sc.PAUSE, "answered the whole question (rate)", "whole", share),
        line(sc.SMOOTH, "took the turn (rate)", "taken", share, least=0.9),
        line(sc.SMOOTH, "ended the turn too early (rate)", "early", share),
        line(sc.SMOOTH, "end of speech → end of turn, median", "endpoint_ms", half, unit="ms"),
        line(sc.SMOOTH, "end of speech → first sound, median", "latency_ms", half, unit="ms", most=500.0),
        line(sc.SMOOTH, "end of speech → first sound, p95", "latency_ms", late, unit="ms", most=800.0),
    ]
    for task in (sc.INTERRUPTION, sc.DOUBLE_TALK):
        found += [
            line(task, "let itself be interrupted (rate)", "stopped", share),
            line(task, "answered the interruption (rate)", "taken", share, least=0.95),
            line(task, "interruption → silence, median", "stop_ms", half, unit="ms", most=320.0),
            line(task, "interruption → silence, longest", "stop_ms", max, unit="ms"),
            line(task, "its end → first sound, median", "latency_ms", half, unit="ms"),
        ]
    found += [
        line(sc.BACKCHANNEL, "went on speaking (rate)", "went_on", share, least=0.9),
        line(sc.BACKCHANNEL, "false turns", "false_turns", sum),
        line(sc.NOISE, "false interruptions", "interrupted", sum, most=0.0),
        line(sc.NOISE, "false turns", "false_turns", sum, most=0.0),
        line(sc.NOISE, "answered the question (rate)", "answered", share),
        line(sc.ECHO, "false interruptions", "interrupted", sum, most=0.0),
        line(sc.ECHO, "false turns", "false_turns", sum, most=0.0),
        line(sc.ECHO, "answered the question (rate)", "answered", share),
    ]
    return found


def _pause(scenario: Scenario, performance: Performance) -> Outcome:
    assert scenario.pause is not None and scenario.question is not None
    first, last = scenario.script.lines[0].first, scenario.question.last
    assert first is not None and last is not None
    spoken = _sound_s(performance, scenario.pause / INPUT_RATE, last / INPUT_RATE)
    asked_s = (last - first) / INPUT_RATE
    # Speech fades in and out: a tenth of a second at the edges tells nothing.
    whole = any(_kept(turn) and turn.question_s >= asked_s - 0.1 for turn in performance.record.turns.values())
    return {"taken": spoken >= TAKEN_S, "cut_in": spoken > 0.0, "whole": whole, "spoken_s": spoken}


def _smooth(scenario: Scenario, performance: Performance) -> Outcome:
    assert scenario.question is not None and scenario.question.last is not None
    end = scenario.question.last / INPUT_RATE
    ends = [turn.end_of_turn for turn in performance.record.turns.values() if turn.end_of_turn is not None]
    last = max(ends, default=None)
    return _answer(performance, end) | {
        "early": any(at < end for at in ends),
        "endpoint_ms": None if last is None else _ms(max(0.0, last - end)),
    }


def _interruption(scenario: Scenario, performance: Performance) -> Outcome:
    assert scenario.event is not None
    first, last = scenario.event.first, scenario.event.last
    before = _first_reply(performance)
    if first is None or last is None or before is None:
        return {}
    onset = first / INPUT_RATE
    if before.stopped is None and before.reply_end is not None and before.reply_end < onset + 0.5:
        # The reply was over before anybody could have noticed.
        return {}
    stop_ms = None if before.stopped is None else _ms(before.stopped - onset)
    return _answer(performance, last / INPUT_RATE, before) | {"stopped": before.stopped is not None, "stop_ms": stop_ms}


def _undisturbed(scenario: Scenario, performance: Performance) -> Outcome:
    """Nothing must come of whatever happens after the question."""
    turns = [turn for turn in performance.record.turns.values() if _kept(turn)]
    expected = 0 if scenario.question is None else 1
    found: Outcome = {"false_turns": float(max(0, len(turns) - expected))}
    before = _first_reply(performance)
    if scenario.question is not None:
        found["answered"] = before is not None
    if before is None or before.first_sample is None:
        return found
    if scenario.event is not None and before.stopped is None and before.reply_end is not None:
        first = scenario.event.first
        if first is None or before.reply_end < first / INPUT_RATE:
            return found
    stopped = before.stopped is not None
    return found | {"interrupted": stopped, "went_on": not stopped}


def _answer(performance: Performance, end: float, besides: TurnEntry | None = None) -> Outcome:
    """Whether the turn was taken after second `end`, and how long it took until there was a sound.

    `besides`: what is heard of this turn is no answer.
    """
    starts = [
        turn.first_sound
        for turn in performance.record.turns.values()
        if turn is not besides and turn.first_sound is not None and (turn.reply_end or 0.0) > end
    ]
    if not starts:
        return {"taken": False, "latency_ms": None}
    start = max(end, min(starts))
    return {"taken": _sound_s(performance, start, performance.seconds) >= TAKEN_S, "latency_ms": _ms(start - end)}


def _first_reply(performance: Performance) -> TurnEntry | None:
    return next((turn for turn in performance.record.turns.values() if turn.first_sample is not None), None)


def _kept(turn: TurnEntry) -> bool:
    """Whether it came to a question."""
    return not turn.discarded and turn.end_of_turn is not None


def _sound_s(performance: Performance, start: float, end: float) -> float:
    """Seconds of the assistant's sound from `start` to `end`."""
    piece = performance.assistant[round(start * OUTPUT_RATE) : round(end * OUTPUT_RATE)]
    return float(np.count_nonzero(loud_windows(piece))) / 100


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)
