"""Slots: where the values of a question are, and what becomes of them in its call."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from types import SimpleNamespace

import numpy as np
import pytest

from app.speech.known_calls import CallWriter, KnownCall
from app.speech.known_questions import Earlier, plain
from app.speech.speakable import speakable
from app.training.calls import asked_values, find_spans, listing, renamed, slots_of, tagger_names, tags
from app.training.development import Asked
from app.training.tool_corpus import ToolDraw, ToolIntent, load_tools

TOOLS = {tool.id: tool for tool in load_tools()}
DRAWS = 20
#: An encoder to which nothing is a foreign word.
KNOWING = SimpleNamespace(
    tokenizer=SimpleNamespace(encode=lambda text, add_special_tokens: SimpleNamespace(tokens=[text]))
)


class PerfectTagger:
    """Finds the values that were drawn."""

    def __init__(self, tool: ToolIntent, draw: ToolDraw, text: str = "") -> None:
        self._tool, self._draw, self.text = tool, draw, text

    def tag(self, encoder: object, text: str) -> PerfectTagger:
        return PerfectTagger(self._tool, self._draw, text)

    def find(self, wanted: Iterable[str]) -> dict[str, str]:
        text = self.text
        asked = dict(zip(self._tool.row.get("slots", {}), self._draw.values, strict=True))
        values = {slot: value for slot, value in asked.items() if value.lower() in text.lower().replace("-", " ")}
        spans = find_spans(text, values, slots_of(self._tool)) or []
        return {name: text[first:last] for first, last, name in spans if name in wanted}


@pytest.mark.parametrize("name", TOOLS)
def test_every_call_is_composed_of_its_values(name: str) -> None:
    rng = np.random.default_rng(3)
    tool = TOOLS[name]
    known = KnownCall.from_dict(listing(tool))
    tried = 0
    for _ in range(DRAWS):
        draw = tool.draw(rng)
        if find_spans(draw.question, asked_values(tool, draw), slots_of(tool)) is None:
            continue
        tried += 1
        writer = CallWriter(PerfectTagger(tool, draw), KNOWING)  # type: ignore[arg-type]
        before, repeated = "", {}
        if draw.context:
            before, heard = draw.context[-1]
            found = [Earlier(renamed(one, slots_of(tool))).repeated(plain(heard)) for one in tool.turns[-1][1]]
            repeated = next(words for words in found if words is not None)
        composed = writer.compose(
            known, draw.question, writer.values(known, writer.tag(draw.question), before, repeated)
        )
        assert composed is not None
        if tool.id == "tool.set_alarm.ask_half":
            assert re.fullmatch(r"Is that .+ in the morning or in the evening\?", composed.answer)
        elif tool.id == "tool.cancel_timer.ask_label":
            # Before it is cancelled the user is asked.
            assert json.loads(composed.call) == {"name": "cancel_timer", "arguments": {"label": draw.values[0]}}
        elif draw.tool is None:
            assert speakable(composed.answer) in map(speakable, draw.answers)
        else:
            asked = Asked(tool.id, draw.question, tool=draw.tool, arguments=draw.arguments)
            assert asked.judge("", composed.call)["right"], (draw.question, draw.arguments, composed)


def test_spans_take_their_units_with_them() -> None:
    text = "remind me to call Anna in two hours and five minutes"
    slots = {"h": "seconds", "m": "seconds", "task": "task"}
    spans = find_spans(text, {"h": "two", "m": "five", "task": "call anna"}, slots)
    assert spans is not None
    assert [(text[first:last], name) for first, last, name in spans] == [
        ("call Anna", "task"),
        ("two hours and five minutes", "seconds"),
    ]


def test_a_value_that_is_there_twice_is_not_guessed() -> None:
    assert find_spans("five times five", {"a": "five", "b": "five"}, {"a": "left", "b": "right"}) is None
    assert find_spans("fifteen", {"a": "five"}, {"a": "left"}) is None


def test_tags_of_pieces() -> None:
    names = tagger_names()
    begin = 1 + 2 * names.index("label")
    offsets = [(0, 0), (0, 3), (4, 7), (7, 9), (10, 15), (0, 0)]
    assert tags(offsets, [(4, 9, "label")], names) == [0, 0, begin, begin + 1, 0, 0]
