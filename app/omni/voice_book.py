"""All voices that a loaded model can speak with: its own, the user's, and the one that was just made."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from app.omni.config import OmniConfig
from app.omni.turn import OUTPUT_RATE, TRIAL_VOICE
from app.omni.voice import UnknownVoiceError, Voice, VoiceFileError, read_voices
from app.speech.interfaces import SpeakerEncoder, SpeechCodec
from app.voices.file import OwnVoice
from app.voices.library import Library

log = logging.getLogger(__name__)

# Without a little silence behind them, the model goes on with the last sound of the reference codes.
_SILENCE_S = 0.5
_LEAST_S = 0.5


class VoiceMakingError(Exception):
    """A voice cannot be made; the text is one sentence for the user."""


class VoiceBook:
    """Voices by name: first the model's own in menu order, then the user's by name."""

    def __init__(
        self,
        baked: dict[str, Voice],
        config: OmniConfig,
        encoder: SpeakerEncoder | None,
        codec: SpeechCodec,
    ) -> None:
        """`encoder` None: the model cannot make voices."""
        self._baked = baked
        self._config = config
        self._encoder = encoder
        self._codec = codec
        self._own: dict[str, Voice] = {}
        self._trial: Voice | None = None

    @property
    def own_names(self) -> tuple[str, ...]:
        """The user's voices."""
        return tuple(self._own)

    @property
    def names(self) -> tuple[str, ...]:
        """All voices with a name, the default first."""
        return (*self._baked, *self._own)

    def get(self, name: str) -> Voice:
        """The voice of this name, "" the default. Raises UnknownVoiceError."""
        if not name:
            return next(iter(self._baked.values()))
        if name == TRIAL_VOICE and self._trial is not None:
            return self._trial
        voice = self._baked.get(name) or self._own.get(name)
        if voice is None:
            raise UnknownVoiceError(name, self.names)
        return voice

    def read_own(self, folder: Path) -> None:
        """Take the user's voices from `folder`, those that fit this model."""
        self._own = {}
        for kept in Library(folder).all():
            voice = own_voice(kept.voice, self._config)
            if voice is not None and voice.name in self._baked:
                log.warning("the model has a voice called %s itself, which hides the user's", voice.name)
            elif voice is not None:
                self._own[voice.name] = voice

    def add_file(self, voice: OwnVoice) -> str:
        """Speak with a voice from elsewhere too; returns its name here. Raises VoiceFileError."""
        made = own_voice(voice, self._config)
        if made is None:
            model = f" (it was made with {voice.model})" if voice.model else ""
            raise VoiceFileError(f"The voice {voice.name} does not fit this model{model}: choose another one.")
        name = f"{made.name} (file)" if made.name in self._baked else made.name
        self._own[name] = replace(made, name=name)
        return name

    def make(self, audio: NDArray[np.float32]) -> Voice:
        """The voice of float32 mono speech at 24 kHz, from now on that of `TRIAL_VOICE`. Raises VoiceMakingError."""
        if self._encoder is None:
            raise VoiceMakingError("This model cannot make voices: choose another model, or one of its own voices.")
        if len(audio) < _LEAST_S * OUTPUT_RATE or not np.isfinite(audio).all() or not audio.any():
            raise VoiceMakingError("There is not enough speech to make a voice from: use a longer clip.")
        embedding = self._encoder.embed(np.ascontiguousarray(audio, np.float32)).float().flatten()
        codes = None
        if self._config.banter.get("reference_codes", False):
            codes = self._codec.encode(np.pad(audio, (0, round(_SILENCE_S * OUTPUT_RATE)))).long()
        voice = Voice(TRIAL_VOICE, embedding, codes)
        voice.check(self._config)
        self._trial = voice
        return voice


def own_voice(voice: OwnVoice, config: OmniConfig) -> Voice | None:
    """The voice for a model of this `config`; None where it does not fit."""
    if not voice.fits(config.spk_emb_size, str(config.banter.get("speaker", ""))):
        return None
    codes = None if voice.ref_codes is None else torch.from_numpy(voice.ref_codes)
    made = Voice(voice.name, torch.from_numpy(voice.spk_emb.copy()), codes)
    try:
        made.check(config)
    except VoiceFileError as error:
        log.warning("%s", error)
        return None
    return made


def read_as_own(path: Path) -> tuple[OwnVoice, ...]:
    """The voices in a voice file of a model, such as MiniMind-O's `voices.pt`, to be kept as one's own.

    Runs nothing from the file. Raises VoiceFileError, also where no voice in it has a speaker's vector.
    """
    voices = tuple(
        OwnVoice(one.name, one.spk_emb.numpy(), None if one.ref_codes is None else one.ref_codes.numpy())
        for one in read_voices(path).values()
        if one.spk_emb is not None
    )
    if not voices:
        raise VoiceFileError(f"{path.name} holds no voice: choose another file.")
    return voices
