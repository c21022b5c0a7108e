"""The assistant's side of a turn: its answer begins, sounds, and ends."""

from __future__ import annotations

from app.conversation import events as ev
from app.conversation.course import Course
from app.conversation.events import State
from app.conversation.timing import Timing
from app.conversation.turn import Turn

NO_ANSWER = "The model does not answer: please ask again."

Event = ev.ReplyGoesOn | ev.AudioStarted | ev.ReplyDone | ev.ReplyFailed | ev.PlaybackFinished


class Answer:
    """Follows the answer to the turn that is under way in `course`."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._speaker = True

    def take(self, event: Event, last_chunk: int, timing: Timing) -> None:
        """News of the answer; those of another turn mean nothing. `last_chunk`: the last one of the microphone."""
        course, turn = self._course, self._course.turn
        if turn is None or event.turn != turn.number:
            return
        course.model_at = course.now
        match event:
            case ev.AudioStarted() if course.state in (State.THINKING, State.TOOL_WAIT):
                turn.spoke_from = last_chunk
                if self._speaker:
                    turn.playing = True
                    course.out.append(ev.BeginPlayback(turn.number))
                if turn.errand is None or turn.errand.telling:
                    course.enter(State.SPEAKING)
            case ev.ReplyDone():
                self._done(turn, event.audio_seconds, timing)
            case ev.ReplyFailed():
                turn.reply_done = True
                course.give_up()
                course.out.append(ev.Notice(event.message))
            case ev.PlaybackFinished() if course.state == State.SPEAKING and turn.reply_done:
                turn.playing = False
                course.close(turn)

    def speaker_changed(self, usable: bool) -> None:
        """The loudspeaker came or went away."""
        self._speaker = usable
        turn = self._course.turn
        if not usable and turn is not None and turn.playing:
            # The rest of the reply can be read.
            turn.playing = False
            if turn.reply_done:
                self._course.close(turn)

    def resume(self, turn: Turn, timing: Timing) -> None:
        """It was held or turned down, and goes on."""
        turn.finish_by = self._course.now + turn.audio_seconds + timing.playback_grace_s
        self._course.out.append(ev.ResumePlayback(turn.number))

    def wait(self, turn: Turn, timing: Timing) -> None:
        """Time passes: a loudspeaker or a model that is never heard of again ends the turn."""
        course = self._course
        if turn.reply_done:
            if course.now >= turn.finish_by:
                course.close(turn)
        elif course.now - course.model_at > timing.silent_model_s:
            course.give_up()
            course.out.append(ev.Notice(NO_ANSWER))

    def _done(self, turn: Turn, audio_seconds: float, timing: Timing) -> None:
        course, before = self._course, turn.reply_done
        turn.reply_done = True
        if course.state == State.SPEAKING and turn.playing:
            if not before:
                turn.audio_seconds = audio_seconds
                turn.finish_by = course.now + audio_seconds + timing.playback_grace_s
                course.out.append(ev.EndPlayback(turn.number))
        elif course.state == State.LISTENING:
            course.drop()
            course.enter(State.IDLE)
        else:
            course.close(turn)
