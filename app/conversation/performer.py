"""Carries out what the state machine says: at the model, at the loudspeaker, at the tools, in the window."""

from __future__ import annotations

from collections.abc import Callable

from app.conversation import events as ev
from app.conversation import tool_events as te
from app.conversation.delegation import Delegation, Verdict
from app.conversation.events import State
from app.conversation.history import History
from app.conversation.live import Live
from app.conversation.loudspeaker import Action as PlaybackAction
from app.conversation.loudspeaker import Loudspeaker
from app.conversation.ports import Engine, Listener, Samples
from app.conversation.recent import RecentAudio
from app.conversation.self_echo import SelfEchoGuard
from app.conversation.tools.errands import Errands
from app.engine import protocol
from app.omni.turn import OUTPUT_RATE

NO_ENGINE_TURN = -1
BROKEN_REPLY = "The model could not answer: please ask again."


class Performer:
    """What there is of a conversation besides whose turn it is. `live` is the turn under way, or the last one.

    All on the conversation's thread.
    """

    def __init__(
        self,
        listener: Listener,
        voice: str,
        clock: Callable[[], float],
        own_voice: SelfEchoGuard,
        step: Callable[[ev.Event], None],
    ) -> None:
        """`step` passes an event to the state machine, once what is being done is done."""
        self._listener = listener
        self._clock = clock
        self._step = step
        self.voice = voice
        self.engine: Engine | None = None
        self.speaker = Loudspeaker()
        self.errands = Errands(clock, listener.tool_changed)
        self.delegation = Delegation(self.errands.new_number, listener.tool_changed, listener.notice)
        self.history = History()
        self.own_voice = own_voice
        self.recent = RecentAudio()
        self.live: Live | None = None
        # What the next question is about.
        self.picture: bytes | None = None
        # What is to be played instead of asking the model, and whom to tell when that is over.
        self.given: tuple[Samples, Callable[[bool], None]] | None = None
        # Asked with the user's words before they are answered; True: they were meant for somebody else.
        self.intercept: Callable[[str], bool] = lambda text: False
        # Takes what the model has said to a question that was tried, once that is confirmed.
        self.replay: Callable[[protocol.Event], None] = lambda event: None
        self.entered: Callable[[State], None] = lambda state: None

    def take_words(self, live: Live, text: str) -> bool:
        """Whether the user's words need no answer of the model: they answer a question, or are for somebody else."""
        claimed = self._claimed(live, text)
        if claimed is None:
            return False
        self._hand_over(live, claimed)
        return True

    def _claimed(self, live: Live, text: str) -> ev.Event | None:
        """What becomes of words that need no answer of the model."""
        return ev.ReplyDone(live.turn) if self.intercept(text) else self.errands.answered(live.turn, text)

    def show(self, picture: bytes | None) -> None:
        """The next question is about this picture; None: about none."""
        self.picture = picture
        if picture is not None and self.engine is not None:
            self.engine.look(picture)

    def _take_picture(self, live: Live) -> None:
        """The question has been asked with its picture, if any."""
        if live.picture is not None:
            live.taken = True
            if self.picture is live.picture:
                self.picture = None
            self._listener.picture_taken(live.turn, live.picture)

    def _return_picture(self, live: Live) -> None:
        """It was no question after all, or it goes on. A picture that has been shown since has its place."""
        if live.taken:
            live.taken = False
            self.picture = self.picture or live.picture
            self._listener.picture_returned(live.turn)

    def _hand_over(self, live: Live, claimed: ev.Event) -> None:
        self._return_picture(live)
        if self.engine is not None and live.engine_turn != NO_ENGINE_TURN:
            self.engine.cancel(live.engine_turn)
        live.engine_turn, live.called = NO_ENGINE_TURN, True
        self._step(claimed)

    def weigh(self, live: Live, event: protocol.Event) -> bool:
        """Whether `event` has to wait, or is not wanted any more, because a larger model may or will be asked."""
        if live.weighed is None or isinstance(event, protocol.UserText):
            return False
        verdict = Verdict.OPEN
        if isinstance(event, protocol.TextDelta):
            live.thought += event.text
            verdict = self.delegation.verdict(live.question, live.thought)
        elif isinstance(event, protocol.ToolCall | protocol.TurnDone):
            verdict = Verdict.OWN
        if verdict == Verdict.OPEN:
            live.weighed.append(event)
            return True
        held, live.weighed = live.weighed, None
        if verdict == Verdict.ASK:
            asked = self.delegation.begin(live.turn, live.question, live.thought)
            if asked is not None:
                self._hand_over(live, asked)
                return True
        for one in held:
            self.replay(one)
        return False

    def do(self, action: ev.Action) -> None:
        """Carry `action` out."""
        engine, live = self.engine, self.live
        if isinstance(action, PlaybackAction):
            self.speaker.do(action, live)
            return
        match action:
            case ev.StartTurn() if self.given is not None:
                self._start_given(action.turn, *self.given)
            case ev.StartTurn() if engine is not None:
                self._start(engine, action)
            case ev.PushAudio() if engine is not None and live is not None:
                samples = self.recent.piece(action.first, action.last)
                if len(samples):
                    engine.push_audio(live.engine_turn, samples)
            case ev.EndTurn() if engine is not None and live is not None:
                live.picture = self.picture
                engine.end_turn(live.engine_turn, live.picture)
                self._take_picture(live)
            case ev.TryTurn() if engine is not None and live is not None:
                live.held_back, live.picture = [], self.picture
                engine.end_turn(live.engine_turn, live.picture)
            case ev.ConfirmTurn() if live is not None:
                self._take_picture(live)
                held_back, live.held_back = live.held_back or [], None
                for event in held_back:
                    self.replay(event)
            case ev.CancelTurn() if engine is not None and live is not None and live.engine_turn != NO_ENGINE_TURN:
                engine.cancel(live.engine_turn)
            case te.RunTools():
                if not self.delegation.run(action.calls, self.history.all()):
                    self.errands.run(action.turn, action.calls)
            case te.RefuseTools():
                self.errands.refuse(action.turn, action.calls)
            case te.CancelTools():
                self.delegation.cancel(action.turn)
                self.errands.cancel(action.turn)
            case te.Say() if engine is not None and live is not None:
                self._say(engine, live, action)
            case ev.Recognise() if engine is not None:
                engine.recognise(action.serial, self.recent.piece(action.first, action.last))
            case ev.KeepHeard() if live is not None:
                self._keep(live, action.whole)
            case ev.DiscardTurn() if live is not None:
                live.over_at = self._clock()
                self.delegation.undone(action.turn)
                self.errands.undone(action.turn)
                self._return_picture(live)
                self._listener.turn_discarded(action.turn)
            case ev.EnterState():
                self.entered(action.state)
            case ev.Notice():
                self._listener.notice(action.text)

    def _start(self, engine: Engine, action: ev.StartTurn) -> None:
        live, text = self.live, action.text
        doubted = self.own_voice.may_hear() or (live is not None and live.is_doubted_at(self._clock()))
        live = self.live = Live(action.turn, NO_ENGINE_TURN, text is not None, text or "", doubted=doubted)
        live.weighed = [] if self.delegation.is_on else None
        claimed = None if text is None else self._claimed(live, text)
        if claimed is None:
            live.picture, history = None if text is None else self.picture, self.history.for_model()
            live.engine_turn = engine.start_turn(voice=self.voice, history=history, text=text, image=live.picture)
        if text is not None:
            self._listener.question(action.turn, text)
            self._take_picture(live)
        if claimed is not None:
            self._hand_over(live, claimed)

    def _say(self, engine: Engine, live: Live, action: te.Say) -> None:
        live.say(action.phrase)
        about = self.delegation if self.delegation.has(action.turn) else self.errands
        words = about.sentence(action.turn, action.phrase)
        live.given = words is not None
        if words == "":
            # There was no more to come.
            live.reply.complete = True
            self._step(ev.ReplyDone(live.turn, live.reply.samples / OUTPUT_RATE))
            return
        history = self.history.for_model()
        live.engine_turn = engine.start_turn(voice=self.voice, history=history, text=live.question or None, say=words)

    def _start_given(self, turn: int, samples: Samples, on_over: Callable[[bool], None]) -> None:
        self.given = None
        self.live = Live(turn, NO_ENGINE_TURN, typed=True)
        self.live.repeat(samples, on_over)
        self._step(ev.AudioStarted(turn))
        self._step(ev.ReplyDone(turn, len(samples) / OUTPUT_RATE))

    def _keep(self, live: Live, whole: bool) -> None:
        live.over_at = self._clock()
        if live.again is not None:
            live.on_over(whole)
            return
        heard, sound = self.speaker.heard(live, whole)
        live.pieces.clear()
        self.own_voice.spoke(self.speaker.said_aloud(live))
        if len(sound):
            self._listener.reply_sound(live.turn, sound)
        self.history.add(live.question, heard)
        if whole and not heard and not live.reply.samples and not live.called:
            self._listener.notice(BROKEN_REPLY)
        self._listener.reply_done(live.turn, heard, not whole)
        self.errands.over(live.turn)
        self.delegation.over(live.turn)
