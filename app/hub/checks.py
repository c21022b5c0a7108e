"""Whether a file is what it should be: its hash, and the frame of the formats that weights come in."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.hub.control import Control

_CHUNK = 1 << 20
_PICKLED = (".pt", ".pth", ".bin")


@dataclass(frozen=True)
class Digest:
    """What a file's content is known by: `git` is the hash that a git repository gives a small file."""

    kind: Literal["sha256", "git"]
    value: str


def no_progress(count: int) -> None:
    """Tell nobody."""


def digest_of(
    path: Path, kind: str, control: Control | None = None, progress: Callable[[int], None] = no_progress
) -> str:
    """The hash of the file as hexadecimal digits; `progress` gets the bytes as they are read.

    Raises OSError, and Stopped where `control` says so.
    """
    running = hashlib.sha256() if kind == "sha256" else hashlib.sha1(f"blob {path.stat().st_size}\0".encode())
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            if control is not None:
                control.check()
            running.update(chunk)
            progress(len(chunk))
    return running.hexdigest()


def has_sound_frame(path: Path, name: str = "") -> bool:
    """Whether a file of weights is whole as far as its format tells. True for other kinds of files. Raises OSError.

    `name` is what the file is called where `path` is only for now. Nothing of it is unpickled.
    """
    kind = Path(name or path.name).suffix
    if kind == ".safetensors":
        return _safetensors(path)
    if kind in _PICKLED:
        # torch has written zip archives since 1.6; the list of contents stands at the end.
        return zipfile.is_zipfile(path)
    return True


def _safetensors(path: Path) -> bool:
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 2 <= length <= size - 8:
            return False
        try:
            header = json.loads(file.read(length))
            ends = [one["data_offsets"][1] for name, one in header.items() if name != "__metadata__"]
        except (ValueError, KeyError, TypeError, IndexError, AttributeError):
            return False
    return size == 8 + length + max(ends, default=0)
