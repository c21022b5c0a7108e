"""Whose turn it is: a pure state machine. No threads, no clock of its own, no audio."""

from __future__ import annotations

from app.conversation import events as ev
from app.conversation.barge_in import Verdict, VoiceWatch
from app.conversation.events import Mode, State
from app.conversation.timing import Timing
from app.conversation.turn import Turn

NOT_READY = "The model is still being loaded: ask again when it is ready."
NO_MICROPHONE = "There is no microphone: plug one in, or type your question."
MUTED = "The microphone is muted: unmute it to talk."
NO_SPEECH = "I heard no speech: hold the button while you talk, and check the microphone."
TOO_LONG = "That was a minute, so I answer what I have heard so far."
NO_ANSWER = "The model does not answer: please ask again."


class TurnMachine:
    """The conversation's state. `step` is the only way in.

    Speech opens a turn after `open_chunks` voiced chunks (in open-mic mode), its first words come along by
    the pre-roll, and quiet closes it, for how long depends on the words (`wait_chunks`); between the two
    probabilities neither changes. The talk button does the same by hand, in every mode but muted. While the
    assistant thinks or speaks, the user's voice (open mic, see `VoiceWatch`), the button, or a typed question take
    the turn.

    After `speculative_chunks` of quiet the turn is tried: the model answers at once, and its answer is held back
    until the turn is closed. If the user goes on before that, or within 1.5 s of a pause that was taken for the end
    and before there was time to notice an answer, a new turn holds the earlier words too.
    """

    def __init__(self, mode: Mode = Mode.PUSH_TO_TALK, timing: Timing | None = None) -> None:
        self.mode = mode
        self.state = State.IDLE
        self.ready = False
        self._timing = timing or Timing()
        self._microphone = True
        self._speaker = True
        self._serial = 0
        self._turn: Turn | None = None
        self._watch = VoiceWatch(self._timing)
        self._asked = 0
        self._held = False
        self._release_at: float | None = None
        self._last_chunk = -1
        self._chunk_at = 0.0
        self._model_at = 0.0
        # Nothing before this chunk belongs to a new turn.
        self._floor = 0
        self._out: list[ev.Action] = []
        self._now = 0.0

    @property
    def turn(self) -> int | None:
        """Number of the turn under way."""
        return self._turn.number if self._turn else None

    @property
    def timing(self) -> Timing:
        """How long things take now."""
        return self._timing

    def set_timing(self, timing: Timing) -> None:
        """Go by `timing` from now on, in mid-turn too: all lengths are only compared with what has been."""
        self._timing = timing
        self._watch.set_timing(timing)

    def step(self, event: ev.Event, now: float) -> list[ev.Action]:
        """Take in one event at time `now` (seconds, never running backwards); returns what to do."""
        self._out = []
        self._now = now
        match event:
            case ev.SpeechChunk():
                self._on_chunk(event)
            case ev.Tick():
                self._on_tick()
            case ev.TalkPressed():
                self._on_talk_pressed()
            case ev.TalkReleased():
                if self._held and self.state == State.LISTENING and self._release_at is None:
                    # What was said just before the release is still on its way through the device.
                    self._release_at = now + self._timing.release_grace_s
            case ev.ModeChanged():
                self._on_mode(event.mode)
            case ev.TextSubmitted():
                self._on_text(event.text)
            case ev.StopPressed():
                self._give_up()
            case ev.ModelLoading():
                self.ready = False
                self._give_up()
            case ev.ModelReady():
                self.ready = True
            case ev.MicChanged():
                self._microphone = event.usable
                if not event.usable and self.state == State.LISTENING:
                    self._finish_listening()
                elif not event.usable:
                    self._follow(self._watch.forget())
            case ev.SpeakerChanged():
                self._on_speaker(event.usable)
            case ev.Words():
                if event.serial == self._asked:
                    self._follow(self._watch.words(event.text))
            case ev.Heard():
                self._on_heard(event)
            case ev.ReplyGoesOn() | ev.AudioStarted() | ev.ReplyDone() | ev.ReplyFailed() | ev.PlaybackFinished():
                if self._turn is not None and event.turn == self._turn.number:
                    self._model_at = now
                    self._on_reply(event, self._turn)
        return self._out

    # --- the user

    def _on_chunk(self, chunk: ev.SpeechChunk) -> None:
        self._last_chunk, self._chunk_at = chunk.index, self._now
        self._microphone = True
        if self.mode == Mode.MUTED:
            self._floor = chunk.index + 1
        elif self.state == State.LISTENING and self._turn is not None:
            self._listen(chunk, self._turn)
        elif self.mode == Mode.OPEN_MIC:
            self._overhear(chunk)

    def _listen(self, chunk: ev.SpeechChunk, turn: Turn) -> None:
        timing = self._timing
        turn.hear(chunk, timing)
        if not turn.tried:
            self._out.append(ev.PushAudio(turn.number, chunk.index, chunk.index))
        elif not turn.quiet:
            self._ask_anew(turn)
        if chunk.index - turn.first + 1 >= timing.most_chunks:
            self._out.append(ev.Notice(TOO_LONG))
            self._finish_listening()
        elif self._release_at is not None:
            if self._now >= self._release_at:
                self._finish_listening()
        elif self._held:
            return
        elif turn.is_over(timing):
            self._finish_listening()
        elif turn.is_worth_trying(timing):
            turn.ask_early()
            self._out.append(ev.TryTurn(turn.number))

    def _ask_anew(self, turn: Turn) -> None:
        """The question that was tried goes on: all of it is for the model, from its first word."""
        self._out += [ev.DiscardTurn(turn.number), ev.CancelTurn(turn.number)]
        self._serial += 1
        turn.begin_anew(self._serial)
        self._out += [ev.StartTurn(turn.number), ev.PushAudio(turn.number, turn.first, turn.last)]

    def _overhear(self, chunk: ev.SpeechChunk) -> None:
        """A chunk of the microphone while it is not the user's turn."""
        turn, run = self._turn, self._watch.run
        first = chunk.index if run is None else run.first
        goes_on = turn is not None and turn.goes_on_with(first, self._timing)
        over_answer = self.state == State.SPEAKING and turn is not None and turn.playing and not goes_on
        wanted = self._timing.open_chunks if self.state == State.IDLE else self._timing.barge_in_chunks
        self._follow(self._watch.hear(chunk, wanted, over_answer, self._now))

    def _follow(self, verdict: Verdict) -> None:
        """Do what the user's voice asks for."""
        turn, run = self._turn, self._watch.run
        if verdict == Verdict.TAKE:
            self._take_turn()
        elif turn is None or not turn.playing:
            return
        elif verdict == Verdict.DUCK:
            self._out.append(ev.DuckPlayback(turn.number))
        elif verdict == Verdict.HOLD:
            self._out.append(ev.HoldPlayback(turn.number))
        elif verdict == Verdict.RESUME:
            turn.finish_by = self._now + turn.audio_seconds + self._timing.playback_grace_s
            self._out.append(ev.ResumePlayback(turn.number))
        elif verdict == Verdict.ASK and run is not None:
            self._asked += 1
            first = max(self._floor, run.first - self._timing.preroll_chunks)
            self._out.append(ev.Recognise(self._asked, first, self._last_chunk))

    def _take_turn(self) -> None:
        """The voice that is being watched is the user's turn."""
        timing, run, before = self._timing, self._watch.run, self._turn
        if run is None:
            return
        if not self.ready:
            run.refused = True
            self._out.append(ev.Notice(NOT_READY))
            return
        resumed = (
            before is not None
            and before.goes_on_with(run.first, timing)
            and self._last_chunk - before.first + 1 < timing.most_chunks
        )
        self._interrupt(forget=resumed)
        if resumed and before is not None:
            self._start_listening(before.first, voiced=before.voiced + run.voiced)
        else:
            self._start_listening(max(self._floor, run.first - timing.preroll_chunks), voiced=run.voiced)
        # The words may be over already.
        if self._turn is not None:
            self._turn.last_voiced = run.last
            self._turn.quiet_from = run.last + 1 if run.last < self._last_chunk else None

    def _on_talk_pressed(self) -> None:
        if self._held:
            # Pressed again within the grace: a bouncing key, or the key repeat of X11.
            self._release_at = None
        elif not self.ready:
            self._out.append(ev.Notice(NOT_READY))
        elif self.mode == Mode.MUTED:
            self._out.append(ev.Notice(MUTED))
        elif not self._microphone:
            self._out.append(ev.Notice(NO_MICROPHONE))
        elif self.state == State.LISTENING and self._turn is not None:
            if self._turn.tried:
                self._ask_anew(self._turn)
            self._held = True
        else:
            self._interrupt()
            first = max(self._floor, self._last_chunk + 1 - self._timing.preroll_chunks)
            self._start_listening(first, voiced=0)
            self._held = True

    def _on_mode(self, mode: Mode) -> None:
        before, self.mode = self.mode, mode
        self._follow(self._watch.forget())
        if self.state == State.LISTENING and mode != before:
            if mode == Mode.MUTED:
                self._give_up()
            elif mode == Mode.PUSH_TO_TALK and not self._held:
                self._finish_listening()

    def _on_text(self, text: str) -> None:
        if not self.ready:
            self._out.append(ev.Notice(NOT_READY))
            return
        if self.state == State.LISTENING:
            self._drop()
        else:
            self._interrupt()
        self._watch.forget()
        self._turn = self._next_turn(spoken=False)
        self._out.append(ev.StartTurn(self._turn.number, text))
        self._enter(State.THINKING)

    def _start_listening(self, first: int, voiced: int) -> None:
        turn = self._turn = self._next_turn(spoken=True)
        turn.first, turn.last, turn.voiced = first, self._last_chunk, voiced
        turn.last_voiced = self._last_chunk
        self._watch.forget()
        self._held = False
        self._release_at = None
        self._chunk_at = self._now
        self._out.append(ev.StartTurn(turn.number))
        if self._last_chunk >= first:
            self._out.append(ev.PushAudio(turn.number, first, self._last_chunk))
        self._enter(State.LISTENING)

    def _finish_listening(self) -> None:
        turn, held = self._turn, self._held
        if turn is None:
            return
        if turn.voiced < self._timing.least_voiced_chunks:
            self._drop()
            self._enter(State.IDLE)
            if held:
                self._out.append(ev.Notice(NO_SPEECH))
            return
        if turn.tried and turn.stirred:
            # It may have been the last word.
            self._ask_anew(turn)
        self._held = False
        self._release_at = None
        self._floor = turn.last + 1
        if not turn.tried:
            self._out.append(ev.EndTurn(turn.number))
        self._enter(State.THINKING)
        if turn.tried:
            self._out.append(ev.ConfirmTurn(turn.number))

    # --- the assistant

    def _on_heard(self, event: ev.Heard) -> None:
        turn = self._turn
        if turn is not None and turn.tried and self.state == State.LISTENING and event.turn == turn.number:
            turn.words = event.text
            if turn.is_over(self._timing):
                self._finish_listening()

    def _on_reply(
        self, event: ev.ReplyGoesOn | ev.AudioStarted | ev.ReplyDone | ev.ReplyFailed | ev.PlaybackFinished, turn: Turn
    ) -> None:
        match event:
            case ev.AudioStarted() if self.state == State.THINKING:
                turn.spoke_from = self._last_chunk
                if self._speaker:
                    turn.playing = True
                    self._out.append(ev.BeginPlayback(turn.number))
                self._enter(State.SPEAKING)
            case ev.ReplyDone() if self.state == State.SPEAKING and turn.playing:
                if not turn.reply_done:
                    turn.reply_done = True
                    turn.audio_seconds = event.audio_seconds
                    turn.finish_by = self._now + event.audio_seconds + self._timing.playback_grace_s
                    self._out.append(ev.EndPlayback(turn.number))
            case ev.ReplyDone():
                turn.reply_done = True
                if self.state == State.LISTENING:
                    self._drop()
                    self._enter(State.IDLE)
                else:
                    self._close(turn)
            case ev.ReplyFailed():
                turn.reply_done = True
                self._give_up()
                self._out.append(ev.Notice(event.message))
            case ev.PlaybackFinished() if self.state == State.SPEAKING and turn.reply_done:
                turn.playing = False
                self._close(turn)

    def _on_speaker(self, usable: bool) -> None:
        self._speaker = usable
        turn = self._turn
        if not usable and turn is not None and turn.playing:
            # The rest of the reply can be read.
            turn.playing = False
            if turn.reply_done:
                self._close(turn)

    def _on_tick(self) -> None:
        turn = self._turn
        if turn is None:
            return
        if self.state == State.LISTENING:
            released = self._release_at is not None and self._now >= self._release_at
            if released or self._now - self._chunk_at > self._timing.silent_microphone_s:
                self._finish_listening()
        elif self._watch.holds:
            # A microphone that has fallen silent tells nothing about whoever was speaking.
            deaf = self._now - self._chunk_at > self._timing.deaf_s
            self._follow(self._watch.forget() if deaf else self._watch.wait(self._now))
        elif turn.reply_done:
            if self._now >= turn.finish_by:
                self._close(turn)
        elif self._now - self._model_at > self._timing.silent_model_s:
            self._give_up()
            self._out.append(ev.Notice(NO_ANSWER))

    # --- the ends of a turn

    def _close(self, turn: Turn) -> None:
        """The reply has been given in full."""
        if turn.playing:
            self._out.append(ev.StopPlayback(turn.number))
        self._out.append(ev.KeepHeard(turn.number, whole=True))
        self._turn = None
        self._enter(State.IDLE)

    def _give_up(self) -> None:
        """End whatever is under way and be idle."""
        self._watch.forget()
        if self.state == State.LISTENING:
            self._drop()
        else:
            self._interrupt()
        self._enter(State.IDLE)

    def _interrupt(self, forget: bool = False) -> None:
        """Cut the reply off, if there is one. With `forget` the question goes on in the next turn."""
        turn = self._turn
        if turn is None:
            return
        if turn.playing:
            self._out.append(ev.StopPlayback(turn.number))
        self._out.append(ev.DiscardTurn(turn.number) if forget else ev.KeepHeard(turn.number, whole=False))
        if not turn.reply_done:
            self._out.append(ev.CancelTurn(turn.number))
        self._turn = None

    def _drop(self) -> None:
        """Forget the turn that is being listened to."""
        turn, self._turn = self._turn, None
        self._held = False
        self._release_at = None
        if turn is not None:
            self._floor = turn.last + 1
            self._out.append(ev.DiscardTurn(turn.number))
            if not turn.reply_done:
                self._out.append(ev.CancelTurn(turn.number))

    def _next_turn(self, spoken: bool) -> Turn:
        self._serial += 1
        self._model_at = self._now
        return Turn(self._serial, spoken)

    def _enter(self, state: State) -> None:
        if state == State.THINKING:
            self._model_at = self._now
        if state != self.state:
            self.state = state
            self._out.append(ev.EnterState(state))
