"""Everything that can be done with one message, as a menu."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMenu, QWidget


@dataclass(frozen=True)
class Choices:
    """What the entries of the menu do; None where it cannot be done with this message."""

    copy: Callable[[], None]
    again: Callable[[], None] | None = None
    timing: Callable[[], None] | None = None
    report: Callable[[], None] | None = None


def message_menu(parent: QWidget, choices: Choices) -> QMenu:
    """A menu that deletes itself when it is closed."""
    tr = QCoreApplication.translate
    menu = QMenu(parent)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.addAction(tr("MessageMenu", "&Copy"), choices.copy)
    if choices.again is not None:
        menu.addAction(tr("MessageMenu", "&Say that again"), choices.again)
    if choices.timing is not None:
        menu.addAction(tr("MessageMenu", "Where the &time went"), choices.timing)
    if choices.report is not None:
        menu.addSeparator()
        menu.addAction(tr("MessageMenu", "&Report this turn…"), choices.report)
    return menu
