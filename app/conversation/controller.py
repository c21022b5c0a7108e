"""The conversation: feeds the state machine and carries out what it says. No Qt, no torch."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable

import numpy as np

from app.audio.level import FLOOR_DB
from app.conversation import events as ev
from app.conversation.awake import AwakeClock
from app.conversation.events import Mode, State
from app.conversation.history import History
from app.conversation.live import Live
from app.conversation.machine import TurnMachine
from app.conversation.ports import Chunk, Engine, Listener, Player, Samples
from app.conversation.recent import RecentAudio
from app.conversation.self_echo import SelfEchoGuard
from app.conversation.timing import Timing
from app.engine import protocol
from app.omni.turn import OUTPUT_RATE, StopReason

_NO_ENGINE_TURN = -1
_BROKEN_REPLY = "The model could not answer: please ask again."


class Conversation:
    """Glue between microphone, model, loudspeaker and window.

    Two kinds of methods. Those of the window (`talk_pressed` … `tick`) must be called on the conversation's
    own thread, the one that runs the window. Those of the other threads (`chunk`, `engine_event`,
    `playback_finished`, `microphone_lost`, `speaker_lost`) may be called anywhere: they go through `post`,
    which must run a function on the conversation's thread, in order. The listener is called on that thread.

    Call `tick` about twenty times a second.
    """

    def __init__(
        self,
        listener: Listener,
        *,
        post: Callable[[Callable[[], None]], None],
        mode: Mode = Mode.PUSH_TO_TALK,
        voice: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`voice` "" is the model's own default; `clock` gives seconds that never run backwards."""
        self._listener = listener
        self._post = post
        self._clock = AwakeClock(clock)
        self._machine = TurnMachine(mode)
        self._voice = voice
        self._engine: Engine | None = None
        self._player: Player | None = None
        self._history = History()
        self._own_voice = SelfEchoGuard(clock, listener.half_duplex)
        self._live: Live | None = None
        self._again: Samples | None = None
        self._recent = RecentAudio()
        self._microphone: bool | None = None
        self._pending: deque[ev.Event] = deque()
        self._busy = False
        # Told of every event and every action, with the time.
        self.watch: Callable[[float, ev.Event | ev.Action], None] = lambda now, thing: None
        self._step(ev.SpeakerChanged(False))

    # --- for the window, on the conversation's thread

    @property
    def state(self) -> State:
        """What the assistant is doing."""
        return self._machine.state

    @property
    def mode(self) -> Mode:
        """When the microphone is listened to."""
        return self._machine.mode

    @property
    def ready(self) -> bool:
        """True while the model can take turns."""
        return self._machine.ready and self._engine is not None

    def attach_engine(self, engine: Engine) -> None:
        """Use this model from now on. Its events must reach `engine_event`."""
        self._engine = engine

    def attach_player(self, player: Player | None, sentence: str = "") -> None:
        """Use this open loudspeaker; None: there is none, for the reason in `sentence`."""
        # A reply under way does not move to another loudspeaker: its rest can be read.
        self._step(ev.SpeakerChanged(False))
        if self._live is not None:
            self._live.playing = False
        self._player = player
        self._step(ev.SpeakerChanged(player is not None))
        self._listener.speaker_changed(player is not None, sentence)

    def talk_pressed(self) -> None:
        """The talk button went down (key repeats do no harm)."""
        self._step(ev.TalkPressed())

    def talk_released(self) -> None:
        """The talk button went up."""
        self._step(ev.TalkReleased())

    def set_mode(self, mode: Mode) -> None:
        """Push-to-talk, open microphone, or muted."""
        if mode != self._machine.mode:
            if Mode.MUTED in (mode, self._machine.mode):
                self._recent.forget()
            self._step(ev.ModeChanged(mode))
            self._listener.state_changed(self._machine.state, mode)

    def set_voice(self, voice: str) -> None:
        """Answer in this voice from the next turn on; "" is the model's default."""
        self._voice = voice

    def set_timing(self, timing: Timing) -> None:
        """Wait as long as `timing` says, from now on."""
        self._machine.set_timing(timing)

    def submit_text(self, text: str) -> bool:
        """Ask a typed question. False when it was not taken: it is empty, or there is no model yet."""
        if not (text := text.strip()):
            return False
        ready = self.ready
        self._step(ev.TextSubmitted(text))
        return ready

    def stop(self) -> None:
        """Stop whatever is under way: listening, thinking or speaking."""
        self._step(ev.StopPressed())

    def start_afresh(self) -> None:
        """Stop, and forget what was said."""
        self.stop()
        self._history.clear()

    def resume(self, exchanges: Iterable[tuple[str, str]]) -> None:
        """Stop, and go on from another conversation: its questions and what was heard of their answers."""
        self.stop()
        self._history.resume(exchanges)

    def say_again(self, samples: Samples) -> bool:
        """Play `samples` (float32 at 24 kHz, an earlier answer) as if they were spoken now.

        Whatever stops an answer stops this too. False when it cannot be: the user is talking, there is no
        loudspeaker, or the model is still being loaded.
        """
        if not len(samples) or self._player is None or not self.ready or self._machine.state == State.LISTENING:
            return False
        # To the state machine it is a turn like any other, whose answer happens to be there already.
        self._again = samples
        self._step(ev.TextSubmitted(""))
        return True

    def tick(self) -> None:
        """Let time pass."""
        self._step(ev.Tick())
        if self._machine.state == State.SPEAKING:
            self._listener.reply_level(self._playback_level())

    # --- from other threads

    def chunk(self, chunk: Chunk) -> None:
        """32 ms of the microphone; all of them, in order."""
        self._post(lambda: self._on_chunk(chunk))

    def engine_event(self, event: protocol.Event) -> None:
        """What the model says."""
        self._post(lambda: self._on_engine_event(event))

    def playback_finished(self, turn: int) -> None:
        """The loudspeaker has played all of `turn`."""
        self._post(lambda: self._step(ev.PlaybackFinished(turn)))

    def microphone_lost(self, sentence: str) -> None:
        """The microphone went away, or could not be opened."""
        self._post(lambda: self._on_microphone_lost(sentence))

    def speaker_lost(self, sentence: str) -> None:
        """The loudspeaker went away."""
        self._post(lambda: self.attach_player(None, sentence))

    # --- what comes in

    def _on_chunk(self, chunk: Chunk) -> None:
        if self._microphone is not True:
            self._microphone = True
            self._listener.microphone_changed(True, "")
        index = self._recent.count()
        live, deaf = self._live, self._own_voice.deaf
        echo = (deaf or not chunk.echo_free) and live is not None and live.is_heard(self._clock())
        if self._machine.mode != Mode.MUTED:
            # Half duplex: an answer that plays must not come into the next question by the pre-roll.
            ignored = echo and (deaf or not chunk.cancelled) and self._machine.state == State.SPEAKING
            self._recent.keep(np.zeros_like(chunk.samples) if ignored else chunk.samples)
        self._listener.microphone_level(chunk.level_db, chunk.speech)
        self._step(ev.SpeechChunk(index, chunk.speech, echo, chunk.settling, chunk.time))

    def _on_microphone_lost(self, sentence: str) -> None:
        self._microphone = False
        self._step(ev.MicChanged(False))
        self._listener.microphone_changed(False, sentence)

    def _on_engine_event(self, event: protocol.Event) -> None:
        match event:
            case protocol.Progress():
                self._fail_early()
                self._step(ev.ModelLoading())
                self._listener.model_progress(event.stage, event.fraction)
                return
            case protocol.Ready():
                self._step(ev.ModelReady())
                self._listener.model_ready(event.info)
                return
            case protocol.Recognised():
                self._step(ev.Words(event.serial, event.text, self._own_voice.is_own(event.text, self._said_aloud())))
                return
            case protocol.Failed():
                self._on_failed(event)
                return
            case protocol.VoiceMade() | protocol.VoicesRead() | protocol.VoicesChanged():
                return
        live = self._live
        if live is None or live.over_at is not None or event.turn != live.engine_turn:
            return
        if live.held_back is not None:
            live.held_back.append(event)
            if isinstance(event, protocol.UserText):
                self._step(ev.Heard(live.turn, event.text, live.doubted and self._own_voice.is_own(event.text)))
            elif isinstance(event, protocol.AudioFrame):
                live.arrived(np.frombuffer(event.samples, "<f4"), self._clock())
            return
        self._step(ev.ReplyGoesOn(live.turn))
        match event:
            case protocol.UserText():
                self._on_user_text(live, event.text.strip())
            case protocol.TextDelta():
                live.reply.text += event.text
                self._listener.reply_delta(live.turn, event.text)
            case protocol.AudioFrame():
                self._on_audio(live, np.frombuffer(event.samples, "<f4"))
            case protocol.TurnDone():
                self._on_turn_done(live, event)

    def _on_user_text(self, live: Live, text: str) -> None:
        if live.typed or not text:
            return
        if live.doubted and self._own_voice.is_own(text):
            self._step(ev.Heard(live.turn, text, echo=True))
            if live.over_at is not None:
                return
        self._own_voice.heard_user()
        live.question = text
        self._listener.question(live.turn, text)

    def _on_failed(self, event: protocol.Failed) -> None:
        live = self._live
        if event.fatal or event.turn is None:
            if event.fatal:
                self._step(ev.ModelLoading())
            self._listener.model_failed(event.message, event.fatal)
        elif live is not None and event.turn == live.engine_turn:
            if live.held_back is not None:
                # Where the user goes on, it is tried again.
                live.held_back.append(event)
            else:
                self._step(ev.ReplyFailed(live.turn, event.message))
        else:
            # Not about a turn of ours: a voice that could not be made, for example.
            self._listener.notice(event.message)

    def _fail_early(self) -> None:
        """The model has died over a question that may go on: nothing comes of waiting for the rest of it."""
        live = self._live
        if live is not None and live.held_back:
            for event in live.held_back:
                if isinstance(event, protocol.Failed):
                    self._step(ev.ReplyFailed(live.turn, event.message))

    def _on_audio(self, live: Live, samples: Samples) -> None:
        first = not live.begun
        live.arrived(samples, self._clock())
        samples = live.take(samples)
        if first and live.begun:
            self._step(ev.AudioStarted(live.turn, live.made_at))
        elif self._player is not None and live.playing:
            self._player.write(live.turn, samples)

    def _on_turn_done(self, live: Live, event: protocol.TurnDone) -> None:
        live.reply.complete = True
        self._listener.reply_stats(live.turn, event.stats)
        if event.stats.stop_reason == StopReason.ERROR:
            self._step(ev.ReplyFailed(live.turn, _BROKEN_REPLY))
        else:
            self._step(ev.ReplyDone(live.turn, live.reply.samples / OUTPUT_RATE))

    # --- what goes out

    def _step(self, event: ev.Event) -> None:
        """Pass an event through the machine; one that comes up meanwhile waits until its actions are done."""
        self._pending.append(event)
        if self._busy:
            return
        self._busy = True
        try:
            while self._pending:
                now, thing = self._clock(), self._pending.popleft()
                self.watch(now, thing)
                for action in self._machine.step(thing, now):
                    self.watch(self._clock(), action)
                    self._do(action)
        finally:
            self._busy = False

    def _do(self, action: ev.Action) -> None:
        engine, player, live = self._engine, self._player, self._live
        match action:
            case ev.StartTurn() if self._again is not None:
                self._start_again(action.turn, self._again)
            case ev.StartTurn() if engine is not None:
                number = engine.start_turn(voice=self._voice, history=self._history.for_model(), text=action.text)
                doubted = self._own_voice.may_hear() or (live is not None and live.is_doubted_at(self._clock()))
                self._live = Live(action.turn, number, action.text is not None, action.text or "", doubted=doubted)
                if action.text is not None:
                    self._listener.question(action.turn, action.text)
            case ev.PushAudio() if engine is not None and live is not None:
                samples = self._recent.piece(action.first, action.last)
                if len(samples):
                    engine.push_audio(live.engine_turn, samples)
            case ev.EndTurn() if engine is not None and live is not None:
                engine.end_turn(live.engine_turn)
            case ev.TryTurn() if engine is not None and live is not None:
                live.held_back = []
                engine.end_turn(live.engine_turn)
            case ev.ConfirmTurn() if live is not None:
                held_back, live.held_back = live.held_back or [], None
                for event in held_back:
                    self._on_engine_event(event)
            case ev.CancelTurn() if engine is not None and live is not None:
                engine.cancel(live.engine_turn)
            case ev.BeginPlayback() if player is not None and live is not None:
                live.playing = True
                player.begin(action.turn)
                for samples in live.sound_so_far():
                    player.write(action.turn, samples)
            case ev.EndPlayback() if player is not None:
                player.end(action.turn)
            case ev.StopPlayback() if player is not None:
                player.stop()
            case ev.DuckPlayback() if player is not None:
                player.duck()
            case ev.HoldPlayback() if player is not None:
                player.hold()
            case ev.ResumePlayback() if player is not None:
                player.resume()
            case ev.Recognise() if engine is not None:
                engine.recognise(action.serial, self._recent.piece(action.first, action.last))
            case ev.KeepHeard() if live is not None:
                self._keep(live, action.whole)
            case ev.DiscardTurn() if live is not None:
                live.over_at = self._clock()
                self._listener.turn_discarded(action.turn)
            case ev.EnterState():
                self._listener.state_changed(action.state, self._machine.mode)
            case ev.Notice():
                self._listener.notice(action.text)

    def _start_again(self, turn: int, samples: Samples) -> None:
        self._again = None
        self._live = Live(turn, _NO_ENGINE_TURN, typed=True)
        self._live.repeat(samples)
        self._step(ev.AudioStarted(turn))
        self._step(ev.ReplyDone(turn, len(samples) / OUTPUT_RATE))

    def _keep(self, live: Live, whole: bool) -> None:
        live.over_at = self._clock()
        if live.again is not None:
            return
        sound = np.concatenate(live.pieces) if live.pieces else np.zeros(0, np.float32)
        live.pieces.clear()
        if whole or self._player is None:
            heard = live.reply.text.strip()
        else:
            played = self._player.played_samples(live.turn)
            heard = live.reply.heard(played)
            sound = sound[:played]
        self._own_voice.spoke(self._said_aloud())
        if len(sound):
            self._listener.reply_sound(live.turn, sound)
        self._history.add(live.question, heard)
        if whole and not heard and not live.reply.samples:
            self._listener.notice(_BROKEN_REPLY)
        self._listener.reply_done(live.turn, heard, not whole)

    def _playback_level(self) -> float:
        """Loudness of the 80 ms that play now, dB of full scale."""
        live, player = self._live, self._player
        return live.level_at(player.played_samples(live.turn)) if live is not None and player is not None else FLOOR_DB

    def _said_aloud(self) -> str:
        """What the loudspeaker has said of the answer under way, and what it is about to say."""
        live, player = self._live, self._player
        return live.said_aloud(player.played_samples(live.turn)) if live is not None and player is not None else ""
