"""Puts the user's wishes about theme, text size and motion into effect, in all windows at once."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.gui import theme
from app.settings import Settings, Theme

_SCHEMES = {Theme.LIGHT: Qt.ColorScheme.Light, Theme.DARK: Qt.ColorScheme.Dark}


def apply(app: QApplication, settings: Settings) -> None:
    """Dress `app` as `settings` want it. To be called again when the system's colours change."""
    scheme = _SCHEMES.get(settings.theme)
    _ask_system(app, scheme)
    theme.set_less_motion(settings.reduced_motion)
    theme.set_text_scale(app, settings.text_size / 100)
    theme.apply(app, scheme)


def _ask_system(app: QApplication, scheme: Qt.ColorScheme | None) -> None:
    """Have the frames of the windows match, where the system and Qt (since 6.8) can do that."""
    hints = app.styleHints()
    if scheme is None and hasattr(hints, "unsetColorScheme"):
        hints.unsetColorScheme()
    elif scheme is not None and hasattr(hints, "setColorScheme"):
        hints.setColorScheme(scheme)
