"""Answers to what was asked back, as people give them."""

from __future__ import annotations

from datetime import time
from typing import Any

import pytest

from app.tools.asked import HalfOfDayError, is_new_request, operation_between, read_answer
from app.tools.registry import load_descriptions
from app.tools.tool import Result, Tool
from app.tools.words.said import Clock, gives_up, seconds_in, time_in, wants_later, wants_quiet, yes_or_no


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("ten minutes", 600),
        ("An hour and a half.", 5400),
        ("half an hour please", 1800),
        ("one and a half hours", 5400),
        ("two minutes thirty", 150),
        ("three quarters of an hour", 2700),
        ("two hours and ten minutes", 7800),
        ("about five minutes", 300),
        ("um, ten", 600),
        ("90 seconds", 90),
        ("1h 30m", 5400),
        ("a minute", 60),
        ("tomorrow", None),
        ("the pasta", None),
    ],
)
def test_lengths(text: str, seconds: int | None) -> None:
    assert seconds_in(text) == seconds


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("half past six in the evening", Clock(time(18, 30))),
        ("at seven a.m.", Clock(time(7, 0))),
        ("7pm", Clock(time(19, 0))),
        ("ten to six in the morning", Clock(time(5, 50))),
        ("quarter to eight", Clock(time(7, 45), half=True)),
        ("seven thirty", Clock(time(7, 30), half=True)),
        ("six oh five pm", Clock(time(18, 5))),
        ("twenty two thirty", Clock(time(22, 30))),
        ("18:05", Clock(time(18, 5))),
        ("06:30", Clock(time(6, 30))),
        ("noon", Clock(time(12, 0))),
        ("twelve noon", Clock(time(12, 0))),
        ("ten minutes to midnight", Clock(time(23, 50))),
        ("quarter past midnight", Clock(time(0, 15))),
        ("twenty to noon", Clock(time(11, 40))),
        ("half past midday", Clock(time(12, 30))),
        ("sometime past noon", None),
        ("twelve at night", Clock(time(0, 0))),
        ("seven o'clock", Clock(time(7, 0), half=True)),
        # The ears lost a vowel.
        ("twelve thirty eight m", Clock(time(0, 38))),
        ("half past one, m.", Clock(time(1, 30))),
        ("m", None),
        ("whenever you like", None),
    ],
)
def test_times(text: str, clock: Clock | None) -> None:
    assert time_in(text) == clock


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("yes", True),
        ("Yes, please.", True),
        ("okay", True),
        ("sure, go ahead", True),
        ("please do", True),
        ("no", False),
        ("no, leave it", False),
        ("hmm, rather not", False),
        ("don't", False),
        ("what time is it", None),
        ("the pasta one", None),
    ],
)
def test_yes_and_no(text: str, answer: bool | None) -> None:
    assert yes_or_no(text) is answer


@pytest.mark.parametrize(
    ("tool", "argument", "text", "known", "found"),
    [
        ("set_timer", "seconds", "ten minutes", {}, {"seconds": 600}),
        ("add_reminder", "time", "tomorrow at five in the afternoon", {}, {"day": "tomorrow", "time": "17:00"}),
        ("add_reminder", "time", "in twenty minutes", {}, {"in_seconds": 1200}),
        ("add_reminder", "task", "To call mum.", {}, {"task": "call mum"}),
        ("set_alarm", "day", "on Monday", {"time": "07:00"}, {"day": "monday"}),
        ("pick_random_number", "low", "between ten and one", {}, {"low": 1, "high": 10}),
        ("calculate", "left", "12 and 8", {"operation": "times"}, {"left": 12, "right": 8}),
        ("calculate", "operation", "multiply them", {"left": 2, "right": 3}, {"operation": "times"}),
        ("convert_units", "to_unit", "into kilometres", {"value": 3}, {"to_unit": "kilometers"}),
        ("convert_units", "value", "two and a half", {}, {"value": 2.5}),
        ("set_volume", "level", "forty percent", {}, {"level": 40}),
        ("media_control", "action", "skip it", {}, {"action": "next"}),
        ("cancel_timer", "label", "the tea one", {}, {"label": "tea"}),
        ("cancel_timer", "all", "yes, both", {}, {"all": True}),
        ("get_weather", "city", "Leeds, please", {}, {"city": "Leeds"}),
        ("take_note", "text", "the key is under the pot", {}, {"text": "the key is under the pot"}),
        ("set_timer", "seconds", "the blue one", {}, {}),
    ],
)
def test_arguments(tool: str, argument: str, text: str, known: dict[str, Any], found: dict[str, Any]) -> None:
    made = Tool(load_descriptions()[tool], lambda arguments: Result({}))
    assert read_answer(made.description, argument, text, known) == found


def test_a_time_without_its_half_of_the_day_is_asked_about() -> None:
    made = Tool(load_descriptions()["set_alarm"], lambda arguments: Result({}))
    with pytest.raises(HalfOfDayError, match="Is that quarter to eight in the morning or in the evening"):
        read_answer(made.description, "time", "at quarter to eight", {})


@pytest.mark.parametrize("text", ["What's the weather like?", "can you tell me a joke", "set a timer for five minutes"])
def test_a_new_request_is_no_answer(text: str) -> None:
    assert is_new_request(text)


def test_call_my_mum_is_an_answer() -> None:
    assert not is_new_request("call my mum") and not gives_up("call my mum") and gives_up("never mind")


@pytest.mark.parametrize("text", ["Stop!", "thanks", "okay, thank you", "turn it off please", "I’m up"])
def test_what_is_said_to_a_bell(text: str) -> None:
    assert wants_quiet(text) and not wants_later(text)


def test_a_bell_is_put_off_or_has_nothing_to_do_with_it() -> None:
    assert wants_later("snooze please") and not wants_quiet("what time is it")
    assert not wants_quiet("stop telling me about the history of the town")


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("ten over four please", "divided_by"),
        ("what is ten % off four", "percent_off"),
        ("ten times four", "times"),
        ("multiply ten and four", None),
        ("ten apples minus four", None),
    ],
)
def test_what_stands_between_two_numbers(text: str, operation: str | None) -> None:
    assert operation_between("ten", "four", text) == operation


def test_nothing_stands_between_one_number() -> None:
    assert operation_between("", "four", "over four") is None
