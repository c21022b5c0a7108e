"""How long this user's pauses are, learned as the conversation goes."""

from __future__ import annotations

# Of a pause that was taken for the end, and of a question that was not gone on with.
_MORE, _LESS = 1.25, 0.95
MOST = 1.8


class Pace:
    """Waits longer for somebody who was cut off, and slowly less so for somebody who was not.

    `factor`, 1…1.8, is to be multiplied with the quiet that ends a turn.
    """

    def __init__(self) -> None:
        self.factor = 1.0

    def went_on(self) -> None:
        """The user went on after a pause that had been taken for the end."""
        self.factor = min(MOST, self.factor * _MORE)

    def was_over(self) -> None:
        """The answer was listened to: the question had been over."""
        self.factor = max(1.0, self.factor * _LESS)
