"""What all pages of the settings have in common: a title, cards, and rows of a label with its control."""

from __future__ import annotations

import re

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.gui import theme
from app.gui.preferences.parts import Scale, Segments, Switch
from app.settings import Settings

MOST_WIDTH = 680


def without_shortcut(text: str) -> str:
    """`text` of a label for those who hear it: "&Theme" is "Theme", and "主题(&T)" is "主题"."""
    return re.sub(r"\(&\w\)|&", "", text)


class Card(QFrame):
    """Rows that belong together."""

    def __init__(self, title: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(20, 16, 20, 18)
        self._column.setSpacing(2 * theme.GRID)
        if title:
            label = QLabel(title)
            theme.set_size(label, 1.0, QFont.Weight.DemiBold)
            self._column.addWidget(label)

    def row(self, text: str, control: QWidget, hint: str = "", more: QWidget | None = None) -> QLabel:
        """Add `control` with its label `text` ("&" before the letter of its shortcut) and `hint`.

        A switch stands beside its label, everything else below; `more` stands beside the control, a scale below
        it. Returns the hint's label.
        """
        label = QLabel(text)
        label.setBuddy(control)
        label.setWordWrap(True)
        name = without_shortcut(text)
        if isinstance(control, Segments):
            control.name(name)
        else:
            control.setAccessibleName(name)
        control.setAccessibleDescription(hint)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(label)
        note = QLabel(hint)
        note.setProperty("muted", True)
        note.setWordWrap(True)
        theme.set_size(note, 0.92)
        note.setVisible(bool(hint))
        words.addWidget(note)
        if isinstance(control, Switch):
            row = QHBoxLayout()
            row.setSpacing(2 * theme.GRID)
            row.addLayout(words, 1)
            row.addWidget(control, 0, Qt.AlignmentFlag.AlignVCenter)
            self._column.addLayout(row)
            return note
        beside = QHBoxLayout()
        beside.setSpacing(theme.GRID)
        beside.addWidget(control)
        if more is not None and not isinstance(more, Scale):
            beside.addWidget(more)
        if isinstance(control, Segments) or type(control) is QPushButton:
            beside.addStretch(1)
        words.addSpacing(6)
        words.addLayout(beside)
        if isinstance(more, Scale):
            words.addSpacing(6)
            words.addWidget(more)
        self._column.addLayout(words)
        return note

    def add(self, widget: QWidget, alignment: Qt.AlignmentFlag | None = None) -> None:
        """Add a row of another kind."""
        if alignment is None:
            self._column.addWidget(widget)
        else:
            self._column.addWidget(widget, 0, alignment)


class Page(QScrollArea):
    """One page. It shows the settings it is told and says what the user wants changed.

    Signals: `changed(dict)` from the names of settings to their new values.
    """

    changed = Signal(object)
    # The settings that "Restore defaults" resets.
    FIELDS: tuple[str, ...] = ()

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Only its controls take the keyboard.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(title)
        self._body = body = QWidget()
        body.setObjectName("pageBody")
        body.setMaximumWidth(MOST_WIDTH)
        heading = QLabel(title)
        theme.set_size(heading, 1.45, QFont.Weight.DemiBold)
        self._column = QVBoxLayout(body)
        self._column.setContentsMargins(24, 20, 24, 20)
        self._column.setSpacing(2 * theme.GRID)
        self._column.addWidget(heading)
        self.build()
        self._column.addStretch(1)
        self.setWidget(body)

    def build(self) -> None:
        """Put the cards in, once."""
        raise NotImplementedError

    def show_settings(self, settings: Settings) -> None:
        """Show `settings` without telling anybody."""
        raise NotImplementedError

    def restore(self) -> None:
        """Ask for the defaults of this page."""
        default = Settings()
        self.changed.emit({name: getattr(default, name) for name in self.FIELDS})

    def resizeEvent(self, event: QResizeEvent) -> None:
        # Large words may need more than what reads best.
        self._body.setMaximumWidth(max(MOST_WIDTH, self._body.minimumSizeHint().width()))
        super().resizeEvent(event)

    def minimumContentWidth(self) -> int:
        """Pixels below which something would be cut off."""
        bar = self.verticalScrollBar().sizeHint().width()
        return self._body.minimumSizeHint().width() + bar

    def card(self, title: str = "") -> Card:
        """A new card below the others."""
        card = Card(title)
        self._column.addWidget(card)
        return card
