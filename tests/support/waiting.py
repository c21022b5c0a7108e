"""Waiting for what a window does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import qasync

from app.gui.window import MainWindow


def run_until(loop: qasync.QEventLoop, window: MainWindow, condition: Callable[[], bool], patience_s: float) -> None:
    """Run the loop until `condition`; fails after `patience_s` with what the window says."""

    async def wait() -> None:
        deadline = time.monotonic() + patience_s
        while not condition():
            assert time.monotonic() < deadline, window.dock.status_text()
            await asyncio.sleep(0.02)

    loop.run_until_complete(wait())
