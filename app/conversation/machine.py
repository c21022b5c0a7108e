"""Whose turn it is: a pure state machine. No threads, no clock of its own, no audio."""

from __future__ import annotations

from app.conversation import events as ev
from app.conversation.answer import Answer
from app.conversation.barge_in import Verdict, VoiceWatch
from app.conversation.course import Course
from app.conversation.events import Mode, State
from app.conversation.pace import Pace
from app.conversation.timing import Timing
from app.conversation.tool_events import PhraseMade, PieceCame, ToolEnded, ToolsCalled
from app.conversation.tool_wait import ToolWait
from app.conversation.turn import Turn

NOT_READY = "The model is still being loaded: ask again when it is ready."
NO_MICROPHONE = "There is no microphone: plug one in, or type your question."
MUTED = "The microphone is muted: unmute it to talk."
NO_SPEECH = "I heard no speech: hold the button while you talk, and check the microphone."
TOO_LONG = "That was a minute, so I answer what I have heard so far."


class TurnMachine:
    """The conversation's state. `step` is the only way in.

    Speech opens a turn after `open_chunks` voiced chunks (in open-mic mode), its first words come along by
    the pre-roll, and quiet closes it, for how long depends on the words (`wait_chunks`) and on the user (`Pace`);
    between the two probabilities neither changes. The talk button does the same by hand, in every mode but muted.
    While the assistant thinks or speaks (`Answer`), the user's voice (open mic, see `VoiceWatch`), the button, or a
    typed question take the turn.

    After `speculative_chunks` of quiet the turn is tried: the model answers at once, and its answer is held back
    until the turn is closed. If the user goes on before that, or within 1.5 s of a pause that was taken for the end
    and before there was time to notice an answer, a new turn holds the earlier words too.
    """

    def __init__(self, mode: Mode = Mode.PUSH_TO_TALK, timing: Timing | None = None) -> None:
        self.mode = mode
        self.ready = False
        self._timing = timing or Timing()
        self._microphone = True
        self._course = Course()
        self._answer = Answer(self._course)
        self._tools = ToolWait(self._course)
        self._watch = VoiceWatch(self._timing)
        self._pace = Pace()
        self._asked = 0
        self._last_chunk = -1
        self._chunk_at = 0.0

    @property
    def state(self) -> State:
        """What the assistant is doing."""
        return self._course.state

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
        course = self._course
        course.out, course.now = [], now
        match event:
            case ev.SpeechChunk():
                self._on_chunk(event)
            case ev.Tick():
                self._on_tick()
            case ev.TalkPressed():
                self._on_talk_pressed()
            case ev.TalkReleased():
                self._on_talk_released()
            case ev.ModeChanged():
                self._on_mode(event.mode)
            case ev.TextSubmitted():
                self._on_text(event.text)
            case ev.SoundGiven():
                self._begin("")
            case ev.StopPressed():
                self._give_up()
            case ev.ModelLoading():
                self.ready = False
                self._give_up()
            case ev.ModelReady():
                self.ready = True
            case ev.MicChanged():
                self._on_microphone(event.usable)
            case ev.SpeakerChanged():
                self._answer.speaker_changed(event.usable)
            case ev.Words():
                if event.serial == self._asked:
                    self._follow(self._watch.words(event.text, event.echo))
            case ev.Heard():
                self._on_heard(event)
            case ev.ReplyFailed() if event.turn == self.turn:
                self._watch.forget()
                self._answer.take(event, self._last_chunk, self._timing)
            case ev.PlaybackFinished() if event.turn == self.turn:
                self._pace.was_over()
                self._answer.take(event, self._last_chunk, self._timing)
            case ev.AudioStarted():
                self._on_first_sound(event)
            case ToolsCalled() | PieceCame() | ToolEnded() | PhraseMade():
                self._tools.take(event)
            case ev.ReplyGoesOn() | ev.ReplyDone() | ev.ReplyFailed() | ev.PlaybackFinished():
                self._answer.take(event, self._last_chunk, self._timing)
        return course.out

    @property
    def _turn(self) -> Turn | None:
        return self._course.turn

    def _do(self, *actions: ev.Action) -> None:
        self._course.out += actions

    # --- the microphone

    def _on_chunk(self, chunk: ev.SpeechChunk) -> None:
        self._last_chunk, self._chunk_at = chunk.index, self._course.now
        self._microphone = True
        if self.mode == Mode.MUTED:
            self._course.floor = chunk.index + 1
        elif self.state == State.LISTENING and self._turn is not None:
            self._listen(chunk, self._turn)
        elif self.mode == Mode.OPEN_MIC:
            self._overhear(chunk)

    def _listen(self, chunk: ev.SpeechChunk, turn: Turn) -> None:
        timing = self._timing
        turn.hear(chunk, timing)
        if not turn.tried:
            self._do(ev.PushAudio(turn.number, chunk.index, chunk.index))
        elif not turn.quiet:
            self._course.ask_anew(turn)
        if chunk.index - turn.first + 1 >= timing.most_chunks:
            self._do(ev.Notice(TOO_LONG))
            self._finish_listening()
        elif turn.release_at is not None:
            if self._course.now >= turn.release_at:
                self._finish_listening()
        elif turn.held:
            return
        elif turn.is_over(timing):
            self._finish_listening()
        elif turn.is_worth_trying(timing):
            turn.ask_early()
            self._do(ev.TryTurn(turn.number))

    def _overhear(self, chunk: ev.SpeechChunk) -> None:
        """A chunk of the microphone while it is not the user's turn."""
        turn, run = self._turn, self._watch.run
        first = chunk.index if run is None else run.first
        goes_on = turn is not None and turn.goes_on_with(first, self._timing)
        answers = self.state == State.TOOL_WAIT or (self.state == State.SPEAKING and turn is not None and turn.playing)
        over_answer = answers and not goes_on
        wanted = self._timing.open_chunks if self.state == State.IDLE else self._timing.barge_in_chunks
        self._follow(self._watch.hear(chunk, wanted, over_answer, self._course.now))

    def _follow(self, verdict: Verdict) -> None:
        """Do what the user's voice asks for."""
        turn, run = self._turn, self._watch.run
        if verdict == Verdict.TAKE:
            self._take_turn()
        elif verdict == Verdict.ASK and run is not None:
            self._asked += 1
            first = max(self._course.floor, run.first - self._timing.preroll_chunks)
            self._do(ev.Recognise(self._asked, first, self._last_chunk))
        elif turn is None or not turn.playing:
            return
        elif verdict == Verdict.DUCK:
            self._do(ev.DuckPlayback(turn.number))
        elif verdict == Verdict.HOLD:
            self._do(ev.HoldPlayback(turn.number))
        elif verdict == Verdict.RESUME:
            self._answer.resume(turn, self._timing)

    def _take_turn(self) -> None:
        """The voice that is being watched is the user's turn."""
        timing, run, before = self._timing, self._watch.run, self._turn
        if run is None:
            return
        if not self.ready:
            run.refused = True
            self._do(ev.Notice(NOT_READY))
            return
        resumed = (
            before is not None
            and before.goes_on_with(run.first, timing)
            and self._last_chunk - before.first + 1 < timing.most_chunks
        )
        self._course.interrupt(forget=resumed)
        if resumed and before is not None:
            self._pace.went_on()
            turn = self._start_listening(before.first, voiced=before.voiced + run.voiced)
        else:
            turn = self._start_listening(max(self._course.floor, run.first - timing.preroll_chunks), voiced=run.voiced)
        # The words may be over already.
        turn.last_voiced = run.last
        turn.quiet_from = run.last + 1 if run.last < self._last_chunk else None

    def _on_microphone(self, usable: bool) -> None:
        self._microphone = usable
        if not usable and self.state == State.LISTENING:
            self._finish_listening()
        elif not usable:
            self._follow(self._watch.forget())

    # --- the button, the window

    def _on_talk_pressed(self) -> None:
        turn = self._turn if self.state == State.LISTENING else None
        if turn is not None and turn.held:
            # Pressed again within the grace: a bouncing key, or the key repeat of X11.
            turn.release_at = None
        elif not self.ready:
            self._do(ev.Notice(NOT_READY))
        elif self.mode == Mode.MUTED:
            self._do(ev.Notice(MUTED))
        elif not self._microphone:
            self._do(ev.Notice(NO_MICROPHONE))
        elif turn is not None:
            if turn.tried:
                self._course.ask_anew(turn)
            turn.held = True
        else:
            self._course.interrupt()
            first = max(self._course.floor, self._last_chunk + 1 - self._timing.preroll_chunks)
            self._start_listening(first, voiced=0).held = True

    def _on_talk_released(self) -> None:
        turn = self._turn
        if turn is not None and turn.held and self.state == State.LISTENING and turn.release_at is None:
            # What was said just before the release is still on its way through the device.
            turn.release_at = self._course.now + self._timing.release_grace_s

    def _on_mode(self, mode: Mode) -> None:
        before, self.mode = self.mode, mode
        self._follow(self._watch.forget())
        if self.state == State.LISTENING and mode != before and self._turn is not None:
            if mode == Mode.MUTED:
                self._give_up()
            elif mode == Mode.PUSH_TO_TALK and not self._turn.held:
                self._finish_listening()

    def _on_text(self, text: str) -> None:
        if not self.ready:
            self._do(ev.Notice(NOT_READY))
        else:
            self._begin(text)

    def _begin(self, text: str) -> None:
        """A turn whose question is there already, in place of what is under way."""
        if self.state == State.LISTENING:
            self._course.drop()
        else:
            self._course.interrupt()
        self._watch.forget()
        self._course.begin(spoken=False, text=text)
        self._course.enter(State.THINKING)

    def _on_first_sound(self, event: ev.AudioStarted) -> None:
        turn, run = self._turn, self._watch.run
        played = turn is None or turn.playing
        self._answer.take(event, self._last_chunk, self._timing)
        if turn is not None and turn.playing and not played and run is not None and (run.ducked or run.held):
            # The user has begun to speak while a tool was at work.
            self._do(ev.HoldPlayback(turn.number) if run.held else ev.DuckPlayback(turn.number))

    # --- the question

    def _start_listening(self, first: int, voiced: int) -> Turn:
        turn = self._course.begin(spoken=True)
        turn.first, turn.last, turn.voiced = first, self._last_chunk, voiced
        turn.last_voiced = self._last_chunk
        turn.patience = self._pace.factor
        self._watch.forget()
        self._chunk_at = self._course.now
        if self._last_chunk >= first:
            self._do(ev.PushAudio(turn.number, first, self._last_chunk))
        self._course.enter(State.LISTENING)
        return turn

    def _on_heard(self, event: ev.Heard) -> None:
        turn = self._turn
        if turn is None or not turn.spoken or event.turn != turn.number:
            return
        waits = self.state == State.LISTENING and turn.tried
        if event.echo and not turn.held and (waits or self.state == State.THINKING):
            self._course.drop()
            self._course.enter(State.IDLE)
        elif waits:
            turn.words = event.text
            if turn.is_over(self._timing):
                self._finish_listening()

    def _finish_listening(self) -> None:
        turn, course = self._turn, self._course
        if turn is None:
            return
        if turn.voiced < self._timing.least_voiced_chunks:
            course.drop()
            course.enter(State.IDLE)
            if turn.held:
                self._do(ev.Notice(NO_SPEECH))
            return
        if turn.tried and turn.stirred:
            # It may have been the last word.
            course.ask_anew(turn)
        course.floor = turn.last + 1
        if not turn.tried:
            self._do(ev.EndTurn(turn.number))
        course.enter(State.THINKING)
        if turn.tried:
            self._do(ev.ConfirmTurn(turn.number))

    def _on_tick(self) -> None:
        turn, now = self._turn, self._course.now
        if turn is None:
            return
        if self.state == State.LISTENING:
            released = turn.release_at is not None and now >= turn.release_at
            if released or now - self._chunk_at > self._timing.silent_microphone_s:
                self._finish_listening()
        elif self._watch.holds:
            # A microphone that has fallen silent tells nothing about whoever was speaking.
            deaf = now - self._chunk_at > self._timing.deaf_s
            self._follow(self._watch.forget() if deaf else self._watch.wait(now))
        else:
            self._tools.wait(turn, self._timing)
            self._answer.wait(turn, self._timing)

    def _give_up(self) -> None:
        self._watch.forget()
        self._course.give_up()
