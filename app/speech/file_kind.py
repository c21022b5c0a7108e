"""What a file is that should hold weights. Downloads end as web pages, pointers, nothing at all, or half of it."""

from __future__ import annotations

import json
import re
import struct
import zipfile
from pathlib import Path
from typing import Literal

from app.speech.errors import DamagedModelError

_POINTER = b"version https://git-lfs"
_PAGES = (b"<!doctype", b"<html", b"<?xml", b"<head")
# The list of tensors of the largest models is far shorter.
_LONGEST_HEADER = 100_000_000


def weight_format(path: Path) -> Literal["safetensors", "pickle"]:
    """How the weights in `path` are stored, by what is in it and not by its name.

    Raises DamagedModelError with one sentence for a file that is missing, empty, cut off, or of another kind.
    """
    try:
        with path.open("rb") as file:
            head = file.read(1_024)
        size = path.stat().st_size
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DamagedModelError(f"{path} is missing or damaged ({reason}): download or copy it again.") from error
    if not head:
        raise DamagedModelError(f"{path} is empty, so its download was cut off: download or copy it again.")
    if head.startswith(_POINTER):
        wanted = re.search(rb"^size (\d+)", head, re.MULTILINE)
        much = f" ({int(wanted[1]) / 1e6:.0f} MB)" if wanted else ""
        raise DamagedModelError(
            f"{path} is only a pointer of Git LFS to the weights: download the file itself{much}, or run git lfs pull."
        )
    if head.lstrip().lower().startswith(_PAGES):
        raise DamagedModelError(
            f"{path} is a web page that was saved under the name of the weights: download the file itself."
        )
    if head.startswith(b"PK\x03\x04"):
        if not zipfile.is_zipfile(path):
            raise DamagedModelError(
                f"{path} is incomplete, it ends after {size / 1e6:.1f} MB: download or copy it again."
            )
        return "pickle"
    if head[8:9] == b"{" and len(head) > 8:
        _check_whole(path, size)
        return "safetensors"
    if head[:1] == b"\x80":
        # The form that torch wrote before it wrote archives.
        return "pickle"
    raise DamagedModelError(
        f"{path} cannot be read as a weight file, it is damaged or of another kind: download or copy it again."
    )


def _check_whole(path: Path, size: int) -> None:
    """Say which tensor a file of safetensors breaks off in."""
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        if length > min(size - 8, _LONGEST_HEADER):
            raise DamagedModelError(
                f"{path} is incomplete or damaged, it ends in its list of tensors: download or copy it again."
            )
        try:
            header = json.loads(file.read(length))
            ends = {name: entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"}
            name = min((n for n, end in ends.items() if 8 + length + end > size), key=ends.__getitem__, default=None)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
            raise DamagedModelError(
                f"{path} is damaged, its list of tensors cannot be read: download or copy it again."
            ) from error
    if name is not None:
        raise DamagedModelError(f"{path} is incomplete, it ends in the midst of '{name}': download or copy it again.")
