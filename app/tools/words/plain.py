"""Any text as words for the ear: letters and `.,?!'-` of ASCII, whatever it held before."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

from app.tools.words.numbers import ONES, decimal, ordinal

# Names of marks that steer a model, with and without their brackets.
_TAG = re.compile(r"<\|[^<>|]{0,60}\|>|</?[A-Za-z_|][^<>]{0,80}>|\[/?(?:INST|PAD|BOS|EOS|CLS|SEP|UNK|MASK)\]")
_STEERING = re.compile(
    r"\b(?:TOOL_?CALL|TOOL_?RESPONSE|AVAILABLE_TOOLS|TOOL_ACK_MESSAGES|SPECIAL_\d+|im_start|im_end|endoftext|"
    r"tts_(?:pad|text_[a-z_]+)|(?:audio|image|video|vision)_(?:pad|start|end))\b",
    re.IGNORECASE,
)
_SIGNS = {"%": " percent ", "&": " and ", "+": " plus ", "=": " equals ", "@": " at ", "°": " degrees ", "€": " euros "}
_ALIKE = str.maketrans({"’": "'", "‘": "'", "–": "-", "—": ", ", "…": ".", "−": "-", "ß": "ss"})
_NUMBER = re.compile(
    r"(?<!\d)(?P<minus>(?<!\w)-)?(?P<whole>\d{1,3}(?:,\d{3})+|\d+)(?:\.(?P<rest>\d+))?(?P<nth>(?:st|nd|rd|th)\b)?"
)
_STOPS = re.compile(r"[\s.,?!]+")
_MOST_DIGITS = 9
_NOT_FOR_THE_EAR = re.compile(r"[^A-Za-z.,?!' -]+")


def without_marks(text: str) -> str:
    """`text` without tags and the names of special tokens, so that it cannot steer the model that reads it."""
    while (cleaner := _STEERING.sub(" ", _TAG.sub(" ", text))) != text:
        text = cleaner
    return text


def plain(text: str) -> str:
    """`text` with its numbers in words, without marks and accents, in one line.

    >>> plain("Meet <b>Zoë</b> at the 3rd gate; 2.5 km, 50%!")
    'Meet Zoe at the third gate, two point five km, fifty percent!'
    """
    text = unicodedata.normalize("NFKD", text.translate(_ALIKE))
    text = without_marks("".join(sign for sign in text if not unicodedata.combining(sign)))
    text = re.sub(r"(?<=\d)-(?=\d)", " to ", re.sub(r"(?<=\d)[:/](?=\d)", " ", text))
    text = _NUMBER.sub(_in_words, text)
    for sign, word in _SIGNS.items():
        text = text.replace(sign, word)
    text = _NOT_FOR_THE_EAR.sub(" ", re.sub("[;:()]", ", ", text))
    # A dash between words is a pause, one inside a word joins it.
    text = re.sub(r"(?<![A-Za-z])-+|-+(?![A-Za-z])|--+", ", ", text)
    return _STOPS.sub(_one_stop, text).strip(" ,")


def _in_words(match: re.Match[str]) -> str:
    whole, rest = match["whole"].replace(",", ""), match["rest"] or ""
    if len(whole) > _MOST_DIGITS or len(rest) > _MOST_DIGITS or (len(whole) > 1 and whole.startswith("0")):
        # a telephone number or a code
        parts = [" ".join(ONES[int(digit)] for digit in digits) for digits in (whole, rest) if digits]
        words = " point ".join(parts)
    elif match["nth"] and not rest:
        words = ordinal(int(whole))
    else:
        words = decimal(Fraction(f"{whole}.{rest or 0}"))
    return f" {'minus ' if match['minus'] else ''}{words} "


def _one_stop(match: re.Match[str]) -> str:
    """Of several marks in a row the first that ends a sentence, else the comma."""
    marks = re.sub(r"\s", "", match[0])
    mark = next((mark for mark in marks if mark != ","), marks[:1])
    return f"{mark} "
