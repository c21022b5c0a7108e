"""What counts as a right answer of a model that is judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.training.corpus import load_intents, out_of_domain
from app.training.development import INTENTS_FILE, Asked, Development
from app.training.synthesize import plan_dev
from app.training.tool_corpus import load_tools

TIMER = Asked("tool.set_timer.labelled", "", tool="set_timer", arguments={"seconds": 600, "label": "colour wash 42"})


@pytest.fixture(scope="module")
def development(tmp_path_factory: pytest.TempPathFactory) -> Development:
    """Of a model that knows everything."""
    folder = tmp_path_factory.mktemp("model")
    ids = [intent.id for intent in load_intents()] + [tool.id for tool in load_tools()]
    (folder / INTENTS_FILE).write_text("".join(f"{name}\tanything\n" for name in ids), encoding="utf-8")
    return Development(folder)


@pytest.mark.parametrize(
    ("written", "tool", "exact"),
    [
        ('{"name":"set_timer","arguments":{"seconds":600,"label":" Color wash forty two"}}', True, True),
        ('{"name":"set_timer","arguments":{"seconds":660,"label":" colour wash 42"}}', True, False),
        ('{"name":"set_timer","arguments":{"seconds":600}}', True, False),
        ('{"name":"set_timer","arguments":{"label":"colour wash 42"}}', True, False),
        ('{"name":"set_timer","arguments":{"seconds":-1,"label":"colour wash 42"}}', True, False),
        ('{"name":"list_timers","arguments":{}}', False, False),
        ('{"name":"set_timer"', False, False),
        (None, False, False),
    ],
)
def test_a_call_is_right_when_tool_and_arguments_are(written: str | None, tool: bool, exact: bool) -> None:
    assert TIMER.judge("Timer set.", written) == {"right": exact, "right_tool": tool}


def test_any_of_the_answers_is_right_but_no_call_instead() -> None:
    asked = Asked("control.stop", "stop", answers=("Okay, I stop.", "Stopping now."))
    assert asked.judge("okay I stop", None) == {"right": True}
    assert asked.judge("Going on.", None) == {"right": False}
    assert asked.judge("", '{"name":"flip_coin","arguments":{}}') == {"right": False}


def test_every_honest_answer_counts_and_the_best_one_is_told(development: Development) -> None:
    by_id = {intent.id: intent for intent in development.intents}
    honest = by_id["fallback.code"].spoken_answer
    for asked in development.out_of_domain():
        assert asked.judge(honest, None) == {"right": True, "best_answer": asked.intent == "fallback.code"}
        assert asked.judge(by_id["smalltalk.greeting.hello"].spoken_answer, None)["right"] is False
    assert len(development.out_of_domain()) == len(out_of_domain())


def test_follow_ups_come_with_the_turns_they_need(development: Development) -> None:
    follow_ups = development.follow_ups()
    assert all(asked.turns for asked in follow_ups)
    assert any(asked.tool for asked in follow_ups) and any(asked.answers for asked in follow_ups)


def test_a_model_is_asked_nothing_that_it_does_not_know(tmp_path: Path) -> None:
    (tmp_path / INTENTS_FILE).write_text("smalltalk.greeting.hello\tHello.\ntool.flip_coin.plain\tflip_coin\n")
    development = Development(tmp_path)
    assert [asked.intent for asked in development.questions()] == ["smalltalk.greeting.hello"]
    assert {asked.tool for asked in development.calls()} == {"flip_coin"}


def test_the_spoken_development_questions_are_found_again(development: Development) -> None:
    typed = {(asked.intent, asked.wording) for asked in (*development.questions(), *development.calls())}
    assert {(utterance.intent, utterance.text) for utterance in plan_dev()} <= typed
