"""The sentence that Banter speaks of a result: a template of the tool, filled with words for the ear.

Results are data from outside - a note, a label, a city - and the model reads the sentence back as its own turn, so
nothing in it may steer the model: only letters and marks of a sentence are left, no tags, no special tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from string import Formatter
from typing import Any

from app.tools.tool import Description, Result, ToolFailure
from app.tools.words.plain import plain

MOST_CHARACTERS = 300


def spoken_answer(description: Description, result: Result, rng: Random) -> str:
    """One of the answers for which `result` has all fields, by chance and shorter ones before one that must be cut.

    At most `MOST_CHARACTERS` of letters and `.,?!'-`. ValueError when no answer can be filled.
    """
    answers = fillable(description.answer_templates, result.data)
    if not answers:
        raise ValueError(f"the result of {description.name} fills none of its answers: {sorted(result.data)}")
    rng.shuffle(answers)
    return next((answer for answer in answers if len(answer) <= MOST_CHARACTERS), cut(answers[0]))


def spoken_failure(description: Description, failure: ToolFailure, rng: Random) -> str:
    """What the failure says, else one of the tool's own answers for it."""
    return cut(plain(str(failure))) or cut(plain(rng.choice(description.failure_answers)))


def fillable(templates: Sequence[str], data: Mapping[str, Any]) -> list[str]:
    """The templates for which `data` has every field, filled, in plain words and of any length."""
    return [answer for template in templates if (answer := fill(template, data))]


def fill(template: str, data: Mapping[str, Any]) -> str:
    """`template` with the fields of `data` in plain words; empty when one is missing, or has nothing to say."""
    parts = []
    for text, field, _, _ in Formatter().parse(template):
        parts.append(text)
        if field is None:
            continue
        words = plain(_as_text(data.get(field)))
        if not words:
            return ""
        # Its own full stop would end the sentence that it stands in.
        parts.append(words.rstrip(".!?, ") or words)
    return plain("".join(parts))


def cut(text: str, most: int = MOST_CHARACTERS) -> str:
    """`text` up to `most` characters, ending with a whole sentence if one fits, else with a whole word."""
    if len(text) <= most:
        return text
    head = text[:most]
    end = max(head.rfind(f"{mark} ") for mark in ".?!")
    if end > 0:
        return head[: end + 1]
    head = head[: most - 1]
    space = head.rfind(" ")
    return f"{head[:space] if space > 0 else head}".rstrip(" ,-") + "."


def _as_text(value: object) -> str:
    # Far more than can be spoken, and little enough to clean at once.
    return "" if value is None or isinstance(value, bool | list | dict) else str(value)[:2000]
