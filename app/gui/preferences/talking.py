"""How turns are taken: who holds what, how long a pause may be, and what stops an answer."""

from __future__ import annotations

from app.conversation.manner import timing_for
from app.conversation.timing import CHUNK_S
from app.gui.preferences.page import Page
from app.gui.preferences.parts import Segments
from app.settings import Mode, Patience, Sensitivity, Settings, Talk


class TalkingPage(Page):
    """Mode, patience and interruptions."""

    FIELDS = ("talk", "mode", "patience", "barge_in")

    def build(self) -> None:
        card = self.card()
        self.mode = Segments(
            (
                (Talk.HOLD, self.tr("Hold to talk"), self.tr("Hold the button or Space while you speak")),
                (Talk.TOGGLE, self.tr("Press to talk"), self.tr("Press the button or Space before and after")),
                (Mode.OPEN_MIC, self.tr("Open microphone"), self.tr("Just speak: it notices when you have finished")),
            )
        )
        self.mode.chosen.connect(self._mode_chosen)
        self._mode_note = card.row(self.tr("&How you talk"), self.mode, " ")
        card = self.card(self.tr("With the open microphone"))
        self.patience = Segments(
            (
                (Patience.QUICK, self.tr("Quick"), self.tr("For short questions, one after the other")),
                (Patience.NORMAL, self.tr("Normal"), self.tr("For most people")),
                (Patience.SLOW, self.tr("Slow speaker"), self.tr("For whoever likes to think while speaking")),
            )
        )
        self.patience.chosen.connect(lambda value: self.changed.emit({"patience": value}))
        self._patience_note = card.row(self.tr("&Patience at the end"), self.patience, " ")
        self.barge_in = Segments(
            (
                (Sensitivity.LOW, self.tr("Low"), self.tr("For rooms where others talk, too")),
                (Sensitivity.NORMAL, self.tr("Normal"), self.tr("For most rooms")),
                (Sensitivity.HIGH, self.tr("High"), self.tr("For quiet rooms and headphones")),
            )
        )
        self.barge_in.chosen.connect(lambda value: self.changed.emit({"barge_in": value}))
        self._barge_in_note = card.row(self.tr("How easily you &interrupt"), self.barge_in, " ")

    def show_settings(self, settings: Settings) -> None:
        by_hand = settings.mode == Mode.PUSH_TO_TALK
        self.mode.set_value(settings.talk if by_hand else Mode.OPEN_MIC)
        self.patience.set_value(settings.patience)
        self.barge_in.set_value(settings.barge_in)
        timing = timing_for(settings.patience, settings.barge_in)
        if not by_hand:
            how = self.tr("Just speak. Banter answers when you pause.")
        elif settings.talk == Talk.TOGGLE:
            how = self.tr("Press Space or the button, speak, and press again.")
        else:
            how = self.tr("Hold Space or the button while you speak.")
        pause = self.tr("It answers after {seconds} s of silence, sooner after a whole sentence.")
        voice = self.tr("It pauses after {seconds} s of your voice, and goes on if that was only an “mm-hm”.")
        for note, text, control in (
            (self._mode_note, how, self.mode),
            (self._patience_note, pause.format(seconds=_seconds(timing.endpoint_chunks)), self.patience),
            (self._barge_in_note, voice.format(seconds=_seconds(timing.barge_in_chunks)), self.barge_in),
        ):
            note.setText(text)
            control.setAccessibleDescription(text)

    def _mode_chosen(self, value: object) -> None:
        if value == Mode.OPEN_MIC:
            self.changed.emit({"mode": Mode.OPEN_MIC})
        else:
            self.changed.emit({"talk": value, "mode": Mode.PUSH_TO_TALK})


def _seconds(chunks: int) -> str:
    return f"{chunks * CHUNK_S:.1f}"
