"""What the folder of a published model does not say about its parts: its `config.json` has no section of Banter's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app.omni.config import OmniConfig
from app.speech import registry

ENCODER, CODEC, SPEAKER = "sensevoice", "mimi", "campplus"
#: The languages that MiniMind-O speaks.
LANGUAGES = ("zh", "en")
#: The files of MiniMind-O's own voices, those of its training first.
PUBLISHED_VOICES = ("voices.pt", "voices_unseen.pt")


def with_published_parts(config: OmniConfig, folder: Path) -> OmniConfig:
    """`config` with the parts of MiniMind-O filled in, unless it names its own.

    The speaker encoder may be missing from `folder`: then no voices can be made, and all else works. A voice that is
    made has reference codes, as the published ones have.
    """
    if config.banter:
        return config
    section = {"encoder": ENCODER, "codec": CODEC, "languages": list(LANGUAGES), "reference_codes": True}
    if registry.has_speaker_encoder(SPEAKER, folder):
        section["speaker"] = SPEAKER
    return replace(config, banter=section)
