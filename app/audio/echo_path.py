"""Whether the microphone hears the loudspeaker at all. With headphones it does not."""

from __future__ import annotations

from collections import deque

import numpy as np

# Levels in dB of full scale, counts in frames of 10 ms.
_PLAYED_DB = -50.0
_OVER_NOISE_DB = 6.0
_NOISE_FRAMES = 500
_NOISE_FRAMES_LEAST = 50
# Low enough to find the pauses even when the user has just spoken.
_NOISE_PERCENTILE = 10.0
# No echo comes later than this, and no room rings longer.
_LATE_FRAMES = 60
_RINGING_FRAMES = 100
_SILENT_FRAMES = 20
_TAKEN_OUT_DB = 10.0
_TAKEN_OUT_FRAMES = 100


class EchoPath:
    """Compares what is played with what is heard.

    The canceller takes an echo for granted until it has found out about headphones, which takes it many seconds,
    and meanwhile suppresses whoever speaks over the assistant. Here 0.8 s of an answer do, in which the
    microphone hears no more than its own noise. `exists` is True at first.
    """

    def __init__(self) -> None:
        self.exists = True
        self._noise: deque[float] = deque(maxlen=_NOISE_FRAMES)
        self._limit_db: float | None = None
        self._quiet = 0
        self._silent = 0
        self._taken_out = 0
        # What was played lately and should be heard by now: whether each frame was sound. Cleared by any sound.
        self._awaited: deque[bool] = deque()

    def look(self, heard_db: float, played_db: float, clean_db: float) -> None:
        """One frame: the levels of the microphone, of what was played, and of what the canceller left."""
        played = played_db >= _PLAYED_DB
        self._quiet = 0 if played else self._quiet + 1
        if self._quiet > _RINGING_FRAMES:
            self._limit_db = None
            self._noise.append(heard_db)
        elif played and self._limit_db is None and len(self._noise) >= _NOISE_FRAMES_LEAST:
            self._limit_db = float(np.percentile(self._noise, _NOISE_PERCENTILE)) + _OVER_NOISE_DB
        if self._limit_db is None or heard_db > self._limit_db:
            self._awaited.clear()
            self._silent = 0
        else:
            self._awaited.append(played)
            if len(self._awaited) > _LATE_FRAMES:
                self._silent += self._awaited.popleft()
        if self._silent >= _SILENT_FRAMES:
            self.exists, self._taken_out, self._silent = False, 0, 0
        elif played and self._limit_db is not None and heard_db - clean_db > _TAKEN_OUT_DB and not self._awaited:
            # Somebody has pulled the plug of the headphones.
            self._taken_out += 1
            self.exists = self.exists or self._taken_out >= _TAKEN_OUT_FRAMES
