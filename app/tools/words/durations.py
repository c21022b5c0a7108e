"""Lengths of time for the ear: "one hour and ten minutes"."""

from __future__ import annotations

from app.tools.words.lists import counted, spoken_list

_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def spoken_duration(seconds: float) -> str:
    """Rounded to whole seconds; "zero seconds" for none. ValueError below zero."""
    rest = round(seconds)
    if rest < 0:
        raise ValueError(f"a duration cannot be {seconds} seconds")
    parts = []
    for size, unit in _UNITS:
        count, rest = divmod(rest, size)
        if count:
            parts.append(counted(count, unit))
    return spoken_list(parts) if parts else "zero seconds"
