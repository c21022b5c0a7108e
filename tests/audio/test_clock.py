"""Times of a device's samples, out of the stamps of its callbacks."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from app.audio.clock import SampleClock, stamp
from app.audio.devices import LATENCY_VARIABLE, latency_s


def test_a_late_callback_does_not_move_the_clock() -> None:
    clock = SampleClock(16_000)
    assert clock.start() is None
    for block in range(100):
        late = 0.5 if block % 4 == 0 else 0.0
        clock.note(block * 160, 3.0 + block * 0.01 + late)
    assert clock.start() == pytest.approx(3.0)


def test_a_lasting_delay_does() -> None:
    clock = SampleClock(16_000)
    for block in range(100):
        clock.note(block * 160, 3.0 + block * 0.01)
    for block in range(100, 200):
        clock.note(block * 160, 3.2 + block * 0.01)
    assert clock.start() == pytest.approx(3.2)


def test_large_buffers_do_not_hide_a_delay_for_long() -> None:
    clock = SampleClock(16_000)
    for block in range(50):
        clock.note(block * 4_000, 3.0 + block * 0.25)
    for block in range(50, 53):
        clock.note(block * 4_000, 3.2 + block * 0.25)
    assert clock.start() == pytest.approx(3.2)


def test_only_differences_of_the_devices_own_clock_count() -> None:
    when = SimpleNamespace(currentTime=9_000.0, inputBufferAdcTime=8_999.98, outputBufferDacTime=9_000.05)
    assert stamp(5.0, when, output=True, latency=1.0) == pytest.approx(5.05)
    assert stamp(5.0, when, output=False, latency=1.0) == pytest.approx(4.98)


@pytest.mark.parametrize("dac", [0.0, 9_000.0, 8_000.0, 9_100.0])
def test_senseless_stamps_give_way_to_the_streams_latency(dac: float) -> None:
    when = SimpleNamespace(currentTime=9_000.0, inputBufferAdcTime=0.0, outputBufferDacTime=dac)
    assert stamp(5.0, when, output=True, latency=0.25) == pytest.approx(5.25)
    assert stamp(5.0, when, output=False, latency=0.25) == pytest.approx(4.75)


@pytest.mark.parametrize(("value", "wanted"), [("", 0.03), ("200", 0.2), ("many", 0.03), ("-1", 0.03), ("9000", 0.03)])
def test_the_buffer_can_be_asked_for(monkeypatch: pytest.MonkeyPatch, value: str, wanted: float) -> None:
    monkeypatch.setenv(LATENCY_VARIABLE, value)
    assert latency_s(0.03) == wanted
