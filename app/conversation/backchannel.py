"""Telling "mm-hm" from an interruption by its words."""

from __future__ import annotations

import re

MOST_WORDS = 2
# Short words that nobody says to show that they listen.
_WORDS = """
stop wait no nope not never hold hang hey enough quiet silence cancel pause mute shut sorry excuse but what who why how
when where which next again another more different repeat tell skip play set help please forget wrong volume louder
quieter softer slower slowly faster
"""
_INTERRUPTIONS = frozenset(_WORDS.split())


def is_backchannel(text: str) -> bool:
    """Whether these words, said within a second, only show that somebody listens, or are no words at all."""
    words = re.findall(r"[^\W\d_]+", text.lower().replace("'", ""))
    return len(words) <= MOST_WORDS and _INTERRUPTIONS.isdisjoint(words)
