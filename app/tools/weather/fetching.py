"""One JSON document from the network, within bounds of time and size."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

BODY_MOST_BYTES = 256 << 10


class FetchError(Exception):
    """There is no such document, or none within the bounds."""


@dataclass(frozen=True)
class Bounds:
    """`total_s` covers everything, from asking for the address of the server to the last byte."""

    connect_s: float = 2.0
    total_s: float = 8.0


class _Request:
    """Works on a thread of its own, because asking for an address and slow headers know no time-out."""

    def __init__(self, url: str, bounds: Bounds) -> None:
        self.body: bytes | None = None
        self.error = "no answer in time"
        self._url = url
        self._bounds = bounds
        self._sockets: list[socket.socket] = []
        self._ended = False
        self.thread = threading.Thread(target=self._work, name="fetch", daemon=True)

    def abort(self) -> None:
        """End the thread, unless it waits for an address."""
        self._ended = True
        for one in self._sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _work(self) -> None:
        opener = urllib.request.build_opener(_Plain(self), _Secure(self), _NoRedirect())
        request = urllib.request.Request(self._url, headers={"Accept": "application/json", "User-Agent": "Banter"})
        try:
            with opener.open(request, timeout=self._bounds.connect_s) as answer:
                body = answer.read(BODY_MOST_BYTES + 1)
        except (OSError, http.client.HTTPException, ValueError) as error:
            # URLError and the errors of TLS are OSErrors.
            if isinstance(error, urllib.error.HTTPError):
                error.close()
            self.error = f"{type(error).__name__}: {error}"
            return
        if len(body) > BODY_MOST_BYTES:
            self.error = "the answer is too large"
            return
        self.body = body

    def connected(self, connection: http.client.HTTPConnection) -> None:
        """The time to connect is over: from here on only the total counts."""
        connection.sock.settimeout(self._bounds.total_s)
        self._sockets.append(connection.sock)
        if self._ended:
            self.abort()


def fetch_json(url: str, bounds: Bounds = Bounds()) -> Any:
    """The JSON document at `url`, at most `BODY_MOST_BYTES` long; redirections are refused. Raises FetchError."""
    request = _Request(url, bounds)
    request.thread.start()
    request.thread.join(bounds.total_s)
    body = request.body
    if body is None:
        request.abort()
        raise FetchError(request.error)
    try:
        return json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise FetchError(f"no JSON: {error}") from error


def _factory(kind: type[http.client.HTTPConnection], request: _Request) -> Any:
    class Connection(kind):  # type: ignore[misc,valid-type]
        def connect(self) -> None:
            super().connect()
            request.connected(self)

    return Connection


class _Plain(urllib.request.HTTPHandler):
    def __init__(self, request: _Request) -> None:
        super().__init__()
        self._factory = _factory(http.client.HTTPConnection, request)

    def http_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(self._factory, req)


class _Secure(urllib.request.HTTPSHandler):
    def __init__(self, request: _Request) -> None:
        super().__init__()
        self._factory = _factory(http.client.HTTPSConnection, request)

    def https_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(self._factory, req)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None
