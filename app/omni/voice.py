"""Voices of a model: a speaker embedding and, optionally, reference codes."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from app.omni.config import CODEBOOKS, OmniConfig
from app.voices.file import PICKLED

log = logging.getLogger(__name__)


class UnknownVoiceError(Exception):
    """The wanted voice does not exist; the message lists those that do."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(f"There is no voice '{name}': choose one of {', '.join(known)}.")


class VoiceFileError(Exception):
    """A voice file cannot be used; the message says why."""


@dataclass(frozen=True)
class Voice:
    """`spk_emb` float32 [S] (not normalised), `ref_codes` int64 [8, R] unstaggered; either may be missing."""

    name: str
    spk_emb: Tensor | None = None
    ref_codes: Tensor | None = None

    def check(self, config: OmniConfig) -> None:
        """Raise VoiceFileError when the voice does not fit the model."""
        if self.spk_emb is not None and self.spk_emb.shape != (config.spk_emb_size,):
            raise VoiceFileError(
                f"Voice '{self.name}' has a speaker embedding of shape {tuple(self.spk_emb.shape)}, "
                f"this model needs {config.spk_emb_size} values: use a voice made for this model."
            )
        if self.ref_codes is None:
            return
        codes = self.ref_codes
        if codes.dim() != 2 or codes.shape[0] != CODEBOOKS or codes.shape[1] == 0:
            raise VoiceFileError(f"Voice '{self.name}' has reference codes of shape {tuple(codes.shape)}, not [8, R].")
        if int(codes.min()) < 0 or int(codes.max()) >= config.code_count:
            raise VoiceFileError(f"Voice '{self.name}' has reference codes outside 0…{config.code_count - 1}.")


def place_voice(audio_ids: Tensor, config: OmniConfig, voice: Voice) -> bool:
    """Write a voice into the audio rows int64 [8, P] of a prompt, in place.

    Reference codes are right-aligned to the end of the prompt (the oldest are dropped when they do not fit)
    and the speaker slot comes right before them. Returns whether a speaker slot was written.
    """
    length = audio_ids.shape[1]
    frames = 0 if voice.ref_codes is None else voice.ref_codes.shape[1]
    first = max(1 if voice.spk_emb is not None else 0, length - frames)
    if voice.ref_codes is not None and first < length:
        audio_ids[:, first:] = voice.ref_codes[:, frames - (length - first) :]
    if voice.spk_emb is None or first == 0:
        return False
    audio_ids[:, first - 1] = config.audio_spk_token
    return True


def load_voices(path: str | Path, config: OmniConfig) -> dict[str, Voice]:
    """Read voices in menu order from a safetensors file or a MiniMind-O `voices.pt`.

    Safetensors keys are `<name>.spk_emb` and `<name>.ref_codes`; the metadata entry `order` (names joined by
    commas) gives the menu order, otherwise names are sorted. Raises VoiceFileError.
    """
    voices = read_voices(path)
    for voice in voices.values():
        voice.check(config)
    return voices


def read_voices(path: str | Path) -> dict[str, Voice]:
    """The same for no model in particular: nothing is checked but that they are voices. Raises VoiceFileError."""
    path = Path(path)
    return _read_pickled(path) if path.suffix in PICKLED else _read_safetensors(path)


def _read_safetensors(path: Path) -> dict[str, Voice]:
    parts: dict[str, dict[str, Tensor]] = {}
    try:
        with safe_open(path, framework="pt") as file:
            order = [name for name in (file.metadata() or {}).get("order", "").split(",") if name]
            for key in sorted(file.keys()):
                name, _, kind = key.rpartition(".")
                if not name or kind not in ("spk_emb", "ref_codes"):
                    raise VoiceFileError(f"{path} holds '{key}', expected '<name>.spk_emb' or '<name>.ref_codes'.")
                parts.setdefault(name, {})[kind] = file.get_tensor(key)
    except (OSError, SafetensorError) as error:
        raise VoiceFileError(f"The voice file {path} cannot be read: {error}.") from error
    names = [n for n in order if n in parts] + [n for n in parts if n not in order]
    return {name: _make(name, parts[name]) for name in names}


def _read_pickled(path: Path) -> dict[str, Voice]:
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises many types for damaged or foreign files
        log.info("%s: %s", path, error)
        sentence = f"The voice file {path} cannot be read: it is damaged, or no file of voices; choose another one."
        raise VoiceFileError(sentence) from error
    valid = isinstance(content, dict) and all(
        isinstance(v, dict) and all(isinstance(t, Tensor) for t in v.values()) for v in content.values()
    )
    if not valid:
        raise VoiceFileError(f"The voice file {path} does not map names to tensors.")
    return {str(name): _make(str(name), parts) for name, parts in content.items()}


def _make(name: str, parts: dict[str, Tensor]) -> Voice:
    emb, codes = parts.get("spk_emb"), parts.get("ref_codes")
    return Voice(name, None if emb is None else emb.float().flatten(), None if codes is None else codes.long())


def save_voices(path: str | Path, voices: Iterable[Voice]) -> None:
    """Write voices (in menu order) to a safetensors file."""
    tensors: dict[str, Tensor] = {}
    names: list[str] = []
    for voice in voices:
        if "," in voice.name or not voice.name:
            raise VoiceFileError(f"'{voice.name}' cannot be the name of a voice: leave out commas.")
        names.append(voice.name)
        if voice.spk_emb is not None:
            tensors[f"{voice.name}.spk_emb"] = voice.spk_emb.float().contiguous()
        if voice.ref_codes is not None:
            tensors[f"{voice.name}.ref_codes"] = voice.ref_codes.to(torch.int16).contiguous()
    save_file(tensors, str(path), metadata={"order": ",".join(names)})
