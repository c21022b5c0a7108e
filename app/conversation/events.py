"""What happens to a conversation (events) and what is to be done about it (actions). Plain data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.conversation.tool_events import ToolAction, ToolEvent


class State(StrEnum):
    """What the assistant is doing."""

    IDLE = "idle"
    LISTENING = "listening"
    THINKING = "thinking"
    SPEAKING = "speaking"
    TOOL_WAIT = "tool_wait"


class Mode(StrEnum):
    """When the microphone is listened to."""

    PUSH_TO_TALK = "push_to_talk"
    OPEN_MIC = "open_mic"
    MUTED = "muted"


# --- events


@dataclass(frozen=True)
class TalkPressed:
    """The talk button or key went down."""


@dataclass(frozen=True)
class TalkReleased:
    """The talk button or key went up."""


@dataclass(frozen=True)
class ModeChanged:
    """The user chose another mode."""

    mode: Mode


@dataclass(frozen=True)
class SpeechChunk:
    """32 ms of the microphone. Chunks are counted from 0 without gaps.

    `probability` of speech, 0…1; `echo` when it is likely the assistant's own voice from the loudspeaker; `settling`
    while that is not told as surely yet as it will be; `until`: when its end was heard, in seconds of the
    conversation's clock.
    """

    index: int
    probability: float
    echo: bool = False
    settling: bool = False
    until: float | None = None


@dataclass(frozen=True)
class TextSubmitted:
    """The user typed a question."""

    text: str


@dataclass(frozen=True)
class SoundGiven:
    """Something that is there already is to be played, as a turn of its own."""


@dataclass(frozen=True)
class StopPressed:
    """The user wants silence."""


@dataclass(frozen=True)
class ModelLoading:
    """The model is being loaded: no turn can start."""


@dataclass(frozen=True)
class ModelReady:
    """The model can take turns."""


@dataclass(frozen=True)
class ReplyGoesOn:
    """A sign of life from the model on `turn`: the user's words, text or speech."""

    turn: int


@dataclass(frozen=True)
class Heard:
    """The user's words as far as the model has been given `turn`, which was tried.

    `echo`: they are what the assistant has just said.
    """

    turn: int
    text: str
    echo: bool = False


@dataclass(frozen=True)
class AudioStarted:
    """The first speech of the reply to `turn` is there; since `made_at`, where it was held back."""

    turn: int
    made_at: float | None = None


@dataclass(frozen=True)
class ReplyDone:
    """The model has finished `turn`, with `audio_seconds` of speech in all."""

    turn: int
    audio_seconds: float = 0.0


@dataclass(frozen=True)
class ReplyFailed:
    """The model could not answer `turn`; `message` is one sentence for the user."""

    turn: int
    message: str


@dataclass(frozen=True)
class PlaybackFinished:
    """The last sound of `turn` has left the loudspeaker."""

    turn: int


@dataclass(frozen=True)
class MicChanged:
    """The microphone came (`usable`) or went away."""

    usable: bool


@dataclass(frozen=True)
class SpeakerChanged:
    """The loudspeaker came (`usable`) or went away."""

    usable: bool


@dataclass(frozen=True)
class Words:
    """What `Recognise` with the same `serial` has found: "" for sounds that are no words, None where the model cannot
    tell. `echo`: it is what the assistant is saying.
    """

    serial: int
    text: str | None
    echo: bool = False


@dataclass(frozen=True)
class Tick:
    """Time passes; sent at least a few times a second."""


Event = (
    TalkPressed
    | TalkReleased
    | ModeChanged
    | SpeechChunk
    | TextSubmitted
    | StopPressed
    | ModelLoading
    | ModelReady
    | ReplyGoesOn
    | Heard
    | AudioStarted
    | ReplyDone
    | ReplyFailed
    | PlaybackFinished
    | MicChanged
    | SpeakerChanged
    | Words
    | SoundGiven
    | Tick
    | ToolEvent
)


# --- actions


@dataclass(frozen=True)
class StartTurn:
    """Open `turn` at the model; with `text` the question is typed and complete."""

    turn: int
    text: str | None = None


@dataclass(frozen=True)
class PushAudio:
    """Give the chunks `first` to `last`, both included, to the model."""

    turn: int
    first: int
    last: int


@dataclass(frozen=True)
class EndTurn:
    """The spoken question is complete."""

    turn: int


@dataclass(frozen=True)
class TryTurn:
    """The spoken question may be complete: the model is to answer it, and nobody must notice until `ConfirmTurn`.

    Where the user goes on, the turn is discarded and cancelled, and another one holds the whole question.
    """

    turn: int


@dataclass(frozen=True)
class ConfirmTurn:
    """The question that was tried is complete: what there is of the answer counts."""

    turn: int


@dataclass(frozen=True)
class CancelTurn:
    """The model must give `turn` up."""

    turn: int


@dataclass(frozen=True)
class BeginPlayback:
    """Speech of `turn` goes to the loudspeaker from now on."""

    turn: int


@dataclass(frozen=True)
class EndPlayback:
    """No more speech follows; `PlaybackFinished` is wanted at the end."""

    turn: int


@dataclass(frozen=True)
class StopPlayback:
    """Silence, now."""

    turn: int


@dataclass(frozen=True)
class DuckPlayback:
    """Somebody may be speaking: play `turn` much more quietly."""

    turn: int


@dataclass(frozen=True)
class HoldPlayback:
    """Somebody is speaking: silence, but `turn` may go on."""

    turn: int


@dataclass(frozen=True)
class ResumePlayback:
    """It was nothing, or no more than a sign of listening: `turn` goes on as before."""

    turn: int


@dataclass(frozen=True)
class Recognise:
    """The user's words in the chunks `first` to `last`, both included, are wanted: `Words` with `serial` follow."""

    serial: int
    first: int
    last: int


@dataclass(frozen=True)
class KeepHeard:
    """`turn` is over. `whole`: its whole answer counts as heard, else only what was played."""

    turn: int
    whole: bool


@dataclass(frozen=True)
class DiscardTurn:
    """`turn` was no question, or goes on in the next one: it leaves no trace."""

    turn: int


@dataclass(frozen=True)
class EnterState:
    """The state is `state` now."""

    state: State


@dataclass(frozen=True)
class Notice:
    """One sentence for the user."""

    text: str


Action = (
    StartTurn
    | PushAudio
    | EndTurn
    | TryTurn
    | ConfirmTurn
    | CancelTurn
    | BeginPlayback
    | EndPlayback
    | StopPlayback
    | DuckPlayback
    | HoldPlayback
    | ResumePlayback
    | Recognise
    | KeepHeard
    | DiscardTurn
    | EnterState
    | Notice
    | ToolAction
)
