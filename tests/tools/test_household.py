"""All tools that keep something or reach out, put together as the window does it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.tools.agenda.alarm_clock import AlarmClock
from app.tools.agenda.clock import SystemClock
from app.tools.agenda.store import Store
from app.tools.household import Household, state_tools
from app.tools.notes import Notes
from app.tools.registry import Registry, load_descriptions
from app.tools.tool import ToolFailure

ROOT = Path(__file__).resolve().parents[2]
PURE = {
    "current_time", "current_date", "day_of_week_for", "calculate", "convert_units", "flip_coin", "roll_dice",
    "pick_random_number", "define_word",
}  # fmt: skip

SET_AND_LEAVE = """
import os, sys
from pathlib import Path
from app.tools.agenda.alarm_clock import AlarmClock
from app.tools.agenda.clock import SystemClock
from app.tools.agenda.store import Store

alarms = AlarmClock(Store(Path(sys.argv[1])), SystemClock())
alarms.add_timer(1, "tea")
alarms.add_timer(3600, "roast")
os._exit(9)
"""


def test_every_tool_that_is_described_is_there(tmp_path: Path) -> None:
    store, clock = Store(tmp_path / "agenda.db"), SystemClock()
    household = Household(AlarmClock(store, clock), Notes(store, clock), voices=lambda: ["Alma"], use_voice=print)
    registry = Registry(state_tools(household))
    assert set(registry.names) == set(load_descriptions()) - PURE
    weather, timer, notes = (registry.get(name) for name in ("get-weather", "set_timer", "take_note"))
    assert weather is not None and timer is not None and notes is not None
    with pytest.raises(ToolFailure, match="switched off"):
        weather.run({"city": "Leeds"})
    timer.run({"seconds": 60})
    notes.run({"text": "the key is under the pot"})
    assert len(household.alarms.listing()) == len(household.notes.all()) == 1
    store.close()


def test_what_a_killed_program_has_set_rings_in_the_next_one(tmp_path: Path) -> None:
    file = tmp_path / "agenda.db"
    done = subprocess.run([sys.executable, "-c", SET_AND_LEAVE, str(file)], cwd=ROOT, timeout=120, check=False)
    assert done.returncode == 9
    store = Store(file)
    alarms = AlarmClock(store, SystemClock())
    assert [one.label for one in alarms.listing()] == ["tea", "roast"]
    deadline = time.monotonic() + 60
    while not (fresh := alarms.due()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert [one.label for one in fresh] == ["tea"] and [one.label for one in alarms.listing()] == ["roast"]
    store.close()
