"""The weather against a real server on this computer, which also misbehaves; nothing goes out without leave."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tools.tool import Tool, ToolFailure
from app.tools.weather.fetching import BODY_MOST_BYTES, Bounds, FetchError, fetch_json
from app.tools.weather.forecast import Day, Service
from app.tools.weather.tool import OFF, rain, summary, weather_tool

# A Wednesday.
TODAY = date(2027, 3, 10)
BOUNDS = Bounds(connect_s=5.0, total_s=30.0)
Behaviour = Callable[[BaseHTTPRequestHandler], None]


def places() -> dict[str, Any]:
    return {"results": [{"name": "Leeds", "latitude": 53.8, "longitude": -1.55, "country": "United Kingdom"}]}


def days() -> dict[str, Any]:
    return {
        "daily_units": {"temperature_2m_max": "°C"},
        "daily": {
            "time": [(TODAY + timedelta(days=number)).isoformat() for number in range(8)],
            "weather_code": [61, 0, 3, 75, 95, 2, 45, 51],
            "temperature_2m_max": [11.6, 1.4, -3.2, 0.2, 20, 21.5, 7, 8],
            "temperature_2m_min": [4.0, -2.0, -9.0, -4.0, 12, 11, 2, 3],
            "precipitation_probability_max": [85, 0, 40, 90, None, 10, 20, 35],
        },
    }


class Weather:
    """A server of places and forecasts. `answers` may hold JSON, bytes, or a function that answers itself."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {"/places": places(), "/days": days()}
        self.asked: list[tuple[str, dict[str, list[str]]]] = []
        self.closing = threading.Event()
        weather = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                weather.asked.append((parts.path, parse_qs(parts.query)))
                answer = weather.answers[parts.path]
                try:
                    if callable(answer):
                        answer(self)
                    else:
                        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                        self.send_response(200)
                        self.send_header("Content-Length", str(len(body)))
                        self.end_headers()
                        self.wfile.write(body)
                except OSError:
                    # The client has gone.
                    self.close_connection = True

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # Only when it is closed are the threads of the answers waited for.
        self.server.daemon_threads = False
        port = self.server.server_address[1]
        self.service = Service(f"http://127.0.0.1:{port}/places", f"http://127.0.0.1:{port}/days")

    def tool(self, bounds: Bounds = BOUNDS, allowed: bool = True) -> Tool:
        return weather_tool(lambda: allowed, self.service, bounds)

    def fails(self, bounds: Bounds = BOUNDS) -> str:
        with pytest.raises(ToolFailure) as failure:
            self.tool(bounds).run({"city": "leeds"})
        return str(failure.value)


@contextmanager
def serving() -> Iterator[Weather]:
    weather = Weather()
    thread = threading.Thread(target=weather.server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield weather
    finally:
        weather.closing.set()
        weather.server.shutdown()
        thread.join()
        weather.server.server_close()


@pytest.fixture
def weather() -> Iterator[Weather]:
    with serving() as weather:
        yield weather


@pytest.mark.parametrize(
    ("day", "spoken_day", "spoken", "rain_spoken"),
    [
        (None, "today", "light rain and a high of twelve degrees", "rain is likely"),
        ("today", "today", "light rain and a high of twelve degrees", "rain is likely"),
        ("wednesday", "on Wednesday", "light rain and a high of twelve degrees", "rain is likely"),
        ("tomorrow", "tomorrow", "clear skies and a high of one degree", "rain is unlikely"),
        ("friday", "on Friday", "overcast skies and a high of minus three degrees", "rain is possible"),
        ("saturday", "on Saturday", "heavy snow and a high of zero degrees", "snow is likely"),
        ("sunday", "on Sunday", "thunderstorms and a high of twenty degrees", "rain is likely"),
    ],
)
def test_the_forecast_is_told_for_the_day(
    weather: Weather, day: str | None, spoken_day: str, spoken: str, rain_spoken: str
) -> None:
    data = weather.tool().run({"city": "leeds & co?", **({"day": day} if day else {})}).data
    assert data == {
        "city": "Leeds",
        "day": day or "today",
        "spoken_day": spoken_day,
        "spoken_summary": spoken,
        "spoken_rain": rain_spoken,
    }
    (_, place), (_, forecast) = weather.asked
    assert place["name"] == ["leeds & co?"], "the city is all that is told of the user"
    assert (forecast["latitude"], forecast["longitude"], forecast["timezone"]) == (["53.8"], ["-1.55"], ["auto"])


def test_without_leave_nothing_goes_out(weather: Weather) -> None:
    with pytest.raises(ToolFailure) as failure:
        weather.tool(allowed=False).run({"city": "Leeds"})
    assert str(failure.value) == OFF and weather.asked == []


def test_a_place_that_nobody_knows_is_said(weather: Weather) -> None:
    answers: list[dict[str, Any]] = [{}, {"results": []}]
    for nothing in answers:
        weather.answers["/places"] = nothing
        assert weather.fails() == "The weather service knows no place called leeds."


def status(code: int, **headers: str) -> Behaviour:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(code)
        for name, value in headers.items():
            request.send_header(name, value)
        request.send_header("Content-Length", "0")
        request.end_headers()

    return answer


def half(request: BaseHTTPRequestHandler) -> None:
    request.send_response(200)
    request.send_header("Content-Length", "1000")
    request.end_headers()
    request.wfile.write(b'{"results": [')


def rude(request: BaseHTTPRequestHandler) -> None:
    request.wfile.write(b"good morning\r\n\r\n")


def changed(**fields: Any) -> dict[str, Any]:
    answer = days()
    answer["daily"].update(fields)
    return answer


NO_ANSWER = "The weather service gave me no answer, so please check your connection."
BAD_PLACES: dict[str, Any] = {
    "an error": status(500),
    "nothing": status(204),
    "half an answer": half,
    "no HTTP": rude,
    "no JSON": b"<html>Please log in</html>",
    "no text": b"\xff\xfe{}",
    "deep": b"[" * 200_000,
    "huge": b'{"results": [' + b" " * BODY_MOST_BYTES + b"]}",
    "a list": [],
    "no list": {"results": {"name": "Leeds"}},
    "no object": {"results": ["Leeds"]},
    "no name": {"results": [{"latitude": 1, "longitude": 1}]},
    "a long name": {"results": [{"name": "L" * 500, "latitude": 1, "longitude": 1}]},
    "off the globe": {"results": [{"name": "Leeds", "latitude": 91, "longitude": 1}]},
    "not a number": b'{"results": [{"name": "Leeds", "latitude": NaN, "longitude": 1}]}',
    "a huge number": b'{"results": [{"name": "Leeds", "latitude": 1' + b"0" * 400 + b', "longitude": 1}]}',
    "true": {"results": [{"name": "Leeds", "latitude": True, "longitude": 1}]},
}
BAD_DAYS: dict[str, Any] = {
    "an error": status(503),
    "none": {},
    "no columns": {"daily": {}},
    "a short column": changed(weather_code=[1]),
    "a missing column": changed(weather_code=None),
    "text": changed(temperature_2m_max=["warm"] * 8),
    "hot as the sun": changed(temperature_2m_max=[5500.0] * 8),
    "no dates": changed(time=[7] * 8),
    "no order": changed(time=["2027-03-10"] * 8),
    "impossible": changed(precipitation_probability_max=[700] * 8),
}


@pytest.mark.parametrize("answer", BAD_PLACES.values(), ids=BAD_PLACES)
def test_nonsense_about_the_place_is_no_answer(weather: Weather, answer: Any) -> None:
    weather.answers["/places"] = answer
    assert weather.fails() == NO_ANSWER
    assert len(weather.asked) == 1


@pytest.mark.parametrize("answer", BAD_DAYS.values(), ids=BAD_DAYS)
def test_nonsense_about_the_days_is_no_answer(weather: Weather, answer: Any) -> None:
    weather.answers["/days"] = answer
    assert weather.fails() == NO_ANSWER


def test_a_redirection_is_not_followed(weather: Weather) -> None:
    weather.answers["/places"] = status(302, Location="/elsewhere")
    weather.answers["/elsewhere"] = places()
    assert weather.fails() == NO_ANSWER and [path for path, _ in weather.asked] == ["/places"]


def test_a_day_beyond_the_forecast_is_said(weather: Weather) -> None:
    answer = days()
    answer["daily"] = {name: column[:1] for name, column in answer["daily"].items()}
    weather.answers["/days"] = answer
    with pytest.raises(ToolFailure, match="no forecast for that day"):
        weather.tool().run({"city": "Leeds", "day": "tomorrow"})


def test_a_server_that_drips_its_answer_is_left(weather: Weather) -> None:
    def drip(request: BaseHTTPRequestHandler) -> None:
        # Each byte comes soon enough for a time-out of the socket, the whole never.
        request.wfile.write(b"HTTP/1.0 200 OK\r\nX: ")
        while not weather.closing.wait(0.02):
            request.wfile.write(b"x")
            request.wfile.flush()

    for path in ("/places", "/days"):
        weather.answers |= {"/places": places(), "/days": days()} | {path: drip}
        assert weather.fails(Bounds(connect_s=0.5, total_s=0.7)) == NO_ANSWER


def test_a_server_that_never_answers_is_left(weather: Weather) -> None:
    weather.answers["/places"] = lambda request: weather.closing.wait(60.0)
    before = time.monotonic()
    assert weather.fails(Bounds(connect_s=0.5, total_s=0.5)) == NO_ANSWER
    assert time.monotonic() - before < 60.0


def test_no_server_at_all_is_no_answer() -> None:
    with serving() as weather:
        pass
    assert weather.fails() == NO_ANSWER
    with pytest.raises(FetchError):
        fetch_json("http://127.0.0.1:1/", BOUNDS)


@given(
    st.integers(0, 99),
    st.floats(-80, 80),
    st.one_of(st.none(), st.integers(0, 100)),
)
def test_any_weather_has_words(code: int, high: float, rain_percent: int | None) -> None:
    day = Day(TODAY, code, high, -5.0, rain_percent)
    assert all(part.isalpha() for part in f"{summary(day)} {rain(day)}".split())
