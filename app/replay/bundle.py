"""A report of one turn: a zip file that says what was heard, what was done about it, and by which versions."""

from __future__ import annotations

import importlib.metadata
import io
import json
import platform
import zipfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from app.audio.tap import CHUNK, RATE, Take
from app.audiofile import AudioFileError, write_bytes
from app.conversation.events import Mode
from app.conversation.journal import Line
from app.history.sound import pack, unpack
from app.settings import Patience, Sensitivity

FORMAT, VERSION = "banter-turn-report", 1
# A report is a few megabytes; more is no report.
MOST_BYTES = 64 << 20
LONGEST_S = 300.0
_MOST_LINES = 20_000
_PACKAGES = ("torch", "numpy", "PySide6-Essentials", "sounddevice", "soundfile", "soxr", "livekit", "onnxruntime",
             "silero-vad", "tokenizers", "safetensors")  # fmt: skip
_SOUNDS = {"raw": "microphone.flac", "reference": "speaker.flac", "clean": "cleaned.flac"}
_ABOUT = """\
A report of one turn of a conversation with Banter. It was written by the user, and sent by nobody but the user.

microphone.flac  what the microphone heard
speaker.flac     what the speaker was given at the same time, as the echo canceller sees it
cleaned.flac     what was left for the speech detector and the model
report.json      the words, the settings, the times, the devices, and the versions of everything
events.json      what happened and what was done about it; times in seconds from the start of the sound

`banter replay THIS.zip` lets the same sound go through Banter again.
"""

T = TypeVar("T")


class BundleError(AudioFileError):
    """A report that cannot be read; the text is one sentence for the user."""


@dataclass(frozen=True)
class Turn:
    """What was said. `rest` is the part of the answer that nobody heard; `earlier`: how many questions came before in
    the conversation, which are not in the report.
    """

    question: str
    answer: str
    rest: str = ""
    interrupted: bool = False
    typed: bool = False
    earlier: int = 0


@dataclass(frozen=True)
class Report:
    """One turn. Times of `lines` are in seconds from the start of `sound`, which is `seconds` long if it was kept.

    `compute` is what the model needed, in milliseconds: from the end of the question to the first 80 ms of speech, and
    for each 80 ms more; None where it did not say.
    """

    turn: Turn
    mode: Mode
    lines: tuple[Line, ...]
    seconds: float
    sound: Take | None = None
    voice: str = ""
    seed: int | None = None
    compute: tuple[float, float] | None = None
    patience: Patience = Patience.NORMAL
    barge_in: Sensitivity = Sensitivity.NORMAL
    facts: dict[str, Any] = field(default_factory=dict)


def versions() -> dict[str, str]:
    """The program, its packages, Python and the system."""

    def of(name: str) -> str:
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            return "not installed"

    return {
        "banter": of("banter"),
        "python": platform.python_version(),
        "system": platform.platform(),
        "machine": platform.machine(),
        **{name: of(name) for name in _PACKAGES},
    }


def write(report: Report, path: Path) -> None:
    """Write the report, whole or not at all. Raises AudioFileError."""
    sound = report.sound
    about = {
        "format": FORMAT,
        "version": VERSION,
        "made": datetime.now().astimezone().isoformat(timespec="seconds"),
        "turn": asdict(report.turn),
        "seconds": round(report.seconds, 4),
        "mode": str(report.mode),
        "voice": report.voice,
        "seed": report.seed,
        "compute_ms": None if report.compute is None else [round(ms, 2) for ms in report.compute],
        "patience": str(report.patience),
        "barge_in": str(report.barge_in),
        "sound": None
        if sound is None
        else {"rate": RATE, "doubtful": _ranges(sound.doubtful), "cancelled": sound.cancelled},
        **report.facts,
    }
    events = [
        {"t": round(line.at, 4), "type": line.kind, "action": line.is_action, **line.more} for line in report.lines
    ]
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("README.txt", _ABOUT)
        file.writestr("report.json", json.dumps(about, ensure_ascii=False, indent=2) + "\n")
        rows = ",\n".join("  " + json.dumps(event, ensure_ascii=False) for event in events)
        file.writestr("events.json", f"[\n{rows}\n]\n")
        if sound is not None:
            for name, entry in _SOUNDS.items():
                file.writestr(zipfile.ZipInfo(entry), pack(getattr(sound, name), RATE))
    write_bytes(path, content.getvalue())


def read(path: Path) -> Report:
    """Read a report. Raises BundleError for anything else: reports come from strangers."""
    try:
        with zipfile.ZipFile(path) as file:
            names = set(file.namelist())
            if sum(info.file_size for info in file.infolist()) > MOST_BYTES:
                raise BundleError(f"{path} is too large to be the report of a turn; choose another file.")
            about = json.loads(file.read("report.json"))
            events = json.loads(file.read("events.json"))
            sounds = {name: file.read(entry) for name, entry in _SOUNDS.items() if entry in names}
    except FileNotFoundError as error:
        raise BundleError(f"There is no file {path}; check the name.") from error
    except OSError as error:
        raise BundleError(f"{path} cannot be read ({error.strerror or error}).") from error
    except (zipfile.BadZipFile, KeyError, ValueError, NotImplementedError, RuntimeError) as error:
        raise BundleError(f"{path} is not the report of a turn, or it is damaged; choose another file.") from error
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise BundleError(f"{path} is not the report of a turn; choose another file.")
    if about.get("version") != VERSION:
        raise BundleError(f"{path} was written by another version of Banter; use that one, or a newer one.")
    try:
        return _report(about, events, sounds)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise BundleError(f"{path} is damaged ({error}); ask for the report again.") from error


def _report(about: dict[str, Any], events: Any, sounds: dict[str, bytes]) -> Report:
    turn = about["turn"]
    said = Turn(
        _of(str, turn["question"]),
        _of(str, turn["answer"]),
        _of(str, turn["rest"]),
        _of(bool, turn["interrupted"]),
        _of(bool, turn["typed"]),
        _of(int, turn["earlier"]),
    )
    if not isinstance(events, list) or len(events) > _MOST_LINES:
        raise ValueError("its events cannot be read")
    lines = tuple(
        Line(
            _number(event["t"]),
            _of(str, event["type"]),
            _of(bool, event["action"]),
            {name: value for name, value in event.items() if name not in ("t", "type", "action")},
        )
        for event in events
    )
    compute = about.get("compute_ms")
    seed = about.get("seed")
    seconds = _number(about["seconds"])
    if not 0.0 <= seconds <= LONGEST_S:
        raise ValueError("its length cannot be")
    return Report(
        said,
        Mode(about["mode"]),
        lines,
        seconds,
        _sound(about["sound"], sounds) if about.get("sound") else None,
        _of(str, about["voice"]),
        None if seed is None else _of(int, seed),
        None if compute is None else (_number(compute[0]), _number(compute[1])),
        Patience(about["patience"]),
        Sensitivity(about["barge_in"]),
        {name: about[name] for name in ("model", "devices", "settings", "versions") if name in about},
    )


def _sound(about: dict[str, Any], sounds: dict[str, bytes]) -> Take:
    tracks: dict[str, NDArray[np.float32]] = {}
    for name in _SOUNDS:
        samples, rate = unpack(sounds[name])
        if rate != RATE or samples.ndim != 1 or len(samples) > LONGEST_S * RATE:
            raise ValueError("its sound cannot be used")
        tracks[name] = samples
    chunks = len(tracks["clean"]) // CHUNK
    doubtful = [False] * chunks
    for first, last in about["doubtful"]:
        for index in range(max(0, _of(int, first)), min(_of(int, last), chunks)):
            doubtful[index] = True
    return Take(
        0.0, tracks["raw"], tracks["reference"], tracks["clean"], tuple(doubtful), _of(bool, about["cancelled"])
    )


def _ranges(flags: tuple[bool, ...]) -> list[list[int]]:
    """Where the flags are up: first index, and the one after the last."""
    found: list[list[int]] = []
    for index, flag in enumerate(flags):
        if flag and found and found[-1][1] == index:
            found[-1][1] = index + 1
        elif flag:
            found.append([index, index + 1])
    return found


def _of(kind: Callable[[Any], T], value: Any) -> T:
    if type(value) is not kind:
        raise ValueError(f"{value!r:.40} is not what it should be")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
        raise ValueError(f"{value!r:.40} is no number")
    return float(value)
