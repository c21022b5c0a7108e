"""The turn while tools are at work: what is said meanwhile, and when the answer is given."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.conversation import tool_events as te
from app.conversation.course import Course
from app.conversation.events import State
from app.conversation.timing import Timing
from app.conversation.turn import Turn

MOST_CALLS = 8


@dataclass
class Errand:
    """The tools of one turn. `since` when they were called, `open` those under way, `made` how many in all.

    `lasting`: one of them changes something, so the turn cannot be undone. `saying`: the model is at work for this
    turn. `said` is the last phrase, which has been heard at `quiet_at` (seconds) at the latest. `late`: nobody waits
    for them any more. `pieces`: there is something to be said already. `patient`: they end by themselves.
    """

    since: float
    open: set[int] = field(default_factory=set)
    made: int = 0
    lasting: bool = False
    saying: bool = False
    said: te.Phrase | None = None
    spoken_s: float = 0.0
    quiet_at: float = 0.0
    late: bool = False
    pieces: bool = False
    patient: bool = False

    @property
    def telling(self) -> bool:
        """Whether what came of them is being spoken, or some of it."""
        return self.said == te.Phrase.PART or self.answered

    @property
    def answered(self) -> bool:
        """Whether the last words are being spoken."""
        return self.said in (te.Phrase.ANSWER, te.Phrase.LATE)


class ToolWait:
    """Follows the tools of the turn that is under way in `course`.

    A fast tool is not talked about. After `hold_s` one phrase of its own is said, `still_s` after that one more, and
    at `late_s` an apology, with which the turn ends. What comes in pieces is said as they come.
    """

    def __init__(self, course: Course) -> None:
        self._course = course

    def take(self, event: te.ToolEvent) -> None:
        """News of the tools; those of another turn mean nothing."""
        course, turn = self._course, self._course.turn
        if turn is None or event.turn != turn.number or turn.reply_done:
            return
        course.model_at = course.now
        match event:
            case te.ToolsCalled() if course.state in (State.THINKING, State.SPEAKING, State.TOOL_WAIT):
                self._called(turn, event)
            case te.PieceCame() if turn.errand is not None and event.call in turn.errand.open:
                turn.errand.pieces = True
                self._answer(turn, turn.errand)
            case te.ToolEnded() if turn.errand is not None and event.call in turn.errand.open:
                turn.errand.open.discard(event.call)
                self._answer(turn, turn.errand)
            case te.PhraseMade() if turn.errand is not None and turn.errand.saying:
                errand = turn.errand
                errand.saying = False
                # What was said is heard at the earliest as fast as it was made.
                errand.quiet_at = max(course.now, errand.quiet_at) + event.audio_seconds - errand.spoken_s
                errand.spoken_s = event.audio_seconds
                self._answer(turn, errand)

    def wait(self, turn: Turn, timing: Timing) -> None:
        """Time passes."""
        errand, now = turn.errand, self._course.now
        if errand is None or errand.answered or not errand.open:
            return
        # As long as a tool is waited for, the model has no reason to be heard of.
        self._course.model_at = now
        if now - errand.since >= timing.late_s and not errand.patient:
            errand.late = True
            errand.open.clear()
            self._course.out.append(te.CancelTools(turn.number))
            self._answer(turn, errand)
        elif errand.saying:
            return
        elif errand.said is None and now - errand.since >= timing.hold_s:
            self._say(turn, errand, te.Phrase.HOLD)
        elif errand.said == te.Phrase.HOLD and now - errand.quiet_at >= timing.still_s:
            self._say(turn, errand, te.Phrase.STILL)

    def _called(self, turn: Turn, event: te.ToolsCalled) -> None:
        errand = turn.errand
        if errand is None:
            errand = turn.errand = Errand(self._course.now)
        elif errand.answered:
            return
        errand.saying = errand.saying or event.asking
        self._course.enter(State.TOOL_WAIT)
        errand.made += len(event.calls)
        if errand.made > MOST_CALLS:
            self._course.out.append(te.RefuseTools(turn.number, event.calls))
        elif event.calls:
            errand.open |= set(event.calls)
            errand.lasting = errand.lasting or event.lasting
            errand.patient = errand.patient or event.patient
            self._course.out.append(te.RunTools(turn.number, event.calls))
        self._answer(turn, errand)

    def _answer(self, turn: Turn, errand: Errand) -> None:
        """Give the answer, if all that it needs is there and the model has nothing else to say, or a part of it."""
        if errand.saying or errand.answered or (errand.open and not errand.pieces):
            return
        errand.pieces = False
        if errand.open:
            self._say(turn, errand, te.Phrase.PART)
        else:
            self._say(turn, errand, te.Phrase.LATE if errand.late else te.Phrase.ANSWER)
        if turn.spoke_from is not None:
            # Something has been said already, so no first sound will tell.
            self._course.enter(State.SPEAKING)

    def _say(self, turn: Turn, errand: Errand, phrase: te.Phrase) -> None:
        errand.said, errand.saying = phrase, True
        self._course.model_at = self._course.now
        self._course.out.append(te.Say(turn.number, phrase))
