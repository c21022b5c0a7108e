"""A private X server for tests, and a finger on its keyboard."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

KEYSYMS = {"ctrl": 0xFFE3, "alt": 0xFFE9, "shift": 0xFFE1, "space": 0x20, "caps": 0xFFE5, "F9": 0xFFC6, "a": 0x61}
_PRESS, _RELEASE = 2, 3


def missing() -> str:
    """What this machine lacks for it, as one sentence; "" when nothing."""
    return "" if shutil.which("Xvfb") else "needs Xvfb: apt-get install xvfb"


@contextmanager
def x_server() -> Iterator[str]:
    """Start one on a free display, whose name it gives (":7"), and always stop it."""
    reader, writer = os.pipe()
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "640x480x24", "-nolisten", "tcp", "-ac", "-noreset"]
    server = subprocess.Popen(command, pass_fds=(writer,), stderr=subprocess.DEVNULL)
    try:
        os.close(writer)
        with os.fdopen(reader) as numbers:
            yield f":{numbers.readline().strip()}"
    finally:
        server.terminate()
        server.wait(timeout=20)


class Keyboard:
    """Presses keys on an X server, as a hand would."""

    def __init__(self, display: str) -> None:
        import xcffib
        import xcffib.xproto
        import xcffib.xtest

        x: Any = xcffib.connect(display=display)
        self._x = x
        self._test = self._x(xcffib.xtest.key)
        setup = x.get_setup()
        first, count = setup.min_keycode, setup.max_keycode - setup.min_keycode + 1
        reply = x.core.GetKeyboardMapping(first, count).reply()
        each = reply.keysyms_per_keycode
        self._codes = {name: first + list(reply.keysyms[::each]).index(sym) for name, sym in KEYSYMS.items()}

    def press(self, *names: str) -> None:
        """These keys go down, one after the other."""
        for name in names:
            self._send(_PRESS, name)

    def release(self, *names: str) -> None:
        """These keys go up."""
        for name in names:
            self._send(_RELEASE, name)

    def tap(self, *names: str) -> None:
        """All of them down, then up again."""
        self.press(*names)
        time.sleep(0.05)
        self.release(*reversed(names))

    def close(self) -> None:
        """Take the hand away."""
        self._x.disconnect()

    def _send(self, kind: int, name: str) -> None:
        self._test.FakeInput(kind, self._codes[name], 0, 0, 0, 0, 0)
        # Answered only when the server has done it.
        self._x.core.GetInputFocus().reply()
