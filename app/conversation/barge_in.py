"""What the user's voice does to the assistant's: turn it down, hold it, take its turn, or let it go on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from app.conversation.backchannel import is_backchannel
from app.conversation.events import SpeechChunk
from app.conversation.timing import Timing


class Verdict(Enum):
    """What is to be done about the user's voice."""

    NOTHING = auto()
    DUCK = auto()
    HOLD = auto()
    ASK = auto()
    RESUME = auto()
    TAKE = auto()


@dataclass
class Run:
    """A stretch of the user's voice while it is not the user's turn: its first and last voiced chunk, and how many.

    `ducked` and `held` tell what it has done to the answer, `asked` since when its words have been waited for.
    """

    first: int
    last: int
    voiced: int = 1
    refused: bool = False
    ducked: bool = False
    held: bool = False
    asked: float | None = None


class VoiceWatch:
    """Looks for the user's voice while it is not the user's turn.

    Over an answer that is being played, `duck_chunks` of voice turn it down and `barge_in_chunks` hold it. Then it is
    an interruption as soon as there is more voice than "mm-hm" takes, or when its words, asked for after
    `aside_gap_chunks` of quiet, are more than a sign of listening; else the answer goes on. While the echo canceller
    still gets to know the room, it takes `settling_chunks` to hold the answer. At other times
    `open_chunks` or `barge_in_chunks` of voice take the turn at once.
    """

    def __init__(self, timing: Timing) -> None:
        self._timing = timing
        self.run: Run | None = None

    def set_timing(self, timing: Timing) -> None:
        """Go by `timing` from now on."""
        self._timing = timing

    @property
    def holds(self) -> bool:
        """Whether the answer is being held."""
        return self.run is not None and self.run.held

    def forget(self) -> Verdict:
        """Give up the voice that is being watched; RESUME where it had turned the answer down."""
        run, self.run = self.run, None
        return Verdict.RESUME if run is not None and (run.ducked or run.held) else Verdict.NOTHING

    def hear(self, chunk: SpeechChunk, wanted: int, over_answer: bool, now: float) -> Verdict:
        """One chunk. `wanted` voiced chunks take the turn, unless the voice is `over_answer`."""
        timing, run = self._timing, self.run
        if chunk.probability < timing.open_probability or chunk.echo:
            if run is not None and chunk.probability >= timing.open_probability:
                # What went before was an echo too, more likely than not.
                run.voiced -= timing.echo_costs_chunks
                if run.voiced <= 0:
                    return self.forget()
            return self._quiet(chunk.index, over_answer, now)
        if run is None:
            run = self.run = Run(chunk.index, chunk.index)
        else:
            run.voiced += 1
            run.last = chunk.index
            # Whoever goes on has more to say than what was asked about.
            run.asked = None
        if not over_answer:
            return Verdict.TAKE if run.voiced >= wanted and not run.refused else Verdict.NOTHING
        if run.voiced >= timing.interruption_chunks:
            return Verdict.TAKE
        enough = timing.settling_chunks if chunk.settling else timing.barge_in_chunks
        if run.voiced >= max(enough, timing.barge_in_chunks) and not run.held:
            run.ducked = run.held = True
            return Verdict.HOLD
        if run.voiced >= timing.duck_chunks and not run.ducked:
            run.ducked = True
            return Verdict.DUCK
        return Verdict.NOTHING

    def words(self, text: str | None, echo: bool) -> Verdict:
        """The words of the voice that was asked about; `echo`: it was the assistant's own."""
        if self.run is None or self.run.asked is None:
            return Verdict.NOTHING
        return self.forget() if echo or (text is not None and is_backchannel(text)) else Verdict.TAKE

    def wait(self, now: float) -> Verdict:
        """Time passes: words that do not come are taken for an interruption."""
        run = self.run
        late = run is not None and run.asked is not None and now - run.asked >= self._timing.words_s
        return Verdict.TAKE if late else Verdict.NOTHING

    def _quiet(self, index: int, over_answer: bool, now: float) -> Verdict:
        run, timing = self.run, self._timing
        if run is None:
            return Verdict.NOTHING
        gap = index - run.last
        if over_answer and run.held:
            if gap >= timing.aside_gap_chunks and run.asked is None:
                run.asked = now
                return Verdict.ASK
            return Verdict.NOTHING
        return self.forget() if gap > timing.run_gap_chunks else Verdict.NOTHING
