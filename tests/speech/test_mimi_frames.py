"""The own decoder of Mimi beside moshi's."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from app.speech.mimi_frames import MimiDecoder, MimiFrames

FRAMES = 135


@pytest.mark.slow
def test_frames_are_moshis_own_samples() -> None:
    pytest.importorskip("moshi")
    from app.full_size import random_mimi

    torch.manual_seed(0)
    mimi = random_mimi()
    codes = torch.randint(0, 2048, (8, FRAMES), generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        whole = mimi.decode(codes[None])[0, 0].numpy()
    decoder = MimiDecoder(mimi)
    # Longer than the attention looks back, and than its memory is before it is moved.
    first, second = MimiFrames(decoder), MimiFrames(decoder)
    frames = [first.step(codes[:, 0])]
    second.step(codes[:, 5])
    frames += [first.step(column) for column in codes.T[1:]]
    difference = np.abs(np.concatenate(frames) - whole).max()
    assert difference < 1e-4 * np.abs(whole).max()
