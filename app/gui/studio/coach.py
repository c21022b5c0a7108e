"""What the coach says of a clip: a line for each check, with a sign, a name and a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QEvent, QSize, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from app.gui import icons, theme
from app.voices.checks import CONTEXT, Aspect, Check, Verdict


def advice(check: Check) -> str:
    """The sentence of a check in the user's language."""
    return check.sentence(QCoreApplication.translate(CONTEXT, check.template))


class Coach(QWidget):
    """The lines. Before there is a clip, each says what matters."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._verdicts: dict[Aspect, Verdict] = {}
        self._signs: dict[Aspect, QLabel] = {}
        self._texts: dict[Aspect, QLabel] = {}
        self._names = self._aspects()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(2, 1)
        for row, aspect in enumerate(Aspect):
            sign, name, text = QLabel(), QLabel(self._names[aspect][0]), QLabel()
            sign.setFixedSize(QSize(18, 18))
            theme.set_size(name, 1.0, QFont.Weight.DemiBold)
            text.setWordWrap(True)
            text.setTextFormat(Qt.TextFormat.PlainText)
            text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
            for column, label in enumerate((sign, name, text)):
                grid.addWidget(label, row, column, Qt.AlignmentFlag.AlignTop)
            self._signs[aspect], self._texts[aspect] = sign, text
        self.show_checks(())

    def show_checks(self, checks: Sequence[Check]) -> None:
        """Show these; none: there is no clip."""
        self._verdicts = {check.aspect: check.verdict for check in checks}
        said = {check.aspect: advice(check) for check in checks}
        words = {
            Verdict.GOOD: self.tr("good"),
            Verdict.FAIR: self.tr("could be better"),
            Verdict.BAD: self.tr("not good"),
        }
        for aspect, text in self._texts.items():
            name, wanted = self._names[aspect]
            text.setText(said.get(aspect, wanted))
            text.setProperty("muted", self._verdicts.get(aspect) in (None, Verdict.GOOD))
            text.style().unpolish(text)
            text.style().polish(text)
            verdict = self._verdicts.get(aspect)
            state = words[verdict] if verdict is not None else self.tr("not checked yet")
            text.setAccessibleName(
                self.tr("{aspect}, {state}: {advice}").format(aspect=name, state=state, advice=text.text())
            )
        self._dress()

    def text(self, aspect: Aspect) -> str:
        """What is said about `aspect`."""
        return self._texts[aspect].text()

    def verdict(self, aspect: Aspect) -> Verdict | None:
        """How `aspect` is, None before there is a clip."""
        return self._verdicts.get(aspect)

    def _aspects(self) -> dict[Aspect, tuple[str, str]]:
        """The name of each, and what is wanted."""
        return {
            Aspect.LENGTH: (self.tr("Length"), self.tr("Three to ten seconds of speech.")),
            Aspect.LEVEL: (self.tr("Level"), self.tr("A hand's breadth or two from the microphone.")),
            Aspect.CLIPPING: (self.tr("Peaks"), self.tr("Not so loud that the microphone is overdriven.")),
            Aspect.NOISE: (self.tr("Noise"), self.tr("A quiet room, without music.")),
            Aspect.SILENCE: (self.tr("Silence"), self.tr("Speech without long breaks.")),
            Aspect.SPEAKERS: (self.tr("Voices"), self.tr("One person alone.")),
        }

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_names"):
            self._dress()

    def _dress(self) -> None:
        c = theme.colours()
        inks = {Verdict.GOOD: c.accent, Verdict.FAIR: c.text, Verdict.BAD: c.danger}
        for aspect, sign in self._signs.items():
            verdict = self._verdicts.get(aspect)
            picture = verdict.value if verdict is not None else "unknown"
            ink = inks[verdict] if verdict is not None else c.muted
            sign.setPixmap(icons.icon(picture, ink, 18).pixmap(QSize(18, 18), self.devicePixelRatioF()))
