"""What a tool is: a description that the model knows, and a function that does the work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

# What the model filled in, after it was checked against the tool's schema: JSON values by name.
Arguments = Mapping[str, Any]


@dataclass(frozen=True)
class Result:
    """What a tool gives back.

    `data` has the fields of the description's `result_example`; those that begin with `spoken_` are in plain words
    for the ear. A field that does not apply this time is left out, and so are the answers that need it. `summary` is
    one short line for the card in the transcript ("10 min, pasta"); it may hold digits.
    """

    data: dict[str, Any]
    summary: str = ""


class ToolFailure(Exception):
    """The tool could not do it. The text is a sentence for the user, fit to be spoken.

    Without a text, one of the description's `failure_answers` is said instead.
    """


class MissingArgument(Exception):
    """Something was left open. `question` is a sentence, fit to be spoken, that asks the user for `argument`."""

    def __init__(self, argument: str, question: str) -> None:
        super().__init__(question)
        self.argument = argument
        self.question = question


@dataclass(frozen=True)
class Description:
    """One entry of `tools.json`.

    `parameters` is a JSON Schema for the arguments, an object. `confirm`: the user is asked before it runs.
    `side_effect`: it changes something, so once begun it is never broken off. `on_hold` is said while it takes long.
    `answer_templates` are filled from the fields of the result, `failure_answers` are said when it fails.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    needs_network: bool
    confirm: bool
    side_effect: bool
    on_hold: tuple[str, ...]
    answer_templates: tuple[str, ...]
    failure_answers: tuple[str, ...]
    result_example: dict[str, Any]


# Does the work. It is called off the window's thread, may take up to 15 s, and raises ToolFailure or MissingArgument.
Run = Callable[[Arguments], Result]


@dataclass(frozen=True)
class Tool:
    """A description together with the function that does what it says."""

    description: Description
    run: Run

    @property
    def name(self) -> str:
        """The name by which the model calls it."""
        return self.description.name
