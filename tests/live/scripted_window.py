"""The real window with the scripted engine: `python -m tests.live.scripted_window`."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

from PySide6.QtWidgets import QApplication

from app.gui.main import run
from tests.gui.scripted_engine import FACTORY

if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    sys.exit(run(QApplication(sys.argv), Path(), FACTORY))
