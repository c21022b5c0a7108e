"""One Banter per user and data folder: who is first listens, who comes later tells the first one what to do."""

from __future__ import annotations

import contextlib
import getpass
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QElapsedTimer, QLockFile, QObject
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from app import paths

SHOW, TOGGLE_TALK, QUIT = "show", "toggle-talk", "quit"
CONNECT_MS = 1_000
ANSWER_MS = 4_000
# The window's thread may be busy for a moment while the first one begins to listen.
LOCK_MS = 5_000
_MOST_BYTES = 10_000
# A socket's path may have 104 bytes on some systems.
_MOST_PATH = 100
# By this the desktop knows that the user wants the window in front now.
_TOKEN = "XDG_ACTIVATION_TOKEN"

NO_ANSWER = "Banter is running but does not answer: wait a moment, or end it and start it again."


def name() -> str:
    """Where the first one listens: a socket's path, on Windows the name of a pipe."""
    whose = f"{getpass.getuser()} {paths.data_dir().absolute()}"
    mark = f"banter-{hashlib.sha256(whose.encode()).hexdigest()[:16]}"
    if sys.platform == "win32":
        return mark
    path = str(paths.runtime_dir() / mark)
    return path if len(os.fsencode(path)) <= _MOST_PATH else str(Path(tempfile.gettempdir()) / mark)


def ask(what: str, patience_ms: int = ANSWER_MS) -> str | None:
    """Have the Banter that runs do `what`. None: none runs; "": done; otherwise a sentence that says why not.

    Blocks for a moment.
    """
    socket = QLocalSocket()
    socket.connectToServer(name())
    if not socket.waitForConnected(CONNECT_MS):
        return None
    request = {"do": what, "token": os.environ.get(_TOKEN, "")}
    socket.write(json.dumps(request).encode() + b"\n")
    timer = QElapsedTimer()
    timer.start()
    while not socket.canReadLine():
        left = patience_ms - timer.elapsed()
        if left <= 0 or not socket.waitForReadyRead(left):
            return NO_ANSWER
    try:
        return str(json.loads(bytes(socket.readLine().data()))["said"])
    except (ValueError, KeyError, TypeError):
        return NO_ANSWER


class Instance(QObject):
    """This Banter, if it is the first. `handle` is told what others want and returns a sentence where it cannot be."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.handle: Callable[[str], str] = lambda what: ""
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._accept)

    def claim(self) -> str | None:
        """Be the first: None when that is so. Otherwise the first one has been told to show its window, and the
        result is that of `ask`.
        """
        where = name()
        if sys.platform != "win32":
            # Where even that is not possible, two of them are better than none.
            with contextlib.suppress(OSError):
                Path(where).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Two that start at once must not each take the other's socket for one left over from a crash.
        folder = Path(where).parent if sys.platform != "win32" else Path(tempfile.gettempdir())
        lock = QLockFile(str(folder / f"{Path(where).name}.lock"))
        lock.setStaleLockTime(2 * LOCK_MS)
        lock.tryLock(LOCK_MS)
        try:
            said = ask(SHOW)
            if said is None:
                QLocalServer.removeServer(where)
                self._server.listen(where)
            return said
        finally:
            lock.unlock()

    def close(self) -> None:
        """Let another one be the first."""
        self._server.close()

    def _accept(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.readyRead.connect(lambda socket=socket: self._read(socket))
            socket.disconnected.connect(socket.deleteLater)
            self._read(socket)

    def _read(self, socket: QLocalSocket) -> None:
        if not socket.canReadLine():
            if socket.bytesAvailable() > _MOST_BYTES:
                socket.abort()
            return
        try:
            request = json.loads(bytes(socket.readLine().data()))
            what, token = str(request["do"]), str(request.get("token", ""))
        except (ValueError, KeyError, TypeError, AttributeError):
            socket.abort()
            return
        if token:
            # Qt takes it from there when the window is raised.
            os.environ[_TOKEN] = token
        said = self.handle(what)
        socket.write(json.dumps({"said": said}).encode() + b"\n")
        socket.flush()
        socket.disconnectFromServer()
