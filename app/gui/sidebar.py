"""The side of the window: new conversation, search, the list, and how long conversations are kept."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QActionGroup, QFont, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QMenu, QPushButton, QVBoxLayout, QWidget

from app.gui import icons, theme
from app.gui.buttons import bare_button
from app.gui.conversation_list import ConversationList
from app.history.records import Summary
from app.settings import Keep

WIDTH = 256
SEARCH_AFTER_MS = 120
UNDO_MS = 10_000


def wanted_width() -> int:
    """Pixels, more of them for larger text."""
    return round(WIDTH * max(1.0, theme.text_scale()))


class UndoBar(QFrame):
    """Says for a while what was done, and takes a deletion back.

    Signals: `undone(str)` the conversation's id.
    """

    undone = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("undo")
        self._id = ""
        self._label = QLabel()
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self.button = QPushButton(self.tr("Undo"))
        self.button.setProperty("kind", "chip")
        self.button.clicked.connect(self._undo)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(UNDO_MS)
        self._timer.timeout.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        self.setMinimumHeight(46)
        row.addWidget(self._label, 1)
        row.addWidget(self.button)
        self.hide()

    def offer(self, conversation: str, title: str) -> None:
        """Offer to bring `conversation` back, for a while."""
        self._id = conversation
        self.tell(self.tr("Deleted “{title}”").format(title=title), undo=True)

    def tell(self, text: str, undo: bool = False) -> None:
        """Show `text` for a while; all of it is in the tool tip."""
        self.setAccessibleName(text)
        self.setToolTip(text)
        self.button.setVisible(undo)
        room = wanted_width() - 56 - (self.button.sizeHint().width() if undo else 0)
        self._label.setText(self._label.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room))
        self.show()
        self._timer.start()

    def _undo(self) -> None:
        self.hide()
        self.undone.emit(self._id)


class Sidebar(QFrame):
    """The kept conversations.

    Signals: `new_clicked()`, `opened(str)`, `renamed(str, str)`, `delete_wanted(str)`, `undone(str)`,
    `export_wanted(str, str)` id and file ending, `search_typed(str)`, `keep_chosen(Keep)`,
    `sound_switched(bool)`, `notes_clicked()`, `close_clicked()`.
    """

    new_clicked = Signal()
    opened = Signal(str)
    renamed = Signal(str, str)
    delete_wanted = Signal(str)
    undone = Signal(str)
    export_wanted = Signal(str, str)
    search_typed = Signal(str)
    keep_chosen = Signal(object)
    sound_switched = Signal(bool)
    notes_clicked = Signal()
    close_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self.setFixedWidth(wanted_width())
        self.fold = bare_button(self.tr("Hide the conversations (F9)"), self.tr("Hide the conversations"))
        self.fold.clicked.connect(self.close_clicked)
        self.new = bare_button(self.tr("New conversation (Ctrl+N)"), self.tr("New conversation"))
        self.new.clicked.connect(self.new_clicked)
        title = QLabel(self.tr("Conversations"))
        theme.set_size(title, 1.05, QFont.Weight.DemiBold)
        self.field = QLineEdit()
        self.field.setObjectName("search")
        self.field.setPlaceholderText(self.tr("Search"))
        self.field.setAccessibleName(self.tr("Search in all conversations"))
        self.field.setToolTip(self.tr("Search in all conversations (Ctrl+F)"))
        self.field.setClearButtonEnabled(True)
        self._glass = QAction(self.field)
        self.field.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self.list = ConversationList()
        self._empty = QLabel()
        self._empty.setProperty("muted", True)
        self._empty.setWordWrap(True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self._empty.setContentsMargins(16, 32, 16, 16)
        self.bar = UndoBar()
        self.notes = QPushButton(self.tr("Notes"))
        self.notes.setProperty("kind", "quiet")
        self.notes.setIconSize(QSize(16, 16))
        self.notes.setToolTip(self.tr("What you had Banter write down (Ctrl+Shift+N)"))
        self.notes.clicked.connect(self.notes_clicked)
        self.keeping = QPushButton()
        self.keeping.setProperty("kind", "quiet")
        self.keeping.setIconSize(QSize(16, 16))
        self.keeping.setToolTip(self.tr("How long conversations are kept"))
        self._menu = QMenu(self)
        self.keeping.setMenu(self._menu)
        self._fill_menu()
        self._arrange(title)
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(SEARCH_AFTER_MS)
        self._typing.timeout.connect(lambda: self.search_typed.emit(self.field.text()))
        self.field.textChanged.connect(lambda: self._typing.start())
        self.list.opened.connect(self.opened)
        self.list.delete_wanted.connect(self.delete_wanted)
        self.list.menu_wanted.connect(self._show_menu)
        self.list.rows.renamed.connect(self.renamed)
        self.bar.undone.connect(self.undone)
        self.show_keeping(Keep.FOREVER, False)
        self.show_list((), None)
        self._dress()

    # --- shown from outside

    def show_list(self, rows: Sequence[Summary], current: str | None) -> None:
        """Show these conversations; `current` is the one that is open."""
        # A title that is being typed must not vanish under the user's hands.
        if not self.list.is_renaming():
            self.list.show_rows(rows)
        self.list.set_current(current)
        typed = self.field.text().strip()
        room = wanted_width() - 96
        words = self._empty.fontMetrics().elidedText(typed, Qt.TextElideMode.ElideRight, room)
        nothing = self.tr("Nothing found for “{words}”.").format(words=words)
        none_yet = self.tr("What you talk about is listed here.")
        self._empty.setText(nothing if typed else none_yet)
        self._empty.setVisible(not rows)
        self.list.setVisible(bool(rows))

    def show_keeping(self, keep: Keep, sound: bool) -> None:
        """Show how long conversations are kept, and whether the sound of answers is."""
        words = {
            Keep.FOREVER: self.tr("Kept for ever, on this computer"),
            Keep.MONTH: self.tr("Kept for 30 days"),
            Keep.WEEK: self.tr("Kept for 7 days"),
            Keep.NOT_AT_ALL: self.tr("Kept until Banter closes"),
        }
        self.keeping.setText(words[keep])
        self._choices[keep].setChecked(True)
        self._sound.setChecked(sound)
        self._sound.setEnabled(keep != Keep.NOT_AT_ALL)

    def search(self) -> None:
        """Put the cursor into the search field."""
        self.field.setFocus()
        self.field.selectAll()

    # --- inside

    def _arrange(self, title: QLabel) -> None:
        top = QHBoxLayout()
        top.setSpacing(theme.GRID)
        top.addWidget(self.fold)
        top.addWidget(title, 1)
        top.addWidget(self.new)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(theme.GRID)
        column.addLayout(top)
        column.addWidget(self.field)
        column.addWidget(self.list, 1)
        column.addWidget(self._empty, 1)
        column.addWidget(self.bar)
        column.addWidget(self.notes)
        column.addWidget(self.keeping)

    def _fill_menu(self) -> None:
        group = QActionGroup(self._menu)
        self._choices = {
            Keep.FOREVER: self._menu.addAction(self.tr("Keep conversations for ever")),
            Keep.MONTH: self._menu.addAction(self.tr("Keep them for 30 days")),
            Keep.WEEK: self._menu.addAction(self.tr("Keep them for 7 days")),
            Keep.NOT_AT_ALL: self._menu.addAction(self.tr("Keep nothing when Banter closes")),
        }
        for keep, action in self._choices.items():
            action.setCheckable(True)
            group.addAction(action)
            action.triggered.connect(lambda _=False, keep=keep: self.keep_chosen.emit(keep))
        self._menu.addSeparator()
        self._sound = self._menu.addAction(self.tr("Keep the sound of new answers too"))
        self._sound.setCheckable(True)
        self._sound.triggered.connect(self.sound_switched)

    def _show_menu(self, conversation: str, place: QPoint) -> None:
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        # The field for the title must not open while the menu still has the focus.
        menu.addAction(self.tr("Rename")).triggered.connect(
            lambda: QTimer.singleShot(0, self, lambda: self.list.rename(conversation))
        )
        export = menu.addMenu(self.tr("Export"))
        for name, ending in (
            (self.tr("Markdown, to read"), "md"),
            (self.tr("JSON, for programs"), "json"),
            (self.tr("Sound of the answers"), "flac"),
        ):
            action = export.addAction(name)
            action.triggered.connect(lambda _=False, ending=ending: self.export_wanted.emit(conversation, ending))
        menu.addSeparator()
        menu.addAction(self.tr("Delete")).triggered.connect(lambda: self.delete_wanted.emit(conversation))
        menu.popup(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down and self.field.hasFocus() and self.list.rows.rowCount():
            self.list.setFocus()
            self.list.setCurrentIndex(self.list.rows.index(0))
            return
        super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_typing"):
            self._dress()
        elif event.type() == QEvent.Type.StyleChange:
            self.setFixedWidth(wanted_width())

    def _dress(self) -> None:
        c = theme.colours()
        self.fold.setIcon(icons.icon("sidebar", c.text))
        self.new.setIcon(icons.icon("new", c.text))
        self.keeping.setIcon(icons.icon("clock", c.muted, 16))
        self.notes.setIcon(icons.icon("note", c.muted, 16))
        self._glass.setIcon(icons.icon("search", c.muted, 16))
        # Qt's own cross is black in every dress.
        for cross in self.field.findChildren(QAction):
            if cross is not self._glass:
                cross.setIcon(icons.icon("close", c.text, 16))
