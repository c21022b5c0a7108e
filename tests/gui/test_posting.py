"""Work handed over to the window's thread."""

from __future__ import annotations

import threading

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.posting import Posting


def test_all_of_it_runs_on_the_windows_thread_in_the_order_of_each_thread(qapp: QApplication, qtbot: QtBot) -> None:
    parent = QObject()
    post = Posting(parent)
    done: list[tuple[int, int, int]] = []

    def work(thread: int) -> None:
        for number in range(500):
            post(lambda number=number: done.append((thread, number, threading.get_ident())))  # type: ignore[misc]

    threads = [threading.Thread(target=work, args=(index,)) for index in range(3)]
    for thread in threads:
        thread.start()
    qtbot.waitUntil(lambda: len(done) >= 1_500, timeout=60_000)
    for thread in threads:
        thread.join()
    assert {where for _, _, where in done} == {threading.get_ident()}
    for index in range(3):
        assert [number for thread, number, _ in done if thread == index] == list(range(500))


def test_what_is_posted_meanwhile_and_after_a_failure_runs_too(qapp: QApplication, qtbot: QtBot) -> None:
    parent = QObject()
    post = Posting(parent)
    done: list[int] = []

    def first() -> None:
        done.append(1)
        post(lambda: done.append(4))

    def fail() -> None:
        raise ZeroDivisionError

    with qtbot.captureExceptions() as failures:
        for function in (first, fail, lambda: done.append(3)):
            post(function)
        qtbot.waitUntil(lambda: len(done) >= 3, timeout=60_000)
    assert done == [1, 3, 4]
    assert [kind for kind, _, _ in failures] == [ZeroDivisionError]
    post.close()
    post(lambda: done.append(5))
    qapp.processEvents()
    assert done == [1, 3, 4]
