"""Telling an echo from another voice by what was played."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import pytest
import soxr
from numpy.typing import NDArray

from app.audio.coherence import RATE, EchoCoherence, Share

Samples = NDArray[np.float32]


@pytest.fixture(scope="module")
def speech(spoken: Path) -> Samples:
    with wave.open(str(spoken)) as source:
        raw = np.frombuffer(source.readframes(source.getnframes()), "<i2").astype(np.float32) / 32_768
        rate = source.getframerate()
    return np.asarray(soxr.resample(raw, rate, RATE), np.float32)[: 2 * RATE]


def _looks(heard: Samples, played: Samples) -> list[Share]:
    coherence, out = EchoCoherence(), []
    for at in range(0, len(heard) - 479, 480):
        coherence.push(heard[at : at + 480], played[at : at + 480])
        share = coherence.look()
        if share is not None and at > RATE:
            out.append(share)
    return out


@pytest.mark.parametrize("delay", [0, 640, 3_200, 12_000])
def test_an_echo_is_explained_and_its_delay_found(speech: Samples, delay: int) -> None:
    rng = np.random.default_rng(2)
    heard = np.concatenate((np.zeros(delay, np.float32), 0.5 * speech))[: len(speech)]
    shares = _looks(heard + rng.normal(0, 1e-4, len(heard)).astype(np.float32), speech)
    sure = [share for share in shares if share.certain]
    assert len(sure) > len(shares) / 2
    assert np.median([share.explained for share in sure]) > 0.7
    assert np.median([abs(share.lag - delay) for share in sure]) <= 2


def test_another_voice_is_not_explained(speech: Samples) -> None:
    sure = [share for share in _looks(speech[::-1].copy(), speech) if share.certain]
    assert len(sure) > 10
    assert max(share.explained for share in sure) < 0.2


def test_nothing_is_said_where_nothing_is_played_or_heard(speech: Samples) -> None:
    assert _looks(speech, np.zeros_like(speech)) == []
    assert _looks(np.zeros_like(speech), speech) == []


def test_the_past_is_kept_and_can_be_replaced() -> None:
    coherence = EchoCoherence()
    coherence.push(np.zeros(300, np.float32), np.arange(300, dtype=np.float32))
    assert list(coherence.played(3, 0)) == [297, 298, 299]
    assert list(coherence.played(3, 100)) == [197, 198, 199]
    coherence.push_played(np.arange(100_000, dtype=np.float32))
    assert list(coherence.played(2, 1)) == [99_997, 99_998]
