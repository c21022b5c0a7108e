"""Lists and counts for the ear: "a, b and c", "three timers"."""

from __future__ import annotations

from collections.abc import Sequence

from app.tools.words.numbers import cardinal


def spoken_list(items: Sequence[str]) -> str:
    """ "a, b and c"; an empty text for no items."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def counted(count: int, singular: str, plural: str = "") -> str:
    """ "one timer", "two timers"; `plural` where adding an s does not do it."""
    return f"{cardinal(count)} {singular if count == 1 else plural or singular + 's'}"


def with_article(word: str) -> str:
    """ "a four", "an eight": goes by the letter, and by the sound for the words of numbers."""
    return f"{'an' if word[:1].lower() in 'aeiou' and not word.startswith('one') else 'a'} {word}"
