"""The icon in the tray: shows the state, and has the most needed controls in its menu."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QIcon, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from app.gui.orb import Look
from app.gui.status import Model, Situation, line

SIZES = (16, 22, 32, 64)
_MARKS = {
    Look.LISTENING: "#d2452c",
    Look.THINKING: "#0f766e",
    Look.SPEAKING: "#0f766e",
    Look.LOADING: "#6b7280",
    Look.FAILED: "#d2452c",
}


def available() -> bool:
    """Whether this desktop shows tray icons now."""
    return QSystemTrayIcon.isSystemTrayAvailable()


def picture(base: QIcon, look: Look, muted: bool) -> QIcon:
    """`base` with a mark for `look`; each mark has its own shape."""
    result = QIcon()
    for size in SIZES:
        pixmap = QPixmap(QSize(size, size))
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        base.paint(painter, 0, 0, size, size)
        if look in _MARKS or muted:
            painter.scale(size / 32, size / 32)
            _mark(painter, look, muted)
        painter.end()
        result.addPixmap(pixmap)
    return result


def _mark(painter: QPainter, look: Look, muted: bool) -> None:
    """On a field of 32: a disc at the lower right with a sign in it."""
    centre = QPointF(22, 22)
    colour = QColor(_MARKS.get(look, "#6b7280"))
    painter.setPen(QPen(QColor("white"), 2))
    painter.setBrush(colour)
    painter.drawEllipse(centre, 9, 9)
    white = QPen(QColor("white"), 2.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
    painter.setBrush(QColor("white"))
    match look:
        case Look.LISTENING:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawEllipse(centre, 4, 4)
        case Look.SPEAKING:
            painter.setPen(white)
            for x, half in ((-4, 2), (0, 4.5), (4, 2)):
                painter.drawLine(centre + QPointF(x, -half), centre + QPointF(x, half))
        case Look.THINKING:
            painter.setPen(Qt.PenStyle.NoPen)
            for shift in (-4.2, 0.0, 4.2):
                painter.drawEllipse(centre + QPointF(shift, 0), 1.6, 1.6)
        case Look.LOADING:
            painter.setPen(white)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawArc(QRectF(18, 18, 8, 8), 0, 270 * 16)
        case Look.FAILED:
            painter.setPen(white)
            painter.drawLine(centre + QPointF(0, -4), centre + QPointF(0, 1))
            painter.drawPoint(centre + QPointF(0, 4.4))
        case _:
            painter.setPen(white)
            painter.drawLine(centre + QPointF(-3.5, -3.5), centre + QPointF(3.5, 3.5))


class Tray(QObject):
    """The icon and its menu.

    Signals: `talk_clicked()`, `stop_clicked()`, `open_mic_switched(bool)`, `muted(bool)`, `show_clicked()`,
    `settings_clicked()`, `quit_clicked()`.
    """

    talk_clicked = Signal()
    stop_clicked = Signal()
    open_mic_switched = Signal(bool)
    muted = Signal(bool)
    show_clicked = Signal()
    settings_clicked = Signal()
    quit_clicked = Signal()

    def __init__(self, base: QIcon, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._base = base
        self._shown: tuple[Look, bool] | None = None
        self.menu = QMenu()
        self.talk = self._action(self.tr("&Talk"), self._talk)
        self.open_mic = self._action(self.tr("&Open microphone"), self.open_mic_switched)
        self.open_mic.setCheckable(True)
        self.mute = self._action(self.tr("&Mute the microphone"), self.muted)
        self.mute.setCheckable(True)
        self.menu.addSeparator()
        self.show_window = self._action(self.tr("Show the &window"), self.show_clicked)
        self.settings = self._action(self.tr("&Settings"), self.settings_clicked)
        self.menu.addSeparator()
        self.quit = self._action(self.tr("&Quit"), self.quit_clicked)
        self._busy = False
        self.icon = QSystemTrayIcon(self)
        self.icon.setContextMenu(self.menu)
        self.icon.activated.connect(self._activated)
        self.show_situation(Situation(), False)

    def show_situation(self, now: Situation, talking: bool) -> None:
        """What the assistant does; `talking`: the talk button is held."""
        status = line(now)
        if (look := (status.look, now.muted)) != self._shown:
            self._shown = look
            self.icon.setIcon(picture(self._base, *look))
        self.icon.setToolTip(self.tr("Banter: {state}").format(state=status.headline))
        ready = now.model == Model.READY
        self._busy = ready and now.activity in ("thinking", "tool_wait", "speaking", "ringing")
        if self._busy:
            self.talk.setText(self.tr("&Stop"))
        else:
            self.talk.setText(self.tr("&Send what I said") if talking else self.tr("&Talk"))
        usable = now.microphone and not now.muted
        self.talk.setEnabled(self._busy or (ready and usable))
        self.open_mic.setEnabled(usable)
        self.open_mic.setChecked(now.open_mic)
        self.mute.setEnabled(now.microphone)
        self.mute.setChecked(now.muted)

    def explain(self) -> None:
        """Tell, once for ever, where the window has gone."""
        self.icon.showMessage(
            self.tr("Banter keeps running"),
            self.tr("Its icon in the tray brings the window back; Quit in the icon's menu ends it."),
            self._base,
        )

    def close(self) -> None:
        """Take it away."""
        self.icon.hide()
        self.menu.deleteLater()

    def _action(self, text: str, wanted: object) -> QAction:
        action = QAction(text, self.menu)
        action.triggered.connect(wanted)
        self.menu.addAction(action)
        return action

    def _talk(self) -> None:
        (self.stop_clicked if self._busy else self.talk_clicked).emit()

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in (QSystemTrayIcon.ActivationReason.Trigger, QSystemTrayIcon.ActivationReason.DoubleClick):
            self.show_clicked.emit()
