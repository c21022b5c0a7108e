"""Keeps the assistant from interrupting itself on loudspeakers. A stopgap until there is echo cancellation.

It knows loudness only: while speech is played it learns how loud the microphone hears it (microphone level
minus the level played, in dB), and lets only what is clearly louder pass as the user. With headphones the
microphone hears nothing of the playback, so that a normal voice passes at once. Its limits: on loud speakers
the user must talk over the assistant by some 6 dB, and a user who already talks when the very first reply
starts is taken for its echo.
"""

from __future__ import annotations

from collections import deque

import numpy as np

MARGIN_DB = 6.0
# Below this the playback is a pause, which echoes nothing.
QUIET_PLAYBACK_DB = -50.0
# Before anything is learned: about what a headset leaks, so that the first interruption is believed.
_FIRST_GUESS_DB = -30.0
_FIRST_GUESSES = 16
_MEMORY_CHUNKS = 125
_PERCENTILE = 80.0


class EchoGuard:
    """Tells the user's voice from the loudspeaker's, chunk by chunk (32 ms)."""

    def __init__(self) -> None:
        self._differences: deque[float] = deque([_FIRST_GUESS_DB] * _FIRST_GUESSES, maxlen=_MEMORY_CHUNKS)

    def is_echo(self, microphone_db: float, playback_db: float) -> bool:
        """True when the microphone most likely hears the playback only.

        `microphone_db` is the chunk's level, `playback_db` the loudest level played within the last 0.4 s (an
        echo comes late and rings on), both in dB of full scale.
        """
        if playback_db < QUIET_PLAYBACK_DB:
            return False
        difference = microphone_db - playback_db
        usual = float(np.percentile(self._differences, _PERCENTILE))
        self._differences.append(difference)
        return difference < usual + MARGIN_DB
