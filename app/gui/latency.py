"""How long an answer took, as a line below it that opens to show where the time went."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.conversation.latency import Latency, Part, Start
from app.gui import theme

translate = QCoreApplication.translate


def seconds(milliseconds: float) -> str:
    """A time as people read it: "480 ms", "1.2 s"."""
    if milliseconds < 999.5:
        return translate("Latency", "{count} ms").format(count=round(milliseconds))
    return translate("Latency", "{count} s").format(count=f"{milliseconds / 1000:.1f}")


def summary(latency: Latency) -> str:
    """The line itself."""
    text = (
        translate("Latency", "First sound after {time}")
        if latency.heard
        else translate("Latency", "Answer ready after {time}")
    )
    return text.format(time=seconds(latency.total_ms))


def origin(start: Start) -> str:
    """What the time is counted from."""
    return {
        Start.VOICE: translate("Latency", "Counted from the end of your voice."),
        Start.BUTTON: translate("Latency", "Counted from letting the button go."),
        Start.TYPED: translate("Latency", "Counted from sending the question."),
    }[start]


def name(part: Part) -> str:
    """A part in words."""
    return {
        Part.ENDPOINT: translate("Latency", "Waiting to be sure that you had finished"),
        Part.ENCODE: translate("Latency", "Hearing the question"),
        Part.PREFILL: translate("Latency", "Reading it with the conversation"),
        Part.FIRST_FRAME: translate("Latency", "Making the first piece of speech"),
        Part.MODEL: translate("Latency", "The model"),
        Part.HANDOVER: translate("Latency", "Between window and model, and leading silence"),
        Part.DEVICE: translate("Latency", "The speaker’s buffers"),
    }[part]


def in_full(latency: Latency) -> str:
    """Everything as text, a line a part."""
    rows = [f"{name(part)}: {seconds(ms)}" for part, ms in latency.parts]
    return "\n".join([summary(latency), *rows, *_remarks(latency)])


class LatencyLine(QWidget):
    """Signals: `resized()` when it has been opened or closed and needs another height."""

    resized = Signal()

    def __init__(self, latency: Latency, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._line = QPushButton()
        self._line.setProperty("kind", "foot")
        self._line.setCheckable(True)
        self._line.setToolTip(self.tr("Show where the time went"))
        self._line.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._line.toggled.connect(self._toggled)
        theme.set_size(self._line, 0.88)
        self._more = QWidget()
        self._more.setAccessibleName(in_full(latency))
        rows = QGridLayout(self._more)
        rows.setContentsMargins(0, 2, 0, 2)
        rows.setHorizontalSpacing(16)
        rows.setVerticalSpacing(3)
        rows.setColumnStretch(0, 1)
        rows.addWidget(_Bar(latency), 0, 0, 1, 2)
        self._labels: list[tuple[QLabel, ...]] = []
        for row, (part, ms) in enumerate(latency.parts, 1):
            label, value = _small(name(part)), _small(seconds(ms))
            value.setWordWrap(False)
            rows.addWidget(label, row, 0)
            rows.addWidget(value, row, 1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
            self._labels.append((label, value))
        for row, remark in enumerate(_remarks(latency), len(latency.parts) + 1):
            label = _small(remark)
            label.setProperty("muted", True)
            rows.addWidget(label, row, 0, 1, 2)
            self._labels.append((label,))
        self._more.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self._line)
        column.addWidget(self._more)
        self._summary = summary(latency)
        self._label(False)

    def open(self) -> None:
        """Show the parts."""
        self._line.setChecked(True)

    def wanted_width(self) -> int:
        """Pixels with which no line has to be broken."""
        if not self.is_open():
            return self._line.sizeHint().width()

        def width(label: QLabel) -> int:
            return label.fontMetrics().horizontalAdvance(label.text()) + 2

        return max(self._line.sizeHint().width(), *(sum(map(width, row)) + 16 * (len(row) - 1) for row in self._labels))

    def height_for(self, width: int) -> int:
        """Pixels of height that it needs at this `width`."""
        layout = self.layout()
        assert layout is not None
        layout.invalidate()
        return layout.totalHeightForWidth(width) if self.is_open() else self._line.sizeHint().height()

    def is_open(self) -> bool:
        """Whether the parts are shown."""
        return self._line.isChecked()

    def _toggled(self, shown: bool) -> None:
        self._more.setVisible(shown)
        self._label(shown)
        self.updateGeometry()
        self.resized.emit()

    def _label(self, shown: bool) -> None:
        self._line.setText(f"{self._summary}  {'▴' if shown else '▾'}")
        state = self.tr("opened") if shown else self.tr("closed")
        self._line.setAccessibleName(f"{self._summary}, {state}")


class _Bar(QWidget):
    """The parts side by side, as long as they took. Their order is that of the rows below."""

    HEIGHT = 6

    def __init__(self, latency: Latency) -> None:
        super().__init__()
        self._shares = [ms / latency.total_ms if latency.total_ms > 0.0 else 0.0 for _, ms in latency.parts]
        self.setFixedHeight(self.HEIGHT + 6)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def sizeHint(self) -> QSize:
        return QSize(200, self.HEIGHT + 6)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        ink = QColor(theme.colours().accent)
        x = 0.0
        for number, share in enumerate(self._shares):
            width = share * self.width()
            # Neighbours differ in strength, and a gap parts them.
            ink.setAlphaF(1.0 if number % 2 == 0 else 0.5)
            painter.setBrush(ink)
            if width > 1.0:
                painter.drawRoundedRect(QRectF(x, 3, max(1.0, width - 2.0), self.HEIGHT), 2, 2)
            x += width


def _remarks(latency: Latency) -> list[str]:
    remarks = [origin(latency.start)]
    if latency.overlap_ms >= 1.0:
        text = translate("Latency", "The model was at work {time} before it was sure that you had finished.")
        remarks.append(text.format(time=seconds(latency.overlap_ms)))
    return remarks


def _small(text: str) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    theme.set_size(label, 0.88)
    return label
