"""The tools that are there, by name, and the descriptions they come from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from app.tools.tool import Description, Tool

DESCRIPTIONS = Path(__file__).with_name("tools.json")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


@cache
def load_descriptions() -> Mapping[str, Description]:
    """All tools that Banter describes to the model, by name, in the order of `tools.json`."""
    entries = json.loads(DESCRIPTIONS.read_text(encoding="utf-8"))
    descriptions = {}
    for entry in entries:
        for field in ("on_hold", "answer_templates", "failure_answers"):
            entry[field] = tuple(entry[field])
        descriptions[entry["name"]] = Description(**entry)
    return MappingProxyType(descriptions)


def normalised(name: str) -> str:
    """A tool's name as the registry knows it: models write hyphens and underscores as it comes."""
    return name.replace("-", "_")


class Registry:
    """The tools that can be called. ValueError for a bad name, two of one name, or parameters that are no schema."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            name = normalised(tool.name)
            if not _NAME.fullmatch(tool.name):
                raise ValueError(f"{tool.name!r} is no name for a tool: 1 to 64 letters, digits, _ or -")
            if name in self._tools:
                raise ValueError(f"two tools are called {name}")
            _check_parameters(tool)
            self._tools[name] = tool

    @property
    def names(self) -> tuple[str, ...]:
        """With underscores, in the order in which the tools were given."""
        return tuple(self._tools)

    def get(self, name: str) -> Tool | None:
        """The tool of that name, hyphens being underscores; None if there is none."""
        return self._tools.get(normalised(name))


def _check_parameters(tool: Tool) -> None:
    # It takes a tenth of a second to load, which must not hold up the window.
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    parameters = tool.description.parameters
    try:
        Draft202012Validator.check_schema(parameters)
    except SchemaError as error:
        raise ValueError(f"the parameters of {tool.name} are no JSON Schema: {error.message}") from error
    if parameters.get("type") != "object":
        raise ValueError(f"the parameters of {tool.name} must be a JSON Schema of type object")
