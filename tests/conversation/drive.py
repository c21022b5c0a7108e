"""The state machine on a virtual clock, and the ways to bring it into every situation."""

from __future__ import annotations

from collections.abc import Callable

from app.conversation.events import (
    Action,
    AudioStarted,
    CancelTurn,
    ConfirmTurn,
    DiscardTurn,
    EnterState,
    Event,
    Heard,
    KeepHeard,
    Mode,
    ModelReady,
    ReplyDone,
    ResumePlayback,
    SpeechChunk,
    StartTurn,
    State,
    StopPlayback,
    TalkPressed,
    Tick,
)
from app.conversation.machine import TurnMachine
from app.conversation.timing import CHUNK_S, Timing
from app.conversation.tool_events import PhraseMade, ToolEnded, ToolsCalled

T = Timing()


class Drive:
    """A machine with a clock and a chunk counter."""

    def __init__(self, mode: Mode = Mode.OPEN_MIC) -> None:
        self.machine = TurnMachine(mode)
        self.now = 0.0
        self.chunk = 0
        self.send(ModelReady())

    def send(self, *events: Event) -> list[Action]:
        return [action for event in events for action in self.machine.step(event, self.now)]

    def hear(self, probability: float, count: int, echo: bool = False, settling: bool = False) -> list[Action]:
        out: list[Action] = []
        for _ in range(count):
            self.now += CHUNK_S
            out += self.send(SpeechChunk(self.chunk, probability, echo, settling))
            self.chunk += 1
        return out

    def after(self, seconds: float) -> list[Action]:
        self.now += seconds
        return self.send(Tick())


def idle(drive: Drive) -> None:
    pass


def listening(drive: Drive) -> None:
    drive.hear(0.9, 20)


def holding(drive: Drive) -> None:
    drive.hear(0.1, 20)
    drive.send(TalkPressed())
    drive.hear(0.9, 20)


def thinking(drive: Drive) -> None:
    listening(drive)
    drive.hear(0.1, T.endpoint_chunks)


def tried(drive: Drive) -> None:
    listening(drive)
    drive.hear(0.1, T.speculative_chunks)


def doubted(drive: Drive) -> None:
    """Tried, and the words call for more."""
    tried(drive)
    drive.send(Heard(1, "Can you tell me about the"))
    drive.hear(0.1, T.endpoint_chunks)


def starting(drive: Drive) -> None:
    thinking(drive)
    drive.send(AudioStarted(1))


def speaking(drive: Drive) -> None:
    starting(drive)
    drive.hear(0.1, T.reaction_chunks)


def finishing(drive: Drive) -> None:
    speaking(drive)
    drive.send(ReplyDone(1, 2.0))


def ducked(drive: Drive) -> None:
    finishing(drive)
    drive.hear(0.9, T.duck_chunks)


def held(drive: Drive) -> None:
    finishing(drive)
    drive.hear(0.9, T.barge_in_chunks)


def asked(drive: Drive) -> None:
    held(drive)
    drive.hear(0.1, T.aside_gap_chunks)


def calling(drive: Drive) -> None:
    """A tool that only reads is at work, and nothing has been said."""
    thinking(drive)
    drive.send(ToolsCalled(1, (7,)), PhraseMade(1))


def setting(drive: Drive) -> None:
    """A tool that changes something is at work."""
    thinking(drive)
    drive.send(ToolsCalled(1, (7,), lasting=True), PhraseMade(1))


def holding_on(drive: Drive) -> None:
    """The hold phrase is being spoken."""
    calling(drive)
    drive.after(T.hold_s)
    drive.send(AudioStarted(1))
    drive.hear(0.1, T.reaction_chunks)


def telling(drive: Drive) -> None:
    """What came of the tool is being spoken."""
    calling(drive)
    drive.send(ToolEnded(1, 7), AudioStarted(1))
    drive.hear(0.1, T.reaction_chunks)


SET_UP: dict[Callable[[Drive], None], State] = {
    idle: State.IDLE,
    listening: State.LISTENING,
    holding: State.LISTENING,
    tried: State.LISTENING,
    doubted: State.LISTENING,
    thinking: State.THINKING,
    starting: State.SPEAKING,
    speaking: State.SPEAKING,
    finishing: State.SPEAKING,
    ducked: State.SPEAKING,
    held: State.SPEAKING,
    asked: State.SPEAKING,
    calling: State.TOOL_WAIT,
    setting: State.TOOL_WAIT,
    holding_on: State.TOOL_WAIT,
    telling: State.SPEAKING,
}
TO_IDLE = EnterState(State.IDLE)
TO_THINKING = EnterState(State.THINKING)
TO_LISTENING = EnterState(State.LISTENING)
DROP: list[Action] = [DiscardTurn(1), CancelTurn(1), TO_IDLE]
CUT: list[Action] = [StopPlayback(1), KeepHeard(1, False), CancelTurn(1)]
CUT_LATE: list[Action] = [StopPlayback(1), KeepHeard(1, False)]
TAKEN: list[Action] = [*CUT_LATE, StartTurn(2), TO_LISTENING]
GOES_ON: list[Action] = [ResumePlayback(1)]
TYPED = StartTurn(2, "hi")
CONFIRMED: list[Action] = [TO_THINKING, ConfirmTurn(1)]
AGAIN: list[Action] = [DiscardTurn(1), CancelTurn(1), StartTurn(2)]
