"""A hub on this computer that speaks like Hugging Face and like ModelScope, and misbehaves on demand."""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
#: Smaller than this, Hugging Face keeps a file in git itself and tells no SHA-256.
LARGE = 4_096
NONE: Mapping[str, str] = {}

Misdeed = Callable[["Handler", bytes], None]


class Hub:
    """Repositories by their names, each file by its path; what is done wrong is set per file, for one request each."""

    def __init__(self) -> None:
        self.repos: dict[str, dict[str, bytes]] = {}
        self.misdeeds: dict[str, deque[Misdeed]] = {}
        self.requests: list[tuple[str, str | None]] = []
        self.commit = COMMIT
        self.address = ""

    def misbehave(self, name: str, *misdeeds: Misdeed) -> None:
        """Answer the next requests for the file (or "listing") in these ways, one each."""
        self.misdeeds.setdefault(name, deque()).extend(misdeeds)

    def asked_for(self, name: str) -> list[str | None]:
        """The `Range` of every request for a file, None for those without."""
        return [wanted for asked, wanted in self.requests if asked == name]


class Handler(BaseHTTPRequestHandler):
    """Answers for a `Hub`."""

    protocol_version = "HTTP/1.1"
    hub: Hub

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        with contextlib.suppress(OSError):
            self._answer()

    def _answer(self) -> None:
        parts = urlsplit(self.path)
        path, query = unquote(parts.path), parse_qs(parts.query)
        body: bytes | None
        if path.startswith("/api/v1/models/") and path.endswith("/repo/files"):
            name, body = "listing", self._modelscope(path.split("/repo/")[0].removeprefix("/api/v1/models/"))
        elif path.startswith("/api/v1/models/"):
            repo, name = path.removeprefix("/api/v1/models/").removesuffix("/repo"), query["FilePath"][0]
            body = self.hub.repos.get(repo, {}).get(name)
        elif path.startswith("/api/models/"):
            repo = path.removeprefix("/api/models/").split("/revision/")[0]
            name, body = "listing", self._huggingface(repo)
        else:
            repo, _, rest = path.lstrip("/").partition("/resolve/")
            name = rest.partition("/")[2]
            body = self.hub.repos.get(repo, {}).get(name)
        self.hub.requests.append((name, self.headers.get("Range")))
        waiting = self.hub.misdeeds.get(name)
        if waiting:
            waiting.popleft()(self, body or b"")
        elif body is None:
            self.send(404, b"Entry not found")
        else:
            self.give(body)

    def give(self, body: bytes) -> None:
        """The file, or the rest of it where that is asked for."""
        start = self.start()
        if start is None:
            self.send(200, body)
        elif start >= len(body):
            self.send(416, b"", headers={"Content-Range": f"bytes */{len(body)}"})
        else:
            self.send(206, body[start:], headers={"Content-Range": f"bytes {start}-{len(body) - 1}/{len(body)}"})

    def start(self) -> int | None:
        """Where the asked for range begins."""
        wanted = self.headers.get("Range", "")
        return int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else None

    def send(self, status: int, body: bytes, length: int | None = None, headers: Mapping[str, str] = NONE) -> None:
        """An answer with these headers."""
        self.send_response(status)
        for name, value in {"Content-Type": "application/octet-stream", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def _huggingface(self, repo: str) -> bytes | None:
        files = self.hub.repos.get(repo)
        if files is None:
            return None
        siblings = []
        for name, body in files.items():
            one: dict[str, object] = {"rfilename": name, "size": len(body)}
            one["blobId"] = hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()
            if len(body) > LARGE:
                digest = hashlib.sha256(body).hexdigest()
                one["lfs"] = {"sha256": digest, "size": len(body), "pointerSize": 134}
            siblings.append(one)
        return json.dumps({"id": repo, "sha": self.hub.commit, "siblings": siblings}).encode()

    def _modelscope(self, repo: str) -> bytes | None:
        files = self.hub.repos.get(repo)
        if files is None:
            return None
        entries = [
            {"Path": name, "Type": "blob", "Size": len(body), "Sha256": hashlib.sha256(body).hexdigest()}
            for name, body in files.items()
        ]
        entries.append({"Path": "pictures", "Type": "tree", "Size": 0})
        return json.dumps({"Code": 200, "Success": True, "Data": {"Files": entries}}).encode()


@contextmanager
def running() -> Iterator[Hub]:
    """A hub that answers at `address` until the end."""
    hub = Hub()
    handler = type("HandlerOfHub", (Handler,), {"hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    hub.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), name="hub")
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


# --- misdeeds


def cut(handler: Handler, body: bytes) -> None:
    """Break off after half of what was to come."""
    start = handler.start() or 0
    rest = body[start:]
    headers = {"Content-Range": f"bytes {start}-{len(body) - 1}/{len(body)}"} if start else {}
    handler.send(206 if start else 200, rest[: len(rest) // 2], len(rest), headers)
    handler.close_connection = True


def status(code: int, retry_after: str = "") -> Misdeed:
    """Answer with this status."""
    headers = {"Retry-After": retry_after} if retry_after else {}
    return lambda handler, body: handler.send(code, b"not now", headers=headers)


def other_content(handler: Handler, body: bytes) -> None:
    """The right size, the wrong bytes."""
    handler.send(200, bytes(len(body)))


def other_size(handler: Handler, body: bytes) -> None:
    """More than there should be."""
    handler.send(200, body + b"!")


def endless(handler: Handler, body: bytes) -> None:
    """More than there should be, without saying how much."""
    handler.send_response(200)
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.wfile.write(body + bytes(1 << 20))
    handler.close_connection = True


def no_range(handler: Handler, body: bytes) -> None:
    """All of it, whatever range was asked for."""
    handler.send(200, body)


def range_refused(handler: Handler, body: bytes) -> None:
    """No range at all."""
    handler.send(416, b"")


def other_range(handler: Handler, body: bytes) -> None:
    """Another range than the one that was asked for."""
    handler.send(206, body[1:], headers={"Content-Range": f"bytes 1-{len(body) - 1}/{len(body)}"})


def web_page(handler: Handler, body: bytes) -> None:
    """A page to log in, as hotels have it."""
    handler.send(200, b"<html>Welcome to our hotel</html>", headers={"Content-Type": "text/html; charset=utf-8"})


def to_itself(handler: Handler, body: bytes) -> None:
    """Go to where you are."""
    name = "listing" if handler.path.startswith("/api") else handler.path.rpartition("/")[2]
    # Before the answer: whoever gets that may give up at once.
    handler.hub.misbehave(name, to_itself)
    handler.send(302, b"", headers={"Location": handler.path})


class Gate:
    """Sends some bytes and then none until it is opened, or the other side has gone."""

    def __init__(self, share: float = 0.5) -> None:
        self.share = share
        self.reached = threading.Event()
        self._open = threading.Event()

    def open(self) -> None:
        """Send the rest."""
        self._open.set()

    def __call__(self, handler: Handler, body: bytes) -> None:
        rest = body[handler.start() or 0 :]
        first = int(len(rest) * self.share)
        start = len(body) - len(rest)
        headers = {"Content-Range": f"bytes {start}-{len(body) - 1}/{len(body)}"} if start else {}
        handler.send(206 if start else 200, rest[:first], len(rest), headers)
        handler.wfile.flush()
        self.reached.set()
        self._open.wait(60)
        handler.wfile.write(rest[first:])


def dripping(handler: Handler, body: bytes) -> None:
    """A byte now and then, so that no time-out of a socket ever strikes."""
    handler.send(200, b"", len(body))
    for at in range(len(body)):
        handler.wfile.write(body[at : at + 1])
        handler.wfile.flush()
        time.sleep(0.02)


def silent(handler: Handler, body: bytes) -> None:
    """No answer at all until the other side has gone."""
    handler.connection.settimeout(60)
    with contextlib.suppress(OSError):
        handler.connection.recv(1)
    handler.close_connection = True
