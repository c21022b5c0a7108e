"""One request to a larger model, within bounds of time and size, which can be cut from any thread."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass

from app.brain.address import Address, BrainError

MODELS_MOST = 200
NAME_MOST = 200
_BODY_MOST_BYTES = 1 << 20
_LINE_MOST_BYTES = 64 << 10
_TOKENS = 600


@dataclass(frozen=True)
class Bounds:
    """Seconds to connect, until the first words, between words, and for all of it."""

    connect_s: float = 2.0
    first_s: float = 30.0
    quiet_s: float = 15.0
    total_s: float = 90.0
    list_s: float = 5.0


USUAL = Bounds()


class CutError(Exception):
    """The request was given up."""


class Request:
    """Used once, on one thread; `cut` may be called on any."""

    def __init__(self, address: Address, bounds: Bounds = USUAL) -> None:
        self._address = address
        self._bounds = bounds
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._is_cut = False
        # Why it was cut, where its time was over.
        self._late: BrainError | None = None

    def cut(self) -> None:
        """Give it up: the connection ends at once."""
        with self._lock:
            self._is_cut = True
            if self._socket is not None:
                with contextlib.suppress(OSError):
                    self._socket.shutdown(socket.SHUT_RDWR)

    def models(self) -> list[str]:
        """The models there are, by name. Raises BrainError, CutError."""
        late = BrainError(f"{self._address.name} does not answer in time: see whether the program there is well.")
        with self._within(self._bounds.list_s, late), self._errors("", late):
            answer = self._answer("GET", "/models", None, self._bounds.list_s, "")
            body = answer.read(_BODY_MOST_BYTES + 1)
            return sorted(_names(body if len(body) <= _BODY_MOST_BYTES else b""), key=str.casefold)

    def words(self, model: str, messages: list[dict[str, str]]) -> Iterator[str]:
        """What `model` writes as an answer to `messages`, piece by piece as it comes. Raises BrainError, CutError."""
        bounds = self._bounds
        slow = BrainError(
            f"{model} did not begin to answer in {bounds.first_s:.0f} seconds: ask again, or choose a smaller model."
        )
        long = BrainError(f"{model} took too long, so the rest of its answer is left out: choose a smaller model.")
        broken = BrainError(f"The answer of {model} broke off: ask again, and see whether the program is well.")
        body = {"model": model, "messages": messages, "stream": True, "max_tokens": _TOKENS}
        first = self._timer(bounds.first_s, slow)
        with self._within(bounds.total_s, long), contextlib.closing(_Timers(first)), self._errors(model, broken):
            answer = self._answer("POST", "/chat/completions", json.dumps(body).encode(), bounds.first_s, model)
            while (line := answer.readline(_LINE_MOST_BYTES)).strip() != b"data: [DONE]":
                if not line:
                    raise self._late or broken
                if not line.endswith(b"\n"):
                    raise ValueError("a line without an end")
                piece, ended = _delta(line)
                if piece:
                    first.cancel()
                    self._wait_at_most(bounds.quiet_s)
                    yield piece
                if ended:
                    return

    # --- inside

    def _answer(
        self, method: str, path: str, body: bytes | None, patience_s: float, model: str
    ) -> http.client.HTTPResponse:
        address, bounds = self._address, self._bounds
        connection = http.client.HTTPConnection(address.host, address.port, timeout=bounds.connect_s)
        if address.secure:
            context = ssl.create_default_context()
            connection = http.client.HTTPSConnection(
                address.host, address.port, timeout=bounds.connect_s, context=context
            )
        try:
            connection.connect()
        except OSError as error:
            self._raise_if_cut()
            raise BrainError(
                f"Nothing answers at {address.name}: start the program there, or correct the address in the settings."
            ) from error
        with self._lock:
            self._socket = connection.sock
        self._raise_if_cut()
        self._wait_at_most(patience_s)
        headers = {"Accept": "text/event-stream, application/json", "User-Agent": "Banter", "Connection": "close"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection.request(method, address.path + path, body, headers)
        answer = connection.getresponse()
        if answer.status != 200:
            raise BrainError(_refused(answer.status, address, model))
        return answer

    def _wait_at_most(self, seconds: float) -> None:
        with self._lock:
            if self._socket is not None:
                self._socket.settimeout(seconds)

    def _raise_if_cut(self) -> None:
        if self._late is not None:
            raise self._late
        if self._is_cut:
            raise CutError

    @contextlib.contextmanager
    def _errors(self, model: str, silent: BrainError) -> Iterator[None]:
        """Tells in a sentence what goes wrong inside; `silent` where nothing more comes."""
        try:
            yield
        except (OSError, http.client.HTTPException) as error:
            self._raise_if_cut()
            raise silent from error
        except (ValueError, RecursionError) as error:
            self._raise_if_cut()
            raise BrainError(_foreign(self._address)) from error
        except BrainError:
            self._raise_if_cut()
            raise
        finally:
            # The buffers of the connection may outlive it.
            self._close()

    def _close(self) -> None:
        with self._lock:
            if self._socket is not None:
                with contextlib.suppress(OSError):
                    self._socket.shutdown(socket.SHUT_RDWR)
                self._socket.close()

    @contextlib.contextmanager
    def _within(self, seconds: float, late: BrainError) -> Iterator[None]:
        with contextlib.closing(_Timers(self._timer(seconds, late))):
            yield

    def _timer(self, seconds: float, late: BrainError) -> threading.Timer:
        def over() -> None:
            self._late = late
            self.cut()

        timer = threading.Timer(seconds, over)
        timer.daemon = True
        timer.start()
        return timer


class _Timers:
    def __init__(self, timer: threading.Timer) -> None:
        self._timer = timer

    def close(self) -> None:
        self._timer.cancel()


def _refused(status: int, address: Address, model: str) -> str:
    if status in (401, 403):
        return f"The program at {address.name} wants a key, which Banter has none of: switch that off there."
    if status == 404:
        if model:
            return f"The program at {address.name} has no model {model}: choose another one in the settings."
        return _foreign(address)
    if status >= 500:
        return f"The program at {address.name} reports a fault of its own (error {status}): restart it, or ask again."
    return f"The program at {address.name} refuses the question (error {status}): choose another model in the settings."


def _foreign(address: Address) -> str:
    return f"What answers at {address.name} is no chat program: correct the address in the settings."


def _delta(line: bytes) -> tuple[str, bool]:
    """The words in a line of the stream, and whether they are the last. Raises ValueError for anything else."""
    text = line.decode("utf-8").strip()
    if not text or text.startswith((":", "event:", "id:", "retry:")):
        return "", False
    if not text.startswith("data:"):
        raise ValueError("not a line of an event stream")
    record = json.loads(text.removeprefix("data:"))
    if not isinstance(record, dict) or record.get("error"):
        raise ValueError("no answer")
    choices = record.get("choices")
    if not isinstance(choices, list) or not all(isinstance(one, dict) for one in choices):
        raise ValueError("no choices")
    if not choices:
        # The figures of the whole, which some send at the end.
        return "", False
    delta = choices[0].get("delta") or {}
    words = delta.get("content") if isinstance(delta, dict) else None
    return (words if isinstance(words, str) else ""), choices[0].get("finish_reason") is not None


def _names(body: bytes) -> list[str]:
    record = json.loads(body.decode("utf-8"))
    rows = record.get("data") if isinstance(record, dict) else None
    if not isinstance(rows, list):
        raise ValueError("no list of models")
    names = [row.get("id") for row in rows if isinstance(row, dict)]
    fit = (one for one in names if isinstance(one, str) and 0 < len(one) <= NAME_MOST and one.isprintable())
    return list(dict.fromkeys(fit))[:MODELS_MOST]
