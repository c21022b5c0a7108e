"""How long to wait for more of a question, by what has been said of it so far.

A recogniser ends nearly everything with a full stop, so that says little. What the words are says more: a question or
a request is over with its last word, a statement may well be followed by what it is about, and some words and
beginnings call for more. Which ones is partly known (the words below) and partly learnt (`completeness`).
"""

from __future__ import annotations

import re

from app.conversation.completeness import completeness, words_of
from app.conversation.timing import Timing

# Log-odds by number of words, the last for more: below, about 3 % of whole questions and 70 % of begun ones
# (`python -m app.training completeness`). A few words are often a beginning, and mean less.
_BEGUN = (-9.0, -9.0, -2.5, -2.0, -1.4)
# Below, about 10 % and 84 %: in doubt.
_DOUBTFUL = -0.4
# What looks begun by its last words may be known to be whole.
_SURELY_WHOLE = 1.0


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_ENDS = (".", "?", "!", "。", "\N{FULLWIDTH QUESTION MARK}", "\N{FULLWIDTH EXCLAMATION MARK}")
_ASKED = ("?", "\N{FULLWIDTH QUESTION MARK}")
_TRAILS = ("...", "…", ",", "-", "–", "—", ":", ";")
_SENTENCE = re.compile(r"(?<=[.?!])\s+")
# Nobody ends with these.
_NEVER_LAST = _set("a an the my your our their its every i and or but because if than whether unless although")
_NEVER_LAST |= _set("of into between during without whose which um uh uhm umm er erm wonder wondering very quite such")
# Nor with these, but for questions that begin with what they belong to: "Where are you from?", "How old is she?"
_PREPOSITIONS = _set("about for from to with in on at by as like until since")
_SUBJECTS = _set("we they he she so while when")
_SELDOM_ENDINGS = {("tell", "me"), ("show", "me"), ("give", "me"), ("remind", "me"), ("let", "me"), ("to", "know")}
_SELDOM_ENDINGS |= {("to", "ask"), ("to", "have"), ("think", "that"), ("know", "that"), ("said", "that")}
_SELDOM_ENDINGS |= {("thing", "is"), ("find", "out"), ("me", "know"), ("would", "like"), ("i'd", "like")}
_ASKING_FOR = _set("what what's who who's whom where where's which")
_ASKING = _ASKING_FOR | _set("how how's when why")
# These need something after them, unless they end a clause: "Tell me what it is."
_VERBS = _set("is are was were am do does did can could will would should has been what's")
_PRONOUNS = _set("i you he she it we they there this that")
# These want an object, or a sentence: "I need", "I guess". Not where that was asked for: "What do you recommend?"
_WANTING = _set("need want give bring buy send put recommend suggest mean guess believe suppose said says heard")
_WHOLE_ENDINGS = {("think", "so"), ("hope", "so"), ("that", "so"), ("log", "in"), ("come", "on"), ("go", "on")}
# A sentence that begins so has another one after it: "When I get home, …"
_SUBORDINATE = _set("when if although though while before after since once until unless because whenever as")
_AUXILIARIES = _VERBS | _set("have had may might must shall isn't aren't wasn't don't doesn't didn't can't won't")
_AUXILIARIES |= _set("couldn't wouldn't shouldn't")
# What a sentence may begin with before anything is said in it.
_OPENERS = _set("so well then also anyway actually honestly okay ok yes no oh hey and but please hi hello")
_OPENING = (
    "to be honest", "by the way", "for example", "first of all", "in fact", "let me see", "let's see", "you know",
    "i mean", "last", "so yesterday", "so today", "yesterday", "sometimes", "recently", "the other day",
)  # fmt: skip
_MOST_OPENING_WORDS = 3
_REQUESTS = _set("tell give show explain describe set play make write sing help stop start turn open close say read")
_REQUESTS |= _set("recommend suggest wake remind let find call translate count name list teach look search repeat")
_SHORT = 3


def reads_unfinished(text: str) -> bool:
    """Whether more has to follow these words, as after "the" or "could you tell me"."""
    text = text.strip().lower().replace("’", "'")
    words = words_of(text)
    if not words:
        return False
    if text.endswith(_TRAILS) or _only_begins(text) or tuple(words[-2:]) in _SELDOM_ENDINGS:
        return True
    score = _completeness(text)
    return score < _BEGUN[min(len(words), len(_BEGUN) - 1)] or (_asks_for_more(words) and score < _SURELY_WHOLE)


def _completeness(text: str) -> float:
    """Log-odds that the last sentence of `text` is whole; 0 for a word or two behind another one."""
    *before, last = _SENTENCE.split(text.strip())
    words = words_of(last)
    return completeness(words) if len(words) > (_SHORT if before else 1) else 0.0


def _asks_for_more(words: list[str]) -> bool:
    """Whether the last of these words want something after them."""
    last, ending = words[-1], tuple(words[-2:])
    if last in _NEVER_LAST:
        return True
    asked = not _ASKING_FOR.isdisjoint(words)
    if last in _VERBS and len(words) < 2:
        return True
    if last in _VERBS:
        return not (ending[0] in _PRONOUNS or _asks_inside(words))
    if ending in _WHOLE_ENDINGS:
        return False
    if last in _PREPOSITIONS:
        return words[0] not in _ASKING_FOR
    if last in _WANTING:
        return not asked
    return last in _SUBJECTS and words[0] not in _ASKING


def reads_complete(text: str) -> bool:
    """Whether these words are a whole sentence."""
    ended = text.rstrip(" \"'”’").endswith(_ENDS) and re.search(r"[^\W_]", text) is not None
    return ended and not reads_unfinished(text)


def wants_answer(text: str) -> bool:
    """Whether the last sentence of these words asks for something, or is as short as a greeting."""
    text = text.strip().lower().replace("’", "'")
    words = words_of(_SENTENCE.split(text)[-1])
    while len(words) > 1 and words[0] in _OPENERS:
        words = words[1:]
    if text.rstrip(" \"'”").endswith(_ASKED) or len(words) <= _SHORT:
        # An object that stands before its preposition may still be followed by another one.
        return not words or words[-1] not in _PREPOSITIONS
    return words[0] in _ASKING | _AUXILIARIES | _REQUESTS and words[-1] not in _PREPOSITIONS


def wait_chunks(words: str | None, timing: Timing) -> int:
    """Chunks of quiet after `words` that end the turn; None where they are not known."""
    if words is None:
        return timing.endpoint_chunks
    if reads_unfinished(words):
        return timing.unfinished_chunks
    if not reads_complete(words):
        return timing.endpoint_chunks
    sure = wants_answer(words) and (_completeness(words) >= _DOUBTFUL or len(words_of(words)) <= _SHORT)
    return timing.complete_chunks if sure else timing.statement_chunks


def _asks_inside(words: list[str]) -> bool:
    """Whether they hold a question that ends with its verb: "tell me what the difference is"."""
    return any(word in _ASKING and len(words) - at > _SHORT for at, word in enumerate(words) if at)


def _only_begins(text: str) -> bool:
    """Whether this is the first part of a sentence and nothing else: "If I go now", "To be honest"."""
    if len(_SENTENCE.split(text)) > 1:
        # Whatever it was the beginning of has come.
        return False
    words = words_of(text)
    bare = text.rstrip(" .?!\"'")
    if bare in _OPENING or (bare.startswith(_OPENING) and len(words) <= _MOST_OPENING_WORDS):
        return bare.split()[0] not in _PRONOUNS or bare in _OPENING
    while len(words) > 1 and words[0] in _OPENERS:
        words = words[1:]
    if len(words) < _SHORT or words[0] not in _SUBORDINATE:
        return False
    # "When is it?" asks, "As soon as I can" and "If I go, will you?" do not.
    return words[1] not in _AUXILIARIES and "," not in text
