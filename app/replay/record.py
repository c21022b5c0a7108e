"""What happened in a conversation on the virtual clock: a list of events, and one entry for each turn."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.conversation.events import Mode, State
from app.conversation.ports import Samples
from app.conversation.tools.usage import Usage
from app.engine import protocol
from app.omni.turn import FRAMES_PER_SECOND, INPUT_RATE, OUTPUT_RATE, ModelInfo, TurnStats
from app.replay.timeline import Timeline

# A reply is heard from its first 10 ms louder than this: what the codec gives before is silence.
SOUND_DB = -45.0
_WINDOW = OUTPUT_RATE // 100


@dataclass
class TurnEntry:
    """One turn. Times in seconds of the virtual clock, None where it did not come to that.

    `asked`: when the model was given the question, `question_s` long, pre-roll and pauses included; it may be before
    `end_of_turn`, from which on it counts as complete. `speech_end`: the end of the user's voice as the detector saw
    it, last before `end_of_turn`. `first_sample` and `reply_end`: first and last sample
    of the reply in the user's ear; `first_sound`: the first that is not silence. `heard`: what of `reply` was heard
    before it ended. `discarded`: it was no question, or went on in the next turn. `failed`: the model could not
    answer. `barge_in`: when the reply was held or cut off because of the user's voice, heard since
    `barge_in_speech`, that was an interruption; `stopped`: since when it was silent.
    """

    turn: int
    listening: float
    question: str = ""
    question_s: float = 0.0
    reply: str = ""
    heard: str | None = None
    interrupted: bool = False
    discarded: bool = False
    speech_end: float | None = None
    asked: float | None = None
    end_of_turn: float | None = None
    first_frame: float | None = None
    first_sample: float | None = None
    first_sound: float | None = None
    reply_end: float | None = None
    barge_in_speech: float | None = None
    barge_in: float | None = None
    stopped: float | None = None
    failed: bool = False
    stats: TurnStats | None = None

    def latencies(self) -> dict[str, float | None]:
        """What somebody had to wait for, in milliseconds; None where it did not come to that."""
        return {
            "endpoint_ms": _ms(self.speech_end, self.end_of_turn),
            "model_ms": _ms(self.asked, self.first_frame),
            "first_sample_ms": _ms(self.speech_end, self.first_sample),
            "first_sound_ms": _ms(self.speech_end, self.first_sound),
            "barge_in_ms": _ms(self.barge_in_speech, self.barge_in),
            "stop_ms": _ms(self.barge_in_speech, self.stopped),
        }

    def as_json(self) -> dict[str, Any]:
        """The entry with its latencies, times rounded to 0.1 ms."""
        times = {
            name: _rounded(getattr(self, name))
            for name in ("listening", "speech_end", "asked", "end_of_turn", "first_frame", "first_sample",
                         "first_sound", "reply_end", "barge_in_speech", "barge_in", "stopped")
        }  # fmt: skip
        return {
            "turn": self.turn,
            "question": self.question,
            "question_s": _rounded(self.question_s),
            "reply": self.reply,
            "heard": self.heard,
            "interrupted": self.interrupted,
            "discarded": self.discarded,
            "failed": self.failed,
            "stop_reason": str(self.stats.stop_reason) if self.stats else None,
            "seed": self.stats.seed if self.stats else None,
            **times,
            "latencies": self.latencies(),
        }


class Record:
    """Takes down what happens; to the conversation it is the window (`conversation.ports.Listener`)."""

    def __init__(self, timeline: Timeline) -> None:
        """`engine_event` has to be pointed at the conversation before anything happens."""
        self._timeline = timeline
        self.turns: dict[int, TurnEntry] = {}
        # The conversation's turns by the model's.
        self._numbers: dict[int, int] = {}
        self._events: list[dict[str, Any]] = []
        self.to_conversation: Callable[[protocol.Event], None] = lambda event: None
        # The last voice of the user as the detector sees it: since when, and until when (None while it lasts).
        self._speech_start: float | None = None
        self._voice_end: float | None = None
        # When a reply was held that may still go on, and since when the user had been speaking.
        self._held: tuple[float, float | None] | None = None

    def events(self) -> list[dict[str, Any]]:
        """All events in the order of their time: "t" in seconds, "frame" counts 80 ms, "type", and what belongs to it.

        An event stands at the time at which it happened, which may lie before the time at which it was known.
        """
        return sorted(self._events, key=lambda event: float(event["t"]))

    def mark(self, kind: str, turn: int | None = None, *, at: float | None = None, **more: object) -> None:
        """Something happened, now or at the time `at`."""
        time = self._timeline.now() if at is None else at
        event: dict[str, Any] = {
            "t": _rounded(time),
            "frame": math.floor(time * FRAMES_PER_SECOND + 1e-6),
            "type": kind,
        }
        if turn is not None:
            event["turn"] = turn
        self._events.append(event | more)

    # --- the user's voice, as the detector sees it

    def user_speech_started(self, at: float) -> None:
        """The user began to speak at `at`."""
        self._speech_start = at
        self.mark("user_speech_start", at=at)

    def user_voice(self, until: float) -> None:
        """The user's voice was heard until `until` at least."""
        self._voice_end = until

    def user_speech_ended(self, at: float) -> None:
        """The user's voice ended at `at`."""
        self.mark("user_speech_end", at=at)

    # --- the model

    def turn_started(self, number: int, goes_on: bool = False) -> None:
        """A turn was opened at the model. The conversation counts alike, but for those with which one of its turns
        `goes_on`.
        """
        self._numbers[number] = turn = len(self.turns) + (not goes_on)
        if not goes_on:
            self.turns[turn] = TurnEntry(turn, self._timeline.now())
            self.mark("turn_start", turn)

    def number(self, number: int) -> int:
        """The conversation's number of the model's turn `number`."""
        return self._numbers[number]

    def asked(self, number: int, samples: int) -> None:
        """The model was given the spoken question, as far as it goes: `samples` at 16 kHz."""
        turn = self._numbers[number]
        entry = self.turns[turn]
        entry.asked = self._timeline.now()
        entry.question_s = samples / INPUT_RATE
        self.mark("asked", turn, question_s=_rounded(entry.question_s))

    def engine_event(self, event: protocol.Event) -> None:
        """Something from the model, on its way to the conversation."""
        if isinstance(event, protocol.AudioFrame):
            turn = self._numbers[event.turn]
            entry = self.turns[turn]
            if entry.first_frame is None:
                entry.first_frame = self._timeline.now()
                self.mark("first_frame", turn)
        elif isinstance(event, protocol.TurnDone):
            turn = self._numbers[event.turn]
            entry = self.turns[turn]
            entry.stats = entry.stats or event.stats
            self.mark("compute_end", turn, frames=event.stats.frames, stop_reason=str(event.stats.stop_reason))
        elif isinstance(event, protocol.Failed) and event.turn is not None:
            turn = self._numbers[event.turn]
            self.turns[turn].failed = True
            self.mark("failed", turn, message=event.message)
        elif isinstance(event, protocol.Recognised):
            self.mark("recognised", text=event.text)
        self.to_conversation(event)

    # --- the loudspeaker

    def reply_started(self, turn: int, at: float) -> None:
        """The first sample of the reply is heard at `at`."""
        self.turns[turn].first_sample = at
        self.mark("reply_start", turn, at=at)

    def reply_ended(self, turn: int, at: float) -> None:
        """The last sample of the whole reply has been heard at `at`."""
        self.turns[turn].reply_end = at
        self.mark("reply_end", turn, at=at)

    def playback_held(self, turn: int, silent_at: float) -> None:
        """The reply falls silent at `silent_at` because somebody speaks; it may go on yet."""
        self._held = (self._timeline.now(), self._speech_start)
        self.mark("held", turn, at=silent_at)

    def playback_resumed(self, turn: int | None) -> None:
        """The reply goes on as before."""
        self._held = None
        self.mark("resumed", turn)

    def playback_stopped(self, turn: int, silent_at: float, sounding: bool) -> None:
        """The reply is cut off now, and silent from `silent_at` on; `sounding`: some of it had been heard."""
        if not sounding:
            return
        entry = self.turns[turn]
        entry.reply_end = silent_at
        if not entry.failed:
            entry.barge_in, entry.barge_in_speech = self._held or (self._timeline.now(), self._speech_start)
            entry.stopped = silent_at
            self.mark("barge_in", turn, at=entry.barge_in, speech_start=_rounded(entry.barge_in_speech))
        self._held = None
        self.mark("playback_stopped", turn, at=silent_at)

    def find_sound(self, heard: Callable[[int, int], Samples]) -> None:
        """Look up in what was `heard` (see `VirtualSpeaker.heard`) when each reply began to sound."""
        for entry in self.turns.values():
            if entry.first_sample is None or entry.reply_end is None:
                continue
            first = round(entry.first_sample * OUTPUT_RATE)
            at = sound_start(heard(first, round(entry.reply_end * OUTPUT_RATE)))
            if at is not None:
                entry.first_sound = (first + at) / OUTPUT_RATE
                self.mark("reply_sound", entry.turn, at=entry.first_sound)

    # --- the window

    def state_changed(self, state: State, mode: Mode) -> None:
        """See `ports.Listener`, here and below."""
        self.mark("state", state=str(state))
        if state == State.THINKING and self.turns:
            self._end_of_turn(max(self.turns))

    def _end_of_turn(self, turn: int) -> None:
        entry = self.turns[turn]
        entry.end_of_turn = self._timeline.now()
        entry.speech_end = self._voice_end
        self.mark("end_of_turn", turn, speech_end=_rounded(self._voice_end))

    def question(self, turn: int, text: str) -> None:
        self.turns[turn].question = text
        self.mark("user_text", turn, text=text)

    def reply_delta(self, turn: int, text: str) -> None:
        self.turns[turn].reply += text
        self.mark("reply_text", turn, text=text)

    def reply_sound(self, turn: int, samples: Samples) -> None:
        pass

    def reply_done(self, turn: int, text: str, interrupted: bool) -> None:
        entry = self.turns[turn]
        entry.heard, entry.interrupted = text, interrupted
        self.mark("turn_end", turn, heard=text, interrupted=interrupted)

    def reply_stats(self, turn: int, stats: TurnStats) -> None:
        pass

    def tool_changed(self, turn: int, usage: Usage) -> None:
        self.mark("tool", turn, tool=usage.tool, stage=str(usage.stage), summary=usage.summary)

    def picture_taken(self, turn: int, image: bytes) -> None:
        pass

    def picture_returned(self, turn: int) -> None:
        pass

    def turn_discarded(self, turn: int) -> None:
        self.turns[turn].discarded = True
        self.mark("turn_discarded", turn)

    def notice(self, sentence: str) -> None:
        self.mark("notice", text=sentence)

    def microphone_level(self, decibels: float, speech: float) -> None:
        pass

    def reply_level(self, decibels: float) -> None:
        pass

    def microphone_changed(self, usable: bool, sentence: str) -> None:
        pass

    def half_duplex(self, reason: str) -> None:
        self.mark("half_duplex", reason=reason)

    def speaker_changed(self, usable: bool, sentence: str) -> None:
        pass

    def model_progress(self, stage: str, fraction: float) -> None:
        pass

    def model_ready(self, info: ModelInfo) -> None:
        pass

    def model_failed(self, sentence: str, fatal: bool) -> None:
        self.mark("notice", text=sentence)


def loud_windows(samples: Samples, decibels: float = SOUND_DB) -> np.ndarray:
    """For each 10 ms of float32 [N] at 24 kHz whether it is louder than `decibels` of full scale."""
    whole = samples[: len(samples) // _WINDOW * _WINDOW].reshape(-1, _WINDOW).astype(np.float64)
    return np.asarray(np.mean(whole * whole, axis=1) > 10 ** (decibels / 10))


def sound_start(samples: Samples) -> int | None:
    """The first sample of the first 10 ms that are no silence; None when all is silent."""
    loud = np.flatnonzero(loud_windows(samples))
    return int(loud[0]) * _WINDOW if len(loud) else None


def sound_end(samples: Samples) -> int | None:
    """The sample after the last 10 ms that are no silence; None when all is silent."""
    loud = np.flatnonzero(loud_windows(samples))
    return (int(loud[-1]) + 1) * _WINDOW if len(loud) else None


def _ms(start: float | None, end: float | None) -> float | None:
    return None if start is None or end is None else round((end - start) * 1000, 1)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
