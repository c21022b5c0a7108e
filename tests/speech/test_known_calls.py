"""Calls that the bundled model composes of what was heard."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from app.paths import starter_model
from app.speech.interfaces import Composed
from app.speech.known_questions import KnownQuestions
from app.speech.sentence_encoder import SentenceEncoder

WHICH_TIMER = "Do you want me to cancel the soup timer?"


@pytest.fixture(scope="module")
def known() -> KnownQuestions:
    folder = starter_model()
    return KnownQuestions.load(folder, SentenceEncoder.load(folder))


def _call(known: KnownQuestions, text: str, turns: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
    meant = known.meant(text, turns)
    assert isinstance(meant, Composed) and meant.call
    found: dict[str, Any] = json.loads(meant.call)
    return {"name": found["name"], **found["arguments"]}


@pytest.mark.parametrize(
    ("heard", "name", "arguments"),
    [
        ("Set an alarm for ten. Past six in the morning.", "set_alarm", {"time": "06:10"}),
        ("Set an alarm for quarter, pass six in the evening.", "set_alarm", {"time": "18:15"}),
        ("Which weekday is June, the third?", "day_of_week_for", {"date_phrase": "June the third"}),
        ("What's the weather in edinborough?", "get_weather", {"city": "Edinburgh"}),
        ("Do I need a coat in manchister?", "get_weather", {"city": "Manchester"}),
        ("Open awdacity.", "open_application", {"application": "Audacity"}),
        ("Roll a D12.", "roll_dice", {"sides": 12}),
        ("What is twelve over three?", "calculate", {"left": 12, "operation": "divided_by", "right": 3}),
        ("Remind me tomorrow to phone Nayomi.", "add_reminder", {"task": "phone Naomi", "day": "tomorrow"}),
        (
            "Remind me tomorrow to improve our rapport.",
            "add_reminder",
            {"task": "improve our rapport", "day": "tomorrow"},
        ),
        ("Take a note, buy milk, eggs and bread.", "take_note", {"text": "buy milk, eggs and bread"}),
        # Nobody knows this town, so it stays as it was said.
        ("What's the weather in Brodania?", "get_weather", {"city": "Brodania"}),
    ],
)
def test_what_was_heard_becomes_a_call(known: KnownQuestions, heard: str, name: str, arguments: dict[str, Any]) -> None:
    assert _call(known, heard) == {"name": name, **arguments}


def test_a_day_that_nobody_said_is_left_out(known: KnownQuestions) -> None:
    assert _call(known, "any reminders waiting for me") == {"name": "list_reminders"}
    assert _call(known, "any reminders for me today") == {"name": "list_reminders", "day": "today"}


@pytest.mark.parametrize("text", ["Yes, that one.", "yeah, the soup one"])
def test_a_yes_cancels_the_timer(known: KnownQuestions, text: str) -> None:
    turns = [("cancel the soup timer", WHICH_TIMER)]
    assert _call(known, text, turns) == {"name": "cancel_timer", "label": "soup"}


def test_a_no_does_not(known: KnownQuestions) -> None:
    meant = known.meant("no, the soup one stays", [("cancel the soup timer", WHICH_TIMER)])
    assert isinstance(meant, Composed) and not meant.call and "soup" in meant.answer
