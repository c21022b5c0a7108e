"""Frames come back in order, decoded beside the network or not, and errors reach whoever takes."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from app.omni.decoding import FrameDecoding


class SlowDecoder:
    """Gives a frame full of its first code; code 9 cannot be decoded."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.threads: set[str] = set()

    def step(self, codes: torch.Tensor) -> NDArray[np.float32]:
        self.threads.add(threading.current_thread().name)
        time.sleep(self.seconds)
        if int(codes[0]) == 9:
            raise RuntimeError("no such code")
        return np.full(1920, float(codes[0]), np.float32)


def frame(code: int) -> NDArray[np.int64]:
    return np.full(8, code, np.int64)


@pytest.mark.parametrize("beside", [False, True])
def test_in_order_and_complete(beside: bool) -> None:
    decoder = SlowDecoder(0.002)
    heard: list[float] = []
    with FrameDecoding(decoder, beside=beside) as frames:
        for code in range(8):
            frames.put(frame(code))
            heard += [float(samples[0]) for samples in frames.take(wait=code == 0)]
            assert heard[:1] == [0.0]
            assert len(heard) >= code - 1
        heard += [float(samples[0]) for samples in frames.take(wait=True)]
    assert heard == [float(code) for code in range(8)]
    assert (threading.current_thread().name in decoder.threads) != beside
    assert not any(thread.name == "codec" for thread in threading.enumerate())


@pytest.mark.parametrize("beside", [False, True])
def test_an_error_is_raised_where_the_frame_is_taken(beside: bool) -> None:
    with FrameDecoding(SlowDecoder(), beside=beside) as frames, pytest.raises(RuntimeError, match="no such code"):
        frames.put(frame(9))
        frames.take(wait=True)


def test_leaving_early_ends_the_thread() -> None:
    with FrameDecoding(SlowDecoder(0.01), beside=True) as frames:
        for code in range(4):
            frames.put(frame(code))
    assert not any(thread.name == "codec" for thread in threading.enumerate())
