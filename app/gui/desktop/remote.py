"""`banter --toggle-talk` and its like: tells the Banter that runs, and leaves."""

from __future__ import annotations

import sys

from PySide6.QtCore import QCoreApplication

from app.gui.desktop import instance

NOT_RUNNING = "Banter is not running: start it first."


def tell(what: str) -> int:
    """Have the running Banter do `what`; returns the exit code, 1 with one sentence on stderr where it was not done."""
    app = QCoreApplication.instance() or QCoreApplication(sys.argv[:1])
    said = instance.ask(what)
    del app
    if said == "":
        return 0
    print(NOT_RUNNING if said is None else said, file=sys.stderr)
    return 1
