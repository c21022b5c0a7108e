"""A dialog as high as its words need, which fits a low screen all the same."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.gui import theme

EDGE, TOP = 24, 20


class TallDialog(QDialog):
    """Its `column` takes the contents and its `foot` the buttons. Where the screen is too low for both, the column is
    scrolled and the buttons stay in sight. `width` in pixels is that at the system's text size.
    """

    def __init__(self, width: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("preferences")
        self._wanted_width = width
        self._body = QWidget()
        self._body.setObjectName("pageBody")
        self.column = QVBoxLayout(self._body)
        self.column.setContentsMargins(EDGE, TOP, EDGE, theme.GRID)
        self.column.setSpacing(2 * theme.GRID)
        self.foot = QHBoxLayout()
        self.foot.setContentsMargins(EDGE, theme.GRID, EDGE, TOP)
        self.foot.setSpacing(theme.GRID)
        self._scroll = scroll = QScrollArea()
        scroll.setObjectName("page")
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(self._body)
        scroll.setMinimumHeight(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(scroll, 1)
        outer.addLayout(self.foot)
        self._body.installEventFilter(self)
        theme.events.dressed.connect(self.fit)

    def fit(self) -> None:
        """Take the size that the words need now."""
        for layout in (self.column, self.foot):
            layout.activate()
        screen = self.screen().availableGeometry()
        least = max(self.column.minimumSize().width(), self.foot.minimumSize().width())
        width = max(round(self._wanted_width * theme.text_scale()), least)
        foot = self.foot.sizeHint().height()
        if self.column.totalHeightForWidth(min(width, screen.width())) + foot > screen.height():
            width = max(width, least + self._scroll.verticalScrollBar().sizeHint().width())
        width = min(width, screen.width())
        self.setFixedSize(width, min(self.column.totalHeightForWidth(width) + foot, screen.height()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Parts come and go, and their layout knows of it only by now.
        if watched is self._body and event.type() == QEvent.Type.LayoutRequest:
            self.fit()
        return super().eventFilter(watched, event)
