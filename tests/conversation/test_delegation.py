"""Questions that go to a larger model: what is passed on, said meanwhile, shown, kept and given up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from app.brain.address import read_address
from app.brain.brain import Brain
from app.conversation.delegation import HOLD, STILL
from app.conversation.events import Mode, State
from app.conversation.timing import Timing
from app.conversation.tools.usage import Stage
from app.engine import protocol
from app.omni.refusals import Refusals, refusals
from app.omni.turn import Exchange
from app.settings import BrainScope
from tests.conversation.fakes import INFO, Rig
from tests.support.chat_server import serving

T = Timing()
REFUSAL = "I do not know that one for certain, so a reference book would be safer."
MUDDLED = "I only heard part of that. Please try once more."
KNOWING = replace(INFO, unknown=(REFUSAL, "I would only get that code wrong."), unheard=(MUDDLED,))
FIRST, SECOND = "Honey keeps for years.", "It holds hardly any water."


@dataclass
class FakeBrain:
    """Answers when the test says so. `asked`: what it was asked, by number; `given_up` the numbers."""

    source: str = "From small on this computer"
    asked: dict[int, tuple[str, list[Exchange]]] = field(default_factory=dict)
    given_up: list[int] = field(default_factory=list)

    def ask(self, number: int, question: str, history: Iterable[Exchange]) -> Callable[[], None]:
        assert number not in self.asked
        self.asked[number] = question, list(history)
        return lambda: self.given_up.append(number)


class Desk(Rig):
    """With a larger model, used by typing."""

    def __init__(self, scope: BrainScope = BrainScope.UNKNOWN, speaker: bool = True) -> None:
        super().__init__(Mode.PUSH_TO_TALK, speaker=speaker)
        self.brain = FakeBrain()
        self.conversation.engine_event(protocol.Ready(KNOWING, 0.1))
        self.conversation.attach_brain(self.brain, scope)

    def want(self, question: str = "Why does honey keep?", answer: str = REFUSAL) -> None:
        """Ask, and let the model write its own answer."""
        self.conversation.submit_text(question)
        self.own(answer)

    def own(self, answer: str = REFUSAL) -> None:
        turn = self.engine.number
        for word in answer.split(" "):
            self.conversation.engine_event(protocol.TextDelta(turn, f" {word}"))
            self.conversation.engine_event(protocol.AudioFrame(turn, 0, bytes(7_680)))

    def came(self, *sentences: str) -> None:
        for sentence in sentences:
            self.conversation.brain_said(self.number, sentence)

    def end(self, problem: str = "") -> None:
        self.conversation.brain_ended(self.number, problem)

    def speak(self, frames: int = 10) -> None:
        """The model says what it was told to."""
        self.text(self.said()[-1])
        self.frames(frames)
        self.done()

    @property
    def number(self) -> int:
        return max(self.brain.asked)

    def shown(self) -> str:
        return "".join(call[2] for call in self.window.of("reply_delta"))

    def stages(self) -> list[str]:
        return [call[2].stage for call in self.window.of("tool_changed")]


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_what_the_model_does_not_know_is_answered_by_the_larger_one(desk: Desk) -> None:
    desk.want()
    assert desk.brain.asked == {1: ("Why does honey keep?", [])} and desk.state == State.TOOL_WAIT
    assert ("cancel", 100) in desk.engine.log and not desk.player.written, "nobody hears that it does not know"
    desk.came(FIRST)
    assert desk.said() == [FIRST], "the first sentence is said while the rest is written"
    desk.speak()
    assert desk.state == State.SPEAKING
    desk.came(SECOND)
    desk.speak()
    desk.end()
    desk.play()
    assert desk.state == State.IDLE
    assert desk.shown() == f"{FIRST} {SECOND}"
    assert desk.window.of("reply_done") == [("reply_done", 1, f"{FIRST} {SECOND}", False)]
    assert desk.stages() == [Stage.RUNNING, Stage.DONE] and not desk.window.of("notice")
    assert desk.window.of("tool_changed")[-1][2].summary == "From small on this computer"


def test_sentences_that_wait_are_said_together(desk: Desk) -> None:
    desk.want()
    desk.came(FIRST)
    desk.came(SECOND, "Sugar keeps too.")
    desk.end()
    desk.speak()
    assert desk.said() == [FIRST, f"{SECOND} Sugar keeps too."]
    desk.speak()
    desk.play()
    assert desk.state == State.IDLE and desk.engine.log[-1][0] == "say"


def test_what_the_model_knows_it_says_itself_and_nothing_is_asked(desk: Desk) -> None:
    desk.want(answer="I do not know many jokes, but here is one.")
    desk.done()
    desk.play()
    assert not desk.brain.asked and desk.shown().strip() == "I do not know many jokes, but here is one."
    assert desk.player.written[1] > 0 and desk.state == State.IDLE


@pytest.mark.parametrize("answer", [MUDDLED, "I do not know that"])
def test_what_is_no_refusal_is_spoken_as_it_is(desk: Desk, answer: str) -> None:
    desk.want(answer=answer)
    desk.done()
    assert not desk.brain.asked and desk.shown().strip() == answer


def test_without_a_larger_model_the_refusal_is_spoken(desk: Desk) -> None:
    desk.conversation.attach_brain(None)
    desk.want()
    desk.done()
    assert desk.shown().strip() == REFUSAL and not desk.stages()


def test_everything_is_asked_where_that_is_wanted_but_tools_and_what_was_not_understood() -> None:
    desk = Desk(BrainScope.EVERYTHING)
    desk.want(answer="Honey")
    assert desk.brain.asked[1][0] == "Why does honey keep?"
    desk.conversation.stop()
    desk.want(answer=MUDDLED)
    desk.done()
    desk.conversation.stop()
    desk.conversation.submit_text("flip a coin")
    desk.call('{"name": "flip_coin", "arguments": {}}')
    assert len(desk.brain.asked) == 1


def test_while_it_thinks_that_is_said_twice_and_no_apology_comes(desk: Desk) -> None:
    desk.want()
    desk.wait(T.hold_s + 0.3)
    assert desk.said()[-1] in HOLD
    desk.speak()
    desk.wait(T.still_s + 2.0)
    assert desk.said()[-1] == STILL
    desk.speak()
    desk.wait(T.late_s + T.silent_model_s)
    assert desk.state == State.TOOL_WAIT and len(desk.said()) == 2
    desk.came(FIRST)
    desk.end()
    desk.speak()
    desk.play()
    assert desk.window.of("reply_done")[-1][2] == " ".join([*desk.said()[:2], FIRST])
    desk.want("And jam?")
    assert desk.brain.asked[desk.number][1] == [Exchange("Why does honey keep?", FIRST)], "it learns no fillers"


def test_the_own_honest_answer_stands_in_and_the_reason_is_told_afterwards(desk: Desk) -> None:
    desk.want()
    desk.end("Nothing answers at localhost:1.")
    assert desk.said() == [REFUSAL] and not desk.window.of("notice")
    desk.speak()
    desk.play()
    assert desk.stages() == [Stage.RUNNING, Stage.FAILED] and desk.state == State.IDLE
    names = [call[0] for call in desk.window.calls]
    assert desk.window.of("notice") == [("notice", "Nothing answers at localhost:1.")]
    assert names.index("notice") > names.index("reply_done")


def test_where_everything_was_asked_the_model_answers_after_all() -> None:
    desk = Desk(BrainScope.EVERYTHING)
    desk.want(answer="Honey")
    desk.end("It broke.")
    assert desk.engine.log[-1][0] == "start" and desk.engine.log[-1][4] == "Why does honey keep?"
    desk.text("Because it is dry.")
    desk.frames(5)
    desk.done()
    desk.play()
    assert desk.window.of("reply_done")[-1][2] == "Because it is dry." and len(desk.brain.asked) == 1


def test_an_answer_that_breaks_off_stays_as_far_as_it_came(desk: Desk) -> None:
    desk.want()
    desk.came(FIRST)
    desk.speak()
    desk.end("It broke off.")
    desk.play()
    assert desk.said() == [FIRST] and desk.window.of("notice") == [("notice", "It broke off.")]
    assert desk.stages()[-1] == Stage.DONE, "these words are its own"


@pytest.mark.parametrize("sentences", [0, 1])
def test_stop_drops_everything(desk: Desk, sentences: int) -> None:
    desk.want()
    if sentences:
        desk.came(FIRST)
        desk.speak(30)
        desk.play(15)
    desk.conversation.stop()
    assert desk.brain.given_up == [1] and desk.state == State.IDLE and desk.stages()[-1] == Stage.CANCELLED
    said = desk.said()
    desk.came(SECOND)
    desk.end("late")
    assert desk.said() == said and not desk.window.of("notice")
    heard = desk.window.of("reply_done")[-1][2]
    assert FIRST.startswith(heard) and heard != FIRST
    if sentences:
        desk.want("And jam?")
        assert desk.brain.asked[2][1] == [Exchange("Why does honey keep?", heard)], "only what was heard"


def test_the_users_voice_takes_the_turn(desk: Desk) -> None:
    desk.conversation.set_mode(Mode.OPEN_MIC)
    desk.hear(0.0, 60)
    desk.ask()
    desk.user_text("Why does honey keep?")
    desk.own()
    desk.came(FIRST)
    desk.speak(60)
    desk.play(20)
    desk.hear(0.0, 20)
    desk.hear(0.9, T.interruption_chunks + 10)
    assert desk.state == State.LISTENING and desk.brain.given_up == [1]
    desk.came(SECOND)
    assert SECOND not in desk.said()


def test_a_question_that_goes_on_is_given_up_and_asked_whole(desk: Desk) -> None:
    desk.conversation.set_mode(Mode.OPEN_MIC)
    desk.hear(0.0, 60)
    desk.ask()
    desk.user_text("Why does honey keep")
    desk.own()
    assert desk.state == State.TOOL_WAIT
    desk.hear(0.9, 25)
    assert desk.brain.given_up == [1] and desk.window.of("turn_discarded")
    desk.hear(0.1, 80)
    desk.user_text("Why does honey keep so long?")
    desk.own()
    assert [asked[0] for asked in desk.brain.asked.values()] == ["Why does honey keep", "Why does honey keep so long?"]


def test_without_a_loudspeaker_it_is_read() -> None:
    desk = Desk(speaker=False)
    desk.want()
    desk.came(FIRST)
    desk.speak()
    desk.end()
    assert desk.window.of("reply_done") == [("reply_done", 1, FIRST, False)] and desk.state == State.IDLE


def test_the_model_can_be_changed_meanwhile(desk: Desk) -> None:
    desk.want()
    before, desk.brain = desk.brain, FakeBrain()
    desk.conversation.attach_brain(desk.brain)
    desk.conversation.brain_said(1, FIRST)
    desk.conversation.brain_ended(1, "")
    desk.speak()
    desk.play()
    assert desk.window.of("reply_done")[-1][2] == FIRST and before.asked and not desk.brain.asked


def test_with_a_real_client_and_server(desk: Desk) -> None:
    """Sentence by sentence through the real connection, given up in the middle."""
    with serving() as server:
        posted: list[Callable[[], None]] = []

        def later(run: Callable[[], None]) -> None:
            posted.append(run)
            server.note()

        def until(condition: Callable[[], bool]) -> None:
            while not condition():
                server.until(lambda: bool(posted))
                posted.pop(0)()

        talk = desk.conversation
        talk._post = later
        address = read_address(server.url)
        talk.attach_brain(Brain(address, "halting", talk.brain_said, talk.brain_ended))
        talk.submit_text("Why does honey keep?")
        desk.own()
        until(lambda: bool(desk.said()))
        assert desk.said() == ["The first part is here."]
        talk.stop()
        server.until(lambda: server.cut == 1)
        assert desk.state == State.IDLE and desk.stages() == [Stage.RUNNING, Stage.CANCELLED]


def test_the_honest_answers_are_those_of_the_models_list(tmp_path: Path) -> None:
    assert refusals(tmp_path) == Refusals()
    (tmp_path / "intents.tsv").write_text(
        "smalltalk.hello\tHi!\nfallback.code\tNot that.\nfallback.smart_home\tNo lamp.\n"
        "fallback.decisions\tAsk a doctor.\nfallback.unintelligible\tSay it again.\nfallback.empty\t\nbroken\n",
        encoding="utf-8",
    )
    assert refusals(tmp_path) == Refusals(("Not that.",), ("Say it again.",))
