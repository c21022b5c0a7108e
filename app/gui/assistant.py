"""Joins the window to the conversation, the model's process, the sound devices and the settings."""

from __future__ import annotations

import contextlib
import logging
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from app.audio.capture import MicChunk
from app.audio.catalogue import DeviceName, Found, Kind
from app.audio.check import Trouble
from app.conversation import delegation
from app.conversation import events as ev
from app.conversation.controller import Conversation
from app.conversation.events import Mode, State
from app.conversation.latency import Stopwatch
from app.conversation.ports import Samples
from app.conversation.tools.usage import Usage
from app.engine.factory import OMNI_ENGINE
from app.engine.host import EngineHost
from app.engine.protocol import Event
from app.gui.devices import Devices, Listeners
from app.gui.kept import Kept
from app.gui.larger_model import LargerModel
from app.gui.models.work import Models
from app.gui.pictures.pictures import Pictures
from app.gui.posting import Posting
from app.gui.preferences.preferences import Preferences
from app.gui.report.reporter import Reporter
from app.gui.sentences import shown
from app.gui.soundcheck.checkup import SoundCheck
from app.gui.status import Model
from app.gui.tools.toolbox import Toolbox
from app.gui.transcript_log import LogWriter
from app.gui.voices import Voices
from app.gui.window import MainWindow
from app.history.records import ToolUse
from app.omni.turn import ModelInfo, TurnStats
from app.settings import Loaded, Settings, SoundDevice, save
from app.settings import Mode as SavedMode

TICK_MS = 50
# While nothing is under way, it is only seen to it that time passes.
TICK_IDLE_MS = 1_000
SAVE_AFTER_MS = 600
SILENT_DB = -100.0
# A device that went away is tried again after 2, 4 and 8 s, then when the user asks for it.
REOPEN_AFTER_MS = (2_000, 4_000, 8_000)

_log = logging.getLogger(__name__)


class Assistant(QObject):
    """Everything behind one window. It is the conversation's listener and lives on the window's thread."""

    def __init__(
        self,
        window: MainWindow,
        loaded: Loaded,
        settings_file: Path,
        *,
        factory: str = OMNI_ENGINE,
        conversations: Path | None = None,
        voices: Path | None = None,
        agenda: Path | None = None,
        models: Path | None = None,
    ) -> None:
        """`loaded` is what was read from `settings_file`; `factory` names the engine for the worker;
        `conversations` is the file that they are kept in, None to keep them in memory; `voices` the folder of the
        user's own voices, None for one beside the settings; `agenda` the file of timers and
        notes, None to keep them in memory; `models` the folder of downloaded models, None for one beside the settings.
        """
        super().__init__(window)
        self._window = window
        self._settings = loaded.settings
        self._settings_file = settings_file
        self._crashes_told: int | None = None
        self._silent = False
        self._no_echo_cancelling = ""
        self._had_device = {"microphone": False, "speaker": False}
        self._reopened = 0
        self._closed = False
        self._post = Posting(self)
        self.conversation = Conversation(self, post=self._post, mode=Mode(loaded.settings.mode.value))
        self.host = EngineHost(self._engine_event, factory=factory)
        self.conversation.attach_engine(self.host)
        self.kept = Kept(
            window,
            self.conversation,
            conversations,
            loaded.settings,
            lambda **changes: self._remember(replace(self._settings, **changes)),
        )
        self.voices = Voices(
            window,
            self.conversation,
            self.host,
            self.kept,
            voices or settings_file.parent / "voices",
            lambda voice: self._remember(replace(self._settings, voice=voice)),
        )
        self._devices = Devices(
            Listeners(
                chunks=self._chunks,
                finished=self.conversation.playback_finished,
                speaker=lambda playback: self._post(lambda: self.conversation.attach_player(playback)),
                speaker_lost=self.conversation.speaker_lost,
                microphone_lost=self.conversation.microphone_lost,
                silent=lambda sentence: self._post(lambda: self._microphone_silent(sentence)),
                echo=lambda reason: self._post(lambda: self._echo_changed(reason)),
                moved=lambda kind, name: self._post(lambda: self._device_moved(kind, name)),
                found=lambda found: self._post(lambda: self._devices_found(found)),
            )
        )
        self.voices.recording_changed.connect(lambda on: self._devices.watch("studio", on))
        self.preferences = Preferences(
            window,
            self.conversation,
            self.host,
            self._devices,
            self.kept.retention,
            loaded.settings,
            lambda **changes: self._remember(replace(self._settings, **changes)),
        )
        self.toolbox = Toolbox(window, self.conversation, self.preferences, agenda, loaded.settings)
        self.models = Models(
            window,
            self.conversation,
            self.host,
            self.preferences,
            self.voices.library.folder,
            models or settings_file.parent / "models",
            loaded.settings,
            lambda **changes: self._remember(replace(self._settings, **changes)),
            lambda: self.voices.recording,
        )
        self.larger_model = LargerModel(window, self.conversation, self.preferences, loaded.settings)
        self.pictures = Pictures(window, self.conversation)
        self._stopwatch = Stopwatch()
        self.reporter = Reporter(window, self._devices, loaded.settings)
        self.conversation.watch = self._watch
        self.sound_check = SoundCheck(
            window,
            self.conversation,
            self._devices,
            self.preferences,
            lambda: self._settings,
            lambda **changes: self._remember(replace(self._settings, **changes)),
        )
        saved = loaded.settings
        self._want("input", DeviceName(saved.microphone.name, saved.microphone.host))
        self.voices.microphone_wanted(DeviceName(saved.microphone.name, saved.microphone.host))
        self._want("output", DeviceName(saved.speaker.name, saved.speaker.host))
        self._devices.volume = loaded.settings.volume
        self._devices.rest(True, saved.mode == SavedMode.OPEN_MIC)
        self._devices.hurry(saved.mode == SavedMode.OPEN_MIC)
        self._ticker = QTimer(self)
        self._ticker.setInterval(TICK_IDLE_MS)
        self._ticker.timeout.connect(self.conversation.tick)
        self._saver = QTimer(self)
        self._saver.setSingleShot(True)
        self._saver.setInterval(SAVE_AFTER_MS)
        self._saver.timeout.connect(self._save)
        self._reopener = QTimer(self)
        self._reopener.setSingleShot(True)
        self._reopener.timeout.connect(self._reopen)
        self._connect()
        window.header.set_volume(loaded.settings.volume)
        window.show_open_mic(loaded.settings.mode == SavedMode.OPEN_MIC)
        window.show_sidebar(loaded.settings.sidebar)
        window.show_notice("settings", shown(loaded.notice))

    def start(self, model: Path) -> None:
        """Start the model that the user has chosen, or that in folder `model`, and open the devices; at once."""
        self.host.start()
        self.models.start(model)
        self._devices.open()
        self.toolbox.start()
        self._ticker.start()

    def close(self) -> None:
        """End the turn, the model's process and the devices, save the settings. May take a few seconds."""
        if self._closed:
            return
        self.conversation.stop()
        self.sound_check.close()
        self.preferences.close()
        self.models.close()
        self.toolbox.close()
        self.larger_model.close()
        self.pictures.close()
        self.voices.close()
        self._closed = True
        self._post.close()
        self._ticker.stop()
        self._saver.stop()
        self._reopener.stop()
        self._settings = replace(self._settings, window=self._window.geometry_to_save())
        # The window is closed, so there is nobody to tell.
        with contextlib.suppress(OSError):
            save(self._settings_file, self._settings)
        self._devices.close()
        self.host.close()
        self.kept.close()

    # --- the conversation's listener

    def state_changed(self, state: State, mode: Mode) -> None:
        _log.info("state: %s, mode: %s", state, mode)
        self._devices.rest(state == State.IDLE, mode == Mode.OPEN_MIC)
        interval = TICK_IDLE_MS if state == State.IDLE else TICK_MS
        if self._ticker.interval() != interval:
            self._ticker.setInterval(interval)
        self._window.show_activity(state.value)
        self.voices.state_changed(state)
        self.models.switch.state_changed(state)
        if mode != Mode.MUTED:
            self._devices.hurry(mode == Mode.OPEN_MIC)
            self._window.show_open_mic(mode == Mode.OPEN_MIC)

    def question(self, turn: int, text: str) -> None:
        self._window.transcript.say_user(turn, text)

    def picture_taken(self, turn: int, image: bytes) -> None:
        self.pictures.taken(turn, image)

    def picture_returned(self, turn: int) -> None:
        self.pictures.returned(turn)

    def reply_delta(self, turn: int, text: str) -> None:
        self._window.transcript.add_reply(turn, text)

    def tool_changed(self, turn: int, usage: Usage) -> None:
        summary = shown(usage.summary) if usage.tool == delegation.NAME else usage.summary
        self._window.transcript.use_tool(turn, usage.call, ToolUse(usage.tool, usage.stage.value, summary))

    def reply_sound(self, turn: int, samples: Samples) -> None:
        self.kept.hear(turn, samples)

    def reply_done(self, turn: int, text: str, interrupted: bool) -> None:
        latency = self._stopwatch.latency(turn, self._devices.playback.heard_from(turn))
        if latency is not None:
            self._window.transcript.time_reply(turn, latency)
        self._window.transcript.finish(turn, interrupted, text, self.kept.has_sound(turn))

    def reply_stats(self, turn: int, stats: TurnStats) -> None:
        self._stopwatch.stats(turn, stats)
        self.reporter.stats(turn, stats)
        self._window.transcript.explain_reply(turn, self.tr("Voice {voice}").format(voice=stats.voice))

    def turn_discarded(self, turn: int) -> None:
        self._window.transcript.discard(turn)

    def notice(self, sentence: str) -> None:
        self._window.show_problem(shown(sentence))

    def half_duplex(self, reason: str) -> None:
        self._window.show_half_duplex(shown(reason) or self._no_echo_cancelling)

    def microphone_level(self, decibels: float, speech: float) -> None:
        self._window.show_microphone_level(decibels)
        self.sound_check.show_level(decibels)
        if self._silent and decibels > SILENT_DB:
            self._silent = False
            self._window.show_notice("silent", "")

    def reply_level(self, decibels: float) -> None:
        self._window.show_reply_level(decibels)

    def microphone_changed(self, usable: bool, sentence: str) -> None:
        _log.info("microphone: %s", sentence or "open")
        sentence = shown(sentence)
        self._window.show_microphone(usable)
        self.voices.microphone_changed(usable)
        self._device_changed("microphone", usable)
        self.sound_check.device_changed(Trouble.NO_MICROPHONE, sentence)
        text = "" if usable else self.tr("{reason} You can type your questions.").format(reason=sentence)
        self._window.show_notice("microphone", text, retry=not usable)

    def speaker_changed(self, usable: bool, sentence: str) -> None:
        _log.info("loudspeaker: %s", sentence or usable)
        sentence = shown(sentence)
        lost = bool(sentence) and not usable
        if usable or lost:
            self._device_changed("speaker", usable)
            self.sound_check.device_changed(Trouble.NO_SPEAKER, sentence)
        text = self.tr("{reason} Answers are shown as text.").format(reason=sentence) if lost else ""
        self._window.show_notice("speaker", text, retry=lost)

    def model_progress(self, stage: str, fraction: float) -> None:
        self._window.show_progress(shown(stage), fraction)

    def model_ready(self, info: ModelInfo) -> None:
        _log.info("model ready: %s", info.name)
        self.reporter.model = info
        self.larger_model.model_ready(info)
        self.models.switch.ready()
        voice = self.voices.model_ready(info, self._settings.voice)
        self._window.show_ready(info.voices, voice, info.own_voices)
        self.pictures.model_ready(info)
        if self._crashes_told not in (None, self.host.crashes):
            text = self.tr("The model stopped unexpectedly and was restarted: ask again.")
            self._window.show_notice("model", text)
        self._crashes_told = self.host.crashes

    def model_failed(self, sentence: str, fatal: bool) -> None:
        _log.info("model failed: %s", sentence)
        if fatal and self.models.switch.fell_back(sentence):
            return
        # When it is being restarted, progress follows and takes the sentence away again.
        self._window.show_model_failed(shown(sentence))
        if fatal:
            text = self.tr("The model did not start; below it says why. When that has been dealt with, try again.")
            self._window.show_notice("load", text, retry=True)

    def _watch(self, now: float, thing: ev.Event | ev.Action) -> None:
        self._stopwatch(now, thing)
        self.reporter.journal(now, thing)

    # --- the window

    def _connect(self) -> None:
        window = self._window
        window.dock.talk.held.connect(self._talk_pressed)
        window.dock.talk.let_go.connect(self.conversation.talk_released)
        window.question_asked.connect(self._ask)
        window.stop_requested.connect(self.conversation.stop)
        window.open_mic_switched.connect(self._switch_open_mic)
        window.muted.connect(self._mute)
        window.header.sound_menu.chosen.connect(self._choose_device)
        window.volume_changed.connect(self._change_volume)
        window.retry_requested.connect(self._retry)
        window.transcript.entry_finished.connect(LogWriter(window).add)
        window.transcript.entry_finished.connect(self.kept.add)
        window.sidebar_switched.connect(lambda shown: self._remember(replace(self._settings, sidebar=shown)))

    def _retry(self) -> None:
        self._devices.open(look_again=True)
        if self._window.situation().model == Model.FAILED:
            self._window.show_notice("load", "")
            self.models.switch.reload()

    def _ask(self, text: str) -> None:
        self._window.show_notice("model", "")
        if not self.conversation.submit_text(text):
            self._window.dock.field.setText(text)

    def _talk_pressed(self) -> None:
        self.conversation.talk_pressed()
        talk = self._window.dock.talk
        if talk.stays and self.conversation.state != State.LISTENING:
            # Nothing came of it, and no finger will be taken off.
            talk.release()

    def _switch_open_mic(self, on: bool) -> None:
        mode = SavedMode.OPEN_MIC if on else SavedMode.PUSH_TO_TALK
        if not self._window.dock.is_muted():
            self.conversation.set_mode(Mode(mode.value))
        self._remember(replace(self._settings, mode=mode))

    def _mute(self, muted: bool) -> None:
        self.conversation.set_mode(Mode.MUTED if muted else Mode(self._settings.mode.value))

    def _want(self, kind: Kind, device: DeviceName) -> None:
        self._devices.want(kind, device)
        self._window.header.sound_menu.set_wanted(kind, device)

    def _choose_device(self, kind: Kind, device: DeviceName) -> None:
        self._devices.choose(kind, device)
        kept = SoundDevice(device.name, device.host)
        settings = self._settings
        self._remember(replace(settings, microphone=kept) if kind == "input" else replace(settings, speaker=kept))

    def _devices_found(self, found: Found) -> None:
        self._window.header.sound_menu.set_found(found)
        self.preferences.devices_found(found)
        self.voices.devices_found(found)
        self.sound_check.devices_found(found)

    def _device_moved(self, kind: Kind, name: str) -> None:
        _log.info("%s goes on with: %s", kind, name or "the wanted device")
        if kind == "input":
            text = self.tr("The microphone has gone, so I listen through another one: {name}.")
        else:
            text = self.tr("The loudspeaker has gone, so I speak through another one: {name}.")
        self._window.show_notice(f"moved {kind}", text.format(name=name) if name else "")

    def _change_volume(self, volume: float) -> None:
        self._devices.volume = volume
        if not self._window.header.mute.isChecked():
            self._remember(replace(self._settings, volume=volume))

    def _device_changed(self, name: str, usable: bool) -> None:
        """Try again by itself with a device that worked before, as after a restart of the sound server."""
        if usable:
            self._had_device[name] = True
            if not self._reopener.isActive():
                self._reopened = 0
        elif self._had_device[name] and self._reopened < len(REOPEN_AFTER_MS):
            self._reopener.start(REOPEN_AFTER_MS[self._reopened])

    def _reopen(self) -> None:
        self._reopened += 1
        self._devices.open()

    def _microphone_silent(self, sentence: str) -> None:
        self._silent = True
        self._window.show_notice("silent", shown(sentence))

    def _echo_changed(self, reason: str) -> None:
        _log.info("echo cancellation: %s", reason or "on")
        reason = shown(reason)
        self._no_echo_cancelling = reason
        self._window.show_half_duplex(reason)
        self.preferences.echo_changed(reason)

    # --- settings

    def _remember(self, settings: Settings) -> None:
        self._settings = settings
        self.preferences.settings_changed(settings)
        self.reporter.settings_changed(settings)
        self._saver.start()

    def _save(self) -> None:
        text = ""
        try:
            save(self._settings_file, self._settings)
        except OSError as error:
            reason = shown(error.strerror or type(error).__name__)
            text = self.tr("Your settings cannot be saved: {reason}.").format(reason=reason)
        self._window.show_notice("saving", text)

    # --- from other threads

    def _engine_event(self, event: Event) -> None:
        self._post(lambda: self.voices.engine_event(event))
        self._post(lambda: self.models.switch.engine_event(event))
        self.conversation.engine_event(event)

    def _chunks(self, chunks: list[MicChunk]) -> None:
        if self.voices.recording:
            # What is read aloud for a voice is no question.
            self._post(lambda: self.voices.take(chunks))
        else:
            self.conversation.chunk(*chunks)
