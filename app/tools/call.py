"""What the model wrote between the call markers, read strictly: `<TOOLCALL>[{"name": …, "arguments": {…}}]</TOOLCALL>`.

The model is small and can be led astray, so nothing of it is believed: what is not exactly a call of a known tool with
arguments of its schema becomes one of the errors below, each with a sentence for the user.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, NoReturn

from app.tools.questions import question_for
from app.tools.registry import Registry, normalised
from app.tools.tool import Arguments, MissingArgument, Tool

if TYPE_CHECKING:
    from jsonschema import ValidationError

OPEN, CLOSE = "<TOOLCALL>", "</TOOLCALL>"
MOST_CHARACTERS = 2048  # 512 tokens of at most four characters
MOST_CALLS = 8

_PRINTABLE = re.compile(r"[ -~]*")
_SPACE = str.maketrans("\n\r\t", "   ")  # between the parts of a call, but never inside a string
_MARKERS = re.compile(r"</?\s*TOOL_?(?:CALL|RESPONSE)|<\||\|>|<SPECIAL_\d", re.IGNORECASE)


class Fault(Enum):
    """Why a call cannot be carried out."""

    MALFORMED = "malformed"
    UNKNOWN_TOOL = "unknown tool"
    BAD_ARGUMENT = "bad argument"


class CallError(Exception):
    """The text is no call that can be carried out. `answer` is a polite sentence, fit to be spoken.

    `tool` and `argument` are named where they are known: the argument with `Fault.BAD_ARGUMENT`, for which `rest` has
    the arguments besides it.
    """

    def __init__(
        self,
        fault: Fault,
        answer: str,
        *,
        detail: str = "",
        tool: str = "",
        argument: str = "",
        rest: Arguments | None = None,
    ) -> None:
        super().__init__(f"{fault.value}: {detail}" if detail else fault.value)
        self.fault = fault
        self.answer = answer
        self.tool = tool
        self.argument = argument
        self.rest: Arguments = rest or {}


@dataclass(frozen=True)
class Call:
    """A call of a known tool, with arguments that fit its schema; `name` as the registry writes it."""

    name: str
    arguments: Arguments


class IncompleteCall(MissingArgument):
    """A call that lacks an argument. `call` has the arguments that are there; with the answer it can be completed."""

    def __init__(self, call: Call, argument: str) -> None:
        super().__init__(argument, question_for(call.name, argument))
        self.call = call


def parse_calls(text: str, registry: Registry) -> tuple[Call, ...]:
    """The calls that `text` writes, one at least; the tags may be missing where tokens of their own stand for them.

    Raises CallError, or IncompleteCall when all is well but that something required is not there; nothing else.
    """
    entries = _loaded(_between_tags(text))
    if isinstance(entries, dict):
        entries = [entries]
    if not isinstance(entries, list) or not entries:
        _malformed("not a list of calls")
    if len(entries) > MOST_CALLS:
        _malformed("too many calls")
    return tuple(_call(entry, registry) for entry in entries)


def check_arguments(tool: Tool, arguments: Mapping[str, Any]) -> Call:
    """A call of `tool` with `arguments`, whole numbers as int; raises as `parse_calls` does."""
    # It takes a tenth of a second to load, which must not hold up the window.
    from jsonschema import Draft202012Validator

    name = normalised(tool.name)
    schema = tool.description.parameters
    errors = list(Draft202012Validator(schema).iter_errors(dict(arguments)))
    for error in errors:
        if argument := _bad_argument(error, arguments):
            answer = f"Sorry, that does not work. {question_for(name, argument)}"
            rest = {key: value for key, value in arguments.items() if key != argument}
            raise CallError(Fault.BAD_ARGUMENT, answer, detail=error.message, tool=name, argument=argument, rest=rest)
    whole = {
        key: int(value) if isinstance(value, float) and _is_integer(schema, key) else value
        for key, value in arguments.items()
    }
    call = Call(name, whole)
    for error in errors:
        for argument in _missing(error, arguments):
            raise IncompleteCall(call, argument)
    if errors:
        _malformed(errors[0].message, name)
    return call


def _call(entry: object, registry: Registry) -> Call:
    if not isinstance(entry, dict) or entry.keys() != {"name", "arguments"} or not isinstance(entry["name"], str):
        _malformed("a call is a name and arguments")
    tool = registry.get(entry["name"])
    if tool is None:
        raise CallError(
            Fault.UNKNOWN_TOOL, "Sorry, that is something I cannot do.", detail=entry["name"], tool=entry["name"]
        )
    arguments = entry["arguments"]
    if isinstance(arguments, str):
        arguments = _loaded(arguments)
    if not isinstance(arguments, dict):
        _malformed("the arguments are no object", normalised(tool.name))
    # A space at either end is none that was said.
    trimmed = {key: value.strip() if isinstance(value, str) else value for key, value in arguments.items()}
    return check_arguments(tool, trimmed)


def _between_tags(text: str) -> str:
    body = text.strip()
    if len(body) > MOST_CHARACTERS:
        _malformed("too long")
    if body.startswith(OPEN) and body.endswith(CLOSE) and len(body) >= len(OPEN) + len(CLOSE):
        body = body[len(OPEN) : -len(CLOSE)]
    return body


def _loaded(text: str) -> Any:
    """The JSON value of `text`, with printable ASCII in it and nothing that opens or closes a channel."""
    try:
        value = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_number, parse_float=_finite, parse_int=_whole
        )
    except (ValueError, RecursionError) as error:
        _malformed(str(error))
    for string in (text.translate(_SPACE), *_strings(value)):
        if not _PRINTABLE.fullmatch(string):
            _malformed("not printable ASCII")
        if _MARKERS.search(string):
            _malformed("a marker inside a call")
    return value


def _strings(value: object) -> Iterator[str]:
    """All strings and keys in a JSON value; a list of what is still to do, as it may be deep."""
    rest = [value]
    while rest:
        item = rest.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, list):
            rest.extend(item)
        elif isinstance(item, dict):
            rest.extend(item)
            rest.extend(item.values())


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("a number is too large")
    return value


def _whole(text: str) -> int:
    value = int(text)
    _finite(text)  # what no float can hold overflows in the schema's own comparisons
    return value


def _bad_argument(error: ValidationError, arguments: Mapping[str, Any]) -> str:
    """The name of the argument that is wrong; empty when one is missing instead."""
    if error.absolute_path:
        return str(error.absolute_path[0])
    if error.validator == "additionalProperties":
        return next((key for key in arguments if key not in error.schema.get("properties", {})), "")
    if error.validator == "oneOf" and not _missing(error, arguments):
        # Two that exclude each other: the later one is too much.
        named = [key for branch in error.validator_value for key in branch.get("required", ()) if key in arguments]
        return named[-1] if named else ""
    return ""


def _missing(error: ValidationError, arguments: Mapping[str, Any]) -> list[str]:
    """Required arguments that are not there; of several ways to fill them in, those of the first."""
    if error.validator == "required":
        return [key for key in error.validator_value if key not in arguments]
    if error.validator in ("anyOf", "oneOf"):
        ways = [[key for key in branch.get("required", ()) if key not in arguments] for branch in error.validator_value]
        return ways[0] if all(ways) else []
    return []


def _is_integer(schema: Mapping[str, Any], argument: str) -> bool:
    return schema.get("properties", {}).get(argument, {}).get("type") == "integer"


def _malformed(detail: str, tool: str = "") -> NoReturn:
    raise CallError(Fault.MALFORMED, "Sorry, I got that muddled. Could you say it again?", detail=detail, tool=tool)
