"""A timer that is asked for aloud: the real window, the bundled model, and the bell from the loudspeaker.

tests/tools/virtual_audio.sh run -- tests/tools/xvfb.sh python -m pytest -m live tests/live
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.gui.tools.chime import STRIKES, chime
from tests.live.room import PROGRAMS, ROOT, Room, skip_without, until

pytestmark = [pytest.mark.live, pytest.mark.slow]

STARTER = ROOT / "models" / "starter"
#: Of the bell against what is heard, at the best place; speech stays far below.
ALIKE = 0.6


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """The window with the bundled model, ready and listening."""
    if not (STARTER / "slots.safetensors").exists():
        pytest.skip("this model cannot call tools")
    skip_without(*PROGRAMS)
    room = Room("app", tmp_path)
    try:
        room.wait_ready()
        yield room
    finally:
        room.close()


def bell_in(heard: NDArray[np.float32]) -> float:
    """Highest correlation of one strike of the bell with what is heard, 1 for the bell alone."""
    strike = chime()[: len(chime()) // STRIKES]
    if len(heard) < len(strike):
        return 0.0
    size = len(heard) + len(strike)
    spectrum = np.fft.rfft(heard, size) * np.conj(np.fft.rfft(strike, size))
    product = np.fft.irfft(spectrum, size)[: len(heard) - len(strike) + 1]
    energy = np.cumsum(np.concatenate([[0.0], heard.astype(np.float64) ** 2]))
    power = energy[len(strike) :] - energy[: -len(strike)]
    return float(np.max(product / np.sqrt(np.maximum(power, 1e-3) * np.sum(strike**2))))


def test_a_spoken_timer_rings(room: Room) -> None:
    room.say("Set a timer for ten seconds.").wait(timeout=60)
    until(lambda: "assistant" in room.sides(), "the answer")
    question, answer = room.transcript()[:2]
    assert "timer" in question["text"].lower()
    assert "ten seconds" in answer["text"], answer
    assert bell_in(room.heard()) < ALIKE
    until(lambda: bell_in(room.heard()) > ALIKE, "the bell", patience=60)
