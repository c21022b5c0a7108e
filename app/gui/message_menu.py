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
    translate = QCoreApplication.translate
    menu = QMenu(parent)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.addAction(translate("MessageMenu", "&Copy"), choices.copy)
    if choices.again is not None:
        menu.addAction(translate("MessageMenu", "&Say that again"), choices.again)
    if choices.timing is not None:
        menu.addAction(translate("MessageMenu", "Where the &time went"), choices.timing)
    if choices.report is not None:
        menu.addSeparator()
        menu.addAction(translate("MessageMenu", "&Report this turn…"), choices.report)
    return menu
