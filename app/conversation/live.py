"""The turn under way, as the outside knows it."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.audio.level import FLOOR_DB, rms_db
from app.conversation.history import Reply
from app.conversation.ports import Samples
from app.engine import protocol
from app.omni.turn import FRAME_SAMPLES, OUTPUT_RATE

# A codec begins with some silence before the voice; so much of it is left out, and 10 ms are kept.
_LEAD_DB = -45.0
_LEAD_FRAMES = 3
_WINDOW = OUTPUT_RATE // 100


@dataclass
class Live:
    """A turn at the model, and what there is of its answer.

    `held_back`: what the model has said to a question that may go on yet, None once it is complete. `over_at`: since
    when the turn is over.
    """

    turn: int
    engine_turn: int
    typed: bool
    question: str = ""
    reply: Reply = field(default_factory=Reply)
    pieces: list[Samples] = field(default_factory=list)
    levels: list[float] = field(default_factory=list)
    held_back: list[protocol.Event] | None = None
    silent_frames: int = 0
    # When the first sound was there, though it may have been held back, and how much came before.
    made_at: float | None = None
    frames_before: int = 0
    begun: bool = False
    playing: bool = False
    over_at: float | None = None
    # Played once more: nothing is asked of the model and nothing is remembered.
    again: Samples | None = None

    def arrived(self, samples: Samples, now: float) -> None:
        """Speech of the answer has come at `now`, whether it counts already or not."""
        if self.made_at is None and (self.frames_before >= _LEAD_FRAMES or _lead(samples) < len(samples)):
            self.made_at = now
        self.frames_before += 1

    def take(self, samples: Samples) -> Samples:
        """Keep more of the answer, float32 at 24 kHz; returns it without the silence before its first sound."""
        if not self.begun and self.silent_frames < _LEAD_FRAMES:
            samples = samples[_lead(samples) :]
            if not len(samples):
                self.silent_frames += 1
                return samples
        self.begun = True
        self.reply.samples += len(samples)
        self.pieces.append(samples)
        self.levels.append(rms_db(samples))
        return samples

    def sound_so_far(self) -> list[Samples]:
        """What there is to be played."""
        return list(self.pieces) if self.again is None else [self.again]

    def repeat(self, samples: Samples) -> None:
        """The answer is this one, float32 at 24 kHz, which was given before."""
        self.again = samples
        self.reply.samples = len(samples)
        frames = range(0, len(samples), FRAME_SAMPLES)
        self.levels = [rms_db(samples[at : at + FRAME_SAMPLES]) for at in frames]

    def level_at(self, played: int) -> float:
        """Loudness after `played` samples, dB of full scale."""
        if played <= 0 or not self.levels:
            return FLOOR_DB
        return self.levels[min(len(self.levels) - 1, played // FRAME_SAMPLES)]


def _lead(samples: Samples) -> int:
    """How many samples there are before the first sound, less 10 ms; all of them where there is none."""
    for at in range(0, len(samples), _WINDOW):
        if rms_db(samples[at : at + _WINDOW]) > _LEAD_DB:
            return max(0, at - _WINDOW)
    return len(samples)
