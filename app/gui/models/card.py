"""One model in the list: what it is, where it is, and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.gui import icons, theme
from app.gui.models.flow import Flow
from app.gui.models.rows import Act, Row

_STEPS = 1_000
_PRIMARY = (Act.DOWNLOAD, Act.RESUME, Act.USE, Act.REPAIR)


def words(act: Act) -> str:
    """What stands on the button."""
    return {
        Act.DOWNLOAD: QCoreApplication.translate("Models", "Download"),
        Act.PAUSE: QCoreApplication.translate("Models", "Pause"),
        Act.RESUME: QCoreApplication.translate("Models", "Resume"),
        Act.CANCEL: QCoreApplication.translate("Models", "Cancel"),
        Act.USE: QCoreApplication.translate("Models", "Use"),
        Act.REPAIR: QCoreApplication.translate("Models", "Repair"),
        Act.ANSWERS: QCoreApplication.translate("Models", "Answers…"),
        Act.VERIFY: QCoreApplication.translate("Models", "Verify"),
        Act.REMOVE: QCoreApplication.translate("Models", "Remove…"),
        Act.LICENCES: QCoreApplication.translate("Models", "Licences…"),
    }[act]


class ModelCard(QFrame):
    """Shows a `Row`.

    Signals: `wanted(Act)`.
    """

    wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.row: Row | None = None
        self.title = QLabel()
        theme.set_size(self.title, 1.1, QFont.Weight.DemiBold)
        self._mark = QLabel()
        self.state = QLabel()
        theme.set_size(self.state, 0.92)
        self.facts = self._label(0.92)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.progress = self._label(0.92)
        self.file = self._label(0.85)
        self.message = self._label(0.92)
        self.buttons: dict[Act, QPushButton] = {}
        flow = Flow()
        for act in Act:
            button = self.buttons[act] = QPushButton(words(act))
            if act == Act.REMOVE:
                button.setProperty("kind", "danger")
            elif act in _PRIMARY:
                button.setProperty("kind", "primary")
            button.clicked.connect(lambda _=False, act=act: self.wanted.emit(act))
            flow.addWidget(button)
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(self.title)
        head.addStretch(1)
        head.addWidget(self._mark)
        head.addWidget(self.state)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(6)
        column.addLayout(head)
        for widget in (self.facts, self.message, self.bar, self.progress, self.file):
            column.addWidget(widget)
        column.addSpacing(6)
        column.addLayout(flow)

    def show_row(self, row: Row) -> None:
        """Show this; a button that has the keyboard hands it on before it goes."""
        if row == self.row:
            return
        self.row = row
        self.title.setText(row.title)
        self.state.setText(row.state)
        self._put(self.facts, row.facts)
        self._put(self.message, row.message)
        self.message.setProperty("bad", row.bad)
        self.message.setProperty("muted", not row.bad)
        self._put(self.progress, row.progress)
        self._put(self.file, row.file)
        if row.fraction is not None:
            self.bar.setRange(0, 0 if row.fraction < 0 else _STEPS)
            self.bar.setValue(round(_STEPS * max(row.fraction, 0.0)))
        self.bar.setVisible(row.fraction is not None)
        self.bar.setAccessibleName(self.tr("Progress of {model}").format(model=row.title))
        self.bar.setAccessibleDescription(row.progress)
        had = next((act for act, button in self.buttons.items() if button.hasFocus()), None)
        for act, button in self.buttons.items():
            button.setVisible(act in row.acts)
            button.setAccessibleName(self.tr("{action}: {model}").format(action=words(act), model=row.title))
        if had is not None and had not in row.acts and row.acts:
            self.buttons[row.acts[0]].setFocus()
        self.setAccessibleName(f"{row.title}, {row.state}")
        self._dress()

    def _label(self, size: float) -> QLabel:
        label = QLabel()
        label.setWordWrap(True)
        label.setProperty("muted", True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        theme.set_size(label, size)
        label.hide()
        return label

    def _put(self, label: QLabel, text: str) -> None:
        label.setText(text)
        label.setVisible(bool(text))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self.__dict__.get("row") is not None:
            self._dress()

    def _dress(self) -> None:
        c = theme.colours()
        assert self.row is not None
        colour = c.danger if self.row.icon == "bad" else c.accent if self.row.icon in ("good", "done") else c.muted
        self._mark.setPixmap(icons.icon(self.row.icon, colour, 18).pixmap(QSize(18, 18)))
        # A property alone does not change the sheet's colours.
        self.message.style().unpolish(self.message)
        self.message.style().polish(self.message)
