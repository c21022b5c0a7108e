"""The conversation: feeds the state machine and carries out what it says. No Qt, no torch."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from app.conversation import events as ev
from app.conversation import tool_events as te
from app.conversation.awake import AwakeClock
from app.conversation.events import Mode, State
from app.conversation.live import Live
from app.conversation.machine import TurnMachine
from app.conversation.performer import BROKEN_REPLY, Performer
from app.conversation.ports import Brain, Chunk, Engine, Listener, Player, Samples, Tools
from app.conversation.self_echo import SelfEchoGuard
from app.conversation.timing import Timing
from app.conversation.tools.runner import Outcome
from app.engine import protocol
from app.omni.turn import OUTPUT_RATE, StopReason
from app.settings import BrainScope


class Conversation:
    """Glue between microphone, model, loudspeaker and window.

    Two kinds of methods. Those of the window (`talk_pressed` … `tick`) must be called on the conversation's
    own thread, the one that runs the window. Those of the other threads (`chunk`, `engine_event`,
    `playback_finished`, `microphone_lost`, `speaker_lost`) may be called anywhere: they go through `post`,
    which must run a function on the conversation's thread, in order. The listener is called on that thread.

    Call `tick` about twenty times a second, or once while it is idle.
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
        own_voice = SelfEchoGuard(clock, listener.half_duplex)
        self._acts = Performer(listener, voice, self._clock, own_voice, self._step)
        self._acts.replay = self._on_engine_event
        self._acts.entered = lambda state: listener.state_changed(state, self._machine.mode)
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
        return self._machine.ready and self._acts.engine is not None

    def set_intercept(self, intercept: Callable[[str], bool]) -> None:
        """Ask it with the user's words before they are answered; True: they were meant for somebody else."""
        self._acts.intercept = intercept

    def attach_engine(self, engine: Engine) -> None:
        """Use this model from now on. Its events must reach `engine_event`."""
        self._acts.engine = engine

    def attach_player(self, player: Player | None, sentence: str = "") -> None:
        """Use this open loudspeaker; None: there is none, for the reason in `sentence`."""
        # A reply under way does not move to another loudspeaker: its rest can be read.
        self._step(ev.SpeakerChanged(False))
        if self._acts.live is not None:
            self._acts.live.playing = False
        self._acts.speaker.player = player
        self._step(ev.SpeakerChanged(player is not None))
        self._listener.speaker_changed(player is not None, sentence)

    def attach_tools(self, tools: Tools) -> None:
        """What the model may call from now on. What comes of it must reach `tool_ended`."""
        self._acts.errands.tools = tools

    def attach_brain(self, brain: Brain | None, scope: BrainScope = BrainScope.UNKNOWN) -> None:
        """Ask this larger model from now on what `scope` says; None: there is none. A turn under way goes on."""
        self._acts.delegation.brain, self._acts.delegation.scope = brain, scope

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
                self._acts.recent.forget()
            self._step(ev.ModeChanged(mode))
            self._listener.state_changed(self._machine.state, mode)

    def set_voice(self, voice: str) -> None:
        """Answer in this voice from the next turn on; "" is the model's default."""
        self._acts.voice = voice

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

    def show_picture(self, image: bytes | None) -> None:
        """The next question, typed or spoken, is about this picture (see `TurnRequest`); None: about none."""
        self._acts.show(image)

    def stop(self) -> None:
        """Stop whatever is under way: listening, thinking or speaking."""
        self._step(ev.StopPressed())

    def start_afresh(self) -> None:
        """Stop, and forget what was said."""
        self.stop()
        self._acts.history.clear()
        self._acts.errands.forget()

    def resume(self, exchanges: Iterable[tuple[str, str]]) -> None:
        """Stop, and go on from another conversation: its questions and what was heard of their answers."""
        self.stop()
        self._acts.history.resume(exchanges)
        self._acts.errands.forget()

    def say_again(self, samples: Samples) -> bool:
        """Play `samples` (float32 at 24 kHz, an earlier answer) as if they were spoken now.

        Whatever stops an answer stops this too. False when it cannot be: the user is talking, there is no
        loudspeaker, or the model is still being loaded.
        """
        if not self.ready or self._machine.state == State.LISTENING:
            return False
        return self.play(samples)

    def play(self, samples: Samples, on_over: Callable[[bool], None] = lambda whole: None) -> bool:
        """Play `samples`, float32 at 24 kHz, in place of what is under way; `on_over(whole)` says when that is over.

        Whatever stops an answer stops it. False where there is no loudspeaker.
        """
        if not len(samples) or self._acts.speaker.player is None:
            return False
        # To the state machine it is a turn like any other, whose answer happens to be there already.
        self._acts.given = samples, on_over
        self._step(ev.SoundGiven())
        return True

    def tick(self) -> None:
        """Let time pass."""
        self._step(ev.Tick())
        if self._machine.state in (State.SPEAKING, State.TOOL_WAIT):
            self._listener.reply_level(self._acts.speaker.level(self._acts.live))

    # --- from other threads

    def chunk(self, *chunks: Chunk) -> None:
        """32 ms of the microphone, or several that have come together; all of them, in order."""
        self._post(lambda: self._on_chunks(chunks))

    def engine_event(self, event: protocol.Event) -> None:
        """What the model says."""
        self._post(lambda: self._on_engine_event(event))

    def tool_ended(self, number: int, outcome: Outcome) -> None:
        """What came of a call."""
        self._post(lambda: self._on_tool_ended(number, outcome))

    def brain_said(self, number: int, sentence: str) -> None:
        """A sentence of the larger model's answer."""
        self._post(lambda: self._on_brain(self._acts.delegation.came(number, sentence)))

    def brain_ended(self, number: int, problem: str) -> None:
        """The larger model has answered, as far as it could; `problem` is "" or one sentence."""
        self._post(lambda: self._on_brain(self._acts.delegation.ended(number, problem)))

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

    def _on_chunks(self, chunks: Sequence[Chunk]) -> None:
        for chunk in chunks:
            self._on_chunk(chunk)

    def _on_chunk(self, chunk: Chunk) -> None:
        if self._microphone is not True:
            self._microphone = True
            self._listener.microphone_changed(True, "")
        index = self._acts.recent.count()
        live, deaf = self._acts.live, self._acts.own_voice.deaf
        echo = (deaf or not chunk.echo_free) and live is not None and live.is_heard(self._clock())
        if self._machine.mode != Mode.MUTED:
            # Half duplex: an answer that plays must not come into the next question by the pre-roll.
            speaks = self._machine.state in (State.SPEAKING, State.TOOL_WAIT)
            ignored = echo and (deaf or not chunk.cancelled) and speaks
            self._acts.recent.keep(np.zeros_like(chunk.samples) if ignored else chunk.samples)
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
                self._acts.delegation.learn(event.info)
                self._step(ev.ModelReady())
                self._listener.model_ready(event.info)
                return
            case protocol.Recognised():
                self._on_recognised(event)
                return
            case protocol.Failed():
                self._on_failed(event)
                return
            case protocol.Waking():
                if self._acts.live is not None:
                    self._step(ev.ReplyGoesOn(self._acts.live.turn))
                return
            case protocol.VoiceMade() | protocol.VoicesRead() | protocol.VoicesChanged():
                return
        live = self._acts.live
        if live is None or live.over_at is not None or event.turn != live.engine_turn:
            return
        if live.held_back is not None:
            live.held_back.append(event)
            if isinstance(event, protocol.UserText):
                self._step(ev.Heard(live.turn, event.text, live.doubted and self._acts.own_voice.is_own(event.text)))
            elif isinstance(event, protocol.AudioFrame):
                live.arrived(np.frombuffer(event.samples, "<f4"), self._clock())
            return
        self._step(ev.ReplyGoesOn(live.turn))
        if self._acts.weigh(live, event):
            return
        match event:
            case protocol.UserText():
                self._on_user_text(live, event.text.strip())
            case protocol.TextDelta():
                self._listener.reply_delta(live.turn, live.add_text(event.text))
            # Who reads given words aloud has nothing to call.
            case protocol.ToolCall() if not live.given:
                live.called = True
                self._step(self._acts.errands.called(live.turn, event.text, event.closed, live.question))
            case protocol.AudioFrame():
                self._on_audio(live, np.frombuffer(event.samples, "<f4"))
            case protocol.TurnDone():
                self._on_turn_done(live, event)

    def _on_user_text(self, live: Live, text: str) -> None:
        if live.typed or live.phrase is not None or not text:
            return
        if live.doubted and self._acts.own_voice.is_own(text):
            self._step(ev.Heard(live.turn, text, echo=True))
            if live.over_at is not None:
                return
        self._acts.own_voice.heard_user()
        live.question = text
        self._listener.question(live.turn, text)
        self._acts.take_words(live, text)

    def _on_recognised(self, event: protocol.Recognised) -> None:
        live = self._acts.live
        rings = live is not None and live.again is not None and live.over_at is None
        if rings and event.text and self._acts.intercept(event.text):
            self._step(ev.StopPressed())
            return
        echo = self._acts.own_voice.is_own(event.text, self._acts.speaker.said_aloud(live))
        self._step(ev.Words(event.serial, event.text, echo))

    def _on_tool_ended(self, number: int, outcome: Outcome) -> None:
        ended = self._acts.errands.ended(number, outcome)
        if ended is not None:
            self._step(ended)

    def _on_brain(self, news: te.PieceCame | te.ToolEnded | None) -> None:
        if news is not None:
            self._step(news)

    def _on_failed(self, event: protocol.Failed) -> None:
        live = self._acts.live
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
        live = self._acts.live
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
        else:
            self._acts.speaker.write(live, samples)

    def _on_turn_done(self, live: Live, event: protocol.TurnDone) -> None:
        if live.phrase is None:
            self._listener.reply_stats(live.turn, event.stats)
        seconds = live.reply.samples / OUTPUT_RATE
        if event.stats.stop_reason == StopReason.ERROR:
            self._step(ev.ReplyFailed(live.turn, BROKEN_REPLY))
        elif live.is_interlude:
            self._step(te.PhraseMade(live.turn, seconds))
        else:
            live.reply.complete = True
            self._step(ev.ReplyDone(live.turn, seconds))

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
                    self._acts.do(action)
        finally:
            self._busy = False
