"""The voices of one's own: a folder of voice files."""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from app.voices import file
from app.voices.file import ENDING, MOST_NAME, OwnVoice, VoiceError, checked_name

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Kept:
    """A voice and the file that it is kept in."""

    voice: OwnVoice
    path: Path


class Library:
    """The voice files of one folder. Names are unique, whatever their case.

    A file that cannot be read is left alone and told in `problems`; it hides no other voice.
    """

    def __init__(self, folder: Path) -> None:
        """The folder is made when the first voice is saved."""
        self.folder = folder
        self.problems: tuple[str, ...] = ()

    def all(self) -> tuple[Kept, ...]:
        """The voices by name, read afresh."""
        found: dict[str, Kept] = {}
        problems: list[str] = []
        for path in self._files():
            try:
                kept = Kept(file.read(path), path)
            except VoiceError as error:
                _log.warning("%s", error)
                problems.append(str(error))
                continue
            found.setdefault(kept.voice.name.casefold(), kept)
        self.problems = tuple(problems)
        return tuple(found[name] for name in sorted(found))

    def get(self, name: str) -> Kept:
        """The voice of this name, whatever its case. Raises VoiceError."""
        for kept in self.all():
            if kept.voice.name.casefold() == name.casefold():
                return kept
        raise VoiceError(f"There is no voice of your own called {name}: look at the list.")

    def add(self, voice: OwnVoice, taken: Iterable[str] = ()) -> OwnVoice:
        """Keep `voice`. `taken` are names that others have, such as the model's own voices.

        Raises VoiceError: the name is taken or unfit, or the file cannot be written.
        """
        voice = voice.renamed(voice.name)
        self._check_free(voice.name, taken)
        file.write(self._free_path(voice.name), voice)
        return voice

    def take_in(self, voices: Iterable[OwnVoice], taken: Iterable[str] = ()) -> tuple[OwnVoice, ...]:
        """Keep imported voices; one whose name is taken or unfit gets another one. Raises VoiceError."""
        taken = tuple(taken)
        added = []
        for voice in voices:
            name = self._free_name(voice.name, taken)
            added.append(self.add(replace(voice, name=name), taken))
        return tuple(added)

    def rename(self, name: str, wanted: str, taken: Iterable[str] = ()) -> OwnVoice:
        """Give the voice `name` the name `wanted`. Raises VoiceError; the voice is never lost."""
        kept = self.get(name)
        voice = kept.voice.renamed(wanted)
        if voice.name.casefold() != name.casefold():
            self._check_free(voice.name, taken)
        # The key in the file holds the name too, so it is written anew before the old one goes.
        path = self._free_path(voice.name)
        file.write(path, voice)
        with contextlib.suppress(OSError):
            kept.path.unlink()
        return voice

    def delete(self, name: str) -> Kept:
        """Delete the voice's file; returns what it was, so that it can be added again. Raises VoiceError."""
        kept = self.get(name)
        try:
            kept.path.unlink()
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise VoiceError(f"The voice {name} cannot be deleted ({reason}): try again.") from error
        return kept

    def export(self, name: str, path: Path) -> None:
        """Write the voice to `path`. Raises VoiceError."""
        file.write(path, self.get(name).voice)

    def _files(self) -> list[Path]:
        try:
            return sorted(path for path in self.folder.iterdir() if path.suffix == ENDING and path.is_file())
        except OSError:
            return []

    def _names(self, taken: Iterable[str]) -> set[str]:
        """Every name that is not free, without regard to case."""
        return {name.casefold() for name in (*(kept.voice.name for kept in self.all()), *taken)}

    def _check_free(self, name: str, taken: Iterable[str]) -> None:
        if name.casefold() in self._names(taken):
            raise VoiceError(f"There is a voice called {name} already: choose another name.")

    def _free_name(self, wanted: str, taken: tuple[str, ...]) -> str:
        try:
            name = checked_name(wanted)
        except VoiceError:
            name = " ".join(re.sub(r"[^\w -]+", " ", wanted).split())[:MOST_NAME].strip() or "Voice"
        names = self._names(taken)
        number, free = 1, name
        while free.casefold() in names:
            number += 1
            free = f"{name[: MOST_NAME - 4]} {number}"
        return free

    def _free_path(self, name: str) -> Path:
        # Names may hold signs that some file systems do not take.
        stem = re.sub(r"[^\w-]+", "-", name.casefold()).strip("-") or "voice"
        path, number = self.folder / f"{stem}{ENDING}", 1
        while path.exists():
            number += 1
            path = self.folder / f"{stem}-{number}{ENDING}"
        return path
