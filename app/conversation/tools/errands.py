"""What is done and said about the calls that the model writes, and about answers to what was asked back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import time
from random import Random
from typing import Any

from app.conversation import tool_events as te
from app.conversation.ports import Tools
from app.conversation.tools.runner import Outcome
from app.conversation.tools.usage import Stage, Usage
from app.tools import asked
from app.tools.call import Call, CallError, IncompleteCall, check_arguments, parse_calls
from app.tools.questions import confirmation_for
from app.tools.registry import Registry
from app.tools.speak import spoken_answer, spoken_failure
from app.tools.tool import MissingArgument, Result, ToolFailure
from app.tools.words import said
from app.tools.words.plain import plain

# So long after a question was asked, what is said may be the answer to it.
PENDING_S = 30.0
# So often it is asked in all before it is left.
_ASKED_MOST = 3
STILL = "I am still working on it."
LATE = "Sorry, that is taking too long, so I will not wait for it."
TOO_MANY = "That is more than I can do at once."
LEFT = "Okay, I will leave it."
GONE_WRONG = "Sorry, that did not work."


@dataclass(frozen=True)
class Question:
    """Something that was asked back in `turn`. `argument` "": whether `calls` are really meant."""

    turn: int
    calls: tuple[Call, ...]
    argument: str
    until: float
    agreed: bool = False
    times: int = 1
    clock: time | None = None


@dataclass
class _Run:
    turn: int
    call: Call
    agreed: bool


@dataclass
class _Turn:
    """What will be said: `words` of its own and those of its calls, in their order."""

    words: list[str] = field(default_factory=list)
    of_calls: dict[int, str] = field(default_factory=dict)


class Errands:
    """On the conversation's thread. `tools` None knows no tool."""

    def __init__(
        self, clock: Callable[[], float], changed: Callable[[int, Usage], None], rng: Random | None = None
    ) -> None:
        """`clock` in seconds; `changed(turn, usage)` is called for each thing that happens to a use of a tool."""
        self._clock = clock
        self._changed = changed
        self._rng = rng or Random()
        self.tools: Tools | None = None
        self._question: Question | None = None
        # What was waited for when this turn began to use it up.
        self._before: tuple[int, Question | None] = (0, None)
        self._serial = 0
        self._runs: dict[int, _Run] = {}
        self._turns: dict[int, _Turn] = {}

    # --- what the model or the user wants

    def called(self, turn: int, text: str, closed: bool, asked: str = "") -> te.ToolsCalled:
        """The model has written `text` between the markers of a call, when the user had said `asked`."""
        self._take(turn)
        try:
            calls = parse_calls(text if closed else "", self._registry)
        except IncompleteCall as error:
            self._ask(Question(turn, (error.call,), error.argument, 0.0), error.question)
        except CallError as error:
            self._refused(turn, error)
        else:
            # After a yes the model has asked itself, and nobody likes to be asked twice.
            return self._use(turn, calls, agreed=said.yes_or_no(asked) is True)
        return te.ToolsCalled(turn)

    def answered(self, turn: int, text: str) -> te.ToolsCalled | None:
        """What becomes of the user's words in `turn`, where they answer what was asked; else None."""
        question = self._take(turn) if text.strip() else None
        if question is None or self._clock() > question.until:
            return None
        if not question.argument:
            return self._agreed(turn, question, text)
        return self._completed(turn, question, text)

    def expects(self) -> bool:
        """Whether an answer is waited for."""
        return self._question is not None and self._clock() <= self._question.until

    def new_number(self) -> int:
        """One for a use of something that is no tool of the registry."""
        self._serial += 1
        return self._serial

    def forget(self) -> None:
        """Another conversation: nothing that was asked counts."""
        self._question = None

    # --- what is to be done

    def run(self, turn: int, numbers: tuple[int, ...]) -> None:
        """Carry the calls out."""
        for number in numbers:
            run = self._runs[number]
            self._changed(turn, Usage(number, run.call.name, Stage.RUNNING))
            if self.tools is not None:
                self.tools.run(number, run.call)

    def refuse(self, turn: int, numbers: tuple[int, ...]) -> None:
        """Do not carry them out, there have been too many."""
        for number in numbers:
            self._runs.pop(number, None)
        self._of(turn).words.append(TOO_MANY)

    def cancel(self, turn: int) -> None:
        """Give those of `turn` up that change nothing."""
        for number, run in tuple(self._runs.items()):
            if run.turn == turn and not self._lasting(run.call):
                del self._runs[number]
                if self.tools is not None:
                    self.tools.cancel(number)
                self._changed(turn, Usage(number, run.call.name, Stage.CANCELLED))

    def ended(self, number: int, outcome: Outcome) -> te.ToolEnded | None:
        """What came of a call; None for one that was given up."""
        run = self._runs.pop(number, None)
        if run is None:
            return None
        words, usage = self._told(run, number, outcome)
        if run.turn in self._turns:
            self._of(run.turn).of_calls[number] = words
        self._changed(run.turn, usage)
        return te.ToolEnded(run.turn, number)

    def sentence(self, turn: int, phrase: te.Phrase) -> str:
        """The words for `phrase`."""
        match phrase:
            case te.Phrase.HOLD:
                return self._hold_phrase(turn)
            case te.Phrase.STILL:
                return STILL
            case te.Phrase.LATE:
                return LATE
        about = self._of(turn)
        words = [*about.words, *(about.of_calls[number] for number in sorted(about.of_calls))]
        return " ".join(words) or GONE_WRONG

    def over(self, turn: int) -> None:
        """The turn has ended; from now on its question can be answered for a while."""
        self._turns.pop(turn, None)
        if self._question is not None and self._question.turn == turn:
            self._question = replace(self._question, until=self._clock() + PENDING_S)

    def undone(self, turn: int) -> None:
        """The turn was no question, or goes on in the next one: what was waited for before it still is."""
        self._turns.pop(turn, None)
        if self._question is not None and self._question.turn == turn:
            self._question = None
        if self._before[0] == turn:
            self._question = self._before[1]

    # --- inside

    def _take(self, turn: int) -> Question | None:
        """What is waited for, which `turn` answers or does away with."""
        question, self._question = self._question, None
        if self._before[0] != turn:
            self._before = (turn, question)
        return question

    @property
    def _registry(self) -> Registry:
        return self.tools.registry if self.tools is not None else Registry(())

    def _of(self, turn: int) -> _Turn:
        return self._turns.setdefault(turn, _Turn())

    def _lasting(self, call: Call) -> bool:
        tool = self._registry.get(call.name)
        return tool is not None and tool.description.side_effect

    def _use(self, turn: int, calls: tuple[Call, ...], agreed: bool, asking: bool = True) -> te.ToolsCalled:
        tools = [self._registry.get(call.name) for call in calls]
        if not agreed:
            doubtful = [call for call, tool in zip(calls, tools, strict=True) if tool and tool.description.confirm]
            if doubtful:
                words = " ".join(dict.fromkeys(confirmation_for(call.name, call.arguments) for call in doubtful))
                self._ask(Question(turn, calls, "", 0.0), words)
                return te.ToolsCalled(turn, asking=asking)
        self._of(turn)
        numbers = []
        for call in calls:
            numbers.append(self.new_number())
            self._runs[numbers[-1]] = _Run(turn, call, agreed)
        return te.ToolsCalled(turn, tuple(numbers), any(map(self._lasting, calls)), asking)

    def _ask(self, question: Question, words: str) -> None:
        # It is counted from the end of the turn, and from now on where the user does not wait for that.
        self._question = replace(question, until=self._clock() + PENDING_S)
        self._of(question.turn).words.append(words)

    def _refused(self, turn: int, error: CallError, times: int = 1, agreed: bool = False) -> None:
        if error.argument and error.tool and times < _ASKED_MOST:
            call = Call(error.tool, error.rest)
            self._ask(Question(turn, (call,), error.argument, 0.0, agreed, times), error.answer)
        else:
            self._of(turn).words.append(error.answer)

    def _agreed(self, turn: int, question: Question, text: str) -> te.ToolsCalled | None:
        answer = said.yes_or_no(text)
        if answer:
            return self._use(turn, question.calls, agreed=True, asking=False)
        if answer is None and not said.gives_up(text):
            return None
        return self._say(turn, LEFT)

    def _completed(self, turn: int, question: Question, text: str) -> te.ToolsCalled | None:
        call = question.calls[0]
        tool = self._registry.get(call.name)
        if tool is None:
            return None
        is_flag = tool.description.parameters.get("properties", {}).get(question.argument, {}).get("type") == "boolean"
        if said.gives_up(text) or (is_flag and said.yes_or_no(text) is False):
            return self._say(turn, LEFT)
        if asked.is_new_request(text):
            return None
        try:
            answer = asked.read_answer(tool.description, question.argument, text, call.arguments)
            found = self._found(question, text, answer)
        except asked.HalfOfDayError as error:
            more = {"day": day} if (day := said.day_in(text)) and "day" not in call.arguments else {}
            waiting = replace(question, turn=turn, clock=error.at, calls=(Call(call.name, {**call.arguments, **more}),))
            return self._ask_again(waiting, error.question)
        if not found:
            return None
        try:
            whole = check_arguments(tool, {**call.arguments, **found})
        except IncompleteCall as error:
            return self._ask_again(
                replace(question, turn=turn, calls=(error.call,), argument=error.argument), error.question
            )
        except CallError as error:
            self._refused(turn, error, question.times + 1, question.agreed)
            return te.ToolsCalled(turn, asking=False)
        return self._use(turn, (whole,), agreed=question.agreed, asking=False)

    def _found(self, question: Question, text: str, found: dict[str, Any]) -> dict[str, Any]:
        if question.clock is None or "time" in found:
            return found
        at = said.half_of_day(text, question.clock)
        return found if at is None else {**found, "time": f"{at:%H:%M}"}

    def _ask_again(self, question: Question, words: str) -> te.ToolsCalled:
        self._ask(replace(question, times=question.times + 1), words)
        return te.ToolsCalled(question.turn, asking=False)

    def _say(self, turn: int, words: str) -> te.ToolsCalled:
        self._of(turn).words.append(words)
        return te.ToolsCalled(turn, asking=False)

    def _hold_phrase(self, turn: int) -> str:
        for run in self._runs.values():
            tool = self._registry.get(run.call.name)
            if run.turn == turn and tool is not None and tool.description.on_hold:
                return self._rng.choice(tool.description.on_hold)
        return STILL

    def _told(self, run: _Run, number: int, outcome: Outcome) -> tuple[str, Usage]:
        """The sentence about a call, and what is shown of it."""
        tool = self._registry.get(run.call.name)
        name = run.call.name
        if tool is None:
            return GONE_WRONG, Usage(number, name, Stage.FAILED)
        match outcome:
            case Result():
                try:
                    words = spoken_answer(tool.description, outcome, self._rng)
                except ValueError:
                    words = GONE_WRONG
                return words, Usage(number, name, Stage.DONE, outcome.summary)
            case MissingArgument():
                if run.turn in self._turns:
                    until = self._clock() + PENDING_S
                    self._question = Question(run.turn, (run.call,), outcome.argument, until, run.agreed)
                return plain(outcome.question), Usage(number, name, Stage.ASKED)
            case ToolFailure():
                words = spoken_failure(tool.description, outcome, self._rng)
                return words, Usage(number, name, Stage.FAILED, plain(str(outcome)))
