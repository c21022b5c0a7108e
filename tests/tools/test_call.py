"""What the model writes for a call: read when it is exactly one, and otherwise refused in one of the known ways."""

from __future__ import annotations

import json
from datetime import datetime
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tools.builtin import pure_tools
from app.tools.call import CLOSE, MOST_CALLS, MOST_CHARACTERS, OPEN, Call, CallError, Fault, IncompleteCall, parse_calls
from app.tools.questions import question_for
from app.tools.registry import Registry, load_descriptions
from app.tools.tool import Arguments, MissingArgument, Result, Tool
from app.tools.words.plain import plain


def _nothing(arguments: Arguments) -> Result:
    return Result({})


REGISTRY = Registry(Tool(entry, _nothing) for entry in load_descriptions().values())


def _written(name: str, arguments: object) -> str:
    return f"{OPEN}{json.dumps([{'name': name, 'arguments': arguments}])}{CLOSE}"


def _fault(text: str) -> CallError:
    with pytest.raises(CallError) as caught:
        parse_calls(text, REGISTRY)
    assert plain(caught.value.answer) == caught.value.answer
    return caught.value


TIMER = Call("set_timer", {"seconds": 600, "label": "pasta"})


@pytest.mark.parametrize(
    "text",
    [
        '<TOOLCALL>[{"name": "set_timer", "arguments": {"seconds": 600, "label": "pasta"}}]</TOOLCALL>',
        '<TOOLCALL>{"name": "set_timer", "arguments": {"seconds": 600, "label": "pasta"}}</TOOLCALL>',
        '\n{"name": "set_timer",\n "arguments": {"seconds": 600, "label": "pasta"}}\n',
        '[{"arguments": "{\\"seconds\\": 600, \\"label\\": \\"pasta\\"}", "name": "set-timer"}]',
        '[{"name": "set_timer", "arguments": {"seconds": 600.0, "label": "pasta"}}]',
        '{"name":"set_timer","arguments":{"seconds":600,"label":" pasta"}}',
    ],
)
def test_a_call_is_read(text: str) -> None:
    (call,) = parse_calls(text, REGISTRY)
    assert call == TIMER
    assert isinstance(call.arguments["seconds"], int)


def test_several_calls_are_read() -> None:
    both = json.dumps([{"name": name, "arguments": {}} for name in ("flip_coin", "roll_dice")])
    assert [call.name for call in parse_calls(both, REGISTRY)] == ["flip_coin", "roll_dice"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "set a timer",
        '[{"name": "flip_coin", "arguments": {}}',
        '<TOOLCALL>[{"name": "flip_coin", "arguments": {}}]',
        '[{"name": "flip_coin"}]',
        '[{"name": "flip_coin", "arguments": {}, "id": 1}]',
        '[{"name": 5, "arguments": {}}]',
        '[{"name": "flip_coin", "arguments": []}]',
        '[{"name": "flip_coin", "arguments": "[]"}]',
        '[{"name": "flip_coin", "name": "roll_dice", "arguments": {}}]',
        '[{"name": "set_timer", "arguments": {"seconds": 60, "seconds": 90}}]',
        '[{"name": "set_timer", "arguments": "{\\"seconds\\": 60, \\"seconds\\": 90}"}]',
        '[{"name": "calculate", "arguments": {"left": NaN, "operation": "plus", "right": 1}}]',
        '[{"name": "calculate", "arguments": {"left": -Infinity, "operation": "plus", "right": 1}}]',
        '[{"name": "calculate", "arguments": {"left": 1e999, "operation": "plus", "right": 1}}]',
        '[{"name": "calculate", "arguments": {"left": 1' + "0" * 400 + ', "operation": "plus", "right": 1}}]',
        '[{"name": "take_note", "arguments": {"text": "Zürich"}}]',
        '[{"name": "take_note", "arguments": {"text": "Z\\u00fcrich"}}]',
        '[{"name": "take_note", "arguments": {"text": "one\\ntwo"}}]',
        '[{"name": "take_note", "arguments": {"text": "</TOOLCALL>"}}]',
        '[{"name": "take_note", "arguments": {"text": "\\u003cTOOL_RESPONSE>"}}]',
        '[{"name": "take_note", "arguments": {"text": "<|im_end|>"}}]',
        '<TOOLCALL><TOOLCALL>[{"name": "flip_coin", "arguments": {}}]</TOOLCALL></TOOLCALL>',
        "[" * 1500,
        " " * 3 + '[{"name": "take_note", "arguments": {"text": "' + "a" * MOST_CHARACTERS + '"}}]',
        json.dumps([{"name": "flip_coin", "arguments": {}}] * (MOST_CALLS + 1)),
    ],
)
def test_anything_else_is_malformed(text: str) -> None:
    assert _fault(text).fault is Fault.MALFORMED


def test_unknown_tools_are_refused() -> None:
    error = _fault(_written("launch_rocket", {}))
    assert (error.fault, error.tool) == (Fault.UNKNOWN_TOOL, "launch_rocket")


@pytest.mark.parametrize(
    ("name", "arguments", "argument"),
    [
        ("set_timer", {"seconds": 0}, "seconds"),
        ("set_timer", {"seconds": "ten"}, "seconds"),
        ("set_timer", {"seconds": True}, "seconds"),
        ("set_timer", {"seconds": 1.5}, "seconds"),
        ("set_timer", {"seconds": 60, "volume": 3}, "volume"),
        ("set_timer", {"label": ""}, "label"),
        ("set_alarm", {"time": "25:00"}, "time"),
        ("convert_units", {"value": 1, "from_unit": "furlongs", "to_unit": "miles"}, "from_unit"),
        ("set_volume", {"level": 50, "change": "up"}, "change"),
    ],
)
def test_bad_arguments_are_named_and_asked_for_anew(name: str, arguments: dict[str, Any], argument: str) -> None:
    error = _fault(_written(name, arguments))
    assert (error.fault, error.tool, error.argument) == (Fault.BAD_ARGUMENT, name, argument)
    assert error.answer.endswith("?")


@pytest.mark.parametrize(
    ("name", "arguments", "argument"),
    [
        ("set_timer", {"label": "pasta"}, "seconds"),
        ("calculate", {}, "left"),
        ("set_volume", {}, "level"),
        ("set_volume", {"amount": 10}, "level"),
        ("add_reminder", {"task": "call home"}, "time"),
        ("get_weather", {"day": "today"}, "city"),
    ],
)
def test_what_is_missing_is_asked_for(name: str, arguments: dict[str, Any], argument: str) -> None:
    with pytest.raises(MissingArgument) as caught:
        parse_calls(_written(name, arguments), REGISTRY)
    assert isinstance(caught.value, IncompleteCall)
    assert caught.value.argument == argument
    assert caught.value.question == question_for(name, argument)
    assert caught.value.call == Call(name, arguments)


def test_every_argument_has_a_question_of_its_own() -> None:
    for name, entry in load_descriptions().items():
        questions = [question_for(name, argument) for argument in entry.parameters["properties"]]
        assert all(question.endswith("?") and plain(question) == question for question in questions)
        assert not any(question.startswith("What should the") for question in questions)
        assert len(set(questions)) == len(questions)


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=8), inner), max_leaves=8
)
ARGUMENTS = sorted({key for entry in load_descriptions().values() for key in entry.parameters["properties"]})
CALLS = st.fixed_dictionaries(
    {
        "name": st.sampled_from([*REGISTRY.names, "set-timer", "no_such"]) | SCALARS,
        "arguments": st.dictionaries(st.sampled_from(ARGUMENTS) | st.text(max_size=5), VALUES) | VALUES,
    }
)
PIECES = st.sampled_from(
    [
        OPEN,
        CLOSE,
        "[",
        "]",
        "{",
        "}",
        '"name"',
        '"arguments"',
        ":",
        ",",
        '"set_timer"',
        '"seconds"',
        "600",
        "NaN",
        "\\",
        '"',
    ]
)


@given(
    st.text()
    | st.lists(PIECES | st.text(max_size=3), max_size=30).map("".join)
    | VALUES.map(json.dumps)
    | (CALLS | st.lists(CALLS)).map(json.dumps)
    | CALLS.map(lambda call: f"{OPEN}{json.dumps(call)}{CLOSE}")
)
def test_no_text_raises_anything_else(text: str) -> None:
    try:
        calls = parse_calls(text, REGISTRY)
    except (CallError, IncompleteCall):
        return
    assert calls
    assert all(call.name in REGISTRY.names for call in calls)


@given(
    st.sampled_from(["plus", "minus", "times", "divided_by", "percent_of", "percent_off", "percent_on"]),
    st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    st.integers() | st.floats(allow_nan=False, allow_infinity=False),
)
def test_numbers_survive_the_way_through_text(operation: str, left: float, right: float) -> None:
    if max(abs(left), abs(right)) > 10**300:
        return
    arguments = {"left": left, "operation": operation, "right": right}
    (call,) = parse_calls(_written("calculate", arguments), REGISTRY)
    assert call.arguments == arguments


def test_a_registry_without_a_tool_does_not_know_its_call() -> None:
    registry = Registry(pure_tools(datetime.now, Random(0)))
    with pytest.raises(CallError) as caught:
        parse_calls(_written("set_timer", {"seconds": 60}), registry)
    assert caught.value.fault is Fault.UNKNOWN_TOOL
