"""Buttons that several windows have."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QPushButton


def bare_button(tip: str = "", name: str = "", size: int = 20) -> QPushButton:
    """A button that is nothing but its icon of `size` pixels; `name` is what a screen reader says."""
    button = QPushButton()
    button.setProperty("kind", "bare")
    button.setIconSize(QSize(size, size))
    button.setToolTip(tip)
    button.setAccessibleName(name)
    return button
