"""Train the slot tagger on the tool questions of the corpus: `python -m app.training calls`.

Questions are drawn with random values, said and typed in all their forms (see `slots`, `spoken_forms`); the sentence
encoder stands still. `slots_of` says how the templates of the corpus become those of `app.speech.known_calls`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from app.speech.known_calls import PLACE
from app.speech.sentence_encoder import SentenceEncoder
from app.speech.slot_tagger import OUTSIDE, WEIGHTS, SlotTagger, piece_states
from app.speech.weights import save_weights
from app.tools.registry import load_descriptions
from app.tools.words.reading import words_of
from app.training.examples import Sources, heard_form, misheard, vary
from app.training.loop import Run, autocast, stage_arguments
from app.training.model import load_text_sources
from app.training.tool_corpus import ToolDraw, ToolIntent, load_tools

Span = tuple[int, int, str]

#: Names of slots by what they are, where a call does not tell it.
_CLOCK = "bare"
_NAMED = {_CLOCK: "time"}
_SECONDS = ("seconds", "in_seconds")
#: What belongs to a number of hours, minutes or seconds in a question.
_UNITS = re.compile(
    r"[ -]?(?:and a half )?(?:hours?|minutes?|mins?|seconds?|secs?)\b(?: and a (?:half|quarter)\b)?", re.IGNORECASE
)
_CHECKED = 400
#: Share of questions that have no values, since they call no tool.
_WITHOUT = 0.25


def slots_of(tool: ToolIntent) -> dict[str, str]:
    """The tagger's name for every slot of an intent: that of the argument whose value it is, if it is one."""
    row = tool.row
    found = {slot: _NAMED.get(slot, slot) for slot in row.get("slots", {})}
    for key, value in (row["tool"] or {"arguments": {}})["arguments"].items():
        names = PLACE.findall(value) if isinstance(value, str) else []
        if key in _SECONDS:
            found |= dict.fromkeys(names, "seconds")
        elif names and value == f"{{{names[0]}}}":
            found[names[0]] = key
    return found


def tagger_names() -> list[str]:
    """All names, in a stable order."""
    return sorted({name for tool in load_tools() for name in slots_of(tool).values()})


def listing(tool: ToolIntent) -> dict[str, Any]:
    """An intent as `KnownCall.from_dict` reads it."""
    row, slots, called = tool.row, slots_of(tool), tool.id.split(".")[1]
    if _CLOCK in slots:
        # The call asks back by itself.
        return {"tool": called, "arguments": {slots[_CLOCK]: f"{{{slots[_CLOCK]}}}"}}
    if row["tool"] is None and not tool.turns and load_descriptions()[called].confirm:
        # Before it runs the user is asked anyway, and whatever is said to that is understood.
        return {"tool": called, "arguments": {name: f"{{{name}}}" for name in slots.values()}}
    if row["tool"] is None:
        return {"says": renamed(tool.spoken_answer, slots)}
    arguments = {}
    for key, value in row["tool"]["arguments"].items():
        places = isinstance(value, str) and "{" in value
        arguments[key] = "{seconds}" if places and key in _SECONDS else renamed(value, slots) if places else value
    return {"tool": row["tool"]["name"], "arguments": arguments, "lists": _lists(row, slots)}


def renamed(template: str, slots: Mapping[str, str]) -> str:
    """A template with the tagger's names."""
    return PLACE.sub(lambda place: f"{{{slots[place[1]]}}}", template)


def _lists(row: Mapping[str, Any], slots: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """The words for the listed values of slots that no rule reads."""
    found: dict[str, dict[str, Any]] = {}
    for slot, values in row.get("slot_values", {}).items():
        if slots[slot] not in ("seconds", "time"):
            said = row["slots"][slot]
            found[slots[slot]] = {" ".join(words_of(words)): value for words, value in zip(said, values, strict=True)}
    return found


def find_spans(text: str, values: Mapping[str, str], slots: Mapping[str, str]) -> list[Span] | None:
    """Where in a question its values are, with the tagger's names; None unless each is there exactly once."""
    taken = np.zeros(len(text) + 1, bool)
    spans: list[Span] = []
    for slot, value in sorted(values.items(), key=lambda pair: -len(pair[1])):
        # Marks inside may have been lost.
        words = [re.escape(word.strip(".,!?")) for word in value.split()]
        pattern = re.compile(r"(?<![\w.])" + r"[.,!?]?[ -]".join(words) + r"(?![^\W\d_]|\d|\.\d)", re.IGNORECASE)
        places = [m.span() for m in pattern.finditer(text) if not taken[m.start() : m.end()].any()]
        if len(places) != 1:
            return None
        first, last = places[0]
        taken[first:last] = True
        spans.append((first, last, slots[slot]))
    return _with_units(text, sorted(spans))


def _with_units(text: str, spans: Sequence[Span]) -> list[Span]:
    """Lengths of time with their units, all parts of one as a single span."""
    found: list[Span] = []
    for first, last, name in spans:
        if name == "seconds" and (unit := _UNITS.match(text, last)):
            last = unit.end()
        if name == "seconds" and found and found[-1][2] == name and first - found[-1][1] <= len(" and "):
            found[-1] = (found[-1][0], last, name)
        else:
            found.append((first, last, name))
    return found


def asked_values(tool: ToolIntent, draw: ToolDraw) -> dict[str, str]:
    """The words of the slots that are in the question itself."""
    wanted = {slot for question in tool.train_questions for slot in PLACE.findall(question)}
    values = dict(zip(tool.row.get("slots", {}), draw.values, strict=True))
    return {slot: value for slot, value in values.items() if slot in wanted}


def tags(offsets: Sequence[tuple[int, int]], spans: Iterable[Span], names: Sequence[str]) -> list[int]:
    """The tag of every piece."""
    found = [OUTSIDE] * len(offsets)
    for first, last, name in spans:
        inside = [i for i, (begin, end) in enumerate(offsets) if begin < last and end > first]
        for number, index in enumerate(inside):
            found[index] = 1 + 2 * names.index(name) + (number > 0)
    return found


class Questions:
    """Endless questions with values."""

    def __init__(self, sources: Sources, names: Sequence[str], rng: np.random.Generator) -> None:
        self._sources, self._names, self.rng = sources, names, rng

    def draw(self) -> tuple[str, list[Span]]:
        """One question as it is typed or heard, and its spans."""
        rng = self.rng
        if rng.random() < _WITHOUT:
            intent = self._sources.any_intent(rng)
            question = vary(intent.train_questions[rng.integers(len(intent.train_questions))], rng)
            return misheard(heard_form(question, rng), self._sources, rng).strip(), []
        while True:
            tool = self._sources.any_tool(rng)
            if not tool.row.get("slots"):
                continue
            draw = tool.draw(rng)
            text = vary(draw.question, rng, lose=False)
            if rng.random() < 0.3:
                text = misheard(heard_form(text, rng), self._sources, rng, draw.values).strip()
            spans = find_spans(text, _present(asked_values(tool, draw), draw.question), slots_of(tool))
            if spans is not None:
                return text, spans

    def batch(self, encoder: SentenceEncoder, size: int) -> tuple[Tensor, Tensor]:
        """States [B, T, D] and tags int64 [B, T], -100 where there is no piece."""
        drawn = [self.draw() for _ in range(size)]
        with torch.no_grad(), autocast():
            states, mask, offsets = piece_states(encoder, [text for text, _ in drawn])
        rows = [tags(some, spans, self._names) for some, (_, spans) in zip(offsets, drawn, strict=True)]
        return states.float(), torch.tensor(rows).masked_fill(~mask, -100)


def _present(values: Mapping[str, str], question: str) -> dict[str, str]:
    """Those of the values that this wording has; signs may have been set in between."""
    plain = " ".join(words_of(question))
    return {slot: value for slot, value in values.items() if " ".join(words_of(value)) in plain}


def check(tagger: SlotTagger, encoder: SentenceEncoder, questions: Questions, count: int) -> float:
    """Share of questions all of whose values are found, word for word."""
    right = 0
    for _ in range(count):
        text, spans = questions.draw()
        expected = {name: text[first:last] for first, last, name in spans}
        right += tagger.tag(encoder, text).find(expected) == expected
    return right / count


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training calls`: writes the tagger into the model folder."""
    args = stage_arguments("calls", __doc__, rate=2e-3, batch=64).parse_args(argv)
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    encoder, names = SentenceEncoder.load(args.model), tagger_names()
    tagger = SlotTagger(names)
    run = Run(args.work / "calls", tagger, minutes=args.minutes, rate=args.rate)
    questions = Questions(load_text_sources(args.work, args.model), names, np.random.default_rng(run.step))

    def losses() -> tuple[Tensor]:
        states, wanted = questions.batch(encoder, args.batch)
        return (F.cross_entropy(tagger(states).flatten(0, 1), wanted.flatten(), ignore_index=-100),)

    def report() -> dict[str, float]:
        tagger.eval()
        share = check(tagger, encoder, questions, _CHECKED)
        tagger.train()
        return {"all values": round(share, 3)}

    run.go(losses, report)
    save_weights(tagger.state_dict(), args.model / WEIGHTS, "int8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
