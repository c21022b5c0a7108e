"""What the status line says and shows, worked out from what is known. No widgets."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QCoreApplication

from app.gui.orb import Look

translate = QCoreApplication.translate


class Model(StrEnum):
    """Where the model is."""

    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True)
class Situation:
    """Everything the status line depends on. `activity` is the conversation's state by its name; `half_duplex`
    why the microphone is ignored while an answer is played, "" when it is not; `toggle`: the talk button is
    pressed once to begin and once to send.
    """

    model: Model = Model.LOADING
    stage: str = ""
    fraction: float = 0.0
    problem: str = ""
    activity: str = "idle"
    open_mic: bool = False
    toggle: bool = False
    microphone: bool = True
    muted: bool = False
    half_duplex: str = ""


@dataclass(frozen=True)
class Line:
    """The picture, the headline, and the smaller line under it."""

    look: Look
    headline: str
    hint: str


def line(now: Situation) -> Line:
    """The status line for `now`."""
    if now.model == Model.LOADING:
        return _loading(now)
    if now.model == Model.FAILED:
        return Line(Look.FAILED, translate("Status", "The model is not running"), now.problem)
    match now.activity:
        case "listening":
            return Line(Look.LISTENING, translate("Status", "Listening"), _while_listening(now))
        case "thinking":
            return Line(Look.THINKING, translate("Status", "Thinking"), translate("Status", "Press Esc to stop"))
        case "tool_wait":
            return Line(Look.THINKING, translate("Status", "Working on it"), translate("Status", "Press Esc to stop"))
        case "ringing":
            return Line(Look.SPEAKING, translate("Status", "Ringing"), translate("Status", "Say “stop”, or press Esc"))
        case "speaking":
            return Line(Look.SPEAKING, translate("Status", "Speaking"), _while_speaking(now))
    if now.problem:
        return Line(Look.IDLE, translate("Status", "That did not work"), now.problem)
    if not now.microphone:
        return Line(Look.IDLE, translate("Status", "Ready"), translate("Status", "Type your question below"))
    if now.muted:
        return Line(
            Look.IDLE, translate("Status", "Ready, microphone muted"), translate("Status", "Unmute to talk, or type")
        )
    if now.open_mic:
        return Line(Look.IDLE, translate("Status", "Ready, microphone open"), translate("Status", "Just speak"))
    how = (
        translate("Status", "Press Space to talk, or type")
        if now.toggle
        else translate("Status", "Hold Space to talk, or type")
    )
    return Line(Look.IDLE, translate("Status", "Ready"), how)


def _while_listening(now: Situation) -> str:
    if now.open_mic:
        return translate("Status", "Pause when you have finished")
    return (
        translate("Status", "Press again when you have finished")
        if now.toggle
        else translate("Status", "Let go when you have finished")
    )


def _while_speaking(now: Situation) -> str:
    if now.muted or not now.open_mic or not now.microphone:
        return translate("Status", "Press Esc to stop")
    if now.half_duplex:
        text = translate("Status", "Not listening meanwhile: {reason}. Press Esc to stop")
        return text.format(reason=now.half_duplex)
    return translate("Status", "Speak over it or press Esc to stop")


def _loading(now: Situation) -> Line:
    stage = now.stage[:1].lower() + now.stage[1:] if now.stage else ""
    hint = now.problem or stage or translate("Status", "You can look around meanwhile")
    if now.fraction > 0:
        percent = round(100 * min(now.fraction, 1.0))
        headline = translate("Status", "Loading the model… {percent} %").format(percent=percent)
    else:
        headline = translate("Status", "Loading the model…")
    return Line(Look.LOADING, headline, hint[:1].upper() + hint[1:])
