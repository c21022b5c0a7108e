"""Sentences that the Talker learns to say beside the answers: what tools come back with, and the corpus in other words.

An answer of the corpus is always the same; the result of a tool is not, and neither is a text to be read aloud. These
sentences show every number, hour, date and unit in many neighbourhoods, so that the Talker learns to say words and
not only sentences.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from random import Random

import numpy as np

from app.tools.agenda.alarm_clock import AlarmClock
from app.tools.agenda.store import Store
from app.tools.agenda.tools import agenda_tools
from app.tools.builtin import pure_tools
from app.tools.notes import Notes, note_tools
from app.tools.registry import load_descriptions
from app.tools.speak import fillable, spoken_answer
from app.tools.tool import MissingArgument, Result, Tool, ToolFailure
from app.tools.words.numbers import cardinal, percent
from app.training.corpus import load_intents
from app.training.tool_corpus import ToolDraw, load_tools

#: Sentences for each intent that calls a tool; more where the result holds a number or an hour.
PER_TOOL = {
    "calculate": 24, "current_time": 60, "current_date": 14, "day_of_week_for": 10, "set_timer": 10, "set_alarm": 10,
    "convert_units": 14, "add_reminder": 8, "pick_random_number": 16, "define_word": 12,
}  # fmt: skip
_USUAL = 5
#: One in so many is never recorded: `say` is judged by them.
HELD_OUT = 12
_EPOCH = datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=1)))
_NOTES = ("the spare key is under the blue pot", "the printer needs paper", "Anna likes green tea", "milk and eggs")
_SKIES = (
    "light rain", "heavy rain", "clear skies", "some clouds", "snow", "fog", "thunderstorms", "a mix of sun and cloud",
)  # fmt: skip
_STATUS = (
    "the battery is at {} and charging", "the battery is at {}", "memory is {} used", "the disk is {} full",
)  # fmt: skip
_AGENDA = frozenset(
    (
        "set_timer", "list_timers", "cancel_timer", "set_alarm", "add_reminder", "list_reminders", "take_note",
        "read_notes",
    )
)  # fmt: skip


class _Moment:
    """The clocks of an agenda that stand still at a random minute."""

    session = ""

    def __init__(self, rng: Random) -> None:
        self._now = _EPOCH + timedelta(minutes=rng.randrange(3 * 365 * 24 * 60))

    def now(self) -> datetime:
        return self._now

    def elapsed(self) -> float:
        return 0.0


def held_out(sentence: str) -> bool:
    """Whether the sentence belongs to the development set."""
    return hashlib.sha256(sentence.encode()).digest()[0] % HELD_OUT == 0


def _run(tool: Tool, draw: ToolDraw, rng: Random) -> str | None:
    try:
        return spoken_answer(tool.description, tool.run(draw.arguments or {}), rng)
    except (ToolFailure, MissingArgument) as refusal:
        return str(refusal) or None


def _household(draw: ToolDraw, rng: Random) -> Result:
    """A result of a tool that would act on this computer or ask the network."""
    known = load_descriptions()[str(draw.tool)].result_example
    fields: dict[str, object] = {
        "spoken_day": rng.choice(("today", "tomorrow", "on Monday", "on Friday", "on Sunday")),
        "spoken_summary": f"{rng.choice(_SKIES)} and a high of {cardinal(rng.randrange(-9, 38))} degrees",
        "spoken_rain": rng.choice(("rain is likely", "no rain is expected", "there may be some rain")),
        "spoken_level": rng.choice((f"at {percent(rng.randrange(101))}", "muted")),
        "spoken_state": rng.choice(("playing", "paused", "on the next track", "on the track before")),
        "spoken_status": rng.choice(_STATUS).format(percent(rng.randrange(1, 101))),
        **(draw.arguments or {}),
    }
    return Result({key: fields.get(key, value) for key, value in known.items()})


def tool_sayings(seed: int = 0) -> Iterator[str]:
    """What tools come back with, from the tools themselves where they only compute."""
    rng, numbers = Random(seed), np.random.default_rng(seed)
    pure = {tool.name: tool for tool in pure_tools(lambda: _Moment(rng).now(), rng)}
    for intent in load_tools():
        call = intent.row["tool"]
        for _ in range(PER_TOOL.get(call["name"], _USUAL) if call else 0):
            draw = intent.draw(numbers)
            if draw.tool in pure:
                sentence = _run(pure[draw.tool], draw, rng)
            elif draw.tool in _AGENDA:
                sentence = _agenda(draw, rng)
            else:
                sentence = spoken_answer(load_descriptions()[str(draw.tool)], _household(draw, rng), rng)
            if sentence:
                yield sentence


def _agenda(draw: ToolDraw, rng: Random) -> str | None:
    """The answer of an agenda that holds something already."""
    store, moment = Store(None), _Moment(rng)
    try:
        alarms, notes = AlarmClock(store, moment), Notes(store, moment)
        alarms.add_timer(rng.randrange(60, 5400), str((draw.arguments or {}).get("label", rng.choice(("", "tea")))))
        if rng.random() < 0.3:
            alarms.add_timer(rng.randrange(60, 5400), "laundry")
        notes.add(rng.choice(_NOTES))
        tools = {tool.name: tool for tool in [*agenda_tools(alarms), *note_tools(notes)]}
        return _run(tools[str(draw.tool)], draw, rng)
    finally:
        store.close()


def fixed_sayings() -> Iterator[str]:
    """What tools say while they work, and when they fail."""
    for description in load_descriptions().values():
        yield from (*description.on_hold, *description.failure_answers)
        yield from fillable(description.answer_templates, description.result_example)


def other_answers() -> Iterator[str]:
    """The answers of the corpus that are not the one the Thinker learns."""
    for intent in load_intents():
        yield from (answer for answer in intent.answers if answer != intent.spoken_answer)


def plan_sayings() -> list[str]:
    """All sentences to record, once each.

    The order is that of their use: what tools always say, what they come back with, of all of them in turn, the rest.
    """
    results, others = [*tool_sayings()], [*other_answers()]
    for some in (results, others):
        Random(1).shuffle(some)
    return [sentence for sentence in dict.fromkeys((*fixed_sayings(), *results, *others)) if not held_out(sentence)]
