"""Whose voice answers: a button, and the panel under it with a preview of every voice and the way to new ones."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.gui import icons, theme
from app.gui.buttons import bare_button

WIDTH = 320
_LIST_HEIGHT = 360
# Pixels of a voice's button that its name cannot have: icon, edges and padding.
_BESIDE_NAME = 46


def literal(text: str) -> str:
    """`text` for a button, which would take "&" for the mark of a shortcut."""
    return text.replace("&", "&&")


def shown(voice: str, own: bool) -> str:
    """The name as it is shown: the user's own as it was typed, the model's in capitals and words."""
    return voice if own else voice.replace("_", " ").title()


class VoiceRow(QFrame):
    """One voice: its name, which takes it, a preview, and what else can be done with it when it is the user's own.

    Signals: `taken(str)`, `preview_clicked(str)`, `menu_wanted(str, QPoint)`.
    """

    taken = Signal(str)
    preview_clicked = Signal(str)
    menu_wanted = Signal(str, object)

    def __init__(self, voice: str, own: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.voice = voice
        self._name = shown(voice, own)
        self._preparing = self._playing = False
        self.choose = QPushButton(literal(self._name))
        self.choose.setProperty("kind", "quiet")
        self.choose.setProperty("row", True)
        self.choose.setCheckable(True)
        self.choose.setIconSize(QSize(16, 16))
        # A long name gives way to the buttons beside it.
        self.choose.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.choose.clicked.connect(lambda: self.taken.emit(voice))
        self.preview = bare_button(size=18)
        self.preview.clicked.connect(lambda: self.preview_clicked.emit(voice))
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self.choose, 1)
        self.more: QPushButton | None = None
        if own:
            self.more = bare_button(size=18)
            what = self.tr("Rename, export or delete {voice}").format(voice=self._name)
            self.more.setToolTip(what)
            self.more.setAccessibleName(what)
            self.more.clicked.connect(self._open_menu)
            row.addWidget(self.more)
        row.addWidget(self.preview)
        self.show_state(False, False)

    def set_current(self, current: bool) -> None:
        """Whether this voice answers now."""
        self.choose.setChecked(current)
        self._dress()

    def show_state(self, preparing: bool, playing: bool) -> None:
        """Whether its preview is being made, or heard."""
        self._preparing, self._playing = preparing, playing
        busy = preparing or playing
        what = self.tr("Stop the preview of {voice}") if busy else self.tr("Listen to {voice}")
        self.preview.setToolTip(what.format(voice=self._name))
        self.preview.setAccessibleName(what.format(voice=self._name))
        self._dress()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._row.activate()
        room = self.choose.width() - _BESIDE_NAME
        text = self.choose.fontMetrics().elidedText(self._name, Qt.TextElideMode.ElideRight, room)
        self.choose.setText(literal(text))
        self.choose.setToolTip(self._name if text != self._name else "")

    def _open_menu(self) -> None:
        assert self.more is not None
        self.menu_wanted.emit(self.voice, self.more.mapToGlobal(QPoint(0, self.more.height())))

    def _dress(self) -> None:
        c = theme.colours()
        current = self.choose.isChecked()
        # The empty icon keeps the names in one line.
        self.choose.setIcon(icons.icon("done" if current else "nothing", c.mine_text if current else c.text, 16))
        name = self.tr("{voice}, chosen") if current else "{voice}"
        self.choose.setAccessibleName(name.format(voice=self._name))
        picture = "stop" if self._playing else "wait" if self._preparing else "play"
        self.preview.setIcon(icons.icon(picture, c.accent if self._playing or self._preparing else c.text))
        if self.more is not None:
            self.more.setIcon(icons.icon("more", c.text))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "more"):
            self._dress()


class VoicePanel(QFrame):
    """The panel. It shows the voices it is told and says what the user wants.

    Signals: `chosen(str)`, `preview_clicked(str)`, `new_clicked()`, `import_clicked()`, `rename_clicked(str)`,
    `export_clicked(str)`, `delete_clicked(str)`.
    """

    chosen = Signal(str)
    preview_clicked = Signal(str)
    new_clicked = Signal()
    import_clicked = Signal()
    rename_clicked = Signal(str)
    export_clicked = Signal(str)
    delete_clicked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("panel")
        self.setAccessibleName(self.tr("Voices"))
        self.rows: dict[str, VoiceRow] = {}
        self._current = ""
        self._body = QWidget()
        self._body.setObjectName("voiceList")
        self._list = QVBoxLayout(self._body)
        self._list.setContentsMargins(8, 8, 8, 4)
        self._list.setSpacing(2)
        self._scroll = QScrollArea()
        self._scroll.setObjectName("voiceScroll")
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(self._body)
        line = QFrame()
        line.setObjectName("rule")
        line.setFixedHeight(1)
        self.new = self._wide(self.tr("New voice…"), self.tr("Make a voice from a recording"))
        self.new.clicked.connect(lambda: self._leave(self.new_clicked.emit))
        self.bring = self._wide(self.tr("Import…"), self.tr("Take in a voice file, or a voices.pt of MiniMind-O"))
        self.bring.clicked.connect(lambda: self._leave(self.import_clicked.emit))
        foot = QVBoxLayout()
        foot.setContentsMargins(8, 4, 8, 8)
        foot.setSpacing(2)
        foot.addWidget(self.new)
        foot.addWidget(self.bring)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        column.addWidget(self._scroll, 1)
        column.addWidget(line)
        column.addLayout(foot)
        self._dress()

    def set_voices(self, voices: Sequence[str], own: Sequence[str], current: str) -> None:
        """Show these voices; `own` are those of the user among them, `current` the one that answers."""
        while (item := self._list.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self.rows.clear()
        self._current = current
        for heading, names in (
            ("", [voice for voice in voices if voice not in own]),
            (self.tr("Your own"), [voice for voice in voices if voice in own]),
        ):
            if heading and names:
                label = QLabel(heading)
                label.setProperty("muted", True)
                theme.set_size(label, 0.9)
                label.setContentsMargins(10, 6, 0, 2)
                self._list.addWidget(label)
            for name in names:
                self._add(name, name in own)
        self._list.addStretch(1)
        self.show_current(current)

    def show_current(self, voice: str) -> None:
        """Show `voice` as the one that answers."""
        self._current = voice
        for name, row in self.rows.items():
            row.set_current(name == voice)

    def show_preview(self, voice: str, preparing: bool, playing: bool) -> None:
        """Whether the preview of `voice` is being made, or heard; all others are not."""
        for name, row in self.rows.items():
            row.show_state(preparing and name == voice, playing and name == voice)

    def open_under(self, button: QWidget) -> None:
        """Show the panel under `button`."""
        width = round(WIDTH * max(1.0, theme.text_scale()))
        self._body.adjustSize()
        tall = min(self._body.sizeHint().height(), round(_LIST_HEIGHT * max(1.0, theme.text_scale())))
        screen = button.screen().availableGeometry()
        height = min(tall + self.new.sizeHint().height() + self.bring.sizeHint().height() + 24, screen.height() - 16)
        self.resize(min(width, screen.width() - 8), height)
        corner = button.mapToGlobal(QPoint(button.width() - self.width(), button.height() + 6))
        x = min(max(corner.x(), screen.left() + 4), screen.right() - self.width() - 4)
        self.move(x, max(screen.top() + 4, min(corner.y(), screen.bottom() - height - 4)))
        self.show()
        row = self.rows.get(self._current)
        (row.choose if row is not None else self.new).setFocus()

    def choose(self, voice: str) -> None:
        """Take `voice`, as if it had been clicked."""
        self.show_current(voice)
        self.hide()
        self.chosen.emit(voice)

    # --- inside

    def _add(self, name: str, own: bool) -> None:
        row = VoiceRow(name, own)
        row.taken.connect(self.choose)
        row.preview_clicked.connect(self.preview_clicked)
        row.menu_wanted.connect(self._open_menu)
        self._list.addWidget(row)
        self.rows[name] = row

    def _wide(self, text: str, tip: str) -> QPushButton:
        button = QPushButton(text)
        button.setProperty("kind", "quiet")
        button.setIconSize(QSize(16, 16))
        button.setToolTip(tip)
        button.setAccessibleDescription(tip)
        return button

    def _open_menu(self, voice: str, place: QPoint) -> None:
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        for text, signal in (
            (self.tr("Rename…"), self.rename_clicked),
            (self.tr("Export…"), self.export_clicked),
            (self.tr("Delete…"), self.delete_clicked),
        ):
            menu.addAction(text).triggered.connect(lambda _=False, s=signal: self._leave(lambda: s.emit(voice)))
        menu.popup(place)

    def _leave(self, then: object) -> None:
        self.hide()
        then()  # type: ignore[operator]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        elif event.key() in keys:
            self._step(keys[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def _step(self, by: int) -> None:
        """The arrow keys go from voice to voice, the Tab key to what can be done with one."""
        rows = list(self.rows.values())
        stops = [*(row.choose for row in rows), self.new, self.bring]
        focus = self.focusWidget()
        at = next((n for n, row in enumerate(rows) if focus is not None and row.isAncestorOf(focus)), 0)
        at = next((n for n, stop in enumerate(stops) if stop is focus), at)
        target = stops[max(0, min(at + by, len(stops) - 1))]
        target.setFocus()
        self._scroll.ensureWidgetVisible(target)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "bring"):
            self._dress()

    def _dress(self) -> None:
        c = theme.colours()
        self.new.setIcon(icons.icon("new", c.muted, 16))
        self.bring.setIcon(icons.icon("import", c.muted, 16))


class VoiceButton(QPushButton):
    """Shows whose voice answers, and opens the panel."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "menu")
        self.panel = VoicePanel(self)
        self._voice, self._own = "", False
        self.setToolTip(self.tr("Whose voice answers"))
        self.setMinimumWidth(120)
        self.setEnabled(False)
        self.clicked.connect(lambda: self.panel.open_under(self))
        self.panel.chosen.connect(self.show_voice)
        self._names: tuple[str, ...] = ()
        self._own_names: tuple[str, ...] = ()
        self.show_voice("")

    @property
    def voice(self) -> str:
        """The voice that is shown as the one that answers."""
        return self._voice

    @property
    def names(self) -> tuple[str, ...]:
        """All voices in the panel."""
        return self._names

    def set_voices(self, voices: tuple[str, ...], current: str, own: tuple[str, ...] = ()) -> None:
        """Fill the panel; the first voice is the default and is chosen when `current` is not among them."""
        self._names, self._own_names = voices, own
        chosen = current if current in voices else next(iter(voices), "")
        self.panel.set_voices(voices, own, chosen)
        self.show_voice(chosen)
        self.setEnabled(bool(voices))

    def show_voice(self, voice: str) -> None:
        """Show `voice` as the one that answers."""
        self._voice = voice
        text = shown(voice, voice in self._own_names) if voice else self.tr("Voice")
        self.setText(literal(self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, 150)))
        self.setAccessibleName(self.tr("Voice: {voice}").format(voice=text) if voice else text)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        colours = theme.colours()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = QColor(colours.text if self.isEnabled() else colours.muted)
        painter.setPen(QPen(ink, 1.8, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
        x, y = self.width() - 18, self.height() / 2
        painter.drawPolyline([QPointF(x - 4, y - 2), QPointF(x, y + 2), QPointF(x + 4, y - 2)])
