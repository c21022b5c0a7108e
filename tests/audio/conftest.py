"""Sound card and test speech for the audio tests."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.virtual_audio import VirtualCard, missing, virtual_card


@pytest.fixture
def card() -> Iterator[VirtualCard]:
    """A private virtual sound card; the test is skipped where it cannot run."""
    if reason := missing():
        pytest.skip(reason)
    with virtual_card() as it:
        yield it


@pytest.fixture(scope="session")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A WAV file of espeak-ng speech, about 3 s."""
    if shutil.which("espeak-ng") is None:
        pytest.skip("needs espeak-ng: apt-get install espeak-ng")
    file = tmp_path_factory.mktemp("speech") / "say.wav"
    subprocess.run(
        ["espeak-ng", "-v", "en-us", "-s", "150", "-w", str(file), "Turn on the light, and set a timer."],
        check=True,
    )
    return file
