"""One turn as the state machine knows it, and what the microphone makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.conversation.endpoint import wait_chunks
from app.conversation.events import SpeechChunk
from app.conversation.timing import Timing

if TYPE_CHECKING:
    from app.conversation.tool_wait import Errand


@dataclass
class Turn:
    """A question and its answer. Chunks are numbered as in `SpeechChunk`.

    `tried`: the model answers already, in case that the question is over, and has heard `words` in it. `stirred`:
    something too faint to be a voice was heard since. `spoke_from`: the last chunk before the answer began. `held`: the
    talk button was down, `release_at` until when there may be more after it was let go. `patience` is a factor on the
    quiet that ends the turn. `errand`: the tools that were called for the answer.
    """

    number: int
    spoken: bool
    first: int = 0
    last: int = -1
    voiced: int = 0
    last_voiced: int = 0
    quiet_from: int | None = None
    tried: bool = False
    words: str | None = None
    stirred: bool = False
    held: bool = False
    release_at: float | None = None
    patience: float = 1.0
    playing: bool = False
    spoke_from: int | None = None
    reply_done: bool = False
    audio_seconds: float = 0.0
    finish_by: float = 0.0
    errand: Errand | None = None

    def hear(self, chunk: SpeechChunk, timing: Timing) -> None:
        """One more chunk of the question."""
        self.last = chunk.index
        if chunk.probability >= timing.open_probability:
            self.voiced += 1
            self.last_voiced = chunk.index
            self.quiet_from = None
        elif chunk.probability >= timing.close_probability:
            self.stirred = True
        elif self.quiet_from is None:
            self.quiet_from = chunk.index

    def ask_early(self) -> None:
        """The model is asked in case that the question is over."""
        self.tried, self.words, self.stirred = True, None, False

    def begin_anew(self, number: int) -> None:
        """The question was not over: the same one, under another number."""
        self.number, self.tried, self.words = number, False, None

    @property
    def quiet(self) -> int:
        """For how many chunks the user has been quiet."""
        return 0 if self.quiet_from is None else self.last - self.quiet_from + 1

    def is_over(self, timing: Timing) -> bool:
        """Whether the user has been quiet long enough for what was said."""
        wait = wait_chunks(self.words, timing)
        # Patience does not make a long wait endless.
        return self.quiet >= min(round(wait * self.patience), max(wait, timing.longest_chunks))

    def is_worth_trying(self, timing: Timing) -> bool:
        """Whether the question may be over and is one at all."""
        return not self.tried and self.voiced >= timing.least_voiced_chunks and self.quiet >= timing.speculative_chunks

    def goes_on_with(self, first: int, timing: Timing) -> bool:
        """Whether a voice since chunk `first` goes on with the question: it cannot be about the answer yet."""
        if self.errand is not None and self.errand.lasting:
            # What a tool has begun is not undone, nor done once more.
            return False
        unaware = self.spoke_from is None or first <= self.spoke_from + timing.reaction_chunks
        return self.spoken and unaware and first - self.last_voiced <= timing.resume_chunks
