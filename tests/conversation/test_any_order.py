"""In whatever order things come: no stale frame is played, no turn is lost, it always comes to rest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.conversation.delegation import NAME
from app.conversation.events import Action, Event, Mode, StartTurn, State
from app.conversation.manner import timing_for
from app.conversation.self_echo import REASON
from app.conversation.timing import Timing
from app.engine import protocol
from app.omni.turn import StopReason
from app.settings import BrainScope, Patience, Sensitivity
from app.tools.registry import Registry, load_descriptions
from app.tools.tool import Arguments, MissingArgument, Result, Tool, ToolFailure
from tests.conversation.fakes import FakeTools, Rig, stats
from tests.conversation.test_delegation import KNOWING as INFO
from tests.conversation.test_delegation import REFUSAL, FakeBrain

T = Timing()
TIMER = '{"name": "set_timer", "arguments": {"seconds": 60}}'
WEATHER = '{"name": "get_weather", "arguments": {"city": "Leeds"}}'
ANSWER = "You could bake some bread, call an old friend, or take the long way home along the river."
ECHO = "call an old friend or take the long way"


def _stale(rig: Rig, back: int) -> None:
    """All that a turn long over can still send."""
    turn = rig.engine.number - back
    rig.conversation.engine_event(protocol.TextDelta(turn, "old"))
    rig.conversation.engine_event(protocol.AudioFrame(turn, 3, bytes(7_680)))
    rig.conversation.engine_event(protocol.TurnDone(turn, stats()))
    rig.conversation.playback_finished(max(0, turn - 99))


def _play(rig: Rig, frames: float | None) -> None:
    if rig.player.current is not None:
        rig.play(frames)


def _attach(rig: Rig, on: bool) -> None:
    if on:
        rig.player.current = None
        rig.conversation.attach_player(rig.player)
    else:
        rig.player.current = None
        rig.conversation.speaker_lost("gone")


def _again(rig: Rig) -> None:
    rig.conversation.say_again(np.full(24_000, 0.1, np.float32))


class ToolRig(Rig):
    """With tools that never end by themselves, and the numbers of the turns that were asked of the model or of them."""

    def __init__(self) -> None:
        super().__init__()

        def none(arguments: Arguments) -> Result:
            raise AssertionError

        self.tools = FakeTools(Registry(Tool(one, none) for one in load_descriptions().values()))
        self.conversation.attach_tools(self.tools)
        self.conversation.engine_event(protocol.Ready(INFO, 0.1))
        self.brain = FakeBrain()
        self.conversation.attach_brain(self.brain)
        self.opened: list[int] = []
        self.conversation.watch = self._watch

    def _watch(self, now: float, thing: Event | Action) -> None:
        # What is only played once more has no words.
        if isinstance(thing, StartTurn) and thing.text != "":
            self.opened.append(thing.turn)

    def own_answer(self, answer: str) -> None:
        """The model's own words, of a turn that is not given up."""
        for word in answer.split(" "):
            self.text(f" {word}")

    def brain_tells(self, sentence: str, back: int = 0) -> None:
        if len(self.brain.asked) > back:
            self.conversation.brain_said(sorted(self.brain.asked)[-1 - back], sentence)

    def brain_ends(self, problem: str, back: int = 0) -> None:
        if len(self.brain.asked) > back:
            self.conversation.brain_ended(sorted(self.brain.asked)[-1 - back], problem)

    def end_tool(self, outcome: Result | ToolFailure | MissingArgument, newest: bool) -> None:
        if self.tools.running:
            number = sorted(self.tools.running)[-1 if newest else 0]
            del self.tools.running[number]
            self.conversation.tool_ended(number, outcome)


def _crash(rig: Rig) -> None:
    """The worker dies and is started again."""
    rig.conversation.engine_event(protocol.Failed("It stopped.", rig.engine.number, fatal=False))
    rig.conversation.engine_event(protocol.Progress("Loading", 0.5))
    rig.conversation.engine_event(protocol.Ready(INFO, 1.0))


# --- where it begins: chance alone seldom gets as far as these


def _nowhere(rig: Rig) -> None:
    pass


def _tried(rig: Rig) -> None:
    rig.hear(0.9, 20)
    rig.hear(0.1, T.speculative_chunks)
    rig.user_text("So what about the")
    assert rig.state == State.LISTENING and rig.engine.log[-1][0] == "end"


def _speaking(rig: Rig) -> None:
    rig.ask()
    rig.user_text("What is there to do?")
    rig.text(ANSWER)
    rig.frames(80)
    rig.play(70)
    rig.hear(0.1, 20)
    assert rig.state == State.SPEAKING


def _ducked(rig: Rig) -> None:
    _speaking(rig)
    rig.hear(0.9, T.duck_chunks)
    assert rig.player.changes == ["duck"]


def _held(rig: Rig) -> None:
    _speaking(rig)
    rig.done()
    rig.hear(0.9, T.barge_in_chunks)
    assert rig.player.changes == ["duck", "hold"]


def _asked(rig: Rig) -> None:
    _held(rig)
    rig.hear(0.1, T.aside_gap_chunks)
    assert rig.engine.log[-1][0] == "recognise"


def _deaf(rig: Rig) -> None:
    """It has heard itself twice."""
    for _ in range(2):
        rig.conversation.submit_text("hello")
        rig.text(ANSWER)
        rig.frames(80)
        rig.play(70)
        rig.hear(0.1, 20)
        rig.hear(0.9, T.interruption_chunks)
        rig.hear(0.1, T.speculative_chunks)
        rig.user_text(ECHO)
    assert rig.window.of("half_duplex") == [("half_duplex", REASON)]


def _tool(rig: Rig) -> None:
    """A timer is being set."""
    rig.ask()
    rig.user_text("Set a timer for a minute.")
    rig.call(TIMER)
    assert rig.state == State.TOOL_WAIT


def _holding_on(rig: Rig) -> None:
    """The weather takes its time, and that is being said."""
    rig.ask()
    rig.call(WEATHER)
    rig.wait(T.hold_s + 0.3)
    rig.frames(10)
    rig.play(5)
    assert rig.state == State.TOOL_WAIT and rig.said()


def _delegated(rig: ToolRig) -> None:
    """A larger model answers, and its first sentence is being said."""
    rig.ask()
    rig.user_text("Why does honey keep?")
    rig.own_answer(REFUSAL)
    assert rig.state == State.TOOL_WAIT
    rig.brain_tells("It keeps.")
    rig.frames(10)
    assert rig.state == State.SPEAKING and rig.said() == ["It keeps."]


def _asked_back(rig: Rig) -> None:
    rig.ask()
    rig.user_text("Set a timer.")
    rig.call('{"name": "set_timer", "arguments": {}}')
    rig.frames(10)
    assert rig.state == State.SPEAKING


STARTS: list[Callable[[ToolRig], object]] = [
    _delegated,
    _tool,
    _holding_on,
    _asked_back,
    _nowhere,
    _tried,
    _speaking,
    _ducked,
    _held,
    _asked,
    _deaf,
]
Step = Callable[[ToolRig], object]
TALE = ["It keeps.", "It is dry.", "So it stays good."]
CALLS = [
    TIMER,
    WEATHER,
    '{"name": "set_timer", "arguments": {}}',
    '{"name": "cancel_timer", "arguments": {"all": true}}',
    '[{"name": "flip_coin", "arguments": {}}, {"name": "current_time", "arguments": {}}]',
    '{"name": "nothing"',
]
OUTCOMES: list[Result | ToolFailure | MissingArgument] = [
    Result({"seconds": 60, "spoken_duration": "a minute"}, "1 min"),
    ToolFailure("It did not work."),
    MissingArgument("label", "Which one?"),
]
steps: st.SearchStrategy[Step] = st.one_of(
    st.sampled_from(
        [(0.9, 1), (0.9, 4), (0.9, 12), (0.9, 40), (0.1, 3), (0.1, 5), (0.1, 13), (0.1, 25), (0.4, 10), (0.9, 2_000)]
    ).map(lambda a: lambda rig: rig.hear(*a)),
    st.sampled_from([1, 4, 30]).map(lambda n: lambda rig: rig.hear(0.9, n, echo_free=False)),
    st.sampled_from(list(Mode)).map(lambda mode: lambda rig: rig.conversation.set_mode(mode)),
    st.sampled_from([1, 5, 30]).map(lambda n: lambda rig: rig.frames(n)),
    st.sampled_from([1, 2, 3]).map(lambda n: lambda rig: _stale(rig, n)),
    st.sampled_from([0.5, 3.0, None]).map(lambda n: lambda rig: _play(rig, n)),
    st.booleans().map(lambda on: lambda rig: _attach(rig, on)),
    st.sampled_from([0.1, 0.3, 4.0, 61.0]).map(lambda s: lambda rig: rig.wait(s)),
    st.sampled_from(list(StopReason)).map(lambda reason: lambda rig: rig.done(reason)),
    st.sampled_from(CALLS).map(lambda text: lambda rig: rig.call(text)),
    st.tuples(st.sampled_from(OUTCOMES), st.booleans()).map(lambda a: lambda rig: rig.end_tool(*a)),
    st.tuples(st.sampled_from(TALE), st.sampled_from([0, 0, 1])).map(lambda a: lambda rig: rig.brain_tells(*a)),
    st.tuples(st.sampled_from(["", "It broke."]), st.sampled_from([0, 0, 1])).map(
        lambda a: lambda rig: rig.brain_ends(*a)
    ),
    st.sampled_from(list(BrainScope)).map(lambda scope: lambda rig: rig.conversation.attach_brain(rig.brain, scope)),
    st.sampled_from(
        [
            lambda rig: rig.own_answer(REFUSAL),
            lambda rig: rig.conversation.submit_text("ten minutes"),
            lambda rig: rig.conversation.submit_text("yes"),
            lambda rig: rig.user_text("ten minutes"),
            lambda rig: rig.conversation.talk_pressed(),
            lambda rig: rig.conversation.talk_released(),
            lambda rig: rig.conversation.submit_text("hello"),
            lambda rig: rig.conversation.stop(),
            lambda rig: rig.text("some words"),
            lambda rig: rig.user_text("a question"),
            lambda rig: rig.user_text("A question?"),
            lambda rig: rig.user_text("a question about the"),
            lambda rig: rig.recognised("mm hm"),
            lambda rig: rig.recognised("stop"),
            lambda rig: rig.recognised(ECHO),
            lambda rig: rig.user_text(ECHO),
            lambda rig: rig.conversation.start_afresh(),
            lambda rig: rig.conversation.set_timing(timing_for(Patience.SLOW, Sensitivity.HIGH)),
            _again,
            _crash,
            lambda rig: rig.recognised(None),
            lambda rig: rig.conversation.microphone_lost("gone"),
            lambda rig: rig.conversation.engine_event(protocol.Failed("No.", rig.engine.number)),
            lambda rig: rig.conversation.engine_event(protocol.Failed("No.", None)),
            lambda rig: rig.conversation.engine_event(protocol.Failed("No.", rig.engine.number, fatal=True)),
            lambda rig: rig.conversation.engine_event(protocol.Progress("Loading", 0.5)),
            lambda rig: rig.conversation.engine_event(protocol.Ready(INFO, 1.0)),
        ]
    ),
)


def _nothing_shows_too_early(rig: Rig) -> None:
    """Of a question that may go on nobody sees the answer, and only what was seen to its end is remembered."""
    state, asked, questions, ended = State.IDLE, set[int](), dict[int, str](), set[tuple[str, str]]()
    for name, *rest in rig.window.calls:
        if name == "state_changed":
            state = rest[0]
        elif name == "asked":
            asked.add(rest[0])
        elif name in ("question", "reply_delta", "reply_stats", "reply_sound", "reply_done"):
            assert state != State.LISTENING or rest[0] not in asked
        if name == "question":
            questions[rest[0]] = rest[1]
        elif name == "reply_done":
            ended.add((questions.get(rest[0], ""), rest[1]))
    for entry in rig.engine.log:
        if entry[0] == "start":
            assert {(exchange.q, exchange.a) for exchange in entry[3]} <= ended


def _every_use_ends_once(rig: ToolRig) -> None:
    """Each call is run once, and ends once; what changes something is never given up."""
    stages: dict[int, list[str]] = {}
    for _, _, usage in rig.window.of("tool_changed"):
        stages.setdefault(usage.call, []).append(usage.stage)
        assert usage.stage != "cancelled" or usage.tool == NAME or not load_descriptions()[usage.tool].side_effect
    for number, seen in stages.items():
        assert seen[0] == "running" and len(seen) == (1 if number in rig.tools.running else 2)
    assert not rig.conversation._acts.delegation._asked, "nothing is left behind"


def _calls_while_it_reads_aloud(rig: ToolRig) -> None:
    rig.call(TIMER)


@settings(max_examples=150, deadline=None)
@example(_delegated, [_calls_while_it_reads_aloud])
@given(st.sampled_from(STARTS), st.lists(steps, max_size=20))
def test_any_order(start: Step, todo: list[Step]) -> None:
    rig = ToolRig()
    end_turn = rig.engine.end_turn

    def ask(turn: int, image: bytes | None = None) -> None:
        rig.window.calls.append(("asked", rig.opened[-1]))
        end_turn(turn, image)

    rig.engine.end_turn = ask  # type: ignore[method-assign]
    start(rig)
    for step in todo:
        # The fakes fail at once on a frame or a command of a turn that is over.
        step(rig)
        assert rig.state != State.LISTENING or rig.player.current is None
    # It comes to rest by itself, however it was left; a larger model ends in good time.
    rig.conversation.talk_released()
    rig.wait(20.0)
    for back in range(len(rig.brain.asked)):
        rig.brain_ends("", back)
    rig.wait(90.0)
    assert rig.state == State.IDLE
    # Each turn that was opened ended exactly once.
    ended = [call[1] for call in rig.window.of("reply_done", "turn_discarded")]
    assert ended == rig.opened
    _every_use_ends_once(rig)
    _nothing_shows_too_early(rig)
    # And a new question is taken.
    rig.conversation.set_mode(Mode.OPEN_MIC)
    rig.conversation.engine_event(protocol.Ready(INFO, 1.0))
    before = rig.engine.number
    rig.hear(0.0, 30)
    rig.ask()
    assert rig.engine.number == before + 1
    assert rig.engine.log[-1] == ("end", rig.engine.number)
    chunks = rig.engine.heard(rig.engine.number)
    assert chunks == list(range(int(chunks[0]), int(chunks[0]) + len(chunks)))
