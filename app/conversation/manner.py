"""The user's wishes about turn-taking as lengths of time."""

from __future__ import annotations

from dataclasses import replace

from app.conversation.timing import Timing
from app.settings import Patience, Sensitivity

# Of the usual silence after which the user's turn is over.
_ENDPOINT = {Patience.QUICK: 0.7, Patience.NORMAL: 1.0, Patience.SLOW: 2.0}
# Of the usual lengths of voice that turn an answer down, hold it, and stop it without asking for its words.
_BARGE_IN = {
    Sensitivity.LOW: (2.0, 1.85, 1.45),
    Sensitivity.NORMAL: (1.0, 1.0, 1.0),
    # An "mm-hm" must still be short of the last.
    Sensitivity.HIGH: (1.0, 0.57, 1.0),
}


def timing_for(patience: Patience, sensitivity: Sensitivity, usual: Timing | None = None) -> Timing:
    """`usual`, by default the program's own, made quicker or slower as the user wants it."""
    usual = usual or Timing()
    slow = _ENDPOINT[patience]
    unfinished = round(usual.unfinished_chunks * slow)
    duck, hold, stop = _BARGE_IN[sensitivity]
    return replace(
        usual,
        complete_chunks=round(usual.complete_chunks * slow),
        statement_chunks=round(usual.statement_chunks * slow),
        endpoint_chunks=round(usual.endpoint_chunks * slow),
        unfinished_chunks=unfinished,
        # Whoever pauses for long is also given longer to go on after all.
        resume_chunks=usual.resume_chunks + max(0, unfinished - usual.unfinished_chunks),
        duck_chunks=round(usual.duck_chunks * duck),
        barge_in_chunks=round(usual.barge_in_chunks * hold),
        interruption_chunks=round(usual.interruption_chunks * stop),
    )
