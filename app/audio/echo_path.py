"""Whether the microphone hears the loudspeaker at all. With headphones it does not."""

from __future__ import annotations

from collections import deque

import numpy as np

from app.audio.coherence import Share

# Levels in dB of full scale, counts in frames of 10 ms.
PLAYED_DB = -50.0
_OVER_NOISE_DB = 6.0
NOISE_FRAMES = 500
_NOISE_FRAMES_LEAST = 50
# Low enough to find the pauses even when the user has just spoken.
_NOISE_PERCENTILE = 10.0
# No echo comes later than this, and no room rings longer.
_LATE_FRAMES = 60
_RINGING_FRAMES = 100
_SILENT_FRAMES = 20
_LOUD_FRAMES = 25
_PAUSE_FRAMES = 5
# What the loudspeaker explains of the microphone's sound where that is an echo, and where there is no echo in it.
_ECHO_SHARE = 0.25
_NO_ECHO_SHARE = 0.1
_ECHO_LOOKS = 2
_NO_ECHO_LOOKS = 8
# The canceller takes so much out of an echo with no voice in it, once it knows the room. What is explained of such an
# echo depends on the room too, which rings on: this is the beginning.
_TAKEN_OUT_DB = 12.0
_ROOM_SHARE = 0.5
_LEARN_MORE, _LEARN_LESS = 0.3, 0.1
# Of an echo with a voice in it no more is explained than this part of that.
_DOUBLE_TALK = 0.6


class EchoPath:
    """Compares what is played with what is heard.

    The canceller takes an echo for granted until it has found out about headphones, which takes it many seconds,
    and meanwhile suppresses whoever speaks over the assistant. Here 0.8 s of an answer do, in which the
    microphone hears no more than its own noise; or a quarter of a second of a voice that has nothing to do with what is
    played. `exists` is True at first, and again once the microphone hears the answer; `proven` counts how often the
    canceller was seen to take the echo out.
    """

    def __init__(self) -> None:
        self.exists = True
        self.proven = 0
        self._noise: deque[float] = deque(maxlen=NOISE_FRAMES)
        self._limit_db: float | None = None
        self._quiet = 0
        self._silent = 0
        self._loud = 0
        self._echoes = 0
        self._voices = 0
        self._room_share = _ROOM_SHARE
        # What was played lately and should be heard by now: whether each frame was sound. Cleared by any sound.
        self._awaited: deque[bool] = deque()

    def look(self, heard_db: float, played_db: float) -> None:
        """One frame: the levels of the microphone and of what was played."""
        played = played_db >= PLAYED_DB
        self._quiet = 0 if played else self._quiet + 1
        if self._quiet > _RINGING_FRAMES:
            self._limit_db = None
            self._noise.append(heard_db)
        elif played and self._limit_db is None and len(self._noise) >= _NOISE_FRAMES_LEAST:
            self._limit_db = float(np.percentile(self._noise, _NOISE_PERCENTILE)) + _OVER_NOISE_DB
        if self._limit_db is None or heard_db > self._limit_db:
            self._awaited.clear()
            self._silent = 0
            self._loud = _LOUD_FRAMES if self._limit_db is not None else 0
        else:
            self._loud = max(0, self._loud - 1)
            self._awaited.append(played)
            if len(self._awaited) > _LATE_FRAMES:
                self._silent += self._awaited.popleft()
        if self._silent >= _SILENT_FRAMES:
            self.exists, self._silent = False, 0

    def compare(self, share: Share, taken_out_db: float, usual_lag: bool = False) -> bool:
        """Whether what the microphone hears is more than the loudspeaker's sound. About thirty times a second.

        `share` of it is the loudspeaker's, with the `usual_lag` of an echo or not, and the canceller has made it
        quieter by `taken_out_db`.
        """
        certain = share.certain and self._loud > 0
        # In a pause of the answer the room may ring on, which nothing explains.
        playing = self._quiet <= _PAUSE_FRAMES
        self._echoes = self._echoes + 1 if certain and share.explained >= _ECHO_SHARE else 0
        # An echo that is badly chopped is not explained either, but comes when it usually does.
        strange = playing and not usual_lag and share.explained <= _NO_ECHO_SHARE
        self._voices = self._voices + 1 if certain and strange else 0
        if self._echoes >= _ECHO_LOOKS:
            # The plug of the headphones was pulled, or a loud voice has ended.
            self.exists = True
        elif self._voices >= _NO_ECHO_LOOKS:
            self.exists = False
        if not share.certain:
            return not self.exists
        if not self.exists:
            return share.explained < _ECHO_SHARE
        if taken_out_db >= _TAKEN_OUT_DB and share.explained >= _ECHO_SHARE:
            self.proven += 1
            more = share.explained - self._room_share
            self._room_share += more * (_LEARN_MORE if more > 0.0 else _LEARN_LESS)
            return False
        return share.explained < _DOUBLE_TALK * self._room_share
