"""Telling headphones from loudspeakers by levels alone."""

from __future__ import annotations

import pytest

from app.audio.echo_path import EchoPath

SILENCE_DB, SPEECH_DB = -120.0, -20.0


def _played(frame: int) -> float:
    """Three seconds of silence, then 0.3 s of speech and 0.3 s of pause in turn."""
    return SPEECH_DB if frame >= 300 and frame // 30 % 2 == 0 else SILENCE_DB


def test_nothing_heard_means_headphones_within_two_seconds() -> None:
    path = EchoPath()
    for frame in range(500):
        path.look(SILENCE_DB, _played(frame), SILENCE_DB)
    assert not path.exists


@pytest.mark.parametrize("late", [0, 4, 20, 35, 55])
def test_a_late_echo_with_pauses_is_an_echo_however_quiet_the_room(late: int) -> None:
    path = EchoPath()
    for frame in range(2_000):
        heard = _played(frame - late) - 12.0
        path.look(heard, _played(frame), heard - 20.0)
        assert path.exists
