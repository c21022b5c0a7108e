"""Starts the window: first it is shown, then the model's process starts and the sound devices open."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import qasync
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app import paths, settings
from app.engine.factory import OMNI_ENGINE
from app.gui import appearance, translation
from app.gui.assistant import Assistant
from app.gui.desktop.instance import Instance
from app.gui.desktop.presence import Presence
from app.gui.interrupts import Interrupts
from app.gui.window import MainWindow
from app.history.keeper import FILE_NAME

# Long enough for the first paint, which the model's process would slow down on two cores.
START_AFTER_MS = 30
# `BANTER_LOG=info` writes on stderr what the assistant is doing, for reports of faults.
LOG_VARIABLE = "BANTER_LOG"


def main(argv: Sequence[str] = ()) -> int:
    """Show the window until it is closed; returns the exit status. `argv` goes to Qt."""
    if not _has_screen():
        print("There is no screen to show the window on: set DISPLAY, or use `banter ask`.", file=sys.stderr)
        return 2
    level = logging.getLevelNamesMapping().get(os.environ.get(LOG_VARIABLE, "").upper(), logging.WARNING)
    logging.basicConfig(level=level, format="%(asctime)s %(name)s: %(message)s")
    app = QApplication([sys.argv[0], *argv])
    return run(app, paths.starter_model())


def run(app: QApplication, model: Path, factory: str = OMNI_ENGINE) -> int:
    """Show the window with the model in folder `model`, loaded by `factory`, until it is closed."""
    app.setApplicationName("Banter")
    app.setApplicationDisplayName("Banter")
    app.setDesktopFileName("banter")
    app.setQuitOnLastWindowClosed(False)
    first = Instance()
    if (said := first.claim()) is not None:
        # Its window has been raised, or it says why not.
        if said:
            print(said, file=sys.stderr)
        return int(bool(said))
    with qasync.QEventLoop(app) as loop:
        asyncio.set_event_loop(loop)
        closed = asyncio.Event()
        settings_file = paths.settings_file()
        loaded = settings.load(settings_file)
        translation.install(app, loaded.settings.language)
        appearance.apply(app, loaded.settings)
        window = MainWindow()
        window.restore_geometry(loaded.settings.window)
        window.closed.connect(closed.set)
        if not loaded.settings.start_minimised:
            window.show()
        assistant = Assistant(
            window,
            loaded,
            settings_file,
            factory=factory,
            conversations=paths.history_dir() / FILE_NAME,
            voices=paths.voices_dir(),
            agenda=paths.agenda_file(),
            models=paths.models_dir(),
        )
        presence = Presence(window, assistant, loaded.settings, first)
        presence.show_minimised()
        interrupts = Interrupts(window.leave)
        QTimer.singleShot(START_AFTER_MS, assistant, lambda: assistant.start(model))
        try:
            loop.run_until_complete(closed.wait())
        finally:
            presence.close()
            first.close()
            assistant.close()
            interrupts.close()
            window.deleteLater()
            app.processEvents()
    return 0


def _has_screen() -> bool:
    """Qt aborts the process where there is no screen, so it is asked beforehand where that can be known."""
    if not sys.platform.startswith("linux"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
