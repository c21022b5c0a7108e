"""Keeps what a report of the last turn needs, in memory, and writes it when the user wants that."""

from __future__ import annotations

import threading
from dataclasses import asdict, replace
from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog

from app.audio.tap import SoundTap, Take
from app.audiofile import AudioFileError
from app.conversation.events import Mode
from app.conversation.journal import BEFORE_S, Journal, TurnLog
from app.gui.bubble import Entry, Side
from app.gui.devices import Devices
from app.gui.posting import Posting
from app.gui.report.dialog import ReportWindow
from app.gui.sentences import shown
from app.gui.window import MainWindow
from app.omni.turn import ModelInfo, TurnStats
from app.replay.bundle import Report, Turn, versions, write
from app.settings import Settings

# The longest question and a long answer. Beyond it, the beginning is lost.
_LONGEST_S = 150.0
_SETTINGS = ("mode", "talk", "patience", "barge_in", "cancel_echo", "suppress_noise", "volume", "temperature")


class Reporter(QObject):
    """Reports of the last turn. Between turns only the last seconds of the microphone are held, and what is held of a
    turn goes with the next one, with a cleared transcript, and with the program.
    """

    def __init__(self, window: MainWindow, devices: Devices, settings: Settings) -> None:
        super().__init__(window)
        self._window = window
        self._devices = devices
        self._settings = settings
        self._tap = SoundTap(lambda: devices.playback.reference)
        self._listening = False
        self.journal = Journal(Mode(settings.mode.value), self._begin, self._end)
        self.model: ModelInfo | None = None
        self._log: TurnLog | None = None
        self._sound: Take | None = None
        self._stats: tuple[int, TurnStats | None] = (0, None)
        self._dialog: ReportWindow | None = None
        self._post = Posting(self)
        window.transcript.reportable = self.reportable
        window.transcript.report_wanted.connect(self.open)
        window.transcript.cleared.connect(self._forget)
        self.settings_changed(settings)

    def settings_changed(self, settings: Settings) -> None:
        """These settings hold now."""
        self._settings = settings
        if settings.keep_turn_sound == self._listening:
            return
        self._listening = settings.keep_turn_sound
        if self._listening:
            self._tap.keep_s = BEFORE_S + 1.0
            self._devices.add_tap(self._tap)
        else:
            self._devices.remove_tap(self._tap)
            self._tap.keep_s = 0.0
            self._sound = None

    def stats(self, turn: int, stats: TurnStats) -> None:
        """What the model says about its work on `turn`."""
        self._stats = (turn, stats)

    def reportable(self, entry: Entry) -> bool:
        """Whether there is what a report of the turn of `entry` needs."""
        return self._log is not None and entry.turn == self._log.turn

    def open(self, entry: Entry) -> None:
        """Say what is in the report, and ask where it is to go."""
        if not self.reportable(entry):
            return
        if self._dialog is not None:
            self._dialog.close()
        report = self.report()
        sound_s = report.sound.seconds if report.sound is not None else None
        dialog = self._dialog = ReportWindow(report.turn.question, sound_s, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.save_clicked.connect(lambda: self._choose(report))
        dialog.finished.connect(self._closed)
        dialog.open()

    def report(self) -> Report:
        """The last turn as it goes into a report."""
        log = self._log
        assert log is not None
        sound = self._sound
        start = sound.since if sound is not None else log.since
        lines = tuple(replace(line, at=line.at - start) for line in log.lines)
        stats = self._stats[1] if self._stats[0] == log.turn else None
        settings = self._settings
        model = self.model
        facts = {
            "model": None
            if model is None
            else {"name": model.name, "folder": Path(model.folder).name, "parameters": model.parameters},
            "devices": {kind: None if name is None else asdict(name) for kind, name in self._devices.names.items()},
            "settings": {name: getattr(settings, name) for name in _SETTINGS},
            "stats": None if stats is None else asdict(stats),
            "versions": versions(),
        }
        return Report(
            self._turn(log),
            log.mode,
            lines,
            sound.seconds if sound is not None else log.until - log.since,
            sound,
            voice=stats.voice if stats is not None else settings.voice,
            seed=stats.seed if stats is not None else None,
            compute=(stats.first_audio_ms, stats.step_ms_median) if stats is not None else None,
            patience=settings.patience,
            barge_in=settings.barge_in,
            facts=facts,
        )

    def save(self, report: Report, file: Path) -> None:
        """Write `report` in the background; the window of the report says how it went."""

        def work() -> None:
            try:
                write(report, file)
            except AudioFileError as error:
                problem = str(error)
                self._post(lambda: self._dialog.show_problem(shown(problem)) if self._dialog else None)
            else:
                self._post(lambda: self._dialog.show_saved(file.name) if self._dialog else None)

        threading.Thread(target=work, name="report", daemon=True).start()

    # --- inside

    def _begin(self) -> None:
        if self._listening:
            self._tap.keep_s = _LONGEST_S

    def _end(self, log: TurnLog | None) -> None:
        if log is not None:
            self._log = log
            self._sound = self._tap.take(log.since, log.until) if self._listening else None
        if self._listening:
            self._tap.keep_s = BEFORE_S + 1.0

    def _forget(self) -> None:
        self._log = self._sound = None
        self._stats = (0, None)

    def _turn(self, log: TurnLog) -> Turn:
        entries = self._window.transcript.entries()
        of_turn = [entry for entry in entries if entry.turn == log.turn]
        mine = next((entry for entry in of_turn if entry.side == Side.USER), None)
        theirs = next((entry for entry in of_turn if entry.side == Side.ASSISTANT), None)
        first = next((at for at, entry in enumerate(entries) if entry.turn == log.turn), len(entries))
        return Turn(
            question=mine.text if mine else "",
            answer=theirs.text if theirs else "",
            rest=theirs.rest if theirs else "",
            interrupted=theirs.interrupted if theirs else False,
            typed=any(line.kind == "text_submitted" for line in log.lines),
            earlier=sum(entry.side == Side.USER for entry in entries[:first]),
        )

    def _choose(self, report: Report) -> None:
        dialog = QFileDialog(self._dialog, self.tr("Save the report"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("zip")
        dialog.setNameFilters([self.tr("Report (*.zip)")])
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        if folder:
            dialog.setDirectory(folder)
        dialog.selectFile("banter-report.zip")
        dialog.fileSelected.connect(lambda file: self.save(report, Path(file)))
        dialog.open()

    def _closed(self) -> None:
        self._dialog = None
