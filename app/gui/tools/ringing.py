"""Rings what is due: with a sound, a notification and a card; quiet again by a button, by voice, or after a while."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversation.controller import Conversation
from app.conversation.events import State
from app.gui.sentences import shown
from app.gui.tools.agenda_panel import SNOOZE_MINUTES, RingCard, RunningStrip, said
from app.gui.tools.chime import chime
from app.gui.window import MainWindow
from app.tools.agenda.alarm_clock import AlarmClock
from app.tools.agenda.records import Kind, Ringing
from app.tools.agenda.store import StoreError
from app.tools.words.said import wants_later, wants_quiet

# The wall clock may be put, or the computer may sleep meanwhile.
LOOK_MS = 30_000
# So often the sound is played before only the card is left, and so long after an answer it begins anew.
CHIMES_MOST = 10
AGAIN_MS = 700
LATER_MS = 3_000


class Ringer(QObject):
    """Lives on the window's thread.

    Signals: `rang(str)` for each that begins to ring, in plain words.
    """

    rang = Signal(str)

    def __init__(self, window: MainWindow, conversation: Conversation, alarms: AlarmClock) -> None:
        super().__init__(window)
        self._window = window
        self._conversation = conversation
        self._alarms = alarms
        self._items: list[Ringing] = []
        self._sound = chime()
        self._sounding = False
        self._cut = False
        self._chimes = 0
        self.card = RingCard()
        self.card.dismissed.connect(self.dismiss)
        self.card.snoozed.connect(self.snooze)
        self.strip = RunningStrip(alarms.now)
        self.strip.cancelled.connect(self._cancel)
        self._looker = QTimer(self)
        self._looker.setSingleShot(True)
        self._looker.timeout.connect(self.look)
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.timeout.connect(self._ring)
        conversation.set_intercept(self._take_words)
        window.stop_requested.connect(self._stopped)

    def start(self) -> None:
        """Show what runs, and tell what was missed while Banter was closed."""
        try:
            self._items = self._alarms.ringing()
        except StoreError as error:
            self._tell(str(error))
        self.look()
        self._show()

    def close(self) -> None:
        """Be quiet for good; what rings is told of at the next start."""
        self._looker.stop()
        self._again.stop()
        self._items = []

    def look(self) -> None:
        """Ring what is due by now, and find out when to look again."""
        fresh = self._alarms.due()
        known = {one.id for one in self._items}
        self._items += [one for one in fresh if one.id not in known]
        ringing = [one for one in fresh if not one.missed]
        if fresh:
            self._show()
        for one in ringing:
            self.rang.emit(said(one))
        if ringing:
            self._chimes = 0
            self._ring()
        self.refresh()

    def refresh(self) -> None:
        """What is in the agenda has changed."""
        try:
            entries = [one for one in self._alarms.listing() if one.kind is not Kind.REMINDER]
            rings = {one.id for one in self._alarms.ringing()}
            # What was cancelled by voice is quiet; what the file does not know of rings on.
            left = [one for one in self._items if one.id in rings or one.id < 0]
        except StoreError:
            entries, left = [], self._items
        if left != self._items:
            self._items = left
            self._show()
        self.strip.show_entries(entries)
        self._window.offer(self.strip, bool(entries))
        self._window.offer(self.card, bool(self._items))
        self._looker.start(self._wait_ms(self._alarms.next_due()))

    def dismiss(self, number: int) -> None:
        """Let one be quiet."""
        self._alarms.dismiss(number)
        self._drop(number)

    def snooze(self, number: int) -> None:
        """Let one be quiet and ring again in a few minutes."""
        try:
            self._alarms.snooze(number, SNOOZE_MINUTES)
        except StoreError as error:
            self._tell(str(error))
            return
        self._drop(number)

    def dismiss_all(self) -> None:
        """Let everything that rings be quiet; what was missed stays until it is read."""
        for one in self._ringing():
            self.dismiss(one.id)

    # --- inside

    def _ringing(self) -> list[Ringing]:
        return [one for one in self._items if not one.missed]

    def _drop(self, number: int) -> None:
        self._items = [one for one in self._items if one.id != number]
        self._show()
        if not self._ringing():
            self._again.stop()
            if self._sounding:
                self._conversation.stop()
        self.refresh()

    def _cancel(self, number: int) -> None:
        try:
            self._alarms.cancel([number])
        except StoreError as error:
            self._tell(str(error))
        self.refresh()

    def _show(self) -> None:
        self.card.show_ringing(self._items)
        self._window.offer(self.card, bool(self._items))

    def _tell(self, sentence: str) -> None:
        self._window.show_notice("agenda", shown(sentence))

    def _wait_ms(self, due: datetime | None) -> int:
        if due is None:
            return LOOK_MS
        left = (due - self._alarms.now()).total_seconds()
        return min(LOOK_MS, max(20, round(1000 * left) + 10))

    # --- the sound

    def _ring(self) -> None:
        if not self._ringing() or self._sounding or self._chimes >= CHIMES_MOST:
            return
        if self._conversation.state != State.IDLE:
            # The user talks or is being answered: the card is there, and the sound can wait.
            self._again.start(AGAIN_MS)
            return
        self._sounding = self._conversation.play(self._sound, self._over)
        if self._sounding:
            self._chimes += 1
            self._window.show_activity("ringing")

    def _over(self, whole: bool) -> None:
        self._sounding = False
        if not whole:
            # Whatever has cut it off comes with the same event, if it is the button.
            self._cut = True
            QTimer.singleShot(0, self, self._forget_cut)
        self._again.start(AGAIN_MS if whole else LATER_MS)

    def _forget_cut(self) -> None:
        self._cut = False

    def _stopped(self) -> None:
        if self._sounding or self._cut:
            self.dismiss_all()

    def _take_words(self, text: str) -> bool:
        """Whether the user's words are about what rings."""
        ringing = self._ringing()
        if not ringing:
            return False
        if wants_later(text):
            for one in ringing:
                self.snooze(one.id)
            return True
        if wants_quiet(text):
            self.dismiss_all()
            return True
        return False
