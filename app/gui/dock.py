"""The lower part of the window: notices, status line, talk, open-mic and stop buttons, and the text field."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.gui import icons, theme
from app.gui.orb import LevelMeter, Look, Orb
from app.gui.status import Line
from app.gui.talk_button import TalkButton

QUESTION_LIMIT = 500


class Notices(QFrame):
    """Sentences that stay until their cause has gone or the user closes them.

    Signals: `retry_clicked()`, when the user has done something about the cause (plugged in a microphone).
    """

    retry_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self._texts: dict[str, str] = {}
        self._label = QLabel()
        self._label.setWordWrap(True)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._close = QPushButton()
        self._close.setProperty("kind", "bare")
        self._close.setAccessibleName(self.tr("Close this notice"))
        self._close.setToolTip(self.tr("Close this notice"))
        self._close.clicked.connect(self.clear)
        self._retry = QPushButton(self.tr("Try again"))
        self._retry.setProperty("kind", "chip")
        self._retry.clicked.connect(self.retry_clicked)
        self._retriable: set[str] = set()
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 8, 8)
        row.addWidget(self._label, 1)
        row.addWidget(self._retry, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def text(self) -> str:
        """All notices, one a line."""
        return "\n".join(self._texts.values())

    def put(self, key: str, text: str, retry: bool = False) -> None:
        """Show `text` under `key`; empty text takes it away. `retry` offers the button."""
        if text:
            self._texts[key] = text
        else:
            self._texts.pop(key, None)
        (self._retriable.add if retry else self._retriable.discard)(key)
        self._show()

    def clear(self) -> None:
        """Take all notices away."""
        self._texts.clear()
        self._show()

    def dress(self) -> None:
        """Take the theme's colours."""
        self._close.setIcon(icons.icon("close", theme.colours().text, 16))

    def _show(self) -> None:
        self._label.setText(self.text())
        self._retry.setVisible(bool(self._retriable & self._texts.keys()))
        self.setAccessibleName(self.text())
        self.setVisible(bool(self._texts))


class Dock(QFrame):
    """Everything the user does is here.

    Signals: `question_entered(str)`, `stop_clicked()`, `open_mic_switched(bool)`, `muted(bool)` of the
    microphone.
    """

    question_entered = Signal(str)
    stop_clicked = Signal()
    open_mic_switched = Signal(bool)
    muted = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("dock")
        self.notices = Notices()
        self.orb = Orb()
        self.meter = LevelMeter()
        self.talk = TalkButton(self.tr("Hold to talk"))
        self._headline = QLabel()
        theme.set_size(self._headline, 1.12, QFont.Weight.DemiBold)
        self._hint = QLabel()
        self._hint.setProperty("muted", True)
        self._hint.setWordWrap(True)
        self._hint.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._progress = QProgressBar()
        self._progress.setRange(0, 1000)
        self._progress.setTextVisible(False)
        self._progress.setAccessibleName(self.tr("Loading the model"))
        self.open_mic = QPushButton()
        self.mute = QPushButton()
        self.stop = QPushButton()
        self.field = QLineEdit()
        self.send = QPushButton()
        self._ready = False
        self._question = ""
        self._arrange()
        self._describe()
        self.open_mic.toggled.connect(self._open_mic_toggled)
        self.mute.toggled.connect(self._mute_toggled)
        self.stop.clicked.connect(self.stop_clicked)
        self.send.clicked.connect(self._enter)
        self.field.returnPressed.connect(self._enter)
        self.field.textChanged.connect(self._allow)
        self._microphone = True
        self._label_open_mic(False)
        self._label_mute(False)
        self.set_toggle(False)
        self.set_ready(False)
        self.set_busy(False)

    # --- shown from outside

    def show_line(self, line: Line, fraction: float | None) -> None:
        """Show the status `line`; `fraction` 0…1 shows a bar, None hides it."""
        self.orb.set_look(line.look)
        self._headline.setText(line.headline)
        self._hint.setText(line.hint)
        self.orb.setAccessibleName(line.headline)
        self._progress.setVisible(fraction is not None)
        if fraction is not None:
            self._progress.setValue(round(1000 * fraction))
        self._label_talk(line.look == Look.LISTENING and self.talk.is_held())

    def status_text(self) -> str:
        """The headline and the hint as one text."""
        return f"{self._headline.text()}. {self._hint.text()}"

    def set_ready(self, ready: bool) -> None:
        """Whether questions are taken."""
        self._ready = ready
        self._allow()

    def set_busy(self, busy: bool) -> None:
        """Whether there is something to stop."""
        self.stop.setEnabled(busy)
        self.dress()

    def set_subject(self, question: str) -> None:
        """The next question is about a picture; an empty field asks `question` then. "": it is about none."""
        self._question = question
        self.field.setPlaceholderText(
            self.tr("Your question about the picture") if question else self.tr("Or type your question")
        )
        self._allow()

    def set_toggle(self, toggles: bool) -> None:
        """Whether the talk button is pressed once to begin and once to send, instead of being held."""
        self.talk.release()
        self.talk.toggles = toggles
        if toggles:
            self.talk.setToolTip(self.tr("Press, speak, press again (Space)"))
            self.talk.setAccessibleDescription(self.tr("Press this button or the Space key before and after you speak"))
        else:
            self.talk.setToolTip(self.tr("Hold while you speak (Space)"))
            self.talk.setAccessibleDescription(self.tr("Hold this button or the Space key while you speak"))
        self._label_talk(False)

    def set_microphone(self, usable: bool) -> None:
        """Whether a microphone is there; without one, talking is switched off and typing stays."""
        self._microphone = usable
        self._allow_talk()

    def set_open_mic(self, on: bool) -> None:
        """Show the open microphone as on or off without telling anybody."""
        self.open_mic.blockSignals(True)
        self.open_mic.setChecked(on)
        self.open_mic.blockSignals(False)
        self._label_open_mic(on)

    def is_muted(self) -> bool:
        """Whether the microphone is muted."""
        return self.mute.isChecked()

    def dress(self) -> None:
        """Take the theme's colours for the icons."""
        c = theme.colours()

        def ink(widget: QWidget, colour: str) -> str:
            return colour if widget.isEnabled() else c.muted

        self.talk.setIcon(icons.icon("microphone", ink(self.talk, c.on_accent)))
        on = self.open_mic.isChecked()
        self.open_mic.setIcon(icons.icon("waves", ink(self.open_mic, c.mine_text if on else c.text)))
        muted = self.mute.isChecked()
        picture = "microphone-off" if muted else "microphone"
        self.mute.setIcon(icons.icon(picture, ink(self.mute, c.danger if muted else c.text)))
        self.stop.setIcon(icons.icon("stop", ink(self.stop, c.danger)))
        self.send.setIcon(icons.icon("send", ink(self.send, c.on_accent)))
        self.notices.dress()

    # --- inside

    def _arrange(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addStretch(1)
        words.addWidget(self._headline)
        words.addWidget(self._hint)
        words.addStretch(1)
        top = QHBoxLayout()
        top.setSpacing(12)
        top.addWidget(self.orb)
        top.addLayout(words, 1)
        top.addWidget(self.meter, 0, Qt.AlignmentFlag.AlignVCenter)
        buttons = QHBoxLayout()
        buttons.setSpacing(theme.GRID)
        buttons.addWidget(self.talk, 1)
        buttons.addWidget(self.open_mic)
        buttons.addWidget(self.mute)
        buttons.addWidget(self.stop)
        typing = self.typing = QHBoxLayout()
        typing.setSpacing(theme.GRID)
        typing.addWidget(self.field, 1)
        typing.addWidget(self.send)
        # What goes with the next question.
        self.cards = QVBoxLayout()
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 16)
        column.setSpacing(12)
        column.addWidget(self.notices)
        column.addLayout(self.cards)
        column.addLayout(top)
        column.addWidget(self._progress)
        column.addLayout(buttons)
        column.addLayout(typing)
        self.talk.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for button in (self.mute, self.stop, self.send):
            button.setProperty("kind", "square")
        self.send.setProperty("kind", "primary")
        self.send.setStyleSheet("padding: 0; min-width: 40px; max-width: 40px;")
        self.mute.setProperty("warns", True)
        for button in (self.talk, self.open_mic, self.mute, self.stop, self.send):
            button.setIconSize(QSize(20, 20))

    def _describe(self) -> None:
        self.open_mic.setCheckable(True)
        self.open_mic.setToolTip(self.tr("Keep the microphone open and just speak (Ctrl+M)"))
        self.mute.setCheckable(True)
        self.stop.setToolTip(self.tr("Stop the answer (Esc)"))
        self.stop.setAccessibleName(self.tr("Stop"))
        self.set_subject("")
        self.field.setAccessibleName(self.tr("Your question"))
        self.field.setToolTip(self.tr("Type a question and press Enter (Ctrl+L)"))
        self.field.setMaxLength(QUESTION_LIMIT)
        self.send.setToolTip(self.tr("Ask (Enter)"))
        self.send.setAccessibleName(self.tr("Ask"))

    def _label_talk(self, listening: bool) -> None:
        if self.talk.toggles:
            self.talk.setText(self.tr("Listening, press to send") if listening else self.tr("Press to talk"))
        else:
            self.talk.setText(self.tr("Listening, let go to send") if listening else self.tr("Hold to talk"))

    def _allow(self) -> None:
        self.send.setEnabled(self._ready and bool(self.field.text().strip() or self._question))
        self.dress()

    def _enter(self) -> None:
        text = " ".join(self.field.text().split()) or self._question
        if text and self._ready:
            self.field.clear()
            self.question_entered.emit(text)

    def _open_mic_toggled(self, on: bool) -> None:
        self._label_open_mic(on)
        self.open_mic_switched.emit(on)

    def _label_open_mic(self, on: bool) -> None:
        self.open_mic.setText(self.tr("Open mic: on") if on else self.tr("Open mic: off"))
        self.open_mic.setAccessibleName(self.tr("Open microphone"))
        self.dress()

    def _mute_toggled(self, muted: bool) -> None:
        self._label_mute(muted)
        self._allow_talk()
        self.muted.emit(muted)

    def _label_mute(self, muted: bool) -> None:
        what = self.tr("Unmute the microphone") if muted else self.tr("Mute the microphone")
        self.mute.setAccessibleName(what)
        self.mute.setToolTip(self.tr("{what} (Ctrl+Shift+M)").format(what=what))
        self.dress()

    def _allow_talk(self) -> None:
        usable = self._microphone and not self.mute.isChecked()
        self.talk.setEnabled(usable)
        self.open_mic.setEnabled(usable)
        self.mute.setEnabled(self._microphone)
        self.dress()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "send"):
            self.dress()
