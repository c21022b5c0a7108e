"""Questions that a larger model answers: which ones, what is said meanwhile, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from random import Random

from app.conversation import tool_events as te
from app.conversation.ports import Brain
from app.conversation.tools.usage import Stage, Usage
from app.omni.turn import Exchange, ModelInfo
from app.settings import BrainScope

# Among the uses of tools it is shown by this name.
NAME = "larger_model"
HOLD = ("Let me think about that.", "Let me think for a moment.", "One moment, I am thinking.")
STILL = "I am still thinking about it."


class Verdict(Enum):
    """What the first words of the model tell: it answers by itself, a larger one is to be asked, or neither yet."""

    OWN = auto()
    ASK = auto()
    OPEN = auto()


@dataclass
class _Asking:
    """A question of `turn`. `own` is what the model itself answers, None: it is to be asked again; `waiting` are the
    sentences that have come and are not said yet.
    """

    turn: int
    question: str
    own: str | None
    brain: Brain
    give_up: Callable[[], None] = lambda: None
    waiting: list[str] = field(default_factory=list)
    answered: bool = False
    problem: str = ""
    is_open: bool = True


class Delegation:
    """On the conversation's thread. `brain` None: there is no larger model to ask."""

    def __init__(
        self,
        number: Callable[[], int],
        changed: Callable[[int, Usage], None],
        notice: Callable[[str], None],
        rng: Random | None = None,
    ) -> None:
        """`number()` is a new one among the uses of tools; `changed(turn, usage)` is told how a use gets on, and
        `notice` one sentence where something went wrong.
        """
        self._number = number
        self._changed = changed
        self._notice = notice
        self._rng = rng or Random()
        self.brain: Brain | None = None
        self.scope = BrainScope.UNKNOWN
        self._unknown: frozenset[str] = frozenset()
        self._unheard: frozenset[str] = frozenset()
        self._asked: dict[int, _Asking] = {}

    # --- when

    def learn(self, info: ModelInfo) -> None:
        """From now on this model answers what is not delegated."""
        self._unknown = frozenset(map(_plain, info.unknown))
        self._unheard = frozenset(map(_plain, info.unheard))

    @property
    def is_on(self) -> bool:
        """Whether any answer of the model may be passed over."""
        return self.brain is not None and (self.scope == BrainScope.EVERYTHING or bool(self._unknown))

    def verdict(self, question: str, text: str) -> Verdict:
        """About `text`, which is how the model's answer to `question` begins."""
        said = _plain(text)
        if not said:
            return Verdict.OPEN
        if not question.strip() or self.brain is None:
            return Verdict.OWN
        if self.scope == BrainScope.EVERYTHING:
            # What was not understood is no question.
            return Verdict.OPEN if _begins(said, self._unheard) else Verdict.ASK
        if said in self._unknown:
            return Verdict.ASK
        return Verdict.OPEN if _begins(said, self._unknown) else Verdict.OWN

    # --- how

    def begin(self, turn: int, question: str, text: str) -> te.ToolsCalled | None:
        """`question` goes to the larger model in place of `text`, which the model would have answered."""
        if self.brain is None:
            return None
        number = self._number()
        own = text.strip() if _plain(text) in self._unknown else None
        self._asked[number] = _Asking(turn, question, own, self.brain)
        return te.ToolsCalled(turn, (number,), asking=False, patient=True)

    def run(self, numbers: Iterable[int], history: tuple[Exchange, ...]) -> bool:
        """Ask those questions, after `history`; False where they are none of these."""
        mine = [number for number in numbers if number in self._asked]
        for number in mine:
            asking = self._asked[number]
            self._tell(number, asking, Stage.RUNNING)
            heard = tuple(replace(one, a=_without_fillers(one.a)) for one in history)
            asking.give_up = asking.brain.ask(number, asking.question, [one for one in heard if one.a])
        return bool(mine)

    def cancel(self, turn: int) -> None:
        """Nobody waits for the answer to `turn` any more."""
        for number, asking in self._of(turn):
            if asking.is_open:
                asking.is_open = False
                asking.give_up()
                self._tell(number, asking, Stage.CANCELLED)

    def came(self, number: int, sentence: str) -> te.PieceCame | None:
        """A sentence of the answer; None where it was given up."""
        asking = self._asked.get(number)
        if asking is None or not asking.is_open or not sentence.strip():
            return None
        asking.answered = True
        asking.waiting.append(sentence.strip())
        return te.PieceCame(asking.turn, number)

    def ended(self, number: int, problem: str) -> te.ToolEnded | None:
        """The answer is there, as far as it comes; `problem` is a sentence where it does not. None: it was given up."""
        asking = self._asked.get(number)
        if asking is None or not asking.is_open:
            return None
        asking.is_open, asking.problem = False, problem
        self._tell(number, asking, Stage.DONE if asking.answered else Stage.FAILED)
        return te.ToolEnded(asking.turn, number)

    def has(self, turn: int) -> bool:
        """Whether `turn` was delegated."""
        return bool(self._of(turn))

    def sentence(self, turn: int, phrase: te.Phrase) -> str | None:
        """The words for `phrase`; "" where all has been said, None where the model has to answer by itself."""
        if phrase == te.Phrase.HOLD:
            return self._rng.choice(HOLD)
        if phrase == te.Phrase.STILL:
            return STILL
        asking = self._of(turn)[-1][1]
        words, asking.waiting = " ".join(asking.waiting), []
        return words if words or asking.answered else asking.own

    def over(self, turn: int) -> None:
        """The turn has ended; what went wrong is told now, as the window is quiet again."""
        for number, asking in self._of(turn):
            del self._asked[number]
            if asking.problem:
                self._notice(asking.problem)

    def undone(self, turn: int) -> None:
        """The turn was no question, or goes on in the next one."""
        for number, _ in self._of(turn):
            del self._asked[number]

    # --- inside

    def _of(self, turn: int) -> list[tuple[int, _Asking]]:
        return [(number, asking) for number, asking in self._asked.items() if asking.turn == turn]

    def _tell(self, number: int, asking: _Asking, stage: Stage) -> None:
        self._changed(asking.turn, Usage(number, NAME, stage, asking.brain.source))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _begins(said: str, answers: Iterable[str]) -> bool:
    return any(one.startswith(said) for one in answers)


def _without_fillers(answer: str) -> str:
    """An answer without what was only said to fill the time: a model would learn to say it, too."""
    for filler in (*HOLD, STILL):
        answer = answer.removeprefix(filler).strip()
    return answer
