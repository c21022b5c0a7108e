"""Descriptions as shipped, and the names and schemas that a registry takes."""

from __future__ import annotations

from dataclasses import replace
from string import Formatter
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from app.tools.registry import Registry, load_descriptions
from app.tools.tool import Arguments, Result, Tool


def _nothing(arguments: Arguments) -> Result:
    return Result({})


def _tool(name: str = "flip_coin", **changes: Any) -> Tool:
    return Tool(replace(load_descriptions()["flip_coin"], name=name, **changes), _nothing)


@pytest.mark.parametrize("name", load_descriptions())
def test_every_description_is_complete(name: str) -> None:
    entry = load_descriptions()[name]
    Draft202012Validator.check_schema(entry.parameters)
    assert entry.on_hold and entry.answer_templates and entry.failure_answers
    fields = {field for template in entry.answer_templates for _, field, _, _ in Formatter().parse(template) if field}
    assert fields <= entry.result_example.keys()


def test_all_descriptions_fit_into_one_registry() -> None:
    registry = Registry(Tool(entry, _nothing) for entry in load_descriptions().values())
    assert registry.names == tuple(load_descriptions())


def test_what_only_reads_has_no_side_effect() -> None:
    acting = {name for name, entry in load_descriptions().items() if entry.side_effect}
    assert {"set_timer", "take_note", "open_application"} <= acting
    assert not acting & {"current_time", "list_timers", "read_notes", "get_weather", "system_status", "calculate"}
    assert all(entry.side_effect for entry in load_descriptions().values() if entry.confirm)


def test_hyphens_and_underscores_are_one() -> None:
    registry = Registry([_tool("flip-coin")])
    assert registry.names == ("flip_coin",)
    assert registry.get("flip_coin") is registry.get("flip-coin") is not None
    assert registry.get("flip coin") is None


@pytest.mark.parametrize("name", ["", "flip coin", "fläche", "a" * 65])
def test_bad_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no name for a tool"):
        Registry([_tool(name)])


def test_two_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two tools are called flip_coin"):
        Registry([_tool("flip_coin"), _tool("flip-coin")])


@pytest.mark.parametrize("parameters", [{"type": "nothing"}, {"type": "string"}, {}])
def test_parameters_must_be_a_schema_of_an_object(parameters: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="JSON Schema"):
        Registry([_tool(parameters=parameters)])
