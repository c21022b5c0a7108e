"""Ctrl-C and spawned processes: a terminal sends it to all, only the first one decides what it means."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from multiprocessing import resource_tracker


@contextlib.contextmanager
def interrupts_held_back() -> Iterator[None]:
    """A process started inside is born with Ctrl-C blocked, until it calls `ignore_interrupts`."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Starting multiprocessing's resource tracker ends with SIGINT unblocked, so it must be there before we block.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interrupts() -> None:
    """The first call of a process that was started inside `interrupts_held_back`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
