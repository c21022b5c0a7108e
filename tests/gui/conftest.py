"""What the window's tests share."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
import qasync
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui import theme
from app.gui.window import MainWindow


@pytest.fixture
def loop(qapp: QApplication) -> Iterator[qasync.QEventLoop]:
    """Qt's event loop as the asyncio loop of the test."""
    loop = qasync.QEventLoop(qapp, already_running=False)
    asyncio.set_event_loop(loop)
    yield loop
    loop.close()
    asyncio.set_event_loop(None)


@pytest.fixture
def window(qapp: QApplication, qtbot: QtBot) -> Iterator[MainWindow]:
    """A window with a model that is ready, not connected to anything."""
    theme.apply(qapp, Qt.ColorScheme.Light)
    window = MainWindow()
    qtbot.addWidget(window)
    window.resize(640, 640)
    window.show()

    def active() -> bool:
        if not window.isActiveWindow():
            window.activateWindow()
        return window.isActiveWindow()

    # Shortcuts go to the active window alone, and one that has just been closed may take that away once more.
    qtbot.waitUntil(active)
    qtbot.wait(50)
    qtbot.waitUntil(active)
    window.show_ready(("ada", "ben"), "ada")
    yield window
    window.close()
