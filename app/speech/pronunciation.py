"""English text as phonemes: a lexicon, rules for endings and for words that are said in two ways, a model for the rest.

The phonemes are those of Kokoro's lexicon (Misaki): IPA with one sign for each diphthong and affricate, and marks of
stress before the vowel.
"""

from __future__ import annotations

import lzma
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from app.speech.errors import DamagedModelError

LEXICON = "lexicon.xz"
#: So much of a lexicon is read: a few bytes can stand for very many.
_MOST_BYTES = 1 << 24
#: Every sign that can come out: pauses first, then stress, then sounds.
SIGNS = " .,?!ˈˌəɹnsltkɪidmpɛæɑbOfAIɾzʌɡᵊvʃɔuŋwʤhjɜʧθʊᵻWYʒðʔɐ"
_WORD = re.compile(r"'*[A-Za-z][A-Za-z']*")
_VOWELS = frozenset("əɪiɛæɑOAIʌᵊɔuɜʊᵻWYɐ")
#: Sounds before which t is a tap in American speech.
_TAPS = frozenset("əɪiɛæɑOAIʌɔuɜʊWYɹ")
_LETTERS = {
    "a": "ˈA", "b": "bˈi", "c": "sˈi", "d": "dˈi", "e": "ˈi", "f": "ˈɛf", "g": "ʤˈi", "h": "ˈAʧ", "i": "ˈI",
    "j": "ʤˈA", "k": "kˈA", "l": "ˈɛl", "m": "ˈɛm", "n": "ˈɛn", "o": "ˈO", "p": "pˈi", "q": "kjˈu", "r": "ˈɑɹ",
    "s": "ˈɛs", "t": "tˈi", "u": "jˈu", "v": "vˈi", "w": "dˈʌbᵊljˌu", "x": "ˈɛks", "y": "wˈI", "z": "zˈi",
}  # fmt: skip
_VOWEL_LETTERS = frozenset("aeiouy")
#: Words that depend on what follows: nothing, a consonant, a vowel.
_LITTLE = {"the": ("ðə", "ðə", "ði"), "to": ("tu", "tə", "tʊ"), "a": ("ɐ", "ɐ", "ɐ"), "an": ("ɐn", "ɐn", "ɐn")}
#: Words after which a noun, or a verb, is likelier than its twin.
_BEFORE_NOUN = frozenset(
    (
        "a", "an", "the", "my", "your", "his", "her", "its", "our", "their", "this", "that", "these", "those", "no",
        "some", "any", "every", "each", "of", "new", "old", "next", "last",
    )
)  # fmt: skip
_BEFORE_VERB = frozenset(
    (
        "to", "will", "would", "can", "could", "shall", "should", "may", "might", "must", "i", "you", "we", "they",
        "who", "please", "let's", "don't", "doesn't", "didn't", "won't", "can't", "couldn't", "wouldn't", "shouldn't",
        "i'll", "you'll", "we'll", "they'll", "he'll", "she'll", "it'll", "not",
    )
)  # fmt: skip


class SaidWord(NamedTuple):
    """A word with what is written behind it, and its phonemes with the mark behind it."""

    text: str
    phonemes: str


class Written(NamedTuple):
    """A word in lower case and where it begins in the text."""

    word: str
    at: int


#: A pronunciation by part of speech, the usual one under "".
Entry = Mapping[str, str]


def read_lexicon(path: Path) -> dict[str, Entry]:
    """Word → pronunciations of a `lexicon.xz`: lines of a word and its usual pronunciation, then `PART=pronunciation`.

    Raises DamagedModelError.
    """
    try:
        content = lzma.LZMADecompressor().decompress(path.read_bytes(), _MOST_BYTES)
        rows = [line.split(" ") for line in content.decode("utf-8").splitlines()]
        return {word: {"": usual, **dict(other.split("=") for other in others)} for word, usual, *others in rows}
    except (OSError, lzma.LZMAError, ValueError) as error:
        raise DamagedModelError(f"{path} is not a lexicon: {error}. Install the model again.") from error


def write_lexicon(path: Path, entries: Mapping[str, Entry]) -> None:
    """Write what `read_lexicon` reads."""
    lines = [
        " ".join((word, entry[""], *(f"{part}={said}" for part, said in sorted(entry.items()) if part)))
        for word, entry in sorted(entries.items())
    ]
    path.write_bytes(lzma.compress("\n".join(lines).encode(), preset=9 | lzma.PRESET_EXTREME))


class Pronouncer:
    """Knows how words are said. `guess` says it of words that neither lexicon nor rules know, many at once."""

    def __init__(self, entries: Mapping[str, Entry], guess: Callable[[Sequence[str]], list[str]] | None = None) -> None:
        self._entries, self._guess = entries, guess

    def phonemes(self, text: str) -> str:
        """Phonemes of speakable text (`app.speech.speakable`), a space between words, marks behind them. Words that
        nobody knows are left out."""
        return " ".join(word.phonemes for word in self.words(text))

    def can_say(self, text: str) -> bool:
        """Whether anything of a text can be said; a guess is made only where no word is known."""
        return any(self.known(one.word) for one in _written(text)) or bool(self.words(text))

    def words(self, text: str) -> list[SaidWord]:
        """The same word by word. The texts of all together are `text`, where anything of it can be said."""
        found = _written(text)
        marks = [
            _mark(text[one.at : after.at])
            for one, after in zip(found, [*found, Written("", len(text))][1:], strict=True)
        ]
        unknown = sorted({one.word for one in found if self.known(one.word) is None})
        guessed = dict(zip(unknown, self._guess(unknown), strict=True)) if unknown and self._guess else {}
        said: list[SaidWord] = []
        end = len(text)
        # From the end, since "the" and "to" depend on the sound that follows.
        for place in range(len(found) - 1, -1, -1):
            word = found[place].word
            before = found[place - 1].word if place else ""
            beyond = said[-1].phonemes if said and not marks[place] else ""
            one = self._spelt(found, place) or self._in_context(word, before, beyond) or guessed.get(word, "")
            if one:
                said.append(SaidWord(text[found[place].at : end], one + marks[place]))
                end = found[place].at
        if said:
            said[-1] = said[-1]._replace(text=text[:end] + said[-1].text)
        return said[::-1]

    def known(self, word: str) -> Entry | None:
        """How `word`, in lower case, is said according to lexicon and rules; None where they do not know it."""
        if word in _LITTLE:
            return {"": _LITTLE[word][0]}
        if word in self._entries:
            return self._entries[word]
        if word.isalpha() and not _VOWEL_LETTERS & set(word):
            return {"": "".join(_LETTERS[letter] for letter in word)}
        if len(word) == 1:
            return {"": _LETTERS[word]} if word in _LETTERS else None
        for ending, stems, add in _ENDINGS:
            if not word.endswith(ending) or len(word) < len(ending) + 2:
                continue
            base = word[: -len(ending)]
            shorter = (base[:-1],) if ending in ("ed", "ing") and base[-1:] == base[-2:-1] else ()
            for stem in (*(base + tail for tail in stems), *shorter):
                if ending == "s" and stem[-1] in "s'":
                    continue
                if stem in self._entries:
                    return {part: add(said) for part, said in self._entries[stem].items()}
        return None

    def _in_context(self, word: str, before: str, beyond: str) -> str:
        if word in _LITTLE:
            first = beyond.lstrip("ˈˌ")[:1]
            return _LITTLE[word][0 if not first else 2 if first in _VOWELS else 1]
        entry = self.known(word)
        if entry is None:
            return ""
        if before in _BEFORE_VERB and "VERB" in entry:
            return entry["VERB"]
        if before in _BEFORE_NOUN and "NOUN" in entry:
            return entry["NOUN"]
        return entry[""]

    @staticmethod
    def _spelt(found: Sequence[Written], place: int) -> str:
        """The name of a letter that stands by itself; "a" and "i" are words unless another letter is beside them."""
        word = found[place].word
        if len(word) != 1 or word not in _LETTERS:
            return ""
        beside = [found[other].word for other in (place - 1, place + 1) if 0 <= other < len(found)]
        letters = any(len(other) == 1 and other not in "ai" for other in beside)
        return _LETTERS[word] if word not in "ai" or letters else ""


def _written(text: str) -> list[Written]:
    return [Written(match[0].lower().strip("'"), match.start()) for match in _WORD.finditer(text)]


def _mark(between: str) -> str:
    """The mark that stands behind a word, "" where there is none; a line that ends is a pause."""
    signs = [sign for sign in between if sign in ".,?!"]
    return min(signs, key="?!.,".index) if signs else "," if "\n" in between.strip(" ") else ""


def _with_s(stem: str) -> str:
    if stem[-1] in "szʃʒʧʤ":
        return stem + "ᵻz"
    return stem + ("s" if stem[-1] in "ptkfθ" else "z")


def _with_ed(stem: str) -> str:
    if stem[-1] == "t" and stem[-2:-1] in _TAPS:
        return stem[:-1] + "ɾᵻd"
    if stem[-1] in "td":
        return stem + "ᵻd"
    return stem + ("t" if stem[-1] in "pkfθʃsʧ" else "d")


def _with_ing(stem: str) -> str:
    if stem[-1] == "t" and stem[-2:-1] in _TAPS:
        return stem[:-1] + "ɾɪŋ"
    return stem + "ɪŋ"


#: Endings in the order in which they are tried, what the stem may have lost to them, and how they are said.
_ENDINGS: tuple[tuple[str, tuple[str, ...], Callable[[str], str]], ...] = (
    ("'s", ("",), _with_s),
    ("s", ("",), _with_s),
    ("es", ("",), _with_s),
    ("ies", ("y",), _with_s),
    ("ed", ("", "e"), _with_ed),
    ("ied", ("y",), _with_ed),
    ("ing", ("", "e"), _with_ing),
    ("n't", ("",), lambda stem: stem + "ᵊnt"),
    ("'ll", ("",), lambda stem: stem + "ᵊl"),
    ("'ve", ("",), lambda stem: stem + ("v" if stem[-1] in _VOWELS else "əv")),
    ("'re", ("",), lambda stem: stem + "əɹ"),
    ("'d", ("",), lambda stem: stem + ("ᵻd" if stem[-1] in "td" else "d")),
)
