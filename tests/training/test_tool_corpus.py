"""Tool questions: every instance is a call that the tools carry out, with the values of the question."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from app.omni.chat import CALL_MARKERS
from app.omni.tokenizer import OmniTokenizer
from app.tools.call import parse_calls
from app.tools.dates.phrases import find_date
from app.tools.registry import Registry, load_descriptions
from app.tools.tool import Arguments, Result, Tool
from app.tools.words.reading import number
from app.training.corpus import load_intents, out_of_domain
from app.training.slots import COPIED, held_out
from app.training.spoken_forms import clock_time, duration, signs, whole_number, with_digits
from app.training.tokenizer import CONTROL_TOKENS, train_tokenizer
from app.training.tool_corpus import ToolIntent, arithmetic, load_tools

DRAWS = 25


def _nothing(arguments: Arguments) -> Result:
    return Result({})


REGISTRY = Registry(Tool(entry, _nothing) for entry in load_descriptions().values())
TOOLS = {tool.id: tool for tool in load_tools()}


@pytest.mark.parametrize("name", TOOLS)
def test_every_call_is_read_as_it_is_meant(name: str) -> None:
    rng = np.random.default_rng(1)
    tool = TOOLS[name]
    for draw in [*(tool.draw(rng) for _ in range(DRAWS)), *tool.development()]:
        assert "{" not in draw.question + "".join(q + a for q, a in draw.context)
        if draw.tool is None:
            assert re.fullmatch(r"[A-Z][A-Za-z ,.?'-]+[.?]", "".join(draw.answer))
            continue
        assert (draw.answer[0], draw.answer[-1]) == CALL_MARKERS
        (call,) = parse_calls("".join(draw.answer[1:-1]), REGISTRY)
        assert (call.name, call.arguments) == (tool.row["tool"]["name"], draw.arguments)
        lower = draw.in_lower_case()
        assert lower.question == draw.question.lower()
        parse_calls("".join(lower.answer[1:-1]), REGISTRY)


def test_every_question_names_the_values_of_its_call() -> None:
    for tool in TOOLS.values():
        if tool.row["tool"] is None or tool.turns:
            continue
        for question in (*tool.train_questions, *tool.dev_questions):
            assert set(re.findall(r"\{(\w+)\}", question)) == set(tool.row.get("slots", {})), question


def test_the_rules_of_the_schema() -> None:
    rng = np.random.default_rng(2)
    draw = TOOLS["tool.set_timer.hours_minutes"].draw(rng, digits=1)
    hours, minutes = (int(part) for part in re.findall(r"\d+", draw.question))
    assert draw.arguments == {"seconds": hours * 3600 + minutes * 60}
    draw = TOOLS["tool.day_of_week_for.in_days"].draw(rng, digits=1)
    assert draw.arguments is not None and str(draw.arguments["date_phrase"]) in draw.question
    draw = TOOLS["tool.set_alarm.reply_evening"].draw(rng)
    assert draw.arguments is not None and draw.arguments["time"] >= "13:00"


@pytest.mark.parametrize(("text", "value"), [("2*3600+5*60", 7500), ("17", 17), ("3*2.5-1", 6.5)])
def test_arithmetic(text: str, value: float) -> None:
    assert arithmetic(text) == value


@pytest.mark.parametrize("text", ["__import__('os')", "2**9", "a*60", "'a'*60", "", "(1,2)"])
def test_arithmetic_is_nothing_but_sums(text: str) -> None:
    with pytest.raises(ValueError, match="no sum"):
        arithmetic(text)


def test_numbers_come_in_words_and_in_digits() -> None:
    rng = np.random.default_rng(3)
    for value in (7, 17, 196, 1000):
        assert number(whole_number(value, 0, rng).asked) == value
        assert whole_number(value, 1, rng).asked.replace(",", "") == str(value)
    assert with_digits("wake me in one hour and twenty five minutes") == "wake me in 1 hour and 25 minutes"
    assert with_digits("half past six") == "half past 6"
    times = {clock_time(390, share, rng).asked for share in (0.0, 1.0) for _ in range(200)}
    assert {
        "six thirty am",
        "half past six in the morning",
        "6:30 am",
        "6:30 a.m.",
        "half past 6 in the morning",
    } <= times
    assert {clock_time(minute, 0.5, rng).value for minute in range(1440)} == {
        f"{minute // 60:02d}:{minute % 60:02d}" for minute in range(1440)
    }
    written = {signs("what is 15 percent of 12 plus 7", rng) for _ in range(100)}
    assert "what is 15% of 12 + 7" in written


def test_durations_say_their_seconds() -> None:
    rng = np.random.default_rng(4)
    seconds = {"hour": 3600, "minute": 60, "second": 1}
    checked = 0
    for _ in range(300):
        form = duration(1, rng)
        parts = re.findall(r"(\d+) (hour|minute|second)s?\b", form.asked)
        if parts and "half" not in form.asked and "quarter" not in form.asked and not form.asked.startswith("a"):
            assert sum(int(count) * seconds[unit] for count, unit in parts) == form.value
            checked += 1
    assert checked > 100


@pytest.mark.parametrize("name", [name for name in TOOLS if "day_of_week_for" in name])
def test_dates_are_such_as_the_calendar_reads(name: str) -> None:
    rng = np.random.default_rng(5)
    for _ in range(DRAWS * 4):
        draw = TOOLS[name].draw(rng)
        assert draw.arguments is not None
        find_date(draw.arguments["date_phrase"], date(2027, 3, 12))


def _values(tool: ToolIntent, development: bool) -> set[str]:
    rng = np.random.default_rng(6)
    draws = [tool.draw(rng, development=development, digits=0) for _ in range(DRAWS * 4)]
    return {str(value).lower() for draw in draws for value in draw.values}


@pytest.mark.parametrize("slot", COPIED)
def test_texts_of_the_development_set_are_never_trained_on(slot: str) -> None:
    tool = next(tool for tool in TOOLS.values() if list(tool.row.get("slots", {})) == [slot])
    listed = {value.lower() for value in tool.row["slots"][slot]}
    trained, kept = _values(tool, False), _values(tool, True)
    assert all(held_out(value) for value in kept - listed) and not kept & trained - listed
    assert not any(held_out(value) for value in trained - listed)
    assert len(trained) > 40


def test_development_wordings_are_never_trained_on() -> None:
    taught = {q.lower() for tool in TOOLS.values() for q in tool.train_questions}
    taught |= {q.lower() for intent in load_intents() for q in intent.train_questions}
    for tool in TOOLS.values():
        assert tool.dev_questions and tool.train_questions
        if not tool.turns:
            assert not {q.lower() for q in tool.dev_questions} & taught
        else:
            assert not set(tool.dev_questions) & set(tool.train_questions)
    assert not {question.lower() for _, question in out_of_domain()} & taught


def test_a_call_is_few_pieces_and_its_values_are_those_of_the_question(tmp_path: Path) -> None:
    train_tokenizer(tmp_path / "tokenizer.json")
    tokenizer = OmniTokenizer.load(tmp_path)
    assert tokenizer.vocab_size == 6_400
    assert tokenizer.decode([tokenizer.newline_id]) == "\n"
    assert all(len(tokenizer.encode(token)) == 1 for token in CONTROL_TOKENS)
    rng = np.random.default_rng(7)
    lengths = []
    for tool in TOOLS.values():
        draw = tool.draw(rng)
        if draw.tool is None:
            continue
        pieces = [tokenizer.encode(part) for part in draw.answer]
        assert all(len(part) == 1 for part in pieces[1::2])
        (call,) = parse_calls(tokenizer.decode([i for part in pieces[1:-1] for i in part]), REGISTRY)
        assert call.arguments == draw.arguments
        lengths.append(sum(map(len, pieces)))
    assert np.mean(lengths) < 10
    asked, written = tokenizer.encode("is it raining in Krasnoyarsk"), tokenizer.encode(" Krasnoyarsk")
    assert asked[-len(written) :] == written
    assert [tokenizer.decode([i]) for i in tokenizer.encode("1985")] == ["1", "9", "8", "5"]
