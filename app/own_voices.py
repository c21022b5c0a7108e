"""The verb `voices` beyond its list: make, import, export, rename and delete voices of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from app import paths
from app.ask import AskError, Model
from app.engine.factory import failure_sentence
from app.voices import file
from app.voices.checks import Verdict, check, usable
from app.voices.choose import best_start, prepare
from app.voices.clip import read_clip
from app.voices.file import PICKLED, OwnVoice, VoiceError, checked_name
from app.voices.library import Library

ACTIONS = {
    "make": ("CLIP",),
    "import": ("FILE",),
    "export": ("NAME", "FILE"),
    "rename": ("NAME", "NEW"),
    "delete": ("NAME",),
}


def run(what: str, items: Sequence[str], name: str, permitted: bool, model: Model) -> None:
    """Do one of `ACTIONS` and print what has been done.

    `name` and `permitted` (it is the user's own voice, or they have the speaker's permission) are for "make".
    Raises AskError, AudioFileError, VoiceError.
    """
    wanted = ACTIONS[what]
    if len(items) != len(wanted):
        raise AskError(f"Give `voices {what} {' '.join(wanted)}`: {len(wanted)} and no other words.")
    library = Library(paths.voices_dir())
    match what:
        case "make":
            print(_make(Path(items[0]), name, permitted, model, library))
        case "import":
            for voice in library.take_in(_read(Path(items[0]))):
                print(voice.name)
        case "export":
            library.export(items[0], Path(items[1]))
            print(items[1])
        case "rename":
            print(library.rename(items[0], items[1]).name)
        case "delete":
            print(library.delete(items[0]).voice.name)


def _make(path: Path, name: str, permitted: bool, model: Model, library: Library) -> str:
    name = checked_name(name or path.stem)
    if not permitted:
        raise AskError("Add --permission to say that this is your voice or that you have the speaker's permission.")
    clip = read_clip(path)
    checks = check(clip)
    for one in checks:
        if one.verdict != Verdict.GOOD:
            print(f"{one.aspect}: {one.sentence()}")
    if not usable(checks):
        raise AskError(f"A voice cannot be made from {path}: choose a clip with more speech.")
    engine = model.engine()
    make = getattr(engine, "make_voice", None)
    if make is None or not engine.info.clip_s:
        raise AskError(f"The model {engine.info.name} cannot make new voices: choose another model.")
    seconds = engine.info.clip_s
    try:
        made: OwnVoice = make(prepare(clip, best_start(clip, seconds), seconds))
    except Exception as error:
        raise AskError(failure_sentence(error, "making the voice")) from error
    return library.add(replace(made, name=name, consent=True), engine.info.voices).name


def _read(path: Path) -> tuple[OwnVoice, ...]:
    if path.suffix.lower() not in PICKLED:
        return file.read_all(path)
    from app.omni.voice import VoiceFileError
    from app.omni.voice_book import read_as_own

    try:
        return read_as_own(path)
    except VoiceFileError as error:
        raise VoiceError(str(error)) from error
