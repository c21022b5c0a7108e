"""The turn under way, as the outside knows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from app.audio.level import FLOOR_DB, rms_db
from app.conversation.history import Reply
from app.conversation.ports import Samples
from app.conversation.tool_events import Phrase
from app.engine import protocol
from app.omni.turn import FRAME_SAMPLES, OUTPUT_RATE

# A codec begins with some silence before the voice; so much of it is left out, and 10 ms are kept.
_LEAD_DB = -45.0
_LEAD_FRAMES = 3
_WINDOW = OUTPUT_RATE // 100
# How long a room rings on after the answer.
_ECHO_TAIL_S = 0.4
# Where in its text an answer is, is known to half a second or so.
_AHEAD = OUTPUT_RATE // 2


@dataclass
class Live:
    """A turn at the model, and what there is of its answer.

    `held_back`: what the model has said to a question that may go on yet, None once it is complete. `over_at`: since
    when the turn is over. `doubted`: its question may be what the loudspeaker was saying. `weighed`: what the model has
    said, `thought` in words, as long as a larger model may be asked instead; None once that is decided. `picture`: what
    the model was given with the question, `taken` once that was asked for good.
    """

    turn: int
    engine_turn: int
    typed: bool
    question: str = ""
    reply: Reply = field(default_factory=Reply)
    pieces: list[Samples] = field(default_factory=list)
    levels: list[float] = field(default_factory=list)
    held_back: list[protocol.Event] | None = None
    weighed: list[protocol.Event] | None = None
    thought: str = ""
    silent_frames: int = 0
    # When the first sound was there, though it may have been held back, and how much came before.
    made_at: float | None = None
    frames_before: int = 0
    begun: bool = False
    playing: bool = False
    over_at: float | None = None
    doubted: bool = False
    # What of a tool's words the model speaks now, whether they are given, and whether it has written a call before.
    phrase: Phrase | None = None
    given: bool = False
    called: bool = False
    picture: bytes | None = None
    taken: bool = False
    # Played once more: nothing is asked of the model and nothing is remembered.
    again: Samples | None = None
    on_over: Callable[[bool], None] = lambda whole: None
    _apart: bool = False

    @property
    def is_interlude(self) -> bool:
        """Whether what the model says now is not the end of the answer."""
        return self.called if self.phrase is None else self.phrase in (Phrase.HOLD, Phrase.STILL, Phrase.PART)

    def say(self, phrase: Phrase) -> None:
        """The model goes on with these words."""
        self.phrase, self._apart = phrase, bool(self.reply.text.strip())

    def add_text(self, text: str) -> str:
        """More of the answer's text; returns it as it is to be shown."""
        if self._apart and text.strip():
            self._apart, text = False, " " + text.lstrip()
        self.reply.text += text
        return text

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

    def repeat(self, samples: Samples, on_over: Callable[[bool], None]) -> None:
        """The answer is this one, float32 at 24 kHz, which was there before; `on_over(whole)` is called after it."""
        self.again, self.on_over = samples, on_over
        self.reply.samples = len(samples)
        frames = range(0, len(samples), FRAME_SAMPLES)
        self.levels = [rms_db(samples[at : at + FRAME_SAMPLES]) for at in frames]

    def is_heard(self, now: float) -> bool:
        """Whether the room hears the answer at `now` (seconds), or rings on after it."""
        return self.playing and (self.over_at is None or now - self.over_at <= _ECHO_TAIL_S)

    def is_doubted_at(self, now: float) -> bool:
        """Whether the question is in doubt and so is the one that goes on with it `now`."""
        return self.doubted and self.over_at == now

    def said_aloud(self, played: int) -> str:
        """The text that has been or is just about to be heard after `played` samples."""
        return self.reply.heard(played + _AHEAD) if self.playing else ""

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
