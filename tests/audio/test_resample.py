"""Streaming resampling: no seams, nothing lost."""

from __future__ import annotations

import numpy as np
import pytest

from app.audio.level import FLOOR_DB, rms_db
from app.audio.resample import Resampler


@pytest.mark.parametrize(
    ("rates", "pieces"),
    [((48_000, 16_000), 480), ((44_100, 16_000), 441), ((24_000, 44_100), 1_920), ((24_000, 48_000), 7)],
)
def test_a_sine_through_pieces_has_no_seams(rates: tuple[int, int], pieces: int) -> None:
    source, target = rates
    resampler = Resampler(source, target)
    sine = (0.5 * np.sin(2 * np.pi * 440 * np.arange(source) / source)).astype(np.float32)
    out = [resampler.push(sine[at : at + pieces]) for at in range(0, len(sine), pieces)]
    got = np.concatenate([*out, resampler.flush()])
    assert len(got) == pytest.approx(target, abs=2)
    middle = slice(target // 20, -target // 20)
    wanted = 0.5 * np.sin(2 * np.pi * 440 * np.arange(len(got)) / target)
    assert np.abs(got - wanted)[middle].max() < 1e-3


def test_equal_rates_pass_through() -> None:
    resampler = Resampler(16_000, 16_000)
    samples = np.arange(5, dtype=np.float32)
    assert resampler.push(samples) is samples
    assert len(resampler.flush()) == 0
    with pytest.raises(ValueError, match="positive"):
        Resampler(0, 16_000)


def test_level() -> None:
    assert rms_db(np.ones(100, np.float32)) == pytest.approx(0.0)
    assert rms_db(np.full(100, -0.1, np.float32)) == pytest.approx(-20.0)
    assert rms_db(np.zeros(100, np.float32)) == FLOOR_DB
    assert rms_db(np.zeros(0, np.float32)) == FLOOR_DB
