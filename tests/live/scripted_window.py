"""The real window with the scripted engine: `python -m tests.live.scripted_window`."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

from PySide6.QtWidgets import QApplication

from app.gui.main import run
from tests.gui.scripted_engine import FACTORY
from tests.live.watchdog import Watchdog

if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    app = QApplication(sys.argv)
    watchdog = Watchdog(app)
    code = run(app, Path(), FACTORY)
    watchdog.report()
    sys.exit(code)
