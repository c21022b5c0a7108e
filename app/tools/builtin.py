"""The tools that need nothing but a clock and chance."""

from __future__ import annotations

from random import Random

from app.tools import calendar_tools, chance
from app.tools.calculate import calculate
from app.tools.calendar_tools import Clock
from app.tools.convert import convert_units
from app.tools.dictionary import define_word
from app.tools.registry import load_descriptions
from app.tools.tool import Tool


def pure_tools(clock: Clock, rng: Random) -> list[Tool]:
    """Those that keep nothing, change nothing and ask nobody. `clock` gives the local time, aware of its zone."""
    runs = {
        "current_time": calendar_tools.current_time(clock),
        "current_date": calendar_tools.current_date(clock),
        "day_of_week_for": calendar_tools.day_of_week_for(clock),
        "calculate": calculate(),
        "convert_units": convert_units(),
        "flip_coin": chance.flip_coin(rng),
        "roll_dice": chance.roll_dice(rng),
        "pick_random_number": chance.pick_random_number(rng),
        "define_word": define_word(),
    }
    descriptions = load_descriptions()
    return [Tool(descriptions[name], run) for name, run in runs.items()]
