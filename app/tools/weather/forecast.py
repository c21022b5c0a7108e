"""What Open-Meteo answers, read strictly: whatever is not as it should be is no forecast."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from app.tools.weather.fetching import Bounds, FetchError, fetch_json

DAYS = 8
NAME_MOST = 80


class ForecastError(Exception):
    """The service did not answer, or answered nonsense."""


class UnknownPlaceError(ForecastError):
    """The service knows no such place."""


@dataclass(frozen=True)
class Service:
    """Where to ask."""

    places: str = "https://geocoding-api.open-meteo.com/v1/search"
    forecasts: str = "https://api.open-meteo.com/v1/forecast"


@dataclass(frozen=True)
class Place:
    """Degrees north and east."""

    name: str
    latitude: float
    longitude: float


@dataclass(frozen=True)
class Day:
    """One day at a place. `code`: the weather as the World Meteorological Organization numbers it. Degrees Celsius.

    `rain_percent`: how likely rain or snow is, None where it is not said.
    """

    day: date
    code: int
    high: float
    low: float
    rain_percent: int | None


def find_place(city: str, service: Service, bounds: Bounds) -> Place:
    """The best known place of that name. Raises ForecastError."""
    query = urlencode({"name": city, "count": 1, "language": "en", "format": "json"})
    answer = _fetched(f"{service.places}?{query}", bounds)
    found = _list(answer.get("results", []))
    if not found:
        raise UnknownPlaceError(city)
    place = found[0]
    if not isinstance(place, dict):
        raise ForecastError("no place")
    name = place.get("name")
    if not isinstance(name, str) or not 0 < len(name) <= NAME_MOST:
        raise ForecastError("a place without a name")
    return Place(name, _number(place.get("latitude"), 90.0), _number(place.get("longitude"), 180.0))


def forecast(place: Place, service: Service, bounds: Bounds) -> list[Day]:
    """The days from today on, by the calendar of the place. Raises ForecastError."""
    fields = "weather_code,temperature_2m_max,temperature_2m_min,precipitation_probability_max"
    query = urlencode(
        {
            "latitude": place.latitude,
            "longitude": place.longitude,
            "daily": fields,
            "timezone": "auto",
            "forecast_days": DAYS,
        }
    )
    daily = _fetched(f"{service.forecasts}?{query}", bounds).get("daily")
    if not isinstance(daily, dict):
        raise ForecastError("no days")
    columns = [_list(daily.get(name)) for name in ("time", *fields.split(","))]
    if len({len(column) for column in columns}) != 1:
        raise ForecastError("the days are not complete")
    days = [_day(*values) for values in zip(*columns, strict=True)]
    if not days or any(later.day - one.day != timedelta(days=1) for one, later in itertools.pairwise(days)):
        raise ForecastError("the days are not in order")
    return days


def _day(when: Any, code: Any, high: Any, low: Any, rain: Any) -> Day:
    try:
        day = date.fromisoformat(when)
    except (TypeError, ValueError) as error:
        raise ForecastError("no date") from error
    likely = None if rain is None else round(_number(rain, 100.0))
    return Day(day, round(_number(code, 99.0)), _number(high, 80.0), _number(low, 80.0), likely)


def _number(value: Any, most: float) -> float:
    """`value` where it is a number no further from zero than `most`."""
    # Written so that "not a number" is refused too.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= most:
        raise ForecastError(f"{str(value)[:40]} is no such number")
    return float(value)


def _fetched(url: str, bounds: Bounds) -> dict[str, Any]:
    try:
        answer = fetch_json(url, bounds)
    except FetchError as error:
        raise ForecastError(str(error)) from error
    if not isinstance(answer, dict):
        raise ForecastError("not an object")
    return answer


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ForecastError("no list")
    return value
