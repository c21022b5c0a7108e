"""From the end of a question to the first sound of its answer: how long it took, and where the time went."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.conversation import events as ev
from app.conversation.timing import Timing
from app.omni.turn import TurnStats

# Turns whose times are still of use: the one that is heard, and the one that takes its place.
_KEEP = 4


class Start(StrEnum):
    """What the time is counted from: the user's last voice, the talk button let go, or a typed question sent."""

    VOICE = "voice"
    BUTTON = "button"
    TYPED = "typed"


class Part(StrEnum):
    """Where time goes, in its order.

    ENDPOINT: waiting to be sure that the question is over, as far as the model was not at work meanwhile. ENCODE,
    PREFILL, FIRST_FRAME: the model hears the question, reads it, and makes the first piece of speech. MODEL: all three,
    where they are not known apart. HANDOVER: between the window's process and the model's, silence before the first
    sound included. DEVICE: the loudspeaker's buffers.
    """

    ENDPOINT = "endpoint"
    ENCODE = "encode"
    PREFILL = "prefill"
    FIRST_FRAME = "first_frame"
    MODEL = "model"
    HANDOVER = "handover"
    DEVICE = "device"


@dataclass(frozen=True)
class Latency:
    """The parts, in milliseconds, follow one another and add up to `total_ms`.

    `heard`: it ends with the first sound in the room; otherwise, without a loudspeaker, with the first speech made.
    `overlap_ms`: so much of the model's work was done while it was not certain yet that the question was over.
    """

    start: Start
    heard: bool
    parts: tuple[tuple[Part, float], ...]
    overlap_ms: float = 0.0

    @property
    def total_ms(self) -> float:
        """From the end of the question to the first sound."""
        return sum(ms for _, ms in self.parts)


@dataclass
class _Times:
    """Seconds of the conversation's clock, None as long as it has not come to that."""

    start: Start
    began: float
    asked: float | None = None
    over: float | None = None
    made: float | None = None
    stats: TurnStats | None = None


class Stopwatch:
    """Watches a `Conversation` (its `watch`) and tells the latency of its turns. All on the conversation's thread."""

    def __init__(self) -> None:
        self._turns: dict[int, _Times] = {}
        self._voice_end: float | None = None
        self._released: float | None = None

    def __call__(self, now: float, thing: ev.Event | ev.Action) -> None:
        """Something happened at `now`."""
        match thing:
            case ev.SpeechChunk(_, probability, echo, until):
                if probability >= Timing.open_probability and not echo:
                    self._voice_end = now if until is None else until
            case ev.TalkPressed():
                self._released = None
            case ev.TalkReleased():
                self._released = now
            case ev.StartTurn(turn, text):
                if text:
                    self._turns[turn] = _Times(Start.TYPED, now, asked=now, over=now)
                self._released = None
                for old in sorted(self._turns)[:-_KEEP]:
                    del self._turns[old]
            case ev.TryTurn(turn):
                self._turns[turn] = _Times(Start.VOICE, self._spoken_until(now), asked=now)
            case ev.EndTurn(turn):
                times = _Times(Start.VOICE, self._spoken_until(now), asked=now, over=now)
                if self._released is not None:
                    times.start, times.began = Start.BUTTON, self._released
                self._turns[turn] = times
            case ev.ConfirmTurn(turn) if turn in self._turns:
                self._turns[turn].over = now
            case ev.AudioStarted(turn, made_at) if turn in self._turns:
                self._turns[turn].made = now if made_at is None else made_at

    def stats(self, turn: int, stats: TurnStats) -> None:
        """What the model says about its work on `turn`."""
        if turn in self._turns:
            self._turns[turn].stats = stats

    def latency(self, turn: int, heard_from: float | None) -> Latency | None:
        """How long `turn` took, if its answer was begun; `heard_from` is when its first sound left the loudspeaker."""
        times = self._turns.get(turn)
        if times is None or times.asked is None or times.over is None or times.made is None:
            return None
        ready = max(times.made, times.over)
        parts = [(Part.ENDPOINT, times.asked - times.began + max(0.0, times.over - times.made))]
        parts += _model(times.made - times.asked, times.stats)
        if heard_from is not None:
            parts.append((Part.DEVICE, max(0.0, heard_from - ready)))
        if times.start == Start.TYPED:
            del parts[0]
        overlap = max(0.0, min(times.made, times.over) - times.asked)
        milliseconds = tuple((part, 1e3 * seconds) for part, seconds in parts)
        return Latency(times.start, heard_from is not None, milliseconds, 1e3 * overlap)

    def _spoken_until(self, now: float) -> float:
        return now if self._voice_end is None else min(self._voice_end, now)


def _model(seconds: float, stats: TurnStats | None) -> list[tuple[Part, float]]:
    """The model's time, in `seconds` as the window saw it, in parts as far as they are known and fit in."""
    if stats is None or stats.first_audio_ms <= 0.0:
        return [(Part.MODEL, seconds)]
    encode, prefill, first = (1e-3 * ms for ms in (stats.encode_ms, stats.prefill_ms, stats.first_audio_ms))
    frame = first - encode - prefill
    if frame < 0.0 or first > seconds + 1e-3:
        return [(Part.MODEL, seconds)]
    parts = [(Part.ENCODE, encode), (Part.PREFILL, prefill), (Part.FIRST_FRAME, frame)]
    return [*parts, (Part.HANDOVER, max(0.0, seconds - first))]
