"""A voice of one's own as a file: one safetensors file with the tensors of one voice and who it is of.

Reading runs no code from the file. No torch.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray
from safetensors import SafetensorError

ENDING = ".safetensors"
#: Endings of MiniMind-O's files of voices, which it takes torch to read.
PICKLED = (".pt", ".pth")
MOST_NAME = 40
# A speaker's vector and half a minute of reference codes are some kilobytes.
MOST_BYTES = 1 << 20

_CODEBOOKS = 8
_MOST_CODE = 65_535
_FORMAT = "banter-voice-1"


class VoiceError(Exception):
    """A voice that cannot be used; the text is one sentence for the user."""


@dataclass(frozen=True)
class OwnVoice:
    """A voice: `spk_emb` float32 [S] and, where the model takes them, `ref_codes` int64 [8, R].

    `model` is the name of the model that it was made with, `speaker` the kind of that model's speaker encoder ("" is
    not known): another model can use it where both are the same and the vector has its size. `consent`: whoever
    made it has said that it is theirs to make.
    """

    name: str
    spk_emb: NDArray[np.float32]
    ref_codes: NDArray[np.int64] | None = None
    model: str = ""
    speaker: str = ""
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    consent: bool = False

    def fits(self, size: int, speaker: str) -> bool:
        """Whether a model whose vectors have `size` values, made by the encoder `speaker`, can speak with it."""
        return len(self.spk_emb) == size and (not self.speaker or not speaker or self.speaker == speaker)

    def renamed(self, name: str) -> OwnVoice:
        """The same voice under another name. Raises VoiceError."""
        return replace(self, name=checked_name(name))


def checked_name(name: str) -> str:
    """`name` without needless spaces. Raises VoiceError for one that a voice cannot have."""
    name = " ".join(name.split())
    if not name:
        raise VoiceError("The voice needs a name: type one.")
    if len(name) > MOST_NAME:
        raise VoiceError(f"The name is too long: use at most {MOST_NAME} characters.")
    if any(sign in name for sign in ",./\\") or not name.isprintable():
        raise VoiceError("The name holds a comma, a full stop or a slash: leave it out.")
    return name


def write(path: Path | str, voice: OwnVoice) -> None:
    """Write the file, whole or not at all. Raises VoiceError."""
    path = Path(path)
    name = checked_name(voice.name)
    tensors: dict[str, NDArray[np.generic]] = {f"{name}.spk_emb": np.ascontiguousarray(voice.spk_emb, np.float32)}
    if voice.ref_codes is not None:
        tensors[f"{name}.ref_codes"] = np.ascontiguousarray(voice.ref_codes, np.int32)
    metadata = {
        "format": _FORMAT,
        "order": name,
        "model": voice.model,
        "speaker": voice.speaker,
        "created": voice.created,
        "consent": "yes" if voice.consent else "no",
    }
    content = safetensors.numpy.save(tensors, metadata=metadata)
    part = path.with_name(f".{secrets.token_hex(6)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        reason = error.strerror or type(error).__name__
        raise VoiceError(f"The voice cannot be saved as {path} ({reason}): choose another place.") from error


def read(path: Path | str) -> OwnVoice:
    """The voice in a file that `write` wrote, or in any safetensors file with one voice in it. Raises VoiceError."""
    voices = read_all(path)
    if len(voices) != 1:
        raise VoiceError(f"{Path(path).name} holds {len(voices)} voices, not one: import it instead.")
    return voices[0]


def read_all(path: Path | str) -> tuple[OwnVoice, ...]:
    """Every voice in a safetensors file with keys `<name>.spk_emb` and `<name>.ref_codes`, at least one; its names may
    still be unfit for a voice of one's own. Raises VoiceError.
    """
    path = Path(path)
    content = _content(path)
    try:
        tensors = safetensors.numpy.load(content)
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise VoiceError(f"{path.name} is not a voice file, or it is damaged: choose another one.") from error
    facts = _metadata(content)
    parts: dict[str, dict[str, NDArray[np.generic]]] = {}
    for key, tensor in tensors.items():
        name, _, kind = key.rpartition(".")
        if not name or kind not in ("spk_emb", "ref_codes"):
            raise VoiceError(f"{path.name} holds something else than voices: choose a voice file.")
        parts.setdefault(name, {})[kind] = tensor
    if not parts:
        raise VoiceError(f"{path.name} holds no voice: choose another file.")
    order = [name for name in facts.get("order", "").split(",") if name in parts]
    names = [*order, *(name for name in sorted(parts) if name not in order)]
    return tuple(_voice(path, name, parts[name], facts) for name in names)


def _voice(path: Path, name: str, parts: Mapping[str, NDArray[np.generic]], facts: Mapping[str, str]) -> OwnVoice:
    damaged = VoiceError(f"The voice {name} in {path.name} is damaged: make it again, or choose another file.")
    embedding, codes = parts.get("spk_emb"), parts.get("ref_codes")
    if embedding is None or embedding.dtype.kind != "f" or not 0 < embedding.size <= 4096:
        raise damaged
    vector = embedding.astype(np.float32).ravel()
    if not np.isfinite(vector).all():
        raise damaged
    frames = None
    if codes is not None:
        if codes.dtype.kind not in "iu" or codes.ndim != 2 or codes.shape[0] != _CODEBOOKS or not codes.shape[1]:
            raise damaged
        frames = codes.astype(np.int64)
        if frames.min() < 0 or frames.max() > _MOST_CODE:
            raise damaged
    return OwnVoice(
        name,
        vector,
        frames,
        facts.get("model", ""),
        facts.get("speaker", ""),
        facts.get("created", ""),
        facts.get("consent") == "yes",
    )


def _content(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise VoiceError(f"{path.name} is not a file: choose a voice file.")
        if size > MOST_BYTES:
            raise VoiceError(f"{path.name} is too large for a voice: choose another file.")
        return path.read_bytes()
    except FileNotFoundError as error:
        raise VoiceError(f"There is no file {path}: check the name.") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise VoiceError(f"{path.name} cannot be read ({reason}): choose another file.") from error


def _metadata(content: bytes) -> dict[str, str]:
    """The metadata of a safetensors file that has just been read without fault: the library gives the tensors alone
    when it reads from memory.
    """
    (length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8 : 8 + length])
    return {str(key): str(value) for key, value in header.get("__metadata__", {}).items()}
