"""What Banter knows about a folder of files that it brought here: written beside them as `banter-files.json`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from app.hub.errors import disk_error

FILE = "banter-files.json"


@dataclass(frozen=True)
class Kept:
    """One file: its size in bytes and its SHA-256."""

    size: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """`title` as the user reads it; `source` where it came from (`hub/repository` or a folder) at `commit`; `files` by
    name; `parts` that belong beside them; `damaged` are those that did not stand the last check.
    """

    title: str
    source: str = ""
    commit: str = ""
    files: dict[str, Kept] = field(default_factory=dict)
    parts: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()

    def with_damage(self, names: tuple[str, ...]) -> Manifest:
        """The same with these files as the damaged ones."""
        return replace(self, damaged=names)


def read(folder: Path) -> Manifest | None:
    """The manifest of `folder`; None where it has none that can be read."""
    try:
        raw = json.loads((folder / FILE).read_text(encoding="utf-8"))
        files = {str(name): Kept(int(one["size"]), str(one["sha256"])) for name, one in raw["files"].items()}
        if any(Path(name).name != name for name in files):
            return None
        return Manifest(
            str(raw["title"]),
            str(raw.get("source", "")),
            str(raw.get("commit", "")),
            files,
            tuple(map(str, raw.get("parts", ()))),
            tuple(map(str, raw.get("damaged", ()))),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def write(folder: Path, manifest: Manifest) -> None:
    """Write it into `folder`, whole or not at all. Raises HubError."""
    path = folder / FILE
    new = path.with_name(f".{FILE}.new")
    try:
        with new.open("w", encoding="utf-8") as file:
            json.dump(asdict(manifest), file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as error:
        raise disk_error(path, error) from error


def missing(folder: Path, manifest: Manifest) -> Iterator[str]:
    """The files that are not there in their size, or did not stand the last check; no file is read for it."""
    for name, kept in manifest.files.items():
        path = folder / name
        if name in manifest.damaged or not path.is_file() or path.stat().st_size != kept.size:
            yield name
