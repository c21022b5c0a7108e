"""How fast something comes, and how long it will take."""

from __future__ import annotations

from collections import deque

_WINDOW_S = 8.0
_LEAST_S = 0.5


class Rate:
    """Speed over the last seconds."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def note(self, now: float, done: int) -> None:
        """At `now` (seconds) so many bytes are there."""
        if self._seen and done < self._seen[-1][1]:
            # Some had to be given up.
            self._seen.clear()
        self._seen.append((now, done))
        while now - self._seen[0][0] > _WINDOW_S and len(self._seen) > 2:
            self._seen.popleft()

    @property
    def speed(self) -> float:
        """Bytes in a second, 0 as long as that is not known."""
        if not self._seen:
            return 0.0
        (since, before), (now, done) = self._seen[0], self._seen[-1]
        return (done - before) / (now - since) if now - since >= _LEAST_S else 0.0

    def seconds_left(self, missing: int) -> float | None:
        """How long `missing` bytes take; None as long as that is not known."""
        return missing / self.speed if self.speed > 0 else None


def in_bytes(count: int) -> str:
    """A size as people read it, in powers of ten."""
    if count >= 999_500_000:
        return f"{count / 1e9:.1f} GB"
    if count >= 999_500:
        return f"{count / 1e6:.0f} MB"
    return f"{count / 1e3:.0f} kB"
