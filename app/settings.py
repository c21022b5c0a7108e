"""The user's settings: one typed record, kept as a TOML file in the platform's config folder.

A file that cannot be read never stops the program: it is kept aside as `settings.toml.bad`, every value that
was fine is used, the rest are defaults, and `Loaded.notice` holds one sentence for the user. No Qt, no torch.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import tomllib
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

SCHEMA_VERSION = 1
TEXT_SIZES = range(90, 151, 10)
MOST_TEMPERATURE = 1.5
MOST_SEED = 2**31 - 1
MOST_UNLOAD_AFTER = 24 * 60
MOST_HISTORY_TURNS = 50
MOST_SYSTEM = 1_000


class Mode(StrEnum):
    """How the program knows that it is being spoken to."""

    PUSH_TO_TALK = "push_to_talk"
    OPEN_MIC = "open_mic"


class Talk(StrEnum):
    """What the talk button does: hold it while you speak, or press it once to begin and once to send."""

    HOLD = "hold"
    TOGGLE = "toggle"


class Patience(StrEnum):
    """How long a pause must be before it counts as the end of what the user says."""

    QUICK = "quick"
    NORMAL = "normal"
    SLOW = "slow"


class Sensitivity(StrEnum):
    """How little of the user's voice stops an answer."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"


class Theme(StrEnum):
    """Which colours the windows have."""

    LIGHT = "light"
    DARK = "dark"
    SYSTEM = "system"


class Language(StrEnum):
    """What language the windows are in, as Qt names it."""

    SYSTEM = ""
    ENGLISH = "en"
    CHINESE = "zh_CN"


class Keep(StrEnum):
    """How long conversations are kept."""

    FOREVER = "forever"
    MONTH = "30_days"
    WEEK = "7_days"
    NOT_AT_ALL = "none"


class BrainScope(StrEnum):
    """What a larger model is asked: what Banter does not know, or everything but what a tool answers."""

    UNKNOWN = "unknown"
    EVERYTHING = "everything"


@dataclass(frozen=True)
class WindowGeometry:
    """Where the window was, in device-independent pixels. `x` and `y` None: let the system choose."""

    width: int = 720
    height: int = 760
    x: int | None = None
    y: int | None = None
    maximized: bool = False


@dataclass(frozen=True)
class SoundDevice:
    """A microphone or a loudspeaker by its name and that of its sound system; `name` "" is the system's default."""

    name: str = ""
    host: str = ""


@dataclass(frozen=True)
class Answering:
    """How one model answers. `temperature` None: as in the settings for all; `system`: what it is told about itself
    first; `history_turns`: the exchanges that it gets, None as many as it can hold.
    """

    temperature: float | None = None
    system: str = ""
    history_turns: int | None = None


@dataclass(frozen=True)
class Settings:
    """What the program remembers between two starts. `volume` 0…1; `voice` "" is the model's own default.

    `keep_sound`: the sound of answers is kept with their words. `sidebar`: the list of conversations is shown.
    `text_size` in percent of the system's; `reduced_motion` False: as the system wants it. `temperature` (of the
    words) None is the model's own, `seed` None another one for each answer. `sound_checked`: the sound check was done
    or declined; `show_latency`: below each answer stands how long it took; `keep_turn_sound`: the last turn's sound is
    held in memory, for a report that the user may save. `hotkey` talks from any program, as Qt's portable text, ""
    none; `tray_explained`: the user has been told once where the window went. `weather`: the network may be asked
    for it. `brain`: a larger model, `brain_model` at `brain_address`, is asked what `brain_scope` says; on another
    computer only with `brain_anywhere`. `model`: the folder in that of the models, "" the starter; `mirror`: where
    models come from, "" Hugging Face, "modelscope", or an address; `offline`: no network at all; `unload_after`:
    minutes without a turn after which the model's memory is given back, 0 never; `answering` by the names of models.
    """

    voice: str = ""
    mode: Mode = Mode.PUSH_TO_TALK
    volume: float = 1.0
    window: WindowGeometry = field(default_factory=WindowGeometry)
    keep: Keep = Keep.FOREVER
    keep_sound: bool = False
    sidebar: bool = False
    microphone: SoundDevice = field(default_factory=SoundDevice)
    speaker: SoundDevice = field(default_factory=SoundDevice)
    cancel_echo: bool = True
    suppress_noise: bool = False
    talk: Talk = Talk.HOLD
    patience: Patience = Patience.NORMAL
    barge_in: Sensitivity = Sensitivity.NORMAL
    theme: Theme = Theme.SYSTEM
    language: Language = Language.SYSTEM
    text_size: int = 100
    reduced_motion: bool = False
    temperature: float | None = None
    seed: int | None = None
    sound_checked: bool = False
    show_latency: bool = False
    keep_turn_sound: bool = True
    hotkey: str = ""
    close_to_tray: bool = False
    start_minimised: bool = False
    tray_explained: bool = False
    weather: bool = False
    brain: bool = False
    brain_address: str = "http://localhost:11434"
    brain_model: str = ""
    brain_scope: BrainScope = BrainScope.UNKNOWN
    brain_anywhere: bool = False
    model: str = ""
    mirror: str = ""
    offline: bool = False
    unload_after: int = 0
    answering: dict[str, Answering] = field(default_factory=dict)

    def answering_of(self, model: str) -> Answering:
        """How `model` is to answer."""
        own = self.answering.get(model, Answering())
        return own if own.temperature is not None else replace(own, temperature=self.temperature)


@dataclass(frozen=True)
class Loaded:
    """Settings as they were read, and one sentence for the user where something was wrong."""

    settings: Settings
    notice: str = ""


def load(path: Path) -> Loaded:
    """Read the settings at `path`; a missing file gives the defaults. No content makes it raise."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Loaded(Settings())
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return Loaded(Settings(), f"Your settings could not be read ({reason}), so the defaults are used.")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        notice = _set_aside(path, "Your settings file was damaged, so the defaults are used")
        return Loaded(Settings(), notice)
    settings, wrong = _from_table(raw)
    if wrong:
        names = ", ".join(wrong)
        notice = _set_aside(path, f"Some of your settings were not valid and were reset: {names}")
        return Loaded(settings, notice)
    return Loaded(settings)


def save(path: Path, settings: Settings) -> None:
    """Write `settings` to `path`: the file is either the old one or the new one, never a half.

    Raises OSError when the folder cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(dumps(settings))
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def dumps(settings: Settings) -> str:
    """`settings` as TOML text, one table for the record and one for each of its parts."""
    record = asdict(settings)
    tables = {key: record.pop(key) for key in tuple(record) if isinstance(record[key], dict)}
    lines = [f"version = {SCHEMA_VERSION}", *_lines(record)]
    for name, table in tables.items():
        inner = {key: table.pop(key) for key in tuple(table) if isinstance(table[key], dict)}
        lines += ["", f"[{name}]", *_lines(table)]
        for key, part in inner.items():
            lines += ["", f"[{name}.{_value(key)}]", *_lines(part)]
    return "\n".join(lines) + "\n"


def _lines(table: dict[str, Any]) -> list[str]:
    return [f"{key} = {_value(value)}" for key, value in table.items() if value is not None]


def _value(value: str | bool | int | float) -> str:
    # A JSON string is a TOML basic string, but for DEL, which TOML wants escaped.
    if isinstance(value, str):
        return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)


def _set_aside(path: Path, what: str) -> str:
    bad = path.with_name(path.name + ".bad")
    try:
        os.replace(path, bad)
    except OSError:
        return what + "."
    return f"{what}. The old file is kept as {bad}."


def _from_table(raw: dict[str, Any]) -> tuple[Settings, list[str]]:
    """The settings in `raw`, and the names of the values that were not usable."""
    settings = Settings()
    wrong: list[str] = []
    for name, fits in _FITS.items():
        try:
            found: Any = fits(raw[name]) if name in raw else getattr(settings, name)
        except ValueError:
            # The default of `keep` deletes nothing, and the notice tells that it is in force.
            wrong.append(name)
        else:
            settings = replace(settings, **{name: found})
    for name in ("microphone", "speaker"):
        device = _device(raw.get(name, {}))
        if device is None:
            wrong.append(name)
        elif name == "microphone":
            settings = replace(settings, microphone=device)
        else:
            settings = replace(settings, speaker=device)
    table = raw.get("window", {})
    geometry = _geometry(table) if isinstance(table, dict) else None
    if geometry is None:
        wrong.append("window")
    else:
        settings = replace(settings, window=geometry)
    return settings, wrong


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise ValueError


def _switch(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError


def _number(most: float) -> Callable[[object], float]:
    """A number from 0 to `most`."""

    def fits(value: object) -> float:
        # A bool is an int to Python, and nan is not within anything.
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most:
            return float(value)
        raise ValueError

    return fits


def _whole(among: range) -> Callable[[object], int]:
    """A whole number among these."""

    def fits(value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and value in among:
            return value
        raise ValueError

    return fits


def _answering(table: object) -> dict[str, Answering]:
    if not isinstance(table, dict) or not all(isinstance(own, dict) for own in table.values()):
        raise ValueError
    kept: dict[str, Callable[[Any], Any]] = {
        "temperature": _number(MOST_TEMPERATURE),
        "system": _text,
        "history_turns": _turns,
    }
    return {
        str(name): Answering(**{key: fits(own[key]) for key, fits in kept.items() if key in own})
        for name, own in table.items()
    }


# Each gives the value in the type of its setting, or raises ValueError where it is not usable.
_FITS: dict[str, Callable[[Any], Any]] = {
    "voice": _text,
    "mode": Mode,
    "volume": _number(1.0),
    "keep": Keep,
    "keep_sound": _switch,
    "sidebar": _switch,
    "cancel_echo": _switch,
    "suppress_noise": _switch,
    "talk": Talk,
    "patience": Patience,
    "barge_in": Sensitivity,
    "theme": Theme,
    "language": Language,
    "text_size": _whole(TEXT_SIZES),
    "reduced_motion": _switch,
    "temperature": _number(MOST_TEMPERATURE),
    "seed": _whole(range(MOST_SEED + 1)),
    "sound_checked": _switch,
    "show_latency": _switch,
    "keep_turn_sound": _switch,
    "hotkey": _text,
    "close_to_tray": _switch,
    "start_minimised": _switch,
    "tray_explained": _switch,
    "weather": _switch,
    "model": _text,
    "mirror": _text,
    "offline": _switch,
    "unload_after": _whole(range(MOST_UNLOAD_AFTER + 1)),
    "answering": _answering,
    "brain": _switch,
    "brain_address": _text,
    "brain_model": _text,
    "brain_scope": BrainScope,
    "brain_anywhere": _switch,
}


_turns = _whole(range(MOST_HISTORY_TURNS + 1))


def _device(table: object) -> SoundDevice | None:
    if not isinstance(table, dict):
        return None
    name, host = table.get("name", ""), table.get("host", "")
    return SoundDevice(name, host) if isinstance(name, str) and isinstance(host, str) else None


def _geometry(table: dict[str, Any]) -> WindowGeometry | None:
    default = WindowGeometry()
    known = {f.name: table.get(f.name, getattr(default, f.name)) for f in fields(WindowGeometry)}
    maximized = known.pop("maximized")
    if not isinstance(maximized, bool):
        return None
    for name, value in known.items():
        if value is None and name in ("x", "y"):
            continue
        if not isinstance(value, int) or isinstance(value, bool) or abs(value) > 100_000:
            return None
    if known["width"] < 1 or known["height"] < 1:
        return None
    return WindowGeometry(maximized=maximized, **known)
