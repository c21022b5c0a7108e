"""The ring between a device callback and a thread."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.audio.ring import Ring


@given(st.integers(1, 40), st.lists(st.tuples(st.booleans(), st.integers(0, 60)), max_size=60))
def test_what_goes_in_comes_out(capacity: int, steps: list[tuple[bool, int]]) -> None:
    ring = Ring(capacity)
    sent = 0
    got: list[float] = []
    for is_write, count in steps:
        if is_write:
            room = ring.writable
            taken = ring.write(np.arange(sent, sent + count, dtype=np.float32))
            assert taken == min(count, room)
            sent += taken
        else:
            out = np.zeros(count, np.float32)
            waiting = ring.readable
            n = ring.read_into(out)
            assert n == min(count, waiting)
            got.extend(out[:n])
        assert ring.readable + ring.writable == capacity
    assert got == list(range(len(got)))


def test_skipping_never_goes_back_or_beyond() -> None:
    ring = Ring(10)
    ring.write(np.arange(8, dtype=np.float32))
    ring.skip_to(5)
    ring.skip_to(2)
    assert ring.readable == 3
    ring.skip_to(100)
    assert ring.readable == 0 and ring.writable == 10


def test_two_threads() -> None:
    ring, total = Ring(97), 10_000
    got: list[float] = []

    def produce() -> None:
        sent = 0
        while sent < total:
            sent += ring.write(np.arange(sent, min(total, sent + 41), dtype=np.float32))
            time.sleep(0)

    thread = threading.Thread(target=produce)
    thread.start()
    out = np.zeros(31, np.float32)
    while len(got) < total:
        got.extend(out[: ring.read_into(out)].tolist())
        time.sleep(0)
    thread.join()
    assert got == list(range(total))


def test_no_room_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        Ring(0)
