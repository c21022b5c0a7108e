"""The clip as a picture, with the stretch that the voice is made from, which can be moved."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.gui import theme
from app.voices.clip import FRAME_S, Clip

STEP_S = 0.1
_EDGE = 12.0
_BAR, _GAP = 3, 2
# Speech drawn at its own level would be a thin line: small peaks are made taller.
_BEND = 0.6


class Waveform(QWidget):
    """Bars for the loudness of a clip, or of a recording under way. A frame marks the chosen stretch; the mouse drags
    it, the arrow keys move it by a tenth of a second, Home and End to the ends.

    Signals: `moved(float)` where the stretch begins now, in seconds, by the user.
    """

    moved = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._clip: Clip | None = None
        self._peaks: NDArray[np.float32] = np.zeros(0, np.float32)
        self._start_s, self._stretch_s, self._seconds = 0.0, 0.0, 0.0
        self._grip: float | None = None
        self._live_s = 0.0
        self.setMinimumHeight(104)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._describe()

    def sizeHint(self) -> QSize:
        return QSize(420, 104)

    @property
    def start_s(self) -> float:
        """Where the stretch begins, in seconds."""
        return self._start_s

    def show_clip(self, clip: Clip | None, start_s: float = 0.0, stretch_s: float = 0.0) -> None:
        """Show `clip` with a stretch of `stretch_s` from `start_s`; None: there is no clip."""
        self._clip = clip
        self._live_s = 0.0
        self._seconds = clip.seconds if clip is not None else 0.0
        self._stretch_s = min(stretch_s, self._seconds)
        self._start_s = min(max(0.0, start_s), self._seconds - self._stretch_s)
        self._peaks = np.abs(clip.samples) if clip is not None else np.zeros(0, np.float32)
        movable = clip is not None and self._stretch_s < self._seconds
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if movable else Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.OpenHandCursor if movable else Qt.CursorShape.ArrowCursor)
        self._describe()
        self.update()

    def show_recording(self, levels: NDArray[np.float32], longest_s: float) -> None:
        """Show a recording under way: `levels` 0…1, one for each 32 ms so far, of at most `longest_s`."""
        self._clip = None
        self._peaks, self._live_s = levels, longest_s
        self.update()

    # --- moving the stretch

    def move_to(self, start_s: float) -> None:
        """Begin the stretch there, as far as the clip allows, and tell it."""
        start = min(max(0.0, start_s), self._seconds - self._stretch_s)
        if abs(start - self._start_s) > 1e-6:
            self._start_s = start
            self._describe()
            self.update()
            self.moved.emit(start)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Left: self._start_s - STEP_S,
            Qt.Key.Key_Right: self._start_s + STEP_S,
            Qt.Key.Key_PageUp: self._start_s - 10 * STEP_S,
            Qt.Key.Key_PageDown: self._start_s + 10 * STEP_S,
            Qt.Key.Key_Home: 0.0,
            Qt.Key.Key_End: self._seconds,
        }
        target = steps.get(Qt.Key(event.key()))
        if target is None or self._clip is None:
            super().keyPressEvent(event)
        else:
            self.move_to(target)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._clip is None:
            return
        at = self._second_at(event.position().x())
        if not self._start_s <= at <= self._start_s + self._stretch_s:
            self.move_to(at - self._stretch_s / 2)
        self._grip = at - self._start_s
        self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grip is not None:
            self.move_to(self._second_at(event.position().x()) - self._grip)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._grip is not None:
            self._grip = None
            self.setCursor(Qt.CursorShape.OpenHandCursor)

    def _second_at(self, x: float) -> float:
        return (x - _EDGE) / max(1.0, self.width() - 2 * _EDGE) * self._seconds

    def _x_of(self, second: float) -> float:
        return _EDGE + second / max(self._seconds, 1e-6) * (self.width() - 2 * _EDGE)

    def _describe(self) -> None:
        self.setAccessibleName(self.tr("The clip"))
        if self._clip is None:
            self.setAccessibleDescription(self.tr("There is no clip yet"))
            self.setToolTip("")
            return
        text = self.tr("The voice is made from second {first} to {last} of {all}; the arrow keys move this part")
        last = self._start_s + self._stretch_s
        words = text.format(first=f"{self._start_s:.1f}", last=f"{last:.1f}", all=f"{self._seconds:.1f}")
        self.setAccessibleDescription(words)
        self.setToolTip(words)

    # --- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        c = theme.colours()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(QColor(c.border), 1))
        painter.setBrush(QColor(c.ground))
        painter.drawRoundedRect(box, 12, 12)
        if self._clip is None and not self._live_s:
            painter.setPen(QColor(c.muted))
            text = self.tr("Record yourself, or drop a sound file here")
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, text)
            return
        if self._clip is not None:
            self._paint_frame(painter)
        self._paint_bars(painter)

    def _paint_frame(self, painter: QPainter) -> None:
        c = theme.colours()
        first, last = self._x_of(self._start_s), self._x_of(self._start_s + self._stretch_s)
        frame = QRectF(QPointF(first - 3, 6), QPointF(last + 3, self.height() - 6))
        painter.setPen(QPen(QColor(c.text if self.hasFocus() else c.accent), 2))
        painter.setBrush(QColor(c.mine))
        painter.drawRoundedRect(frame, 9, 9)
        text = self.tr("{seconds} s").format(seconds=f"{self._stretch_s:.1f}")
        painter.setPen(QColor(c.mine_text))
        metrics = QFontMetrics(painter.font())
        if metrics.horizontalAdvance(text) + 12 < frame.width():
            painter.drawText(QPointF(frame.left() + 8, frame.top() + metrics.ascent() + 3), text)

    def _paint_bars(self, painter: QPainter) -> None:
        c = theme.colours()
        room = self.width() - 2 * _EDGE
        count = max(1, int(room // (_BAR + _GAP)))
        tops = self._bars(count)
        middle, most = self.height() / 2 + 7, self.height() / 2 - 23
        painter.setPen(Qt.PenStyle.NoPen)
        for number, top in enumerate(tops):
            x = _EDGE + number * room / count
            second = (number + 0.5) / count * self._seconds
            inside = self._start_s <= second <= self._start_s + self._stretch_s
            ink = c.accent if inside and self._clip is not None else c.danger if self._live_s else c.muted
            painter.setBrush(QColor(ink))
            height = max(1.5, float(top) ** _BEND * most)
            painter.drawRoundedRect(QRectF(x, middle - height, _BAR, 2 * height), 1.5, 1.5)

    def _bars(self, count: int) -> NDArray[np.float32]:
        """Heights 0…1 of as many bars as there is room for."""
        total = round(self._live_s / FRAME_S) if self._live_s else len(self._peaks)
        edges = np.linspace(0, max(total, count), count + 1).astype(int)[:-1]
        edges = edges[edges < len(self._peaks)]
        if not len(edges):
            return np.zeros(0, np.float32)
        tops = np.maximum.reduceat(self._peaks, edges)
        return np.asarray(tops if self._live_s else tops / max(float(tops.max()), 1e-3), np.float32)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()
