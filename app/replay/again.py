"""A reported turn once more: the same sound and the same keys through the whole stack, and what comes out otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.conversation.controller import Conversation
from app.conversation.events import Mode
from app.conversation.journal import Line, deeds
from app.conversation.manner import timing_for
from app.engine.factory import Engine
from app.omni.turn import INPUT_RATE
from app.replay.bundle import BundleError, Report
from app.replay.microphone import Recorded
from app.replay.model import Compute
from app.replay.stage import Deed, Performance, Terms, perform
from app.replay.user import Recording


@dataclass(frozen=True)
class Comparison:
    """A turn then and now. `events`: the place in `then` and `now`, what was done, from which on they differ; None
    where they do not.
    """

    question: str
    answer: str
    then: tuple[str, ...]
    now: tuple[str, ...]
    question_then: str
    answer_then: str

    @property
    def same_words(self) -> bool:
        """Whether question and answer are the same."""
        return (self.question, self.answer) == (self.question_then, self.answer_then)

    @property
    def differs_at(self) -> int | None:
        """The first of the events that differs; None where they are all the same."""
        if self.then == self.now:
            return None
        pairs = zip(self.then, self.now, strict=False)
        return next((at for at, (one, two) in enumerate(pairs) if one != two), min(len(self.then), len(self.now)))

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "question": {"then": self.question_then, "now": self.question},
            "answer": {"then": self.answer_then, "now": self.answer},
            "same_words": self.same_words,
            "events": {"then": list(self.then), "now": list(self.now), "differ_at": self.differs_at},
        }

    def sentences(self) -> list[str]:
        """For people."""
        found = []
        for what, then, now in (
            ("question", self.question_then, self.question),
            ("answer", self.answer_then, self.answer),
        ):
            found.append(f"the same {what}: {now!r}" if then == now else f"another {what}: {then!r} then, {now!r} now")
        at = self.differs_at
        if at is None:
            return [*found, f"the same {len(self.now)} events in the same order"]
        then, now = (events[at] if at < len(events) else "the end" for events in (self.then, self.now))
        return [*found, f"other events from number {at + 1} on: {then} then, {now} now"]


def terms_for(report: Report, terms: Terms, engine: Engine) -> Terms:
    """`terms` with everything that was the user's then: settings, keys, and what the echo canceller made of it.

    A voice that this model does not have is left to the model.
    """
    sound = report.sound
    voice = terms.voice or (report.voice if report.voice in engine.info.voices else "")
    return replace(
        terms,
        voice=voice,
        seed=report.seed if terms.seed is None else terms.seed,
        mode=report.mode,
        timing=timing_for(report.patience, report.barge_in),
        deeds=_deeds(report.lines),
        echo=None if sound is None else Recorded(sound.doubtful, sound.cancelled),
    )


def compute_of(report: Report) -> Compute:
    """The model takes as long as it did then; as long as it does here, where that is not known."""
    if report.compute is None:
        return Compute()
    first, step = (ms / 1000 for ms in report.compute)
    return Compute(False, min(max(first, 0.0), 60.0), min(max(step, 0.0), 60.0))


def play_again(report: Report, engine: Engine, terms: Terms) -> tuple[Performance, Comparison]:
    """Perform the turn on `terms` (of `terms_for`) and compare. Raises BundleError where its sound was not kept."""
    if report.sound is not None:
        samples = report.sound.clean
    elif report.turn.typed:
        samples = np.zeros(round(report.seconds * INPUT_RATE), np.float32)
    else:
        raise BundleError("The report holds no sound, since the user had switched that off: it can only be read.")
    performance = perform(Recording(samples), engine, terms)
    kept = [entry for entry in performance.record.turns.values() if not entry.discarded]
    first = kept[0] if kept else None
    wanted = _first_turn(list(performance.lines))
    return performance, Comparison(
        question=first.question if first else "",
        answer=(first.heard or "") if first else "",
        then=tuple(deeds(_first_turn(list(report.lines)))),
        now=tuple(deeds(wanted)),
        question_then=report.turn.question,
        answer_then=report.turn.answer,
    )


def _first_turn(lines: list[Line]) -> list[Line]:
    """The first turn that was a question, and what belongs to it: up to the next event after its end."""
    begin = next((at for at, line in enumerate(lines) if line.kind == "start_turn"), None)
    if begin is None:
        return []
    over = next((at for at, line in enumerate(lines) if at > begin and line.kind == "keep_heard"), len(lines))
    end = next((at for at, line in enumerate(lines) if at > over and not line.is_action), len(lines))
    # A turn that takes the place of this one is another matter.
    end = next((at for at, line in enumerate(lines) if over < at < end and line.kind == "start_turn"), end)
    return lines[begin:end]


def _deeds(lines: tuple[Line, ...]) -> tuple[Deed, ...]:
    """What the user did with keys and buttons."""
    found: list[Deed] = []
    for line in lines:
        act = _act(line)
        if act is not None:
            found.append(Deed(line.at, act))
    return tuple(found)


def _act(line: Line) -> Callable[[Conversation], object] | None:
    match line.kind, line.more:
        case "talk_pressed", _:
            return Conversation.talk_pressed
        case "talk_released", _:
            return Conversation.talk_released
        case "stop_pressed", _:
            return Conversation.stop
        case "text_submitted", {"text": str(text)}:
            return lambda conversation: conversation.submit_text(text)
        case "mode_changed", {"mode": str(mode)} if mode in set(Mode):
            return lambda conversation: conversation.set_mode(Mode(mode))
    return None
