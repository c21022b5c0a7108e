"""The window of the notes: read, copy, delete, export."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QDateTime, QEvent, QLocale, QSize, QStandardPaths, Qt
from PySide6.QtGui import QAction, QFont, QGuiApplication, QHideEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.audiofile import AudioFileError, write_text
from app.gui import icons, theme
from app.gui.one_dialog import OneDialog
from app.gui.sentences import shown
from app.tools.agenda.store import StoreError
from app.tools.notes import Note, Notes

SIZE = QSize(520, 560)
_NUMBER = Qt.ItemDataRole.UserRole


class NotesWindow(QDialog):
    """The notes, the newest first. What was deleted can be brought back until more is, or the window is closed."""

    def __init__(self, notes: Notes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("preferences")
        self.setWindowTitle(self.tr("Notes"))
        self.resize(SIZE)
        self._notes = notes
        self._shown: list[Note] = []
        # They are only hidden until there is no way back.
        self._deleted: list[int] = []
        self._dialogs = OneDialog()
        title = QLabel(self.tr("Notes"))
        theme.set_size(title, 1.35, QFont.Weight.DemiBold)
        self._hint = QLabel(self.tr("Say “take a note”, and what you want to keep."))
        self._hint.setProperty("muted", True)
        self._hint.setWordWrap(True)
        self.list = QListWidget()
        self.list.setObjectName("notes")
        self.list.setWordWrap(True)
        self.list.setSpacing(2)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setAccessibleName(self.tr("Your notes, the newest first"))
        self.list.itemSelectionChanged.connect(self._allow)
        self.message = QLabel()
        self.message.setWordWrap(True)
        self.message.setProperty("muted", True)
        self.message.hide()
        self.copy = self._button(self.tr("&Copy"), self._copy)
        self.delete = self._button(self.tr("&Delete"), self._delete)
        self.undo = self._button(self.tr("&Undo"), self._undo)
        self.export = self._button(self.tr("&Export…"), self._export)
        self.undo.hide()
        for keys, act in ((QKeySequence.StandardKey.Copy, self._copy), (QKeySequence.StandardKey.Delete, self._delete)):
            action = QAction(self.list)
            action.setShortcut(QKeySequence(keys))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.triggered.connect(act)
            self.list.addAction(action)
        buttons = QHBoxLayout()
        buttons.setSpacing(theme.GRID)
        for button in (self.copy, self.delete, self.undo):
            buttons.addWidget(button)
        buttons.addStretch(1)
        buttons.addWidget(self.export)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(12)
        column.addWidget(title)
        column.addWidget(self._hint)
        column.addWidget(self.list, 1)
        column.addWidget(self.message)
        column.addLayout(buttons)
        self.refresh()

    def refresh(self) -> None:
        """Show what there is now."""
        try:
            self._shown = [note for note in self._notes.all()[::-1] if note.id not in self._deleted]
        except StoreError as error:
            self._say(shown(str(error)))
            return
        chosen = {item.data(_NUMBER) for item in self.list.selectedItems()}
        self.list.clear()
        for note in self._shown:
            moment = QDateTime.fromSecsSinceEpoch(int(note.written.timestamp()))
            when = QLocale().toString(moment, QLocale.FormatType.ShortFormat)
            item = QListWidgetItem(f"{note.text}\n{when}")
            item.setData(_NUMBER, note.id)
            self.list.addItem(item)
            item.setSelected(note.id in chosen)
        self._hint.setVisible(not self._shown)
        self._allow()

    def export_to(self, file: Path) -> None:
        """Write all notes to `file`, as Markdown."""
        try:
            write_text(file, self._notes.markdown())
        except (AudioFileError, StoreError) as error:
            self._say(shown(str(error)))
        else:
            self._say(self.tr("Saved as {file}").format(file=file.name))

    # --- inside

    def _button(self, text: str, act: Callable[[], None]) -> QPushButton:
        button = QPushButton(text)
        button.setAutoDefault(False)
        button.clicked.connect(lambda: act())
        return button

    def _chosen(self) -> list[Note]:
        numbers = {item.data(_NUMBER) for item in self.list.selectedItems()}
        return [note for note in self._shown if note.id in numbers]

    def _copy(self) -> None:
        # In the order in which they were taken.
        text = "\n".join(note.text for note in reversed(self._chosen()))
        if text:
            QGuiApplication.clipboard().setText(text)
            self._say(self.tr("Copied"))

    def _delete(self) -> None:
        chosen = [note.id for note in self._chosen()]
        if not chosen or not self._finish_deleting():
            return
        self._deleted = chosen
        many = self.tr("{count} notes deleted").format(count=len(chosen))
        self._say(self.tr("Note deleted") if len(chosen) == 1 else many)
        self.undo.show()
        self.refresh()

    def _undo(self) -> None:
        self._deleted = []
        self.undo.hide()
        self.message.hide()
        self.refresh()

    def _finish_deleting(self) -> bool:
        """Delete for good what was hidden; False where that cannot be."""
        if self._deleted:
            numbers, self._deleted = self._deleted, []
            try:
                self._notes.delete(numbers)
            except StoreError as error:
                self._say(shown(str(error)))
                return False
        self.undo.hide()
        return True

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if not event.spontaneous():
            self._finish_deleting()
            self.message.hide()

    def _export(self) -> None:
        dialog = QFileDialog(self, self.tr("Export the notes"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("md")
        dialog.setNameFilters([self.tr("Markdown (*.md)")])
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        if folder:
            dialog.setDirectory(folder)
        dialog.selectFile(self.tr("Notes") + ".md")
        dialog.fileSelected.connect(lambda file: self.export_to(Path(file)))
        self._dialogs.open(dialog)

    def _say(self, text: str) -> None:
        self.message.setText(text)
        self.message.setVisible(bool(text))

    def _allow(self) -> None:
        some = bool(self.list.selectedItems())
        self.copy.setEnabled(some)
        self.delete.setEnabled(some)
        self.export.setEnabled(bool(self._shown))
        self._dress()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "export"):
            self._dress()

    def _dress(self) -> None:
        c = theme.colours()
        for button, name in ((self.copy, "copy"), (self.export, "export")):
            button.setIcon(icons.icon(name, c.text if button.isEnabled() else c.muted, 18))
