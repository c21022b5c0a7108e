"""Coins, dice and random numbers."""

from __future__ import annotations

from random import Random

from app.tools.tool import Arguments, Result, Run, ToolFailure
from app.tools.words.lists import counted, spoken_list, with_article
from app.tools.words.numbers import LARGEST, cardinal

# Longer lists than this nobody follows, and they would not fit into an answer.
_LONGEST_LIST = 180


def flip_coin(rng: Random) -> Run:
    """The tool: `side` is heads or tails."""

    def run(arguments: Arguments) -> Result:
        side = rng.choice(("heads", "tails"))
        return Result({"side": side}, side)

    return run


def roll_dice(rng: Random) -> Run:
    """The tool: `count` dice, else one, with `sides` sides, else six."""

    def run(arguments: Arguments) -> Result:
        count, sides = arguments.get("count", 1), arguments.get("sides", 6)
        rolls = [rng.randint(1, sides) for _ in range(count)]
        data = {
            "count": count,
            "sides": sides,
            "rolls": rolls,
            "total": sum(rolls),
            "spoken_rolls": _spoken_rolls(rolls),
            "spoken_total": cardinal(sum(rolls)),
        }
        written = " + ".join(map(str, rolls))
        return Result(data, written if count == 1 else f"{written} = {sum(rolls)}")

    return run


def pick_random_number(rng: Random) -> Run:
    """The tool: `number` from `low` to `high`, in either order."""

    def run(arguments: Arguments) -> Result:
        low, high = sorted((arguments["low"], arguments["high"]))
        if max(-low, high) > LARGEST:
            raise ToolFailure("Those limits are too large for me, so please give me smaller ones.")
        number = rng.randint(low, high)
        data = {"low": low, "high": high, "number": number, "spoken_number": cardinal(number)}
        return Result(data, f"{number} ({low} to {high})")

    return run


def _spoken_rolls(rolls: list[int]) -> str:
    every = spoken_list([with_article(cardinal(roll)) for roll in rolls])
    if len(every) <= _LONGEST_LIST:
        return every
    low, high = (with_article(cardinal(roll)) for roll in (min(rolls), max(rolls)))
    return f"{counted(len(rolls), 'number')} from {low} up to {high}"
