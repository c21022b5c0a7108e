"""The work behind the voice studio: recording, listening to clips, making the voice, keeping it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import soxr
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from app.audiofile import AudioFileError
from app.conversation.ports import Chunk
from app.engine.host import EngineHost
from app.engine.protocol import Event, Failed, VoiceMade
from app.engine.voice_data import unpack
from app.gui.one_dialog import OneDialog
from app.gui.orb import fraction_of
from app.gui.previews import Previews
from app.gui.sentences import shown
from app.gui.studio.window import StudioWindow
from app.omni.turn import INPUT_RATE, TRIAL_VOICE, ModelInfo
from app.voices import file
from app.voices.checks import Check, check
from app.voices.choose import CHOSEN_S, best_start, cut, prepare
from app.voices.clip import RATE, Clip, listen, read_clip
from app.voices.file import OwnVoice, VoiceError, checked_name
from app.voices.library import Library

LONGEST_S = 12.0
CLIP_KEY = "/clip"
_SHORTEST_S = 0.3

Samples = NDArray[np.float32]


class StudioWork(QObject):
    """One clip and the voice made from it, for one studio window. Lives on the window's thread.

    Signals: `saved(str)` the name of a voice that has been added to the library; `recording_changed(bool)` whether the
    microphone is recorded from now on.
    """

    saved = Signal(str)
    recording_changed = Signal(bool)
    _listened = Signal(int, object, object)

    def __init__(
        self,
        window: StudioWindow,
        host: EngineHost,
        previews: Previews,
        library: Library,
        quiet: Callable[[], None],
    ) -> None:
        """`quiet` ends whatever the assistant does, before the microphone is recorded."""
        super().__init__(window)
        self._window = window
        self._host = host
        self._previews = previews
        self._library = library
        self._quiet = quiet
        self._info: ModelInfo | None = None
        self._clip: Clip | None = None
        self._start_s = 0.0
        self._made: OwnVoice | None = None
        self._job: int | None = None
        self._then: Callable[[], None] = _nothing
        self._reading = 0
        # Read by the microphone's thread, to know where its chunks go.
        self.recording = False
        self._chunks: list[Samples] = []
        self._levels: list[float] = []
        self._dialogs = OneDialog()
        self._listened.connect(self._show, Qt.ConnectionType.QueuedConnection)
        previews.changed.connect(self._show_preview)
        previews.failed.connect(lambda sentence: window.show_message(sentence, bad=True))
        window.record_clicked.connect(self._record)
        window.clip_dropped.connect(self.read)
        window.browse_clicked.connect(self._browse)
        window.stretch_moved.connect(self._move)
        window.clip_clicked.connect(self._play_clip)
        window.voice_clicked.connect(lambda: self._with_voice(lambda: previews.toggle(TRIAL_VOICE)))
        window.save_clicked.connect(lambda: self._with_voice(self._save))
        window.export_clicked.connect(lambda: self._with_voice(self._export))
        window.closed.connect(self.close)

    # --- from outside

    def model_changed(self, info: ModelInfo | None) -> None:
        """The model that is loaded, None for none; a voice made with another one is made anew."""
        other = self._info is None or info is None or info.folder != self._info.folder
        self._info = info
        if other:
            self._forget_voice()
        if info is None:
            self._window.show_able(False, self.tr("The model is being loaded; a voice can be made when it is ready."))
        elif not info.clip_s:
            text = self.tr("The model {name} cannot make new voices: choose another model to make one.")
            self._window.show_able(False, text.format(name=info.name))
        else:
            self._window.show_able(True)

    def take(self, chunk: Chunk) -> None:
        """A piece of the recording."""
        if not self.recording:
            return
        self._chunks.append(chunk.samples)
        self._levels.append(fraction_of(chunk.level_db))
        seconds = sum(map(len, self._chunks)) / INPUT_RATE
        levels = np.array(self._levels, np.float32)
        self._window.show_recording(levels, chunk.level_db, LONGEST_S, LONGEST_S - seconds)
        if seconds >= LONGEST_S:
            self._end_recording()

    def engine_event(self, event: Event) -> bool:
        """Take what the model says of the voice; False where it is about something else."""
        if self._job is None or getattr(event, "turn", None) != self._job:
            return False
        self._job = None
        then, self._then = self._then, _nothing
        if isinstance(event, VoiceMade) and self._info is not None:
            self._made = unpack(event.voice, self._info.name, self._info.speaker)
            self._window.show_busy(False)
            then()
        elif isinstance(event, Failed):
            self._window.show_busy(False)
            self._window.show_message(shown(event.message), bad=True)
        return True

    def microphone_changed(self, usable: bool) -> None:
        """Whether there is a microphone; what has been recorded until it went stays."""
        if not usable and self.recording:
            self._end_recording()
        self._window.show_microphone(usable)

    def close(self) -> None:
        """The window is closed: stop what goes on. The clip stays until the next one, as it may have been a mistake."""
        if self.recording:
            self._end_recording()
        self._previews.stop()
        self._dialogs.close()

    def _reset(self) -> None:
        """Begin with nothing."""
        self._reading += 1
        self._clip = None
        self._forget_voice()
        self._window.name.clear()
        self._window.consent.setChecked(False)
        self._window.show_message("")
        self._window.show_clip(None)
        self._window.show_ready_to_record()

    # --- the clip

    def read(self, path: Path) -> None:
        """Use the clip in this file."""
        self._previews.stop()
        self._listen(lambda: read_clip(path), self.tr("Listening to {file}…").format(file=path.name))

    def _record(self) -> None:
        if self.recording:
            self._end_recording()
            return
        self._previews.stop()
        self._quiet()
        self._reading += 1
        self._clip = None
        self._forget_voice()
        self._chunks, self._levels = [], []
        self._window.show_recording(np.zeros(0, np.float32), -120.0, LONGEST_S, LONGEST_S)
        self.recording = True
        self.recording_changed.emit(True)

    def _end_recording(self) -> None:
        self.recording = False
        self.recording_changed.emit(False)
        heard = np.concatenate(self._chunks) if self._chunks else np.zeros(0, np.float32)
        self._chunks = []
        self._window.show_ready_to_record()
        if len(heard) < _SHORTEST_S * INPUT_RATE:
            self._window.show_clip(None)
            text = self.tr("Nothing was recorded: press Record, speak for some seconds, and press Stop.")
            self._window.show_message(text, bad=True)
            return

        def work() -> Clip:
            samples = soxr.resample(heard, INPUT_RATE, RATE)
            return listen(np.clip(samples, -1.0, 1.0).astype(np.float32))

        self._listen(work, self.tr("Listening to the recording…"))

    def _listen(self, work: Callable[[], Clip], text: str) -> None:
        """Find out in the background what is in a clip: it takes a second or two for a long one."""
        self._reading += 1
        number = self._reading
        self._window.show_busy(True, text)

        def run() -> None:
            found: Clip | str
            checks: tuple[Check, ...] = ()
            try:
                found = work()
                checks = check(found)
            except (AudioFileError, FileNotFoundError) as error:
                found = shown(str(error))
            except MemoryError:
                found = ""
            # The window may have gone meanwhile.
            with contextlib.suppress(RuntimeError):
                self._listened.emit(number, found, checks)

        threading.Thread(target=run, name="voice-clip", daemon=True).start()

    def _show(self, number: int, found: Clip | str, checks: tuple[Check, ...]) -> None:
        if number != self._reading:
            return
        self._window.show_busy(False)
        if not isinstance(found, Clip):
            problem = found or self.tr("There is not enough memory for this clip: choose a shorter one.")
            self._window.show_message(problem, bad=True)
            return
        self._forget_voice()
        self._clip = found
        self._start_s = best_start(found, self._stretch_s())
        self._window.consent.setChecked(False)
        self._window.show_clip(found, self._start_s, self._stretch_s(), checks)
        self._window.show_ready_to_record()
        self.model_changed(self._info)

    def _move(self, start_s: float) -> None:
        self._start_s = start_s
        self._previews.stop()
        self._forget_voice()

    def _stretch_s(self) -> float:
        return self._info.clip_s if self._info is not None and self._info.clip_s else CHOSEN_S

    # --- the voice

    def _play_clip(self) -> None:
        if self._clip is not None:
            self._previews.play(CLIP_KEY, cut(self._clip, self._start_s, self._stretch_s()))

    def _show_preview(self, key: str, preparing: bool, playing: bool) -> None:
        trial = key == TRIAL_VOICE
        self._window.show_preview(key == CLIP_KEY and playing, trial and preparing, trial and playing)

    def _with_voice(self, then: Callable[[], None]) -> None:
        """Do `then` once there is a voice for the chosen stretch."""
        if self._made is not None:
            then()
        elif self._clip is not None and self._job is None:
            self._then = then
            self._job = self._host.make_voice(prepare(self._clip, self._start_s, self._stretch_s()))
            self._window.show_busy(True, self.tr("Making the voice…"))

    def _forget_voice(self) -> None:
        if self._job is not None:
            self._window.show_busy(False)
        self._made, self._job, self._then = None, None, _nothing

    def _named(self) -> OwnVoice:
        """The voice under the name in the field. Raises VoiceError."""
        assert self._made is not None
        name = checked_name(self._window.name.text())
        return replace(self._made, name=name, consent=self._window.consent.isChecked())

    def _save(self) -> None:
        try:
            taken = self._info.voices if self._info is not None else ()
            voice = self._library.add(self._named(), taken)
        except VoiceError as error:
            self._window.show_message(shown(str(error)), bad=True)
            self._window.name.setFocus()
            self._window.name.selectAll()
            return
        self._reset()
        self._window.close()
        self.saved.emit(voice.name)

    # --- files

    def _browse(self) -> None:
        dialog = QFileDialog(self._window, self.tr("Choose a recording of the voice"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        kinds = "*.wav *.mp3 *.m4a *.aac *.ogg *.opus *.flac *.aiff *.mp4 *.mkv *.webm"
        dialog.setNameFilters([self.tr("Sound") + f" ({kinds})", self.tr("All files") + " (*)"])
        dialog.fileSelected.connect(lambda name: self.read(Path(name)))
        self._dialogs.open(dialog)

    def _export(self) -> None:
        try:
            voice = self._named()
        except VoiceError as error:
            self._window.show_message(shown(str(error)), bad=True)
            return
        dialog = export_dialog(self._window, voice.name)
        dialog.fileSelected.connect(lambda name: self._export_to(voice, Path(name)))
        self._dialogs.open(dialog)

    def _export_to(self, voice: OwnVoice, path: Path) -> None:
        try:
            file.write(path, voice)
        except VoiceError as error:
            self._window.show_message(shown(str(error)), bad=True)
        else:
            self._window.show_message(self.tr("Saved as {file}.").format(file=path.name))


def export_dialog(parent: QWidget, name: str) -> QFileDialog:
    """Asks where to write the file of the voice `name`."""
    translate = QCoreApplication.translate
    dialog = QFileDialog(parent, translate("StudioWork", "Export the voice"))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(file.ENDING[1:])
    dialog.setNameFilters([translate("StudioWork", "Voice") + f" (*{file.ENDING})"])
    dialog.selectFile(f"{name}{file.ENDING}")
    return dialog


def _nothing() -> None:
    return None
