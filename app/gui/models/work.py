"""Joins the window of the models to what is on the disk, to the hub and to the model's process."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QFileDialog, QMessageBox

from app import paths
from app.conversation.controller import Conversation
from app.engine.host import EngineHost
from app.gui.models.answers import AnswersDialog
from app.gui.models.licences import LicencesDialog
from app.gui.models.rows import Act, Use, import_row, row
from app.gui.models.switch import Choice, ModelSwitch
from app.gui.models.window import ModelsWindow
from app.gui.one_dialog import OneDialog
from app.gui.posting import Posting
from app.gui.preferences.preferences import Preferences
from app.gui.sentences import shown
from app.gui.window import MainWindow
from app.hub import catalogue
from app.hub.catalogue import Catalogue
from app.hub.commands import offline
from app.hub.download import Means
from app.hub.errors import HubError
from app.hub.jobs import Ended, Jobs, Kind
from app.hub.library import STARTER, Entry, Library, State
from app.hub.rate import in_bytes
from app.hub.sources import source_for
from app.settings import Answering, Settings


class Models(QObject):
    """What there is of models, and which one answers. Lives on the window's thread."""

    def __init__(
        self,
        window: MainWindow,
        conversation: Conversation,
        host: EngineHost,
        preferences: Preferences,
        own_voices: Path,
        folder: Path,
        settings: Settings,
        remember: Callable[..., None],
        busy: Callable[[], bool],
    ) -> None:
        """`folder` is where downloaded models are; `remember(name=value)` changes a setting for good."""
        super().__init__(window)
        self._window = window
        self._preferences = preferences
        self._folder = folder
        self._settings = settings
        self._remember = remember
        self._post = Posting(self)
        self._dialogs = OneDialog()
        # What came of the last thing that was done with a model: a sentence, and whether that is bad.
        self._said: dict[str, tuple[str, bool]] = {}
        self._entries: dict[str, Entry] = {}
        self._pinned = False
        self.library: Library | None = None
        self.jobs: Jobs | None = None
        self.dialog: ModelsWindow | None = None
        self.switch = ModelSwitch(window, conversation, host, own_voices, settings, busy)
        self.switch.changed.connect(self._show)
        self.switch.answers.connect(self._answers)
        preferences.changed.connect(self._settings_changed)
        preferences.models_requested.connect(self.open)
        shortcut = QShortcut(QKeySequence("Ctrl+Shift+O"), window)
        shortcut.setAutoRepeat(False)
        shortcut.activated.connect(self.open)

    def start(self, starter: Path) -> None:
        """Load the model that the user has chosen, or that in the folder `starter`."""
        problem = ""
        try:
            known = catalogue.load(self._settings_catalogue())
        except HubError as error:
            known, problem = Catalogue({}, {}), str(error)
        self.library = Library(self._folder, known, starter)
        self.jobs = Jobs(
            self.library,
            self._means,
            changed=lambda: self._post(self._show),
            ended=lambda end: self._post(lambda: self._ended(end)),
        )
        self._window.show_notice("catalogue", shown(problem))
        first = Choice(STARTER, self.tr("Banter starter"), starter)
        # Whoever names a model for this start wants that one.
        self._pinned = bool(os.environ.get(paths.MODEL_VARIABLE))
        chosen = None if self._pinned else self._choice(self._settings.model)
        self.switch.set_resort(first)
        self.switch.use(chosen or first)
        if self._settings.model and chosen is None and not self._pinned:
            text = self.tr("The model {model} is not here any more, so the starter answers.")
            self._window.show_notice("switch", text.format(model=self._settings.model))

    def close(self) -> None:
        """Stop what is on its way; it goes on from there the next time."""
        self._post.close()
        self.switch.close()
        self._dialogs.close()
        if self.dialog is not None:
            self.dialog.close()
        if self.jobs is not None:
            self.jobs.close()

    def open(self) -> None:
        """Show the window, in front of everything."""
        if self.library is None:
            return
        if self.dialog is None:
            self.dialog = ModelsWindow(self._window)
            self.dialog.wanted.connect(self.act)
            self.dialog.import_clicked.connect(self._ask_import)
            self.dialog.changed.connect(self._preferences.change)
            self.dialog.show_settings(self._settings)
        self._read()
        self._show()
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    # --- what the user wants

    def act(self, id: str, act: Act) -> None:
        """Do this with a model."""
        assert self.jobs is not None
        entry = self._entries.get(id)
        self._said.pop(id, None)
        match act:
            case Act.DOWNLOAD | Act.RESUME | Act.REPAIR:
                self.jobs.add(Kind.DOWNLOAD, id)
            case Act.PAUSE:
                self.jobs.pause(id)
            case Act.CANCEL if entry is not None:
                self._cancel(entry)
            case Act.VERIFY:
                self.jobs.add(Kind.VERIFY, id)
            case Act.USE if (choice := self._choice(id)) is not None:
                self.switch.use(choice)
            case Act.REMOVE if entry is not None:
                self._ask_remove(entry)
            case Act.CANCEL:
                # What is being imported has no name yet.
                self.jobs.pause(id)
            case Act.LICENCES if entry is not None:
                self._dialogs.open(LicencesDialog(entry.title, entry.packages, self.dialog))
            case Act.ANSWERS if entry is not None:
                self._open_answers(entry)
        self._show()

    def bring(self, folder: Path) -> None:
        """Import the model in `folder`."""
        assert self.jobs is not None
        if self.dialog is not None:
            self.dialog.show_message("")
        self.jobs.add(Kind.IMPORT, str(folder))

    def _cancel(self, entry: Entry) -> None:
        assert self.jobs is not None
        job = self.jobs.all().get(entry.id)
        if job is not None and job.kind != Kind.DOWNLOAD:
            self.jobs.pause(entry.id)
        else:
            self.jobs.cancel(entry.id)

    def _ask_import(self) -> None:
        dialog = QFileDialog(self.dialog, self.tr("Import a model"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda name: self.bring(Path(name)))
        self._dialogs.open(dialog)

    def _ask_remove(self, entry: Entry) -> None:
        box = QMessageBox(self.dialog)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setText(self.tr("Remove {model} from this computer?").format(model=entry.title))
        more = self.tr("This frees up to {size}. It can be downloaded again.")
        if not entry.can_download:
            more = self.tr("This frees up to {size}, and cannot be undone: Banter does not know where it came from.")
        box.setInformativeText(more.format(size=in_bytes(entry.size)))
        remove = box.addButton(self.tr("Remove"), QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(QMessageBox.StandardButton.Cancel)
        remove.clicked.connect(lambda: self.remove(entry.id))
        self._dialogs.open(box)

    def remove(self, id: str) -> None:
        """Remove a model for good, unless it answers."""
        assert self.jobs is not None
        if self.switch.state_of(id) == Use.NO:
            self.jobs.add(Kind.REMOVE, id)

    def _open_answers(self, entry: Entry) -> None:
        now = self._settings.answering.get(entry.id, Answering())
        dialog = AnswersDialog(entry.title, now, has_system=not entry.is_starter, parent=self.dialog)
        dialog.changed.connect(lambda own: self._answering(entry.id, own))
        self._dialogs.open(dialog)

    def _answering(self, id: str, own: Answering) -> None:
        kept = {name: one for name, one in self._settings.answering.items() if name != id}
        if own != Answering():
            kept[id] = own
        self._remember(answering=kept)

    # --- what has happened

    def _answers(self, id: str) -> None:
        wanted = "" if id == STARTER else id
        if not self._pinned and wanted != self._settings.model:
            self._remember(model=wanted)
        self._read()

    def _ended(self, end: Ended) -> None:
        id = end.model or end.job.id
        text, bad = self._outcome(end)
        if end.job.kind == Kind.IMPORT and self.dialog is not None:
            self.dialog.show_message(text, bad)
        elif text:
            self._said[id] = text, bad
            if end.problem and self.dialog is not None and not self.dialog.isVisible():
                self._window.show_problem(text)
        self._read()
        self._show()

    def _outcome(self, end: Ended) -> tuple[str, bool]:
        if end.problem:
            return shown(end.problem), True
        if end.stopped:
            return "", False
        if end.job.kind == Kind.VERIFY:
            if end.damaged:
                names = ", ".join(end.damaged)
                return self.tr("Damaged: {names}. Repair it, or import it again.").format(names=names), True
            return self.tr("Every file is as it should be."), False
        if end.job.kind == Kind.DOWNLOAD:
            return self.tr("It is here, and every file has been checked."), False
        if end.job.kind == Kind.IMPORT:
            if end.lacking:
                text = self.tr("{model} is here, without {parts}.")
                return text.format(model=end.model, parts=", ".join(end.lacking)), False
            return self.tr("{model} is here, and every file has been checked.").format(model=end.model), False
        return "", False

    def _settings_changed(self, settings: Settings) -> None:
        self._settings = settings
        self.switch.settings_changed(settings)
        if self.dialog is not None:
            self.dialog.show_settings(settings)
            self._show()

    # --- inside

    def _settings_catalogue(self) -> Path | None:
        file = paths.catalogue_file()
        return file if file.is_file() else None

    def _means(self) -> Means:
        return Means(source_for(self._settings.mirror), offline(self._settings.offline))

    def _choice(self, id: str) -> Choice | None:
        if self.library is None or not id:
            return None
        try:
            entry = self.library.entry(id)
        except HubError:
            return None
        return Choice(entry.id, entry.title, entry.folder) if entry.state in (State.HERE, State.DAMAGED) else None

    def _read(self) -> None:
        """Look at the disk."""
        if self.library is not None and self.dialog is not None:
            self._entries = {entry.id: entry for entry in self.library.entries()}
            used, free = in_bytes(self.library.disk_use()), in_bytes(self.library.free())
            text = self.tr("Downloaded models take {used}; {free} of the disk are free.")
            self.dialog.show_disk(text.format(used=used, free=free))

    def _show(self) -> None:
        if self.dialog is None or self.jobs is None:
            return
        jobs, off = self.jobs.all(), offline(self._settings.offline)
        rows = [import_row(job, Path(job.id).name) for job in jobs.values() if job.kind == Kind.IMPORT]
        for entry in self._entries.values():
            text, bad = self._said.get(entry.id, ("", False))
            use = self.switch.state_of(entry.id)
            rows.append(row(entry, jobs.get(entry.id), use, offline=off, message=text, bad=bad))
        self.dialog.show_rows(rows)
