"""A small real server of the chat-completions protocol, whose models behave well or badly by their names."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ANSWER = "Honey keeps for years. It holds **hardly any** water, so nothing can grow in it!"


class ChatServer:
    """`answers` are what its models say, in pieces. `asked` are the questions it was sent, `cut` counts the answers
    whose reader has gone before their end; `go` lets those go on that wait.
    """

    def __init__(self) -> None:
        self.answers: dict[str, list[str]] = {"small": [ANSWER[at : at + 4] for at in range(0, len(ANSWER), 4)]}
        self.asked: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.cut = 0
        self.changed = threading.Condition()
        self.go = threading.Event()
        self.closing = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            # Chunks, as the real ones send.
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                server.note(path=self.path)
                if self.path == "/v1/models":
                    names = [*server.answers, *server.oddities()]
                    self.whole(200, {"object": "list", "data": [{"id": name} for name in names]})
                else:
                    self.whole(404, {"error": {"message": "no such page"}})

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.note(path=self.path, asked=body)
                try:
                    server.serve(self, str(body["model"]))
                except OSError:
                    server.note(cut=1)
                    self.close_connection = True

            def whole(self, status: int, record: Any) -> None:
                body = record if isinstance(record, bytes) else json.dumps(record).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def begin(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()

            def chunk(self, data: bytes) -> None:
                self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
                self.wfile.flush()

            def event(self, words: str | None, ended: str | None = None) -> None:
                choice = {"index": 0, "delta": {} if words is None else {"content": words}, "finish_reason": ended}
                self.chunk(b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n")

            def end(self) -> None:
                self.event(None, "stop")
                self.chunk(b'data: {"choices": [], "usage": {"total_tokens": 9}}\n\ndata: [DONE]\n\n')
                self.chunk(b"")

            def log_message(self, *_: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = False
        self.port = int(self._http.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}"

    def oddities(self) -> dict[str, Callable[[Any], None]]:
        """What its bad models do, by their names."""
        return {
            "slow": self._slow,
            "halting": self._halting,
            "cut": self._cut,
            "cut-at-once": self._cut_at_once,
            "faulty": lambda to: to.whole(500, {"error": {"message": "out of memory"}}),
            "locked": lambda to: to.whole(401, {"error": {"message": "no key"}}),
            "garbage": self._garbage,
            "page": lambda to: to.whole(200, b"<html><body>Welcome</body></html>\n"),
            "endless": self._endless,
            "dripping": self._dripping,
            "late-error": self._late_error,
        }

    def serve(self, to: Any, model: str) -> None:
        """Answer one question."""
        if model in self.answers:
            to.begin()
            to.chunk(b": here it comes\n\n")
            to.event("")
            for piece in self.answers[model]:
                to.event(piece)
            to.end()
        elif model in self.oddities():
            self.oddities()[model](to)
        else:
            to.whole(404, {"error": {"message": f"model '{model}' not found"}})

    def note(self, path: str = "", asked: dict[str, Any] | None = None, cut: int = 0) -> None:
        """Keep count of what happens."""
        with self.changed:
            self.paths += [path] if path else []
            self.asked += [] if asked is None else [asked]
            self.cut += cut
            self.changed.notify_all()

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait until `condition`."""
        with self.changed:
            assert self.changed.wait_for(condition, 60)

    # --- bad models

    def _slow(self, to: Any) -> None:
        """Loads for as long as the test wants."""
        while not (self.go.wait(0.02) or self.closing.is_set()):
            to.wfile.flush()
        to.begin()
        to.event("Here I am. ")
        to.end()

    def _halting(self, to: Any) -> None:
        """One sentence, and the next when the test says so; meanwhile it notices whether anybody reads."""
        to.begin()
        to.event("The first part is here. The")
        while not (self.go.wait(0.02) or self.closing.is_set()):
            to.chunk(b": still here\n\n")
        to.event(" second part too.")
        to.end()

    def _cut(self, to: Any) -> None:
        to.begin()
        to.event("This much is known. And then the")
        to.close_connection = True

    def _cut_at_once(self, to: Any) -> None:
        to.begin()
        to.event("And then")
        to.close_connection = True

    def _garbage(self, to: Any) -> None:
        to.begin()
        to.chunk(b'data: {"choices": [{"delta": {"content": "So ')
        to.chunk(b"\ndata: ]]]\n\n")
        to.chunk(b"")

    def _endless(self, to: Any) -> None:
        to.begin()
        while not self.closing.is_set():
            to.event("It goes on and on. ")

    def _dripping(self, to: Any) -> None:
        """Alive, byte by byte, and never a line."""
        to.begin()
        while not self.closing.wait(0.01):
            to.chunk(b":")

    def _late_error(self, to: Any) -> None:
        to.begin()
        to.event("It begins well. ")
        to.event("So it")
        to.chunk(b'data: {"error": {"message": "the context is full"}}\n\n')
        to.chunk(b"")

    # --- its life

    def run(self) -> None:
        """Serve until `close`."""
        self._http.serve_forever(0.02)

    def close(self) -> None:
        """End everything, and wait for its threads."""
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()


@contextmanager
def serving() -> Iterator[ChatServer]:
    """A server that runs meanwhile."""
    server = ChatServer()
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()
