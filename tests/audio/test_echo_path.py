"""Telling headphones from loudspeakers by levels alone."""

from __future__ import annotations

import pytest

from app.audio.coherence import Share
from app.audio.echo_path import EchoPath

SILENCE_DB, SPEECH_DB = -120.0, -20.0


def _played(frame: int) -> float:
    """Three seconds of silence, then 0.3 s of speech and 0.3 s of pause in turn."""
    return SPEECH_DB if frame >= 300 and frame // 30 % 2 == 0 else SILENCE_DB


def test_nothing_heard_means_headphones_within_two_seconds() -> None:
    path = EchoPath()
    for frame in range(500):
        path.look(SILENCE_DB, _played(frame))
    assert not path.exists


@pytest.mark.parametrize("late", [0, 4, 20, 35, 55])
def test_a_late_echo_with_pauses_is_an_echo_however_quiet_the_room(late: int) -> None:
    path = EchoPath()
    for frame in range(2_000):
        heard = _played(frame - late) - 12.0
        path.look(heard, _played(frame))
        assert path.exists


def _in_mid_answer() -> EchoPath:
    """Three seconds of silence, then an answer over which something is heard."""
    path = EchoPath()
    for frame in range(320):
        path.look(SPEECH_DB if frame >= 300 else SILENCE_DB, SPEECH_DB if frame >= 300 else SILENCE_DB)
    return path


def test_a_voice_over_the_answer_and_no_echo_in_it_means_headphones_at_once() -> None:
    path = _in_mid_answer()
    for _ in range(8):
        path.compare(Share(0.02, True), 0.0)
    assert not path.exists and path.compare(Share(0.02, True), 0.0) and path.compare(Share(0.0, False), 0.0)
    for _ in range(5):
        path.compare(Share(0.8, True), 0.0)
    assert path.exists, "the plug was pulled"


def test_what_is_uncertain_or_quiet_tells_nothing() -> None:
    path = _in_mid_answer()
    for _ in range(50):
        assert not path.compare(Share(0.0, False), 0.0)
    assert path.exists
    for _ in range(30):
        path.look(SILENCE_DB, SPEECH_DB)
    for _ in range(50):
        path.compare(Share(0.0, True), 0.0)
    assert path.exists, "only the noise of the room was heard"


def test_of_an_echo_with_a_voice_in_it_less_is_explained_than_of_the_rooms_own() -> None:
    path = _in_mid_answer()
    for _ in range(50):
        assert not path.compare(Share(0.8, True), 20.0), "the canceller has left nothing"
    assert path.compare(Share(0.4, True), 3.0) and not path.compare(Share(0.7, True), 3.0)
    for _ in range(50):
        assert not path.compare(Share(0.45, True), 20.0)
    assert not path.compare(Share(0.4, True), 3.0), "this room rings on"
    assert path.compare(Share(0.2, True), 3.0)


def test_a_chopped_echo_is_known_by_its_delay() -> None:
    path = _in_mid_answer()
    for _ in range(50):
        path.compare(Share(0.05, True), 40.0, usual_lag=True)
    assert path.exists
