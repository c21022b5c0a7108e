"""Which turn is under way, how one begins, and how it ends."""

from __future__ import annotations

from app.conversation import events as ev
from app.conversation import tool_events as te
from app.conversation.events import State
from app.conversation.turn import Turn


class Course:
    """The course of the conversation, which both sides of the state machine change.

    `out` collects what is to be done about it. `now` is the time of the event, `model_at` when the model was last
    heard of (seconds); nothing before chunk `floor` belongs to a new turn.
    """

    def __init__(self) -> None:
        self.state = State.IDLE
        self.turn: Turn | None = None
        self.out: list[ev.Action] = []
        self.now = 0.0
        self.model_at = 0.0
        self.floor = 0
        self._serial = 0

    def begin(self, spoken: bool, text: str | None = None) -> Turn:
        """Open the next turn; with `text` its question is typed."""
        self._serial += 1
        self.model_at = self.now
        turn = self.turn = Turn(self._serial, spoken)
        self.out.append(ev.StartTurn(turn.number, text))
        return turn

    def ask_anew(self, turn: Turn) -> None:
        """The question that was tried goes on: all of it is for the model, from its first word."""
        self.out += [ev.DiscardTurn(turn.number), ev.CancelTurn(turn.number)]
        self._serial += 1
        turn.begin_anew(self._serial)
        self.out += [ev.StartTurn(turn.number), ev.PushAudio(turn.number, turn.first, turn.last)]

    def close(self, turn: Turn) -> None:
        """The reply has been given in full."""
        if turn.playing:
            self.out.append(ev.StopPlayback(turn.number))
        self.out.append(ev.KeepHeard(turn.number, whole=True))
        self.turn = None
        self.enter(State.IDLE)

    def give_up(self) -> None:
        """End whatever is under way and be idle."""
        if self.state == State.LISTENING:
            self.drop()
        else:
            self.interrupt()
        self.enter(State.IDLE)

    def interrupt(self, forget: bool = False) -> None:
        """Cut the reply off, if there is one. With `forget` the question goes on in the next turn."""
        turn, self.turn = self.turn, None
        if turn is None:
            return
        if turn.playing:
            self.out.append(ev.StopPlayback(turn.number))
        self._leave_tools(turn)
        self.out.append(ev.DiscardTurn(turn.number) if forget else ev.KeepHeard(turn.number, whole=False))
        if not turn.reply_done:
            self.out.append(ev.CancelTurn(turn.number))

    def drop(self) -> None:
        """Forget the turn, which was no question."""
        turn, self.turn = self.turn, None
        if turn is not None:
            self.floor = turn.last + 1
            self.out.append(ev.DiscardTurn(turn.number))
            if not turn.reply_done:
                self.out.append(ev.CancelTurn(turn.number))

    def _leave_tools(self, turn: Turn) -> None:
        if turn.errand is not None and turn.errand.open:
            self.out.append(te.CancelTools(turn.number))

    def enter(self, state: State) -> None:
        """The state is `state` from now on."""
        if state == State.THINKING:
            self.model_at = self.now
        if state != self.state:
            self.state = state
            self.out.append(ev.EnterState(state))
