"""Messages between the window's process and the model's process.

Frozen dataclasses over one `multiprocessing` connection; audio travels as float32 bytes. Every command and event of a
turn carries its number: whoever receives an event of an older turn drops it, so a late frame can never be played.
No torch, no Qt.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.omni.turn import Exchange, ModelInfo, TurnStats

# --- commands: window -> worker


@dataclass(frozen=True)
class Load:
    """Load the model in `folder`, with the user's own voices in the folder `own_voices` ("": none); answered by
    `Progress` … `Ready` or `Failed`. `again`: it was loaded before, and only its memory had been given back; `Waking`
    comes then in place of `Progress` and `Ready`.
    """

    folder: str
    threads: int = 2
    own_voices: str = ""
    again: bool = False


@dataclass(frozen=True)
class StartTurn:
    """Open turn `turn`. With `text` the question is typed, otherwise audio follows by `PushAudio`.

    With `say` the reply's words are given and only spoken, as the answer to `text` or, without it, read aloud: no audio
    follows. `seed` None: a fresh one; `temperature` of the words, None: the model's own. `image`: the picture that a
    typed question is about, as in `TurnRequest`. `system`: what the model is to be told about itself first, "" nothing.
    """

    turn: int
    voice: str = ""
    history: tuple[Exchange, ...] = ()
    text: str | None = None
    seed: int | None = None
    temperature: float | None = None
    say: str | None = None
    image: bytes | None = None
    system: str = ""


@dataclass(frozen=True)
class PushAudio:
    """More of the user's speech: float32 little-endian mono at 16 kHz."""

    turn: int
    samples: bytes


@dataclass(frozen=True)
class EndTurn:
    """The user has finished: answer now. `image`: the picture that the spoken question is about."""

    turn: int
    image: bytes | None = None


@dataclass(frozen=True)
class Look:
    """A question about this picture may follow; it is answered the sooner for it. Nothing comes back."""

    image: bytes


@dataclass(frozen=True)
class Cancel:
    """Give the turn up within one frame; answered by `TurnDone` with stop reason `cancelled`."""

    turn: int


@dataclass(frozen=True)
class Recognise:
    """What are the words in this (float32 bytes at 16 kHz)? Answered by `Recognised` with the same `serial`, in the
    midst of a turn too.
    """

    serial: int
    samples: bytes


@dataclass(frozen=True)
class MakeVoice:
    """Make a voice from a reference clip (float32 mono bytes at 24 kHz); answered by `VoiceMade` or `Failed` with the
    same `turn`. It can be spoken with as `app.omni.turn.TRIAL_VOICE` until the next one is made, and is kept nowhere.
    """

    turn: int
    samples: bytes


@dataclass(frozen=True)
class ImportVoices:
    """Read the voices of a `voices.pt` of MiniMind-O without running code from it; answered by `VoicesRead` or
    `Failed` with the same `turn`.
    """

    turn: int
    path: str


@dataclass(frozen=True)
class RefreshVoices:
    """The folder of the user's own voices has changed; answered by `VoicesChanged`."""


@dataclass(frozen=True)
class Shutdown:
    """Leave in good order."""


# --- events: worker -> window


@dataclass(frozen=True)
class Progress:
    """Loading: `stage` is a short English phrase for the status line, `fraction` 0…1."""

    stage: str
    fraction: float


@dataclass(frozen=True)
class Ready:
    """The model is loaded and warm."""

    info: ModelInfo
    load_s: float


@dataclass(frozen=True)
class Waking:
    """The model is being loaded again, for the turn that waits; `fraction` 1 when it is there."""

    fraction: float


@dataclass(frozen=True)
class UserText:
    """The user's words."""

    turn: int
    text: str


@dataclass(frozen=True)
class Recognised:
    """The words that were asked for: "" where there are none, None where the model cannot tell."""

    serial: int
    text: str | None


@dataclass(frozen=True)
class TextDelta:
    """More of the reply's text."""

    turn: int
    text: str


@dataclass(frozen=True)
class AudioFrame:
    """One frame of the reply: 1,920 float32 samples at 24 kHz. Frames count from 0."""

    turn: int
    index: int
    samples: bytes


@dataclass(frozen=True)
class ToolCall:
    """The model calls a tool; `TurnDone` follows. `text` is what it wrote between the call's markers, as it stands and
    unchecked; not `closed`: it broke off.
    """

    turn: int
    text: str
    closed: bool = True


@dataclass(frozen=True)
class TurnDone:
    """The turn is over, whatever the reason (`stats.stop_reason`)."""

    turn: int
    stats: TurnStats


@dataclass(frozen=True)
class Failed:
    """Something went wrong: one clear sentence that says what to do. `turn` None: not about a turn.

    `fatal`: the model comes back only with the user's help, by another `Load`.
    """

    message: str
    turn: int | None = None
    fatal: bool = False


@dataclass(frozen=True)
class VoiceData:
    """A voice: `spk_emb` as float32 bytes (b"": it has none), `ref_codes` as int32 bytes [8, R], None without them."""

    name: str
    spk_emb: bytes
    ref_codes: bytes | None = None


@dataclass(frozen=True)
class VoiceMade:
    """The voice that was asked for; it has no name yet."""

    turn: int
    voice: VoiceData


@dataclass(frozen=True)
class VoicesRead:
    """The voices of a file."""

    turn: int
    voices: tuple[VoiceData, ...]


@dataclass(frozen=True)
class VoicesChanged:
    """What the model can do now, with the voices there are."""

    info: ModelInfo


Command = (
    Load
    | StartTurn
    | PushAudio
    | EndTurn
    | Look
    | Cancel
    | Recognise
    | MakeVoice
    | ImportVoices
    | RefreshVoices
    | Shutdown
)
VoiceEvent = VoiceMade | VoicesRead | VoicesChanged
Event = (
    Progress
    | Ready
    | Waking
    | UserText
    | Recognised
    | TextDelta
    | AudioFrame
    | ToolCall
    | TurnDone
    | Failed
    | VoiceEvent
)
