"""The round picture of what the assistant is doing, and the level meter. Both rest when unseen."""

from __future__ import annotations

import math
from enum import StrEnum

from PySide6.QtCore import QElapsedTimer, QEvent, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QHideEvent, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.gui import theme

FRAME_MS = 40


class Look(StrEnum):
    """What the picture shows. Each has its own shape, so that colour is never the only sign."""

    LOADING = "loading"
    IDLE = "idle"
    LISTENING = "listening"
    THINKING = "thinking"
    SPEAKING = "speaking"
    FAILED = "failed"


_MOVING = (Look.LOADING, Look.LISTENING, Look.THINKING, Look.SPEAKING)


def fraction_of(decibels: float) -> float:
    """Loudness as a part of the scale shown: −54 dB of full scale and less is 0, −6 dB and more is 1."""
    return min(max((decibels + 54) / 48, 0.0), 1.0)


class Orb(QWidget):
    """A disc of 56 pixels: bars for idle and speaking, a ring that follows the voice, dots while thinking."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = Look.LOADING
        self._level = 0.0
        self._shown = 0.0
        self._clock = QElapsedTimer()
        self._clock.start()
        self._timer = QTimer(self)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._tick)
        self.setFixedSize(self.sizeHint())

    def sizeHint(self) -> QSize:
        return QSize(56, 56)

    def look(self) -> Look:
        """What the picture shows now."""
        return self._look

    def set_look(self, look: Look) -> None:
        """Show `look`."""
        if look != self._look:
            self._look = look
            self._clock.restart()
            self._run()
            self.update()

    def set_level(self, decibels: float) -> None:
        """Loudness, dB of full scale, of the microphone while listening, of the reply while speaking."""
        self._level = fraction_of(decibels)

    def is_moving(self) -> bool:
        """Whether frames are being drawn."""
        return self._timer.isActive()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._run()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def set_resting(self, resting: bool) -> None:
        """Stop drawing frames, as when the window is minimised."""
        if resting:
            self._timer.stop()
        else:
            self._run()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # With each change of the appearance the user may have asked for less motion.
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_timer"):
            self._run()

    def _run(self) -> None:
        moving = self._look in _MOVING and self.isVisible() and not theme.reduced_motion()
        if moving and not self._timer.isActive():
            self._timer.start()
        elif not moving:
            self._timer.stop()

    def _tick(self) -> None:
        # Up at once, down slowly, as an eye expects of a meter.
        self._shown = max(self._level, self._shown * 0.82)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        c = theme.colours()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        centre = QPointF(self.width() / 2, self.height() / 2)
        time = self._clock.elapsed() / 1000 if self._timer.isActive() else 0.0
        accent = QColor(c.danger if self._look in (Look.LISTENING, Look.FAILED) else c.accent)
        painter.setPen(Qt.PenStyle.NoPen)
        if self._look in (Look.LISTENING, Look.SPEAKING):
            glow = QColor(accent)
            glow.setAlpha(60)
            painter.setBrush(glow)
            radius = 20 + 8 * self._shown
            painter.drawEllipse(centre, radius, radius)
        quiet = self._look in (Look.LOADING, Look.IDLE, Look.FAILED)
        painter.setBrush(QColor(c.raised) if quiet else accent)
        painter.drawEllipse(centre, 20, 20)
        ink = QColor(c.muted if quiet else c.on_accent if self._look != Look.LISTENING else c.surface)
        match self._look:
            case Look.IDLE | Look.SPEAKING:
                self._bars(painter, centre, time, ink)
            case Look.LISTENING:
                self._microphone(painter, centre, ink)
            case Look.THINKING:
                self._dots(painter, centre, time, ink)
            case Look.LOADING:
                self._arc(painter, centre, time, QColor(c.accent))
            case Look.FAILED:
                self._mark(painter, centre, accent)

    def _bars(self, painter: QPainter, centre: QPointF, time: float, ink: QColor) -> None:
        painter.setPen(QPen(ink, 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        for index, rest in enumerate((2.0, 5.0, 8.0, 5.0, 2.0)):
            half = rest
            if self._look == Look.SPEAKING:
                swing = 0.5 + 0.5 * math.sin(7.0 * time + 1.3 * index)
                half = 2.0 + (rest + 2.0) * (0.35 + 0.65 * self._shown) * (0.4 + 0.6 * swing)
            x = centre.x() + (index - 2) * 6
            painter.drawLine(QPointF(x, centre.y() - half), QPointF(x, centre.y() + half))

    def _microphone(self, painter: QPainter, centre: QPointF, ink: QColor) -> None:
        painter.setBrush(ink)
        painter.drawRoundedRect(QRectF(centre.x() - 4, centre.y() - 11, 8, 14), 4, 4)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(ink, 2.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawArc(QRectF(centre.x() - 8, centre.y() - 9, 16, 16), 190 * 16, 160 * 16)
        painter.drawLine(QPointF(centre.x(), centre.y() + 7), QPointF(centre.x(), centre.y() + 11))

    def _dots(self, painter: QPainter, centre: QPointF, time: float, ink: QColor) -> None:
        painter.setBrush(ink)
        for index in range(3):
            lift = max(0.0, math.sin(5.0 * time - 0.9 * index)) * 4
            painter.drawEllipse(QPointF(centre.x() + (index - 1) * 9, centre.y() - lift), 2.8, 2.8)

    def _arc(self, painter: QPainter, centre: QPointF, time: float, ink: QColor) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(ink, 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        box = QRectF(centre.x() - 20, centre.y() - 20, 40, 40)
        painter.drawArc(box, round(-300 * time) * 16, 90 * 16)

    def _mark(self, painter: QPainter, centre: QPointF, ink: QColor) -> None:
        painter.setPen(QPen(ink, 3.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(QPointF(centre.x(), centre.y() - 9), QPointF(centre.x(), centre.y() + 2))
        painter.drawPoint(QPointF(centre.x(), centre.y() + 9))


class LevelMeter(QWidget):
    """Twelve segments that show how loud the microphone hears the room."""

    SEGMENTS = 12

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lit = 0
        self._live = False
        self.setFixedHeight(16)
        self.setMinimumWidth(72)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Microphone level"))
        self.set_live(False)

    def sizeHint(self) -> QSize:
        return QSize(96, 16)

    def lit(self) -> int:
        """How many segments are on."""
        return self._lit

    def set_live(self, live: bool) -> None:
        """Whether a microphone is open; without one the meter hides."""
        self._live = live
        self.setToolTip(self.tr("Microphone level"))
        self.setVisible(live)
        if not live:
            self._lit = 0
        self.update()

    def set_level(self, decibels: float) -> None:
        """Loudness of the last few milliseconds in dB of full scale."""
        lit = round(fraction_of(decibels) * self.SEGMENTS)
        lit = max(lit, self._lit - 1)
        if lit != self._lit:
            self._lit = lit
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        c = theme.colours()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        step = self.width() / self.SEGMENTS
        for index in range(self.SEGMENTS):
            hot = index >= self.SEGMENTS - 2
            on = self._live and index < self._lit
            painter.setBrush(QColor((c.danger if hot else c.accent) if on else c.raised))
            height = self.height() if on else self.height() * 0.5
            painter.drawRoundedRect(
                QRectF(index * step + 1, (self.height() - height) / 2, max(step - 3, 2), height), 1.5, 1.5
            )
