"""The cards of the tools that were used for a question."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QVBoxLayout, QWidget

from app.gui import icons, theme
from app.gui.tools.names import state_icon, state_name, tool_icon, tool_name
from app.history.records import ToolUse

_ICON = QSize(20, 20)
_SMALL = QSize(15, 15)
LEAST_WIDTH = 250


class ToolCard(QFrame):
    """One use of a tool: what it is, how far it is, and what came of it in a line."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tool")
        self._use = ToolUse("", "running")
        self._icon, self._mark = QLabel(), QLabel()
        self._name, self._state, self._summary = QLabel(), QLabel(), QLabel()
        theme.set_size(self._name, 0.98, QFont.Weight.DemiBold)
        for label in (self._state, self._summary):
            label.setProperty("muted", True)
            theme.set_size(label, 0.92)
        for label in (self._name, self._state, self._summary):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._summary.setWordWrap(True)
        grid = QGridLayout(self)
        grid.setContentsMargins(12, 8, 12, 8)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(1)
        grid.addWidget(self._icon, 0, 0)
        grid.addWidget(self._name, 0, 1)
        grid.setColumnStretch(1, 1)
        grid.addWidget(self._mark, 0, 2)
        grid.addWidget(self._state, 0, 3)
        grid.addWidget(self._summary, 1, 1, 1, 3)

    def show_use(self, use: ToolUse) -> None:
        """Show `use`."""
        self._use = use
        self._name.setText(tool_name(use.tool))
        self._state.setText(state_name(use.state))
        self._summary.setText(use.summary)
        self._summary.setVisible(bool(use.summary))
        self.setAccessibleName(described(use))
        self._dress()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_summary"):
            self._dress()

    def _dress(self) -> None:
        c, use = theme.colours(), self._use
        ink = {"done": c.accent, "failed": c.danger}.get(use.state, c.muted)
        self._icon.setPixmap(icons.icon(tool_icon(use.tool), c.accent, 20).pixmap(_ICON))
        self._mark.setPixmap(icons.icon(state_icon(use.state), ink, 15).pixmap(_SMALL))


class ToolCards(QWidget):
    """The cards of one message, one below the other."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cards: list[ToolCard] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)

    def show_uses(self, uses: tuple[ToolUse, ...]) -> None:
        """Show these, and none besides."""
        while len(self._cards) < len(uses):
            card = ToolCard(self)
            self._cards.append(card)
            self._column.addWidget(card)
        while len(self._cards) > len(uses):
            card = self._cards.pop()
            self._column.removeWidget(card)
            card.deleteLater()
        for card, use in zip(self._cards, uses, strict=True):
            card.show_use(use)

    def wanted_width(self, most: int) -> int:
        """Pixels that its lines need, at most `most`."""
        return min(most, max([LEAST_WIDTH, *(card.sizeHint().width() for card in self._cards)]))

    def height_for(self, width: int) -> int:
        """Pixels at this width."""
        heights = [max(card.heightForWidth(width), card.minimumSizeHint().height()) for card in self._cards]
        return sum(heights) + self._column.spacing() * max(0, len(heights) - 1)


def described(use: ToolUse) -> str:
    """The card in words, for those who hear it."""
    words = f"{tool_name(use.tool)}, {state_name(use.state)}"
    return f"{words}: {use.summary}" if use.summary else words
