"""What the model is trained to write and to say: every call of the corpus is one that the tools carry out."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta, timezone
from pathlib import Path
from random import Random
from typing import Any

import pytest

from app.tools.agenda.alarm_clock import AlarmClock
from app.tools.agenda.store import Store
from app.tools.agenda.tools import agenda_tools
from app.tools.builtin import pure_tools
from app.tools.call import CLOSE, OPEN, parse_calls
from app.tools.notes import Notes, note_tools
from app.tools.registry import Registry, load_descriptions
from app.tools.speak import MOST_CHARACTERS, fill, spoken_answer
from app.tools.tool import Arguments, Result, Tool
from tests.support.virtual_clock import VirtualClock

CORPUS = Path(__file__).parents[2] / "app" / "training" / "data" / "dialogues" / "tools.jsonl"
INTENTS = {
    intent["id"]: intent
    for intent in map(json.loads, CORPUS.read_text(encoding="utf-8").splitlines())
    if intent["tool"]
}
DRAWS = 12
NOW = datetime(2027, 3, 12, 15, 5, tzinfo=timezone(timedelta(hours=1)))


def _nothing(arguments: Arguments) -> Result:
    return Result({})


ALL = Registry(Tool(entry, _nothing) for entry in load_descriptions().values())


def _slots(intent: dict[str, Any], rng: Random, draw: int) -> dict[str, tuple[str, Any]]:
    """For every slot the words and the typed value; all the values of a list come up as draws go on."""
    chosen = {}
    for name, values in intent.get("slots", {}).items():
        if isinstance(values, dict):
            low, high = values["range"]
            number = (low, high, rng.randint(low, high))[min(draw, 2)]
            chosen[name] = (str(number), number)
        else:
            at = draw % len(values)
            chosen[name] = (values[at], intent.get("slot_values", {}).get(name, values)[at])
    return chosen


def _filled(value: Any, slots: dict[str, tuple[str, Any]]) -> Any:
    """An argument with its slots filled in, by the rules of the corpus."""
    if not isinstance(value, str):
        return value
    if value.startswith("="):
        terms = re.sub(r"\{(\w+)\}", lambda slot: str(slots[slot[1]][1]), value[1:]).split("+")
        return sum(int(one) * int(two) for one, two in (term.split("*") for term in terms))
    if alone := re.fullmatch(r"\{(\w+)\}", value):
        return slots[alone[1]][1]
    return re.sub(r"\{(\w+)\}", lambda slot: slots[slot[1]][0], value)


def _draws(intent: dict[str, Any]) -> list[dict[str, Any]]:
    rng = Random(intent["id"])
    longest = max((len(values) for values in intent.get("slots", {}).values() if isinstance(values, list)), default=1)
    draws = []
    for draw in range(max(DRAWS, longest)):
        slots = _slots(intent, rng, draw)
        draws.append({key: _filled(value, slots) for key, value in intent["tool"]["arguments"].items()})
    return draws


@pytest.mark.parametrize("name", INTENTS)
def test_every_call_is_read_as_it_is_meant(name: str) -> None:
    intent = INTENTS[name]
    for arguments in _draws(intent):
        written = json.dumps([{"name": intent["tool"]["name"], "arguments": arguments}])
        (call,) = parse_calls(f"{OPEN}{written}{CLOSE}", ALL)
        assert (call.name, call.arguments) == (intent["tool"]["name"], arguments)


@pytest.mark.parametrize("name", INTENTS)
def test_every_answer_is_one_of_the_tool(name: str) -> None:
    intent = INTENTS[name]
    assert set(intent["answers"]) <= set(load_descriptions()[intent["tool"]["name"]].answer_templates)


def _answered(intent: dict[str, Any], tool: Tool, arguments: dict[str, Any]) -> None:
    """Run the call, and see that what the corpus answers can be said of its result."""
    result = tool.run(arguments)
    answer = spoken_answer(tool.description, result, Random(3))
    for said in (answer, *(fill(template, result.data) for template in intent["answers"])):
        assert re.fullmatch(r"[A-Z][A-Za-z.,?!' -]+[.?!]", said), arguments
        assert len(said) <= MOST_CHARACTERS


PURE = Registry(pure_tools(lambda: NOW, Random(3)))


@pytest.mark.parametrize("name", [name for name, intent in INTENTS.items() if intent["tool"]["name"] in PURE.names])
def test_every_call_of_a_pure_tool_is_answered(name: str) -> None:
    intent = INTENTS[name]
    tool = PURE.get(intent["tool"]["name"])
    assert tool is not None
    for arguments in _draws(intent):
        _answered(intent, tool, arguments)


AGENDA = {
    "set_timer", "list_timers", "cancel_timer", "set_alarm", "add_reminder", "list_reminders", "take_note",
    "read_notes",
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name, intent in INTENTS.items() if intent["tool"]["name"] in AGENDA])
def test_every_call_of_the_agenda_is_answered(name: str) -> None:
    intent = INTENTS[name]
    for arguments in _draws(intent):
        store, clock = Store(None), VirtualClock(datetime(2027, 3, 10, 0, 1))
        alarms, notes = AlarmClock(store, clock), Notes(store, clock)
        alarms.add_timer(300, arguments.get("label", ""))
        notes.add("the key is under the pot")
        tools = {one.name: one for one in [*agenda_tools(alarms), *note_tools(notes)]}
        _answered(intent, tools[intent["tool"]["name"]], arguments)
        store.close()
