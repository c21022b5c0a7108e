"""What the model's process does about voices besides speaking with them. No torch at import; for that process alone."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import numpy as np

from app.engine.factory import Engine, failure_sentence, user_sentence
from app.engine.protocol import (
    Event,
    Failed,
    ImportVoices,
    MakeVoice,
    VoiceMade,
    VoicesChanged,
    VoicesRead,
)
from app.engine.voice_data import pack

_log = logging.getLogger(__name__)


def read_own(engine: Engine, folder: str) -> None:
    """Let `engine` speak with the voices in `folder` too, where it can and there is one."""
    read = getattr(engine, "read_own_voices", None)
    if folder and read is not None:
        try:
            read(Path(folder))
        except Exception:
            # A model that can speak must not be held up by a folder.
            _log.exception("the user's voices could not be read")


def refresh(engine: Engine | None, folder: str) -> Event | None:
    """Read the user's voices again; None where no model is loaded, which will read them anyway."""
    if engine is None:
        return None
    read_own(engine, folder)
    return VoicesChanged(engine.info)


def make(engine: Engine | None, command: MakeVoice) -> Event:
    """Make a voice of a clip."""
    if engine is None:
        return Failed("No model is loaded yet; wait until it is ready.", command.turn)
    work = getattr(engine, "make_voice", None)
    if work is None:
        sentence = f"The model {engine.info.name} cannot make new voices; choose one of its own."
        return Failed(sentence, command.turn)

    def job() -> Event:
        samples = np.frombuffer(command.samples, dtype="<f4").astype(np.float32)
        return VoiceMade(command.turn, pack(work(samples)))

    return _guarded(job, command.turn, "making the voice")


def read_pickled(command: ImportVoices) -> Event:
    """Read a `voices.pt`: torch's own reader for tensors alone, which runs nothing from the file."""

    def job() -> Event:
        from app.omni.voice_book import read_as_own

        return VoicesRead(command.turn, tuple(pack(voice) for voice in read_as_own(Path(command.path))))

    return _guarded(job, command.turn, "reading the voices")


def _guarded(job: Callable[[], Event], turn: int, doing: str) -> Event:
    try:
        return job()
    except Exception as error:
        if user_sentence(error) is None:
            _log.exception("%s failed", doing)
        return Failed(failure_sentence(error, doing), turn)
