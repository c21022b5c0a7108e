"""Joins the voice menu and the voice studio to the voices there are: the model's own and the user's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QWidget

from app.audio.catalogue import DeviceName, Found, Kind
from app.conversation.controller import Conversation
from app.conversation.events import State
from app.conversation.ports import Chunk
from app.engine.host import EngineHost
from app.engine.protocol import Event, Failed, Progress, VoicesChanged, VoicesRead
from app.engine.voice_data import unpack
from app.gui.kept import Kept
from app.gui.one_dialog import OneDialog
from app.gui.previews import Previews
from app.gui.sentences import shown
from app.gui.studio.window import StudioWindow
from app.gui.studio.work import StudioWork, export_dialog
from app.gui.window import MainWindow
from app.omni.turn import ModelInfo
from app.voices import file
from app.voices.file import ENDING, MOST_NAME, PICKLED, OwnVoice, VoiceError
from app.voices.library import Library


class Voices(QObject):
    """Whose voice answers, and everything that can be done with voices. Lives on the window's thread.

    Signals: `recording_changed(bool)` whether the microphone is recorded for a voice from now on.
    """

    recording_changed = Signal(bool)

    def __init__(
        self,
        window: MainWindow,
        conversation: Conversation,
        host: EngineHost,
        kept: Kept,
        folder: Path,
        remember: Callable[[str], None],
    ) -> None:
        """`folder` is where the user's voices are; `remember(voice)` keeps the choice for good."""
        super().__init__(window)
        self.library = Library(folder)
        self.previews = Previews(conversation, host, self)
        self.studio: StudioWindow | None = None
        self._work: StudioWork | None = None
        self._window = window
        self._conversation = conversation
        self._host = host
        self._kept = kept
        self._remember = remember
        self._info: ModelInfo | None = None
        self._job: int | None = None
        self._found, self._microphone = Found(), DeviceName()
        self._dialogs = OneDialog()
        panel = window.header.voices.panel
        window.voice_chosen.connect(self.choose)
        panel.preview_clicked.connect(self.previews.toggle)
        panel.new_clicked.connect(self.open_studio)
        panel.import_clicked.connect(self.ask_import)
        panel.rename_clicked.connect(self._ask_rename)
        panel.export_clicked.connect(self._ask_export)
        panel.delete_clicked.connect(self._ask_delete)
        self.previews.changed.connect(panel.show_preview)
        self.previews.failed.connect(window.show_problem)
        window.header.sound_menu.chosen.connect(self._microphone_chosen)

    # --- from outside

    @property
    def recording(self) -> bool:
        """Whether the microphone is recorded for a voice; may be asked on any thread."""
        work = self._work
        return work is not None and work.recording

    def take(self, chunks: Iterable[Chunk]) -> None:
        """Pieces of that recording."""
        for chunk in chunks:
            if self._work is not None:
                self._work.take(chunk)

    def model_ready(self, info: ModelInfo, wanted: str) -> str:
        """The model is loaded; answer in the voice `wanted` where it has it. Returns the voice, "" the default."""
        self._info = info
        self.previews.set_languages(info.languages)
        voice = wanted if wanted in info.voices else ""
        self._answer_in(voice)
        if self._work is not None:
            self._work.model_changed(info)
        return voice

    def engine_event(self, event: Event) -> None:
        """What the model says."""
        if self.previews.engine_event(event) or (self._work is not None and self._work.engine_event(event)):
            return
        match event:
            case Progress():
                self._info = None
                if self._work is not None:
                    self._work.model_changed(None)
            case VoicesChanged():
                self._voices_changed(event.info)
            case VoicesRead() if event.turn == self._job:
                self._job = None
                self._take_in([unpack(data) for data in event.voices])
            case Failed() if event.turn == self._job and self._job is not None:
                self._job = None
                self._tell(shown(event.message), bad=True)

    def state_changed(self, state: State) -> None:
        """What the conversation is doing now."""
        self.previews.state_changed(state)

    def microphone_changed(self, usable: bool) -> None:
        """Whether there is a microphone."""
        if self._work is not None:
            self._work.microphone_changed(usable)

    def devices_found(self, found: Found) -> None:
        """The devices there are now."""
        self._found = found
        if self.studio is not None:
            self.studio.microphones.set_found(found)

    def microphone_wanted(self, device: DeviceName) -> None:
        """The microphone that is chosen."""
        self._microphone = device
        if self.studio is not None:
            self.studio.microphones.set_wanted(device)

    def close(self) -> None:
        """Put the studio away."""
        if self.studio is not None:
            self.studio.close()

    # --- whose voice answers

    def choose(self, voice: str) -> None:
        """Answer in this voice from now on, "" the default, and keep the choice."""
        self._answer_in(voice)
        self._remember(voice)

    def _answer_in(self, voice: str) -> None:
        self._conversation.set_voice(voice)
        default = next(iter(self._info.voices), "") if self._info is not None else ""
        self._kept.voice = voice or default

    def _voices_changed(self, info: ModelInfo) -> None:
        self._info = info
        if self._work is not None:
            self._work.model_changed(info)
        chosen = self._window.header.voices.voice
        wanted = self._kept.voice
        self._window.header.set_voices(info.voices, wanted if wanted in info.voices else chosen, info.own_voices)

    # --- the studio

    def open_studio(self) -> None:
        """Show the studio, in front of everything."""
        if self.studio is None:
            self.studio = StudioWindow(self._window)
            self._work = StudioWork(self.studio, self._host, self.previews, self.library, self._conversation.stop)
            self._work.saved.connect(self._saved)
            self._work.recording_changed.connect(self.recording_changed)
            self.studio.import_clicked.connect(self.ask_import)
            self.studio.microphones.chosen.connect(self._window.header.sound_menu.choose)
            self.studio.microphones.set_found(self._found)
            self.studio.microphones.set_wanted(self._microphone)
        assert self._work is not None
        self._work.model_changed(self._info)
        self._work.microphone_changed(self._window.situation().microphone)
        self.studio.setWindowState(self.studio.windowState() & ~Qt.WindowState.WindowMinimized)
        self.studio.show()
        self.studio.raise_()
        self.studio.activateWindow()

    def _saved(self, voice: str) -> None:
        self._host.refresh_voices()
        self.choose(voice)
        self._tell(self.tr("{voice} answers from now on.").format(voice=voice))

    def _microphone_chosen(self, kind: Kind, device: DeviceName) -> None:
        if kind == "input":
            self.microphone_wanted(device)

    # --- files

    def ask_import(self) -> None:
        """Ask for a file with voices and take them in."""
        over = self.studio if self.studio is not None and self.studio.isVisible() else self._window
        dialog = QFileDialog(over, self.tr("Import voices"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        kinds = f" (*{ENDING} *.pt)"
        dialog.setNameFilters([self.tr("Voices") + kinds, self.tr("All files") + " (*)"])
        dialog.fileSelected.connect(lambda name: self.bring(Path(name)))
        self._dialogs.open(dialog)

    def bring(self, path: Path) -> None:
        """Take in the voices of a file."""
        if path.suffix.lower() in PICKLED:
            # It takes torch to read such a file, which only the model's process has.
            self._job = self._host.import_voices(path)
            return
        try:
            voices = file.read_all(path)
        except VoiceError as error:
            self._tell(shown(str(error)), bad=True)
        else:
            self._take_in(list(voices))

    def _take_in(self, voices: list[OwnVoice]) -> None:
        info = self._info
        try:
            added = self.library.take_in(voices, info.voices if info is not None else ())
        except VoiceError as error:
            self._tell(shown(str(error)), bad=True)
            return
        finally:
            self._host.refresh_voices()
        names = ", ".join(voice.name for voice in added)
        fitting = info is None or all(voice.fits(info.speaker_size, info.speaker) for voice in added)
        if fitting:
            self._tell(self.tr("Taken into your voices: {names}.").format(names=names))
        else:
            text = self.tr("Taken into your voices: {names}. They are for another model, and show up with it.")
            self._tell(text.format(names=names))

    def _ask_export(self, voice: str) -> None:
        dialog = export_dialog(self._window, voice)
        dialog.fileSelected.connect(lambda name: self.export_to(voice, Path(name)))
        self._dialogs.open(dialog)

    def export_to(self, voice: str, path: Path) -> None:
        """Write the user's voice to a file."""
        self._do(lambda: self.library.export(voice, path), self.tr("Saved as {file}.").format(file=path.name))

    def _ask_rename(self, voice: str) -> None:
        dialog = QInputDialog(self._window)
        dialog.setWindowTitle(self.tr("Rename the voice"))
        dialog.setLabelText(self.tr("New name of {voice}").format(voice=voice))
        dialog.setTextValue(voice)
        for field in dialog.findChildren(QWidget):
            if hasattr(field, "setMaxLength"):
                field.setMaxLength(MOST_NAME)
        dialog.textValueSelected.connect(lambda name: self.rename(voice, name))
        self._dialogs.open(dialog)

    def rename(self, voice: str, wanted: str) -> None:
        """Give the user's voice another name."""
        was_chosen = self._window.header.voices.voice == voice
        taken = [name for name in (self._info.voices if self._info is not None else ()) if name != voice]
        self.previews.forget(voice)

        def work() -> None:
            named = self.library.rename(voice, wanted, taken)
            self._host.refresh_voices()
            if was_chosen:
                self._conversation.set_voice(named.name)
                self._kept.voice = named.name
                self._remember(named.name)

        self._do(work, "")

    def _ask_delete(self, voice: str) -> None:
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setText(self.tr("Delete the voice {voice}?").format(voice=voice))
        box.setInformativeText(self.tr("Its file is deleted, and this cannot be undone. Export it first to keep it."))
        delete = box.addButton(self.tr("Delete"), QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(QMessageBox.StandardButton.Cancel)
        delete.clicked.connect(lambda: self.delete(voice))
        self._dialogs.open(box)

    def delete(self, voice: str) -> None:
        """Delete the user's voice for good."""
        was_chosen = self._window.header.voices.voice == voice
        self.previews.forget(voice)

        def work() -> None:
            self.library.delete(voice)
            self._host.refresh_voices()
            if was_chosen:
                self.choose("")

        self._do(work, "")

    # --- inside

    def _do(self, work: Callable[[], None], done: str) -> None:
        try:
            work()
        except VoiceError as error:
            self._tell(shown(str(error)), bad=True)
        else:
            self._tell(done)

    def _tell(self, sentence: str, bad: bool = False) -> None:
        if self.studio is not None and self.studio.isVisible():
            self.studio.show_message(sentence, bad)
        else:
            self._window.show_problem(sentence)
