"""The controls of the settings: a switch, a row of choices, a menu and a slider."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QFont,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QRadioButton,
    QSizePolicy,
    QSlider,
    QWidget,
)

from app.gui import theme
from app.gui.menus import ArrowMenu


class Switch(QCheckBox):
    """On or off. Its knob's place tells it as well as its colour."""

    WIDTH, HEIGHT, ROOM = 42, 24, 3

    def sizeHint(self) -> QSize:
        return QSize(self.WIDTH + 2 * self.ROOM, self.HEIGHT + 2 * self.ROOM)

    minimumSizeHint = sizeHint

    def hitButton(self, pos: QPoint) -> bool:
        return self.rect().contains(pos)

    def paintEvent(self, event: QPaintEvent) -> None:
        c = theme.colours()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        x = (self.width() - self.WIDTH) / 2
        box = QRectF(x, (self.height() - self.HEIGHT) / 2, self.WIDTH, self.HEIGHT)
        on, enabled = self.isChecked(), self.isEnabled()
        ground = c.accent if on and enabled else c.raised
        painter.setPen(QPen(QColor(ground if on else c.muted), 1.5))
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), self.HEIGHT / 2 - 1, self.HEIGHT / 2 - 1)
        size = self.HEIGHT - 10
        knob = QRectF(box.right() - size - 5 if on else box.left() + 5, box.top() + 5, size, size)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(c.on_accent if on and enabled else c.muted))
        painter.drawEllipse(knob)
        if self.hasFocus():
            painter.setPen(QPen(QColor(c.text), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            ring = box.adjusted(-1.5, -1.5, 1.5, 1.5)
            painter.drawRoundedRect(ring, ring.height() / 2, ring.height() / 2)


class Tick(QCheckBox):
    """A box to tick, whose words stand beside it in a label of their own. Qt's would be lost on a dark ground."""

    SIDE, ROOM = 18, 3

    def sizeHint(self) -> QSize:
        return QSize(self.SIDE + 2 * self.ROOM, self.SIDE + 2 * self.ROOM)

    minimumSizeHint = sizeHint

    def hitButton(self, pos: QPoint) -> bool:
        return self.rect().contains(pos)

    def paintEvent(self, event: QPaintEvent) -> None:
        c = theme.colours()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(0, 0, self.SIDE, self.SIDE)
        box.moveCenter(QRectF(self.rect()).center())
        on = self.isChecked()
        painter.setPen(QPen(QColor(c.accent if on else c.muted), 1.5))
        painter.setBrush(QColor(c.accent if on else c.ground))
        painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 4, 4)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if on:
            cap, join = Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
            painter.setPen(QPen(QColor(c.on_accent), 2, Qt.PenStyle.SolidLine, cap, join))
            corner = box.topLeft()
            painter.drawPolyline([corner + QPointF(x, y) for x, y in ((5, 9.5), (7.8, 12.3), (13, 6.3))])
        if self.hasFocus():
            painter.setPen(QPen(QColor(c.text), 1.5))
            painter.drawRoundedRect(box.adjusted(-1.5, -1.5, 1.5, 1.5), 6, 6)


class Segment(QRadioButton):
    """One of a row of choices. Chosen, it is filled and in bold."""

    SIDE, HEIGHT, RADIUS = 14, 34, 9

    def sizeHint(self) -> QSize:
        # As wide as in bold, so that nothing moves when another one is chosen.
        font = theme.sized(self.font(), 1.0, QFont.Weight.DemiBold)
        width = QFontMetrics(font).horizontalAdvance(self.text()) + 2 * self.SIDE
        return QSize(width, max(self.HEIGHT, self.fontMetrics().height() + 14))

    minimumSizeHint = sizeHint

    def hitButton(self, pos: QPoint) -> bool:
        return self.rect().contains(pos)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        c = theme.colours()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        on = self.isChecked()
        painter.setPen(QPen(QColor(c.accent), 2) if self.hasFocus() else Qt.PenStyle.NoPen)
        if on or self.underMouse():
            painter.setBrush(QColor(c.mine if on else c.raised))
        painter.drawRoundedRect(box, self.RADIUS, self.RADIUS)
        painter.setPen(QColor(c.mine_text if on else c.text))
        weight = QFont.Weight.DemiBold if on else QFont.Weight.Normal
        painter.setFont(theme.sized(self.font(), 1.0, weight))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())


class Segments(QFrame):
    """A few choices, of which one is taken: radio buttons, and so are their keys. In a row, or where there is no
    room for that, one below the other.

    Signals: `chosen(object)` by the user.
    """

    chosen = Signal(object)
    EDGE, GAP = 4, 2

    def __init__(self, choices: Sequence[tuple[object, str, str]], parent: QWidget | None = None) -> None:
        """`choices`: value, words and tool tip of each."""
        super().__init__(parent)
        self.setObjectName("segments")
        policy = QSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._group = QButtonGroup(self)
        self._values = [value for value, _, _ in choices]
        for number, (_, words, tip) in enumerate(choices):
            button = Segment(words, self)
            button.setToolTip(tip)
            button.setAccessibleDescription(tip)
            self._group.addButton(button, number)
        self._group.idClicked.connect(lambda number: self.chosen.emit(self._values[number]))
        self._group.idToggled.connect(lambda number, on: self._lead(number) if on else None)
        self._group.button(0).setChecked(True)

    def value(self) -> object:
        """What is chosen."""
        return self._values[self._group.checkedId()]

    def set_value(self, value: object) -> None:
        """Show `value` as chosen, without telling anybody."""
        self._group.button(self._values.index(value)).setChecked(True)

    def name(self, name: str) -> None:
        """Tell screen readers what is chosen here, with each button too."""
        self.setAccessibleName(name)
        for button in self._group.buttons():
            button.setAccessibleName(f"{name}: {button.text()}")

    def button(self, value: object) -> Segment:
        """The button of `value`."""
        button = self._group.button(self._values.index(value))
        assert isinstance(button, Segment)
        return button

    def sizeHint(self) -> QSize:
        return self._size(wide=True)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._size(wide=False).width(), self._size(wide=True).height())

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._size(wide=width >= self._size(wide=True).width()).height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange) and hasattr(self, "_group"):
            self.updateGeometry()
            self._place()

    def _place(self) -> None:
        # By hand, as no layout of Qt turns a row into a column.
        wide = self.width() >= self._size(wide=True).width()
        at = self.EDGE
        for button in self._group.buttons():
            size = button.sizeHint()
            if wide:
                button.setGeometry(at, self.EDGE, size.width(), size.height())
                at += size.width() + self.GAP
            else:
                button.setGeometry(self.EDGE, at, self.width() - 2 * self.EDGE, size.height())
                at += size.height() + self.GAP

    def _size(self, wide: bool) -> QSize:
        """What it needs in a row (`wide`) or a column."""
        sizes = [button.sizeHint() for button in self._group.buttons()]
        along = [size.width() if wide else size.height() for size in sizes]
        across = max(size.height() if wide else size.width() for size in sizes) + 2 * self.EDGE
        length = sum(along) + self.GAP * (len(sizes) - 1) + 2 * self.EDGE
        return QSize(length, across) if wide else QSize(across, length)

    def _lead(self, number: int) -> None:
        self.setFocusProxy(self._group.button(number))


class Choice(ArrowMenu):
    """A menu that the wheel does not change while the page is scrolled through it."""

    def __init__(self, choices: Sequence[tuple[object, str]], parent: QWidget | None = None) -> None:
        """`choices`: value and words of each."""
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        for value, words in choices:
            self.addItem(words, value)

    def set_value(self, value: object) -> None:
        """Show `value` as chosen, without telling anybody."""
        values = [self.itemData(index) for index in range(self.count())]
        self.setCurrentIndex(values.index(value))

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class Scale(QWidget):
    """A slider with its value in words beside it.

    Signals: `moved(int)` by the user; with `tracking` off only when the slider is let go.
    """

    moved = Signal(int)

    def __init__(
        self, values: range, words: str = "{value} %", tracking: bool = True, parent: QWidget | None = None
    ) -> None:
        """`values` from least to most in steps; `words` shows one of them."""
        super().__init__(parent)
        self._values, self._words = values, words
        self.slider = _Slider(Qt.Orientation.Horizontal)
        # Its positions are the steps, so that keys, wheel and mouse all hit them.
        self.slider.setRange(0, len(values) - 1)
        self.slider.setPageStep(max(1, len(values) // 10))
        self.slider.setTracking(tracking)
        self._label = QLabel()
        self._label.setProperty("muted", True)
        self._label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        row.addWidget(self.slider, 1)
        row.addWidget(self._label)
        self.setFocusProxy(self.slider)
        self.slider.sliderMoved.connect(self._tell)
        self.slider.valueChanged.connect(self._tell)
        self.slider.valueChanged.connect(lambda at: self.moved.emit(self._values[at]))
        self._tell(0)
        self._fit()

    def value(self) -> int:
        """What is chosen."""
        return self._values[self.slider.value()]

    def set_value(self, value: int) -> None:
        """Show `value`, or the step next to it, without telling anybody."""
        nearest = min(range(len(self._values)), key=lambda at: abs(self._values[at] - value))
        self.slider.blockSignals(True)
        self.slider.setValue(nearest)
        self.slider.blockSignals(False)
        self._tell(nearest)

    def text(self) -> str:
        """The value in words."""
        return self._label.text()

    def _tell(self, at: int) -> None:
        words = self._words.format(value=self._values[at], tenth=self._values[at] / 10)
        self._label.setText(words)
        self.slider.setToolTip(words)

    def _fit(self) -> None:
        # The slider must not change its length with the number beside it.
        widest = self._words.format(value=self._values[-1], tenth=self._values[-1] / 10)
        self._label.setMinimumWidth(self._label.fontMetrics().horizontalAdvance(widest))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_label"):
            self._fit()


class _Slider(QSlider):
    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
