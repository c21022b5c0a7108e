"""The tools that need a clock and chance alone: right results, in words that say the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from app.tools.builtin import pure_tools
from app.tools.dictionary import load_definitions
from app.tools.registry import Registry, load_descriptions
from app.tools.tool import MissingArgument, Result, ToolFailure
from app.tools.units import UNITS
from app.tools.words.numbers import cardinal
from app.tools.words.plain import plain
from app.tools.words.reading import number

NOW = datetime(2027, 3, 12, 15, 5, 30, tzinfo=timezone(timedelta(hours=2)))


@pytest.fixture
def run() -> Callable[..., Result]:
    registry = Registry(pure_tools(lambda: NOW, Random(5)))

    def call(name: str, **arguments: Any) -> Result:
        tool = registry.get(name)
        assert tool is not None
        result = tool.run(arguments)
        assert result.data.keys() == load_descriptions()[name].result_example.keys()
        assert result.summary
        return result

    return call


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("current_time", {}),
        ("current_date", {}),
        ("day_of_week_for", {"date_phrase": "the fourth of July"}),
        ("calculate", {"left": 12, "operation": "times", "right": 8}),
        ("convert_units", {"value": 5, "from_unit": "miles", "to_unit": "kilometers"}),
        ("define_word", {"word": "mirth"}),
    ],
)
def test_the_examples_are_what_comes_out(run: Callable[..., Result], name: str, arguments: dict[str, Any]) -> None:
    assert run(name, **arguments).data == load_descriptions()[name].result_example


def test_the_clock_is_read_at_every_call() -> None:
    times = iter([NOW, NOW + timedelta(minutes=25)])
    tool = Registry(pure_tools(lambda: next(times), Random(0))).get("current_time")
    assert tool is not None
    assert [tool.run({}).data["time"] for _ in range(2)] == ["15:05", "15:30"]


def test_far_dates_are_told_with_their_year(run: Callable[..., Result]) -> None:
    moon = run("day_of_week_for", date_phrase="the twentieth of July nineteen sixty nine").data
    assert (moon["weekday"], moon["spoken_date"]) == ("Sunday", "the twentieth of July, nineteen sixty nine")
    assert run("day_of_week_for", date_phrase="New Year's Day").data["spoken_date"] == "the first of January"


def test_a_birthday_is_asked_for(run: Callable[..., Result]) -> None:
    with pytest.raises(MissingArgument):
        run("day_of_week_for", date_phrase="my birthday")


def _drawn(rng: Random) -> int | float:
    return rng.choice(
        [rng.randint(-20, 20), rng.randint(0, 10**6), round(rng.uniform(-100, 100), rng.randint(1, 3)), 0.1, 1e-3]
    )


@pytest.mark.parametrize("seed", range(200))
def test_random_sums(run: Callable[..., Result], seed: int) -> None:
    rng = Random(seed)
    left, right = _drawn(rng), _drawn(rng)
    a, b = Fraction(str(left)), Fraction(str(right))
    sums = {
        "plus": a + b,
        "minus": a - b,
        "times": a * b,
        "percent_of": a * b / 100,
        "percent_off": b * (100 - a) / 100,
        "percent_on": b * (100 + a) / 100,
    }
    if b:
        sums["divided_by"] = a / b
    for operation, exact in sums.items():
        data = run("calculate", left=left, operation=operation, right=right).data
        assert data["result"] == (exact.numerator if exact.denominator == 1 else float(exact))
        words = data["spoken_result"]
        said = number(words.removeprefix("about "))
        if words.startswith("a little"):
            assert 0 < abs(exact) < Fraction(1, 10**6)
        elif words.startswith("about "):
            assert said is not None and said != exact
            assert abs(said - exact) <= max(abs(exact) / 200, Fraction(1, 10**9))
        else:
            assert said == exact


@pytest.mark.parametrize(
    ("left", "operation", "right", "expression", "result"),
    [
        (10, "divided_by", 3, "ten divided by three", "about three point three three"),
        (0.1, "plus", 0.2, "zero point one plus zero point two", "zero point three"),
        (15, "percent_of", 80, "fifteen percent of eighty", "twelve"),
        (20, "percent_off", 50, "twenty percent off fifty", "forty"),
        (10, "percent_on", 50, "fifty plus ten percent", "fifty five"),
        (1, "divided_by", 7, "one divided by seven", "about zero point one four three"),
        (4, "minus", 6, "four minus six", "minus two"),
    ],
)
def test_sums_are_spoken(
    run: Callable[..., Result], left: float, operation: str, right: float, expression: str, result: str
) -> None:
    data = run("calculate", left=left, operation=operation, right=right).data
    assert (data["spoken_expression"], data["spoken_result"]) == (expression, result)


@pytest.mark.parametrize(("operation", "right"), [("divided_by", 0), ("divided_by", 0.0), ("times", 10**40)])
def test_sums_without_an_answer_fail_politely(run: Callable[..., Result], operation: str, right: float) -> None:
    with pytest.raises(ToolFailure) as caught:
        run("calculate", left=5, operation=operation, right=right)
    assert plain(str(caught.value)) == str(caught.value)


@pytest.mark.parametrize(
    ("value", "source", "target", "result", "spoken"),
    [
        (1, "inches", "centimeters", 2.54, "two point five four centimetres"),
        (1, "pounds", "grams", 453.59, "about four hundred and fifty four grams"),
        (1, "stones", "pounds", 14, "fourteen pounds"),
        (1, "feet", "inches", 12, "twelve inches"),
        (12, "inches", "feet", 1, "one foot"),
        (0.5, "kilometers", "meters", 500, "five hundred metres"),
        (21, "celsius", "fahrenheit", 69.8, "sixty nine point eight degrees Fahrenheit"),
        (100, "fahrenheit", "celsius", 37.78, "about thirty seven point eight degrees Celsius"),
        (-40, "fahrenheit", "celsius", -40, "minus forty degrees Celsius"),
        (1, "gallons", "pints", 8, "eight pints"),
        (1, "cups", "tablespoons", 16, "sixteen tablespoons"),
        (1, "tablespoons", "teaspoons", 3, "three teaspoons"),
        (2, "weeks", "hours", 336, "three hundred and thirty six hours"),
        (60, "miles_per_hour", "kilometers_per_hour", 96.56, "about ninety six point six kilometres per hour"),
        (2, "millimeters", "meters", 0.002, "zero point zero zero two metres"),
    ],
)
def test_units(run: Callable[..., Result], value: float, source: str, target: str, result: float, spoken: str) -> None:
    data = run("convert_units", value=value, from_unit=source, to_unit=target).data
    assert (data["result"], data["spoken_to"]) == (result, spoken)


def test_every_unit_of_the_schema_is_known() -> None:
    properties = load_descriptions()["convert_units"].parameters["properties"]
    assert list(UNITS) == properties["from_unit"]["enum"] == properties["to_unit"]["enum"]


@pytest.mark.parametrize("source", UNITS)
def test_there_and_back_again(run: Callable[..., Result], source: str) -> None:
    for target, unit in UNITS.items():
        if unit.kind != UNITS[source].kind:
            with pytest.raises(ToolFailure, match=r"^[A-Z][a-z ]+ measures? .* cannot turn one into the other\.$"):
                run("convert_units", value=3, from_unit=source, to_unit=target)
            continue
        there = run("convert_units", value=3, from_unit=source, to_unit=target).data["result"]
        back = run("convert_units", value=there, from_unit=target, to_unit=source).data["result"]
        assert back == pytest.approx(3, rel=0.01)


def test_nothing_is_colder_than_cold(run: Callable[..., Result]) -> None:
    assert run("convert_units", value=-459.67, from_unit="fahrenheit", to_unit="celsius").data["result"] == -273.15
    with pytest.raises(ToolFailure):
        run("convert_units", value=-460, from_unit="fahrenheit", to_unit="celsius")


def test_coins_are_fair(run: Callable[..., Result]) -> None:
    sides = Counter(run("flip_coin").data["side"] for _ in range(1000))
    assert sides.keys() == {"heads", "tails"}
    assert min(sides.values()) > 400


@pytest.mark.parametrize(("arguments", "count", "sides"), [({}, 1, 6), ({"count": 4}, 4, 6), ({"sides": 12}, 1, 12)])
def test_dice(run: Callable[..., Result], arguments: dict[str, int], count: int, sides: int) -> None:
    seen = set()
    for _ in range(300):
        data = run("roll_dice", **arguments).data
        assert (data["count"], data["sides"], len(data["rolls"])) == (count, sides, count)
        assert data["total"] == sum(data["rolls"])
        assert data["spoken_total"] == cardinal(data["total"])
        rolls = re.split(", | and ", data["spoken_rolls"])
        assert [number(re.sub("^an? ", "", roll)) for roll in rolls] == data["rolls"]
        seen |= set(data["rolls"])
    assert seen == set(range(1, sides + 1))


def test_a_table_full_of_dice_stays_short(run: Callable[..., Result]) -> None:
    data = run("roll_dice", count=20, sides=100).data
    assert len(data["spoken_rolls"]) < 200
    low, high = (cardinal(end(data["rolls"])) for end in (min, max))
    assert re.fullmatch(rf"twenty numbers from an? {low} up to an? {high}", data["spoken_rolls"])


@pytest.mark.parametrize(("low", "high"), [(1, 10), (10, 1), (-3, 3), (7, 7)])
def test_random_numbers(run: Callable[..., Result], low: int, high: int) -> None:
    found = {run("pick_random_number", low=low, high=high).data["number"] for _ in range(300)}
    assert found == set(range(min(low, high), max(low, high) + 1))


def test_random_numbers_that_nobody_can_say_fail_politely(run: Callable[..., Result]) -> None:
    with pytest.raises(ToolFailure, match="too large"):
        run("pick_random_number", low=1, high=10**30)


@pytest.mark.parametrize(("asked", "word"), [("Mirth", "mirth"), ("the word coax", "coax"), ("dwindling", "dwindle")])
def test_words_are_looked_up(run: Callable[..., Result], asked: str, word: str) -> None:
    assert run("define_word", word=asked).data == {"word": word, "definition": load_definitions()[word]}


@pytest.mark.parametrize("word", ["zyzzyva", "", "s", "..."])
def test_unknown_words_fail_politely(run: Callable[..., Result], word: str) -> None:
    with pytest.raises(ToolFailure):
        run("define_word", word=word)


def test_definitions_are_plain_and_short() -> None:
    for word, definition in load_definitions().items():
        assert plain(f"{word} {definition}") == f"{word} {definition}"
        assert len(definition.split()) <= 16


def test_the_clock_may_be_in_any_zone() -> None:
    tool = Registry(pure_tools(lambda: NOW.astimezone(UTC), Random(0))).get("current_time")
    assert tool is not None
    assert tool.run({}).data["spoken_time"] == "five past one in the afternoon"
