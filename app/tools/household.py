"""The tools that keep something or reach out: agenda, notes, and the computer itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.tools.agenda.alarm_clock import AlarmClock
from app.tools.agenda.tools import agenda_tools
from app.tools.notes import Notes, note_tools
from app.tools.system.applications import application_tool
from app.tools.system.installed import installed_applications
from app.tools.system.media import media_tool
from app.tools.system.mixers import Mixer, system_mixers
from app.tools.system.status import status_tool
from app.tools.system.voice import voice_tool
from app.tools.system.volume import volume_tool
from app.tools.tool import Tool
from app.tools.weather.tool import weather_tool


@dataclass(frozen=True)
class Household:
    """What these tools need of the program around them.

    `voices` are the names of the installed voices, `use_voice` takes one of them and raises OSError or ValueError.
    `network_allowed` is the user's setting. `own_volume` is that of Banter's playback, for where the computer's own
    cannot be reached.
    """

    alarms: AlarmClock
    notes: Notes
    voices: Callable[[], Sequence[str]]
    use_voice: Callable[[str], None]
    network_allowed: Callable[[], bool] = lambda: False
    own_volume: Mixer | None = None


def state_tools(household: Household) -> list[Tool]:
    """All of them, for this computer."""
    return [
        *agenda_tools(household.alarms),
        *note_tools(household.notes),
        weather_tool(household.network_allowed),
        volume_tool(system_mixers(), household.own_volume),
        media_tool(),
        application_tool(installed_applications),
        status_tool(),
        voice_tool(household.voices, household.use_voice),
    ]
