"""The weather by voice."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from time import monotonic

from app.tools.registry import load_descriptions
from app.tools.tool import Arguments, Result, Tool, ToolFailure
from app.tools.weather.fetching import Bounds
from app.tools.weather.forecast import Day, ForecastError, Service, UnknownPlaceError, find_place, forecast
from app.tools.words.dates import weekday
from app.tools.words.numbers import cardinal
from app.tools.words.plain import plain

OFF = "The weather comes from the internet, and that is switched off. You can allow it in the settings, under privacy."
_LIKELY_PERCENT, _POSSIBLE_PERCENT = 60, 30
_SKIES = {
    0: "clear skies",
    1: "mostly clear skies",
    2: "some clouds",
    3: "overcast skies",
    45: "fog",
    48: "freezing fog",
    51: "light drizzle",
    53: "drizzle",
    55: "heavy drizzle",
    56: "freezing drizzle",
    57: "freezing drizzle",
    61: "light rain",
    63: "rain",
    65: "heavy rain",
    66: "freezing rain",
    67: "freezing rain",
    71: "light snow",
    73: "snow",
    75: "heavy snow",
    77: "snow grains",
    80: "light showers",
    81: "showers",
    82: "heavy showers",
    85: "snow showers",
    86: "heavy snow showers",
    95: "thunderstorms",
    96: "thunderstorms with hail",
    99: "thunderstorms with hail",
}
_SNOW = frozenset({71, 73, 75, 77, 85, 86})

_log = logging.getLogger(__name__)


def weather_tool(
    allowed: Callable[[], bool],
    service: Service = Service(),  # noqa: B008 (frozen)
    bounds: Bounds = Bounds(),  # noqa: B008 (frozen)
) -> Tool:
    """`allowed` is asked every time: without it not a byte goes out. `bounds` are for both questions together."""

    def run(arguments: Arguments) -> Result:
        if not allowed():
            raise ToolFailure(OFF)
        asked, city = arguments.get("day", "today"), arguments["city"]
        begun = monotonic()
        try:
            place = find_place(city, service, bounds)
            left = max(0.1, bounds.total_s - (monotonic() - begun))
            days = forecast(place, service, replace(bounds, total_s=left))
        except UnknownPlaceError as error:
            raise ToolFailure(f"The weather service knows no place called {plain(city)}.") from error
        except ForecastError as error:
            _log.warning("weather: %s", error)
            raise ToolFailure("The weather service gave me no answer, so please check your connection.") from error
        day = _asked_for(asked, days)
        spoken_day = asked if asked in ("today", "tomorrow") else f"on {weekday(day.day)}"
        data = {
            "city": plain(place.name),
            "day": asked,
            "spoken_day": spoken_day,
            "spoken_summary": summary(day),
            "spoken_rain": rain(day),
        }
        return Result(data, f"{place.name}, {day.day.isoformat()}: {_sky(day)}, {day.low:.0f} to {day.high:.0f} °C")

    return Tool(load_descriptions()["get_weather"], run)


def _asked_for(asked: str, days: Sequence[Day]) -> Day:
    if asked in ("today", "tomorrow"):
        number = int(asked == "tomorrow")
        fitting = list(days[number : number + 1])
    else:
        fitting = [day for day in days if weekday(day.day).lower() == asked]
    if not fitting:
        raise ToolFailure("There is no forecast for that day yet.")
    return fitting[0]


def summary(day: Day) -> str:
    """ "light rain and a high of twelve degrees"."""
    high = round(day.high)
    return f"{_sky(day)} and a high of {cardinal(high)} {'degree' if abs(high) == 1 else 'degrees'}"


def rain(day: Day) -> str:
    """ "rain is likely"."""
    what = "snow" if day.code in _SNOW else "rain"
    if day.rain_percent is None:
        return f"{what} is likely" if day.code >= 51 else "rain is unlikely"
    if day.rain_percent >= _LIKELY_PERCENT:
        return f"{what} is likely"
    return f"{what} is possible" if day.rain_percent >= _POSSIBLE_PERCENT else f"{what} is unlikely"


def _sky(day: Day) -> str:
    return _SKIES.get(day.code, "mixed weather")
