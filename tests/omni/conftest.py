"""What the engine's tests share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from app.omni.engine import OmniEngine
from app.speech import registry
from tests.omni.tiny import LevelEncoder, ToneCodec


@pytest.fixture(scope="module")
def load() -> Callable[..., OmniEngine]:
    """Load a folder with the tone codec and the level encoder known to the registry."""

    def load_with_parts(path: Path, **options: object) -> OmniEngine:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(registry, "load_encoder", lambda kind, folder, int8: {"level": LevelEncoder}[kind]())
            patch.setattr(registry, "load_codec", lambda kind, folder, int8: {"tone": ToneCodec}[kind]())
            return OmniEngine.load(path, threads=1, **options)  # type: ignore[arg-type]

    return load_with_parts
