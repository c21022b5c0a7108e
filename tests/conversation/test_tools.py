"""Calls of the model in a conversation: run, asked back about, confirmed, spoken of and shown."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from app.conversation.events import Mode, State
from app.conversation.timing import Timing
from app.conversation.tools.errands import LATE, LEFT, PENDING_S, STILL
from app.conversation.tools.runner import Outcome, ToolRunner
from app.conversation.tools.usage import Stage
from app.tools.call import Call
from app.tools.registry import Registry, load_descriptions
from app.tools.tool import Arguments, MissingArgument, Result, Tool, ToolFailure
from tests.conversation.fakes import FakeTools, Rig

T = Timing()


def _nothing(arguments: Arguments) -> Result:
    raise AssertionError("the fake runs no tool")


REGISTRY = Registry(Tool(description, _nothing) for description in load_descriptions().values())
TIMER = Result({"seconds": 600, "spoken_duration": "ten minutes"}, "10 min")


class Desk(Rig):
    """With all the tools there are, used by typing."""

    def __init__(self) -> None:
        super().__init__(Mode.PUSH_TO_TALK)
        self.tools = FakeTools(REGISTRY)
        self.conversation.attach_tools(self.tools)

    def want(self, question: str, name: str, **arguments: Any) -> None:
        self.conversation.submit_text(question)
        self.call(json.dumps({"name": name, "arguments": arguments}))

    def end(self, outcome: Outcome) -> None:
        number = next(iter(self.tools.running))
        del self.tools.running[number]
        self.conversation.tool_ended(number, outcome)

    def speak(self) -> None:
        """The words that were to be said are said and heard to their end."""
        self.text(self.said()[-1])
        self.frames(10)
        self.done()
        self.play()

    def calls(self) -> list[Call]:
        return list(self.tools.running.values())

    def stages(self) -> list[str]:
        return [call[2].stage for call in self.window.of("tool_changed")]


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_a_call_is_run_shown_and_spoken_and_the_answer_is_remembered(desk: Desk) -> None:
    desk.want("set a timer for ten minutes", "set_timer", seconds=600)
    assert desk.state == State.TOOL_WAIT
    assert desk.calls() == [Call("set_timer", {"seconds": 600})]
    desk.end(TIMER)
    assert "ten minutes" in desk.said()[-1]
    desk.speak()
    assert desk.state == State.IDLE
    assert desk.stages() == [Stage.RUNNING, Stage.DONE]
    assert desk.window.of("tool_changed")[-1][2].summary == "10 min"
    shown = "".join(call[2] for call in desk.window.of("reply_delta"))
    assert shown == desk.said()[-1], "the call itself is neither shown nor spoken"
    desk.conversation.submit_text("thanks a lot for that")
    history = desk.engine.log[-1][3]
    assert [(one.q, one.a) for one in history] == [("set a timer for ten minutes", desk.said()[-1])]


def test_the_words_are_spoken_as_the_answer_to_the_question(desk: Desk) -> None:
    desk.want("set a timer for ten minutes", "set_timer", seconds=600)
    desk.end(TIMER)
    assert desk.engine.log[-1][:4] == ("say", desk.engine.number, "Ann", "set a timer for ten minutes")


@pytest.mark.parametrize(
    ("text", "closed", "words"),
    [
        ('{"name": "order_pizza", "arguments": {}}', True, "cannot do"),
        ('{"name": "set_timer", "argu', True, "muddled"),
        ('{"name": "set_timer", "arguments": {"seconds": 60}}', False, "muddled"),
        ("", True, "muddled"),
    ],
)
def test_what_is_no_call_gets_a_polite_answer(desk: Desk, text: str, closed: bool, words: str) -> None:
    desk.conversation.submit_text("please do something")
    desk.call(text, closed)
    assert words in desk.said()[-1] and not desk.tools.running
    desk.speak()
    assert desk.state == State.IDLE


def test_without_tools_a_call_gets_a_polite_answer() -> None:
    rig = Rig(Mode.PUSH_TO_TALK)
    rig.conversation.submit_text("what time is it")
    rig.call('{"name": "current_time", "arguments": {}}')
    assert "cannot do" in rig.said()[-1]


def test_a_missing_argument_is_asked_for_and_the_next_words_complete_the_call(desk: Desk) -> None:
    desk.want("set a timer", "set_timer", label="pasta")
    assert desk.said()[-1] == "For how long should I set the timer?" and not desk.tools.running
    desk.speak()
    starts = [entry for entry in desk.engine.log if entry[0] == "start"]
    desk.conversation.submit_text("ten minutes please")
    assert desk.calls() == [Call("set_timer", {"label": "pasta", "seconds": 600})]
    assert [entry for entry in desk.engine.log if entry[0] == "start"] == starts, "the model is not asked"


def test_a_spoken_answer_completes_the_call_too(desk: Desk) -> None:
    desk.conversation.set_mode(Mode.OPEN_MIC)
    desk.want("set a timer", "set_timer")
    desk.speak()
    desk.hear(0.0, 60)
    desk.ask()
    asked = desk.engine.number
    desk.user_text("Ten minutes.")
    assert ("cancel", asked) in desk.engine.log, "what the model would have answered is not wanted"
    assert desk.calls() == [Call("set_timer", {"seconds": 600})]
    desk.conversation.engine_event(desk_text(asked))
    assert not [call for call in desk.window.of("reply_delta") if call[2] == "stale"]


def desk_text(turn: int) -> Any:
    from app.engine import protocol

    return protocol.TextDelta(turn, "stale")


def test_another_request_replaces_what_was_asked(desk: Desk) -> None:
    desk.want("set a timer", "set_timer")
    desk.speak()
    desk.conversation.submit_text("what is the capital of France?")
    assert desk.engine.log[-1][0] == "start" and not desk.tools.running
    desk.done()
    desk.conversation.submit_text("ten minutes")
    assert desk.engine.log[-1][0] == "start" and not desk.tools.running


def test_a_question_is_waited_on_for_half_a_minute(desk: Desk) -> None:
    desk.want("set a timer", "set_timer")
    desk.speak()
    desk.wait(PENDING_S + 1.0)
    desk.conversation.submit_text("ten minutes")
    assert desk.engine.log[-1][0] == "start" and not desk.tools.running


def test_the_half_of_the_day_is_asked_for(desk: Desk) -> None:
    desk.want("wake me up", "set_alarm", repeat="weekdays")
    desk.speak()
    desk.conversation.submit_text("at half past six")
    assert desk.said()[-1] == "Is that half past six in the morning or in the evening?"
    desk.speak()
    desk.conversation.submit_text("in the morning")
    assert desk.calls() == [Call("set_alarm", {"repeat": "weekdays", "time": "06:30"})]


def test_a_bad_argument_is_asked_for_again(desk: Desk) -> None:
    desk.want("set a timer for a week", "set_timer", seconds=604_800, label="plants")
    assert "For how long" in desk.said()[-1]
    desk.speak()
    desk.conversation.submit_text("two hours")
    assert desk.calls() == [Call("set_timer", {"seconds": 7200, "label": "plants"})]


@pytest.mark.parametrize(("answer", "runs"), [("yes please", True), ("no, leave it on", False), ("never mind", False)])
def test_what_is_to_be_confirmed_is_asked_first(desk: Desk, answer: str, runs: bool) -> None:
    desk.want("cancel the pasta timer", "cancel_timer", label="pasta")
    assert desk.said()[-1] == "Shall I cancel the pasta timer?" and not desk.tools.running
    desk.speak()
    desk.conversation.submit_text(answer)
    assert desk.calls() == ([Call("cancel_timer", {"label": "pasta"})] if runs else [])
    if not runs:
        assert desk.said()[-1] == LEFT
        desk.speak()
    assert desk.state == (State.TOOL_WAIT if runs else State.IDLE)


def test_a_tool_can_ask_back_and_is_not_confirmed_twice(desk: Desk) -> None:
    desk.want("cancel the timer", "cancel_timer")
    desk.speak()
    desk.conversation.submit_text("yes")
    desk.end(MissingArgument("label", "Which one shall I cancel, the pasta timer or the tea timer?"))
    assert desk.said()[-1].startswith("Which one") and desk.stages()[-1] == Stage.ASKED
    desk.speak()
    desk.conversation.submit_text("the tea one")
    assert desk.calls() == [Call("cancel_timer", {"label": "tea"})]


def test_a_yes_to_the_models_own_question_is_enough(desk: Desk) -> None:
    desk.want("yes, the pasta one", "cancel_timer", label="pasta")
    assert desk.calls() == [Call("cancel_timer", {"label": "pasta"})]


def test_a_failure_is_told(desk: Desk) -> None:
    desk.want("what is the weather", "get_weather", city="Leeds")
    desk.end(ToolFailure("The weather service gave me no answer."))
    assert desk.said()[-1] == "The weather service gave me no answer."
    assert desk.stages() == [Stage.RUNNING, Stage.FAILED]


def test_a_slow_tool_is_talked_about(desk: Desk) -> None:
    desk.want("what is the weather", "get_weather", city="Leeds")
    desk.wait(T.hold_s + 0.3)
    assert desk.said()[-1] in load_descriptions()["get_weather"].on_hold
    desk.text(desk.said()[-1])
    desk.frames(10)
    desk.done()
    assert desk.state == State.TOOL_WAIT
    desk.end(ToolFailure("There is no answer."))
    desk.speak()
    done = desk.window.of("reply_done")
    assert done[-1][2] == f"{desk.said()[0]} There is no answer." and len(done) == 1


def test_one_that_takes_too_long_is_left_and_shown_later(desk: Desk) -> None:
    desk.want("open the browser", "open_application", application="browser")
    for words in (None, STILL, LATE):
        while words not in (None, desk.said()[-1] if desk.said() else "") or not desk.said():
            desk.wait(0.5)
        desk.text(desk.said()[-1])
        desk.frames(5)
        desk.done()
    desk.play()
    assert desk.state == State.IDLE and not desk.tools.given_up, "it changes something, so it goes on"
    desk.end(Result({"application": "Firefox"}, "Firefox"))
    assert desk.stages() == [Stage.RUNNING, Stage.DONE] and desk.said()[-1] == LATE


def test_stop_gives_up_what_only_reads(desk: Desk) -> None:
    desk.want("what is the weather", "get_weather", city="Leeds")
    desk.conversation.stop()
    assert desk.stages() == [Stage.RUNNING, Stage.CANCELLED] and desk.tools.given_up
    assert desk.state == State.IDLE and not desk.said()


def test_stop_lets_finish_what_changes_something(desk: Desk) -> None:
    desk.want("set a timer", "set_timer", seconds=600)
    desk.conversation.stop()
    assert not desk.tools.given_up
    desk.end(TIMER)
    assert desk.stages() == [Stage.RUNNING, Stage.DONE] and not desk.said()
    assert desk.window.of("tool_changed")[-1][1] == 1, "it is shown where it belongs"


def test_speech_that_is_cut_short_is_kept_as_far_as_it_was_heard(desk: Desk) -> None:
    desk.want("set a timer", "set_timer", seconds=600)
    desk.end(TIMER)
    words = desk.said()[-1]
    desk.text(words)
    desk.frames(20)
    desk.done()
    desk.play(10)
    desk.conversation.stop()
    heard = desk.window.of("reply_done")[-1][2]
    assert heard and words.startswith(heard) and heard != words
    assert desk.stages() == [Stage.RUNNING, Stage.DONE]


def test_words_meant_for_somebody_else_end_the_turn(desk: Desk) -> None:
    taken: list[str] = []

    def intercept(text: str) -> bool:
        taken.append(text)
        return text == "stop"

    desk.conversation.set_intercept(intercept)
    desk.conversation.submit_text("stop")
    assert desk.state == State.IDLE and not desk.engine.log and not desk.window.of("notice")
    desk.conversation.submit_text("hello")
    assert taken == ["stop", "hello"] and desk.engine.log[-1][0] == "start"


def test_the_runner_tells_what_came_of_calls() -> None:
    def work(arguments: Arguments) -> Result:
        if arguments["application"] == "slow":
            assert go.wait(60)
        if arguments["application"] == "bad":
            raise RuntimeError("a fault")
        return Result({"application": "x"})

    description = load_descriptions()["open_application"]
    go, ended, came = threading.Event(), dict[int, Outcome](), threading.Condition()

    def on_end(number: int, outcome: Outcome) -> None:
        with came:
            ended[number] = outcome
            came.notify()

    runner = ToolRunner(Registry([Tool(description, work)]), on_end)
    for number, application in enumerate(("slow", "good", "bad", "slow")):
        runner.run(number, Call("open_application", {"application": application}))
    with came:
        assert came.wait_for(lambda: ended.keys() >= {1, 2}, 60), "one that waits holds up no other"
    runner.cancel(0)
    go.set()
    with came:
        assert came.wait_for(lambda: 3 in ended, 60)
    assert 0 not in ended and isinstance(ended[1], Result) and isinstance(ended[2], ToolFailure)
