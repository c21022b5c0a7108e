"""What every test shares: where the test material is, no screen needed, nothing left behind."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import psutil
import pytest

if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
    # Before any test makes a QApplication: Qt aborts the process where it finds no screen.
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

REPOSITORY = Path(__file__).resolve().parent.parent
SETTLE_S = 2.0
T = TypeVar("T")
# Helpers of `multiprocessing` that stay for the rest of the process by design.
_LASTING_HELPERS = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """Folder of test material too large or too foreign for the repository; the test is skipped without it."""
    folder = Path(os.environ.get("BANTER_SHARED", REPOSITORY.parent / "shared"))
    if not folder.is_dir():
        pytest.skip("no shared test material: point BANTER_SHARED at its folder")
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the live tests where their virtual sound card and screen cannot be made; elsewhere each may fail once.

    They run against the clock, and on a machine that is shared with others the processor is sometimes simply away.
    """
    needed = ("pulseaudio", "pactl", "paplay", "Xvfb")
    absent = [program for program in needed if shutil.which(program) is None]
    skip = pytest.mark.skip(reason=f"needs {', '.join(absent)}: see packaging/dev.py test")
    for item in items:
        if item.get_closest_marker("live"):
            item.add_marker(skip if absent else pytest.mark.flaky(reruns=1, reruns_delay=2))


def _threads() -> set[threading.Thread]:
    """Python's own threads, daemons too. A dummy stands for a foreign one that once called Python; the monitor of tqdm
    comes with the recogniser that judges answers and lives as long as the process.
    """
    own = (thread for thread in threading.enumerate() if not isinstance(thread, threading._DummyThread))
    return {thread for thread in own if thread.name != "tqdm_monitor"}


def _running_timers() -> set[str]:
    """Timers of Qt that would still fire, once everything that is to be deleted has been."""
    if "PySide6.QtCore" not in sys.modules:
        return set()
    import shiboken6
    from PySide6.QtCore import QCoreApplication, QEvent, QTimer

    if QCoreApplication.instance() is None:
        return set()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    found = (one for one in shiboken6.getAllValidWrappers() if isinstance(one, QTimer))
    return {f"timer {id(one)} of {one.parent()}" for one in found if one.isActive()}


def _child_processes() -> set[psutil.Process]:
    """Living children, and theirs. An exited one that nobody waited for is no leak."""
    multiprocessing.active_children()  # reaps those that have ended
    found = set()
    for process in psutil.Process().children(recursive=True):
        try:
            helper = any(name in part for part in process.cmdline() for name in _LASTING_HELPERS)
            if not helper and process.status() != psutil.STATUS_ZOMBIE:
                found.add(process)
        except psutil.Error:  # gone meanwhile
            continue
    return found


def _wait_until_empty(left: Callable[[], set[T]]) -> set[T]:
    deadline = time.monotonic() + SETTLE_S
    while (remaining := left()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return remaining


@pytest.fixture(autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a thread, a process or a timer running; those of wider fixtures are there before it."""
    threads = _threads()
    children = _child_processes()
    timers = _running_timers()
    yield
    if request.node.get_closest_marker("keeps_processes"):
        return
    threads_left = _wait_until_empty(lambda: _threads() - threads)
    names = [*_wait_until_empty(lambda: _running_timers() - timers)]
    children_left = _wait_until_empty(lambda: _child_processes() - children)
    names += [f"thread {thread.name}" for thread in threads_left]
    for process in children_left:
        try:
            names.append(f"process {process.pid}: {' '.join(process.cmdline())[:200]}")
        except psutil.Error:  # ended at the last moment
            continue
    if names:
        pytest.fail("left running: " + "; ".join(names))
