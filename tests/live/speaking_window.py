"""The real window with an engine that really speaks: `python -m tests.live.speaking_window`."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

from PySide6.QtWidgets import QApplication

from app.gui.main import run
from tests.live.speaking_engine import FACTORY

if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    sys.exit(run(QApplication(sys.argv), Path(), FACTORY))
