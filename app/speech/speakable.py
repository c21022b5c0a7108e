"""Written English as words that can be spoken: numbers, dates, times, money, units, short forms, signs, addresses.

What comes out has letters, spaces and `. , ? ! ' -` only, as the texts have that voices learn from; line breaks stay.
A text that is such words already stays as it is. Other languages are only freed of markup.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable

from app.speech.numerals import cardinal, digits
from app.speech.quantities import spell_numbers
from app.speech.short_forms import expand_short_forms

_TAG = re.compile(r"</?[A-Za-z|!][^<>\n]{0,200}>")
_URL = re.compile(r"\b(?:https?://|ftp://|www\.)[^\s<>\"'()]*[\w/]", re.IGNORECASE)
_EMAIL = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")
_LONG_ADDRESS = 40
_ADDRESS_SIGNS = {".": "dot", "/": "slash", "-": "dash", "_": "underscore", "@": "at", "+": "plus", ":": "colon"}
_FOREIGN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

_MARKDOWN: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"^\s*(?:```|~~~).*$", re.MULTILINE), ""),
    (re.compile(r"!?\[([^\[\]\n]*)\]\([^)\s]*(?:\s[^)]*)?\)"), r"\1"),
    (re.compile(r"^\s{0,3}(?:#{1,6}|>|[-*+•])\s+", re.MULTILINE), ""),
    (re.compile(r"^[\s|:=*_-]+$", re.MULTILINE), ""),
    (re.compile(r"(\*\*|__|~~|`+)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w*])([*_])(?=\S)([^*_\n]+?)(?<=\S)\1(?![\w*])"), r"\2"),
)

_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201b": "'", "\u2032": "'", "`": "'"})
_SIGNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\s*(?:\u2026|\.{2,})(?=\s*[a-z])"), ","),
    (re.compile(r"\s*(?:\u2026|\.{2,})"), "."),
    (re.compile(r"\s*[\u2013\u2014\u2015]\s*|\s+-{1,3}\s+|\s*--+\s*"), ", "),
    (re.compile(r"(?<=[A-Za-z])\s*&\s*(?=[A-Za-z])|&"), " and "),
    (re.compile(r"(?<=\w)\s*\+\s*(?=\w)|\+"), " plus "),
    (re.compile(r"=+>|->|\u2192"), " to "),
    (re.compile(r"<=|\u2264"), " at most "),
    (re.compile(r">=|\u2265"), " at least "),
    (re.compile(r"!=|\u2260"), " is not "),
    (re.compile(r"=+"), " equals "),
    (re.compile(r"<"), " less than "),
    (re.compile(r">"), " greater than "),
    (re.compile(r"[\u00d7\u22c5]"), " times "),
    (re.compile(r"\u00f7"), " divided by "),
    (re.compile(r"[~\u2248](?=\s*\w)"), " about "),
    (re.compile(r"\u00b1"), " plus or minus "),
    (re.compile(r"\u2212"), " minus "),
    (re.compile(r"%"), " percent "),
    (re.compile(r"\u00b0"), " degrees "),
    (re.compile(r"@"), " at "),
    (re.compile(r"\u00a7"), " section "),
    (re.compile(r"\u00a9"), " copyright "),
    (re.compile(r"\bw/(?=\s)"), "with"),
    (re.compile(r"(?<=\w)/(?=\w)"), " "),
    (re.compile(r"[;:()\[\]{}|]"), ","),
)


def speakable(text: str, *, english: bool = True) -> str:
    """The words of `text`, "" where there are none. Not `english`, or in a script of its own: markup alone is taken
    out.
    """
    text = _without_markup(text.replace("\r\n", "\n"))
    if english and not _FOREIGN.search(text):
        text = _english(text)
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if any(sign.isalnum() for sign in line))


def _without_markup(text: str) -> str:
    while (plain := _TAG.sub(" ", text)) != text:
        text = plain
    text = html.unescape(text) if re.search(r"&#?\w+;", text) else text
    while (plain := _TAG.sub(" ", text)) != text:
        text = plain
    for pattern, by in _MARKDOWN:
        text = pattern.sub(by, text)
    return text


def _english(text: str) -> str:
    text = text.translate(_QUOTES)
    text = _URL.sub(lambda found: _address(found[0]), text)
    text = _EMAIL.sub(lambda found: _address(found[0]), text)
    text = expand_short_forms(text)
    text = spell_numbers(text)
    for pattern, by in _SIGNS:
        text = pattern.sub(by, text)
    return _tidy(_plain_letters(text))


def _address(text: str) -> str:
    """An address of the web or of mail; of a long one its computer alone."""
    text = re.sub(r"^(?:\w+://)?(?:www\.)?", "", text, flags=re.IGNORECASE).rstrip("/")
    if len(text) > _LONG_ADDRESS or re.search(r"[^\w./@+:-]", text):
        text = re.split(r"[/?#]", text)[0]
    words = re.findall(r"[^\W\d_]+|\d+|.", text)
    spoken = [_ADDRESS_SIGNS.get(word, digits(word) if word.isdecimal() else word) for word in words]
    return f" {' '.join(spoken)} "


def _plain_letters(text: str) -> str:
    """Accents off, digits of any kind as words, and a space for every sign that is never spoken."""
    out: list[str] = []
    for sign in unicodedata.normalize("NFKD", text):
        if sign.isascii() and (sign.isalpha() or sign in " .,?!'-\n"):
            out.append(sign)
        elif unicodedata.combining(sign):
            continue
        elif sign.isdecimal():
            out.append(f" {cardinal(int(sign))} ")
        elif sign.isalpha():
            out.append(sign)
        else:
            out.append(" ")
    return "".join(out)


_TIDY: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"(?<![^\W_])'|'(?![^\W_])"), " "),
    (re.compile(r"(?<![^\W_])-|-(?![^\W_])"), " "),
    (re.compile(r"[^\S\n]+"), " "),
    (re.compile(r" (?=[.,?!\n])|(?<=\n) | +\Z"), ""),
    (re.compile(r"(?m)^[ .,?!]+"), ""),
    (re.compile(r"[.,?!]{2,}"), lambda run: next((sign for sign in "?!." if sign in run[0]), ",")),
    (re.compile(r"(?<=[.,?!])(?=[^\W_])"), " "),
    (re.compile(r"(?m),$"), "."),
)


def _tidy(text: str) -> str:
    """Signs where a sentence has them: one at a time, behind a word, with a space after it."""
    for pattern, by in _TIDY:
        text = pattern.sub(by, text)
    return text
