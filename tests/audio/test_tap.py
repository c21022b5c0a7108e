"""What is kept of the microphone and the loudspeaker: in step, only as long as wanted."""

from __future__ import annotations

import numpy as np
import pytest

from app.audio.reference import Reference
from app.audio.tap import CHUNK, CHUNK_S, RATE, SoundTap

BLOCK = RATE // 100


def ramp(first: int, count: int) -> np.ndarray:
    """A sound in which every sample tells its number, at 16 bits."""
    return ((np.arange(first, first + count) % 30_000) / 32_767).astype(np.float32)


def fill(tap: SoundTap, seconds: float, start: float = 50.0, doubtful: bool = False, first: int = 0) -> None:
    """A microphone that hears `ramp`, and a detector that gets its negative."""
    for at in range(0, round(seconds * RATE), BLOCK):
        tap.push(ramp(first + at, BLOCK), start + at / RATE)
    for index in range(round(seconds / CHUNK_S)):
        end = start + (index + 1) * CHUNK_S
        tap.push_chunks(-ramp(first + index * CHUNK, CHUNK), end, doubtful, True)


def test_a_take_is_in_whole_chunks_and_in_step() -> None:
    reference = Reference(RATE)
    tap = SoundTap(lambda: reference, 10.0)
    for at in range(0, RATE, BLOCK):
        reference.write(ramp(at + 7, BLOCK), 50.0 + at / RATE)
        tap.push(ramp(at, BLOCK), 50.0 + at / RATE)
    for index in range(31):
        tap.push_chunks(-ramp(index * CHUNK, CHUNK), 50.0 + (index + 1) * CHUNK_S, index > 5, True)
    take = tap.take(50.3, 50.8)
    assert take is not None and take.cancelled
    first = round((take.since - 50.0) * RATE)
    assert first % CHUNK == 0 and len(take.clean) % CHUNK == 0
    assert take.since <= 50.3 < take.since + CHUNK_S and 0.5 <= take.seconds < 0.5 + 2 * CHUNK_S
    np.testing.assert_allclose(take.raw, ramp(first, len(take.raw)), atol=1e-4)
    np.testing.assert_allclose(take.clean, -take.raw, atol=1e-4)
    np.testing.assert_allclose(take.reference, ramp(first + 7, len(take.raw)), atol=1e-4)
    assert all(take.doubtful) and len(take.doubtful) == len(take.clean) // CHUNK


def test_what_is_played_after_a_silence_is_kept_from_its_first_sample() -> None:
    reference = Reference(RATE)
    tap = SoundTap(lambda: reference, 10.0)
    played = np.zeros(4 * RATE, np.float32)
    played[:RATE] = ramp(1, RATE)
    played[3 * RATE + 70 :] = ramp(1, RATE - 70)
    ahead = RATE // 25
    for at in range(0, 4 * RATE - ahead, BLOCK):
        while reference.written < at + BLOCK + ahead:
            reference.write(played[reference.written :][:BLOCK], 50.0 + reference.written / RATE)
        tap.push(ramp(at, BLOCK), 50.0 + at / RATE)
    for index in range(120):
        tap.push_chunks(ramp(index * CHUNK, CHUNK), 50.0 + (index + 1) * CHUNK_S, False, True)
    take = tap.take(50.0, 54.0)
    assert take is not None
    np.testing.assert_allclose(take.reference, played[: len(take.reference)], atol=1e-4)


def test_only_the_last_seconds_are_kept() -> None:
    tap = SoundTap(lambda: None, 1.0)
    fill(tap, 5.0)
    take = tap.take(0.0, 100.0)
    assert take is not None and take.seconds == pytest.approx(1.0, abs=0.1)
    assert not take.reference.any()
    tap.keep_s = 0.0
    assert tap.take(0.0, 100.0) is None
    fill(tap, 1.0)
    assert tap.take(0.0, 100.0) is None


def test_a_change_of_devices_leaves_a_gap_of_its_length() -> None:
    tap = SoundTap(lambda: None, 10.0)
    fill(tap, 1.024)
    fill(tap, 1.024, start=50.0 + 2.048, first=9_000)
    take = tap.take(0.0, 100.0)
    assert take is not None and take.seconds == pytest.approx(3.072, abs=0.001)
    gap = slice(round(1.1 * RATE), round(2.0 * RATE))
    assert not take.raw[gap].any() and not take.clean[gap].any()
    again = round(2.048 * RATE)
    np.testing.assert_allclose(take.raw[again : again + CHUNK], ramp(9_000, CHUNK), atol=1e-4)
    np.testing.assert_allclose(take.clean[again : again + CHUNK], -ramp(9_000, CHUNK), atol=1e-4)
