"""How the computer is doing: battery, memory, disk."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import psutil

from app.tools.registry import load_descriptions
from app.tools.tool import Arguments, Result, Tool, ToolFailure
from app.tools.words.durations import spoken_duration
from app.tools.words.lists import spoken_list
from app.tools.words.numbers import decimal, percent

# Battery times are estimates.
_ESTIMATE_S = 600
# As disks are labelled and systems report them.
_GIGABYTE = 10**9


@dataclass(frozen=True)
class Battery:
    """`left_s` is an estimate, None where there is none."""

    percent: int
    plugged: bool
    left_s: float | None


@dataclass(frozen=True)
class Space:
    """Bytes."""

    free: int
    total: int


def status_tool() -> Tool:
    """Reads this computer."""

    def run(arguments: Arguments) -> Result:
        item = arguments["item"]
        battery, memory, disk = None, None, None
        try:
            if item in ("battery", "all"):
                battery = read_battery()
            if item in ("memory", "all"):
                usage = psutil.virtual_memory()
                memory = Space(usage.available, usage.total)
            if item in ("disk", "all"):
                space = psutil.disk_usage(str(Path.home()))
                disk = Space(space.free, space.total)
        except (OSError, psutil.Error) as error:
            raise ToolFailure from error
        spoken = spoken_list(told(item, battery, memory, disk))
        return Result({"item": item, "spoken_status": spoken}, _card(battery, memory, disk))

    return Tool(load_descriptions()["system_status"], run)


def read_battery() -> Battery | None:
    """None for a computer without one. Raises OSError."""
    # Missing on systems that psutil cannot ask.
    sensors = getattr(psutil, "sensors_battery", lambda: None)()
    if sensors is None:
        return None
    left = sensors.secsleft if sensors.secsleft and sensors.secsleft > 0 else None
    return Battery(round(sensors.percent), bool(sensors.power_plugged), left)


def told(item: str, battery: Battery | None, memory: Space | None, disk: Space | None) -> list[str]:
    """What to say about `item`, one part for each thing."""
    parts = []
    if battery is not None:
        parts.append(_battery(battery))
    elif item == "battery":
        parts.append("this computer has no battery")
    if memory is not None:
        parts.append(f"the memory has {gigabytes(memory.free)} free of {gigabytes(memory.total)}")
    if disk is not None:
        parts.append(f"the disk has {gigabytes(disk.free)} free of {gigabytes(disk.total)}")
    return parts


def _battery(battery: Battery) -> str:
    level = f"the battery is at {percent(battery.percent)}"
    if battery.plugged:
        return f"{level} and {'full' if battery.percent >= 100 else 'plugged in'}"
    if battery.left_s is None or battery.left_s < _ESTIMATE_S:
        return f"{level} and not plugged in"
    left = spoken_duration(round(battery.left_s / _ESTIMATE_S) * _ESTIMATE_S)
    return f"{level}, which should last about {left}"


def gigabytes(size: int) -> str:
    """ "three point five gigabytes", "two hundred gigabytes": the first decimal place only below ten."""
    value = Fraction(size, _GIGABYTE)
    rounded = round(value, 1) if value < 10 else Fraction(round(value))
    return f"{decimal(rounded)} {'gigabyte' if rounded == 1 else 'gigabytes'}"


def _card(battery: Battery | None, memory: Space | None, disk: Space | None) -> str:
    parts = [f"battery {battery.percent} %"] if battery is not None else []
    for name, space in (("memory", memory), ("disk", disk)):
        if space is not None:
            parts.append(f"{name} {space.free / _GIGABYTE:.1f} of {space.total / _GIGABYTE:.1f} GB free")
    return ", ".join(parts)
