"""Above the dock: what runs and will ring, and what rings now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, QLocale, QSize, Qt, QTime, QTimer, Signal
from PySide6.QtGui import QFont, QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.gui import icons, theme
from app.gui.buttons import bare_button
from app.tools.agenda.records import Entry, Kind, Ringing
from app.tools.agenda.tools import short_duration

# More are only counted.
SHOWN_MOST = 3
NAME_MOST = 28
TICK_MS = 1_000
SNOOZE_MINUTES = 5

translate = QCoreApplication.translate


def clock_text(moment: datetime) -> str:
    """The time of day as the user's language writes it."""
    return QLocale().toString(QTime(moment.hour, moment.minute), QLocale.FormatType.ShortFormat)


def remaining(due: datetime, now: datetime) -> str:
    """The time until `due`: "4:05", "1:20:00"."""
    seconds = max(0, round((due - now).total_seconds()))
    hours, minutes = divmod(seconds // 60, 60)
    return f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"


def what_of(one: Entry | Ringing, most: int = 200) -> str:
    """What it is, in plain words, with at most `most` characters of its name."""
    label = one.label if len(one.label) <= most else one.label[: most - 1].rstrip() + "…"
    match one.kind:
        case Kind.TIMER:
            words = translate("Agenda", "Timer: {name}") if label else translate("Agenda", "Timer, {length}")
            return words.format(name=label, length=short_duration(one.seconds or 0))
        case Kind.REMINDER:
            return translate("Agenda", "Reminder: {name}").format(name=label)
    words = translate("Agenda", "Alarm: {name}") if label else translate("Agenda", "Alarm, {time}")
    return words.format(name=label, time=clock_text(one.due))


class Chip(QFrame):
    """One that runs, with how long it still does and a button to cancel it.

    Signals: `cancelled(int)` its number.
    """

    cancelled = Signal(int)

    def __init__(self, entry: Entry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chip")
        self.entry = entry
        self._icon, self._name, self._time = QLabel(), QLabel(self._name_of(entry)), QLabel()
        self._time.setProperty("muted", True)
        what = translate("Agenda", "Cancel: {what}").format(what=what_of(entry))
        self.close_button = bare_button(what, what, 14)
        self.close_button.setProperty("kind", "small")
        self.close_button.clicked.connect(lambda: self.cancelled.emit(entry.id))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 1, 4, 1)
        row.setSpacing(8)
        for widget in (self._icon, self._name, self._time, self.close_button):
            row.addWidget(widget)
        self._dress()

    @staticmethod
    def _name_of(entry: Entry) -> str:
        # The time of an alarm stands beside it.
        if entry.kind is Kind.ALARM and not entry.label:
            return translate("Agenda", "Alarm")
        return what_of(entry, NAME_MOST)

    def show_time(self, now: datetime) -> None:
        """What there is left at `now`."""
        entry = self.entry
        self._time.setText(remaining(entry.due, now) if entry.kind is Kind.TIMER else clock_text(entry.due))
        # Read out when it is asked for, not each second.
        self.setAccessibleName(f"{self._name.text()}, {self._time.text()}")

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "close_button"):
            self._dress()

    def _dress(self) -> None:
        name = "timer" if self.entry.kind is Kind.TIMER else "bell"
        self._icon.setPixmap(icons.icon(name, theme.colours().accent, 18).pixmap(QSize(18, 18)))
        self.close_button.setIcon(icons.icon("close", theme.colours().text, 14))


class RunningStrip(QWidget):
    """The timers and alarms that run. Its clock ticks only while it is seen and a timer runs.

    Signals: `cancelled(int)` the number of one.
    """

    cancelled = Signal(int)

    def __init__(self, now: Callable[[], datetime], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._now = now
        self._entries: tuple[Entry, ...] = ()
        self.chips: list[Chip] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(theme.GRID)
        self._more = QLabel()
        self._more.setProperty("muted", True)
        self._row.addWidget(self._more)
        self._row.addStretch(1)
        self._ticker = QTimer(self)
        self._ticker.setInterval(TICK_MS)
        self._ticker.timeout.connect(self._tick)
        self.setAccessibleName(translate("Agenda", "Running timers and alarms"))

    @property
    def ticking(self) -> bool:
        """Whether its clock runs."""
        return self._ticker.isActive()

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Show these, soonest first."""
        if tuple(entries) != self._entries:
            self._entries = tuple(entries)
            self._fill()
        self._tick()
        self._run()

    def resizeEvent(self, event: object) -> None:
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._tick()
        self._run()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._run()

    def _fill(self) -> None:
        for chip in self.chips:
            self._row.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self.chips = [Chip(entry, self) for entry in self._entries[:SHOWN_MOST]]
        for at, chip in enumerate(self.chips):
            chip.cancelled.connect(self.cancelled)
            self._row.insertWidget(at, chip)
        self._fit()

    def _fit(self) -> None:
        """As many as there is room for; the others are counted."""
        room, shown = self.width(), 0
        for chip in self.chips:
            room -= chip.sizeHint().width() + theme.GRID
            fits = shown == 0 or room >= 60
            chip.setVisible(fits)
            shown += fits
        more = len(self._entries) - shown
        self._more.setText(translate("Agenda", "+ {count}").format(count=more))
        self._more.setToolTip("\n".join(what_of(entry) for entry in self._entries[shown:]))
        self._more.setVisible(more > 0)

    def minimumSizeHint(self) -> QSize:
        # What does not fit is only counted.
        return QSize(200, super().minimumSizeHint().height())

    def _tick(self) -> None:
        now = self._now()
        for chip in self.chips:
            chip.show_time(now)

    def _run(self) -> None:
        if self.isVisible() and any(entry.kind is Kind.TIMER for entry in self._entries):
            self._ticker.start()
        else:
            self._ticker.stop()


class RingCard(QFrame):
    """What rings or was missed, a row for each, until it is dismissed or put off.

    Signals: `dismissed(int)` and `snoozed(int)`, the number of one.
    """

    dismissed = Signal(int)
    snoozed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ring")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(16, 8, 8, 8)
        self._column.setSpacing(4)
        self._rows: list[QWidget] = []
        self._icons: list[QLabel] = []
        self.buttons: list[tuple[QPushButton, QPushButton | None]] = []

    def show_ringing(self, ringing: Sequence[Ringing]) -> None:
        """Show these."""
        for row in self._rows:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows, self._icons, self.buttons = [], [], []
        for one in ringing[:SHOWN_MOST]:
            self._add(one)
        if len(ringing) > SHOWN_MOST:
            more = QLabel(translate("Agenda", "and {count} more").format(count=len(ringing) - SHOWN_MOST))
            self._rows.append(more)
            self._column.addWidget(more)
        self.setAccessibleName("; ".join(said(one) for one in ringing))
        self._dress()

    def _add(self, one: Ringing) -> None:
        row = QWidget(self)
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(10)
        icon, words = QLabel(), QLabel(said(one))
        words.setWordWrap(True)
        theme.set_size(words, 1.0, QFont.Weight.DemiBold)
        dismiss = QPushButton(translate("Agenda", "Dismiss"))
        dismiss.setProperty("kind", "chip")
        dismiss.setAccessibleName(translate("Agenda", "Dismiss: {what}").format(what=what_of(one)))
        dismiss.clicked.connect(partial(self.dismissed.emit, one.id))
        line.addWidget(icon, 0, Qt.AlignmentFlag.AlignVCenter)
        line.addWidget(words, 1)
        snooze = None
        if not one.missed:
            snooze = QPushButton(translate("Agenda", "Snooze 5 minutes"))
            snooze.setProperty("kind", "chip")
            snooze.setAccessibleName(translate("Agenda", "Snooze 5 minutes: {what}").format(what=what_of(one)))
            snooze.clicked.connect(partial(self.snoozed.emit, one.id))
            line.addWidget(snooze)
        line.addWidget(dismiss)
        self._icons.append(icon)
        self._rows.append(row)
        self.buttons.append((dismiss, snooze))
        self._column.addWidget(row)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_icons"):
            self._dress()

    def _dress(self) -> None:
        for icon in self._icons:
            icon.setPixmap(icons.icon("bell", theme.colours().mine_text, 22).pixmap(QSize(22, 22)))


def said(one: Ringing) -> str:
    """What rings, or was missed and when."""
    if not one.missed:
        return what_of(one)
    day = QLocale().dayName(one.due.isoweekday(), QLocale.FormatType.ShortFormat)
    when = f"{day} {clock_text(one.due)}"
    words = translate("Agenda", "Missed {when}: {what}")
    if one.times > 1:
        words = translate("Agenda", "Missed {count} times, last {when}: {what}")
    return words.format(when=when, what=what_of(one), count=one.times)
