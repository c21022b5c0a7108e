"""How long to wait for more of a question, by what has been said of it so far."""

from __future__ import annotations

import re

from app.conversation.timing import Timing


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_ENDS = (".", "?", "!", "。", "\N{FULLWIDTH QUESTION MARK}", "\N{FULLWIDTH EXCLAMATION MARK}")
_TRAILS = ("...", "…", ",", "-", "–", "—", ":", ";")
# Nobody ends with these.
_NEVER_LAST = _set("a an the my your our their its every i and or but because if than whether unless although")
_NEVER_LAST |= _set("of into between during without whose which um uh uhm umm er erm wonder wondering")
# Nor with these, but for questions that begin with what they belong to: "Where are you from?", "How old is she?"
_PREPOSITIONS = _set("about for from to with in on at by as like until since")
_SUBJECTS = _set("we they he she so while when")
_SELDOM_ENDINGS = {("tell", "me"), ("show", "me"), ("give", "me"), ("remind", "me"), ("let", "me"), ("to", "know")}
_SELDOM_ENDINGS |= {("to", "ask"), ("to", "have"), ("think", "that"), ("know", "that"), ("said", "that")}
_ASKING_FOR = _set("what what's who who's whom where where's which")
_ASKING = _ASKING_FOR | _set("how how's when why")
# These need something after them, unless they end a clause: "Tell me what it is."
_VERBS = _set("is are was were am do does did can could will would should has been what's")
_PRONOUNS = _set("i you he she it we they there this that")
_WHOLE_ENDINGS = {("think", "so"), ("hope", "so"), ("that", "so"), ("log", "in"), ("come", "on"), ("go", "on")}


def reads_unfinished(text: str) -> bool:
    """Whether more has to follow these words, as after "the" or "could you tell me"."""
    text = text.strip().lower()
    words = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", text.replace("’", "'"))
    if not words:
        return False
    last, ending = words[-1], tuple(words[-2:])
    if text.endswith(_TRAILS) or last in _NEVER_LAST:
        return True
    if last in _VERBS:
        return len(ending) < 2 or ending[0] not in _PRONOUNS
    if ending in _WHOLE_ENDINGS:
        return False
    if last in _PREPOSITIONS:
        return words[0] not in _ASKING_FOR
    return (last in _SUBJECTS or ending in _SELDOM_ENDINGS) and words[0] not in _ASKING


def reads_complete(text: str) -> bool:
    """Whether these words are a whole sentence."""
    ended = text.rstrip(" \"'”’").endswith(_ENDS) and re.search(r"[^\W_]", text) is not None
    return ended and not reads_unfinished(text)


def wait_chunks(words: str | None, timing: Timing) -> int:
    """Chunks of quiet after `words` that end the turn; None where they are not known."""
    if words is None:
        return timing.endpoint_chunks
    if reads_unfinished(words):
        return timing.unfinished_chunks
    return timing.complete_chunks if reads_complete(words) else timing.endpoint_chunks
