"""What a small model does with a question that calls a tool, or whose answer repeats words of it.

The sentence encoder has told which known question is meant; here its values are found (`slot_tagger`), read as the
tool's schema wants them, and put into the text of a call, or into the answer. What a follow-up leaves out is taken from
the turn before it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from torch import Tensor

from app.speech.heard_words import as_said, with_marks
from app.speech.interfaces import Composed
from app.speech.names_by_sound import MOST_IN_ALL, NamesBySound, name_list
from app.speech.sentence_encoder import SentenceEncoder
from app.speech.slot_tagger import OUTSIDE, SlotTagger, Tagged
from app.tools.asked import HalfOfDayError, operation_between, read_answer
from app.tools.dictionary import load_definitions
from app.tools.registry import load_descriptions
from app.tools.words.reading import words_of
from app.tools.words.said import half_of_day

_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d\u2013\u2014", "''\"\"--")
#: A slot in a template.
PLACE = re.compile(r"\{(\w+)\}")
_ARTICLE = re.compile(r"(the|a|an|my)\s+(?=\S)", re.IGNORECASE)
#: Values of which there are few, so that even a common word is one of them misheard: "Caliber" for Calibre.
_CLOSED = frozenset({"application"})
#: By how much a name may differ (see `NamesBySound`) where there are many other words.
_MOST_UNLIKE = 0.25
#: By how much (in logits) a value that must be there is likelier than where it need not be.
_EAGER = 4.0
#: Values are given as they were said; but no name of an application begins with these.
_WITHOUT_ARTICLE = frozenset({"application", "label"})
#: What may be about somebody.
_FREE = frozenset({"label", "query", "task", "text"})
#: What is kept and read out again.
_WITH_MARKS = frozenset({"task", "text"})


@dataclass(frozen=True)
class KnownCall:
    """A class of questions that call `tool` with `arguments`, or without a tool are answered with `says`.

    `arguments` and `says` may hold "{name}" of a slot. `lists[slot]` are values that are said in words of their own.
    """

    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    says: str = ""
    lists: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> KnownCall:
        """From the JSON object of a listing. Raises KeyError, TypeError, ValueError."""
        tool = str(values.get("tool", ""))
        if tool and tool not in load_descriptions():
            raise ValueError(f"there is no tool {tool!r}")
        found = cls(tool, dict(values.get("arguments", {})), str(values.get("says", "")), dict(values.get("lists", {})))
        if bool(found.tool) == bool(found.says):
            raise ValueError("a call has a tool, or else an answer")
        return found

    @property
    def slots(self) -> list[str]:
        """Names of its slots."""
        texts = [self.says, *(value for value in self.arguments.values() if isinstance(value, str))]
        return list(dict.fromkeys(name for text in texts for name in PLACE.findall(text)))


def place_pattern(template: str) -> re.Pattern[str]:
    """Matches what becomes of a template when its slots are filled."""
    pattern, seen = "", set[str]()
    for index, part in enumerate(PLACE.split(template)):
        if index % 2 == 0:
            pattern += re.escape(part)
        else:
            pattern += f"(?P={part})" if part in seen else f"(?P<{part}>.+?)"
            seen.add(part)
    return re.compile(pattern, re.IGNORECASE)


class CallWriter:
    """Writes the calls of known questions."""

    def __init__(self, tagger: SlotTagger, encoder: SentenceEncoder) -> None:
        self._tagger, self._encoder = tagger, encoder
        people = name_list("person")
        # What exists is likelier than what does not.
        self._names = {key: NamesBySound(name_list(kind)) for key, kind in (("application",) * 2, ("city",) * 2)}
        self._names |= {"voice": NamesBySound(people), "word": NamesBySound(load_definitions())}
        self._people = self._names["voice"]

    def tag(self, text: str) -> Tagged:
        """What values a question may hold."""
        return self._tagger.tag(self._encoder, text)

    def read(self, texts: Sequence[str]) -> list[tuple[Tensor, Tagged]]:
        """The unit vectors [D] of questions, and what values they may hold, from one pass of the encoder."""
        return self._tagger.read(self._encoder, texts)

    def values(
        self, known: KnownCall, tagged: Tagged, before: str = "", repeated: Mapping[str, str] = MappingProxyType({})
    ) -> dict[str, str]:
        """The words of the slots in a question. What it leaves out was `repeated` by the last answer, or stood in the
        question `before`."""
        found = tagged.find(known.slots)
        found = {name: words for name, words in repeated.items() if name in known.slots} | found
        missing = [name for name in known.slots if name not in found]
        return self.tag(before).find(missing) | found if missing and before else found

    @staticmethod
    def doubtful_values(known: KnownCall, tagged: Tagged, words: Mapping[str, str]) -> dict[str, str]:
        """The `words` of the slots, and where they lack one what is likeliest to be its value, if anything is."""
        logits = tagged.logits.clone()
        logits[:, OUTSIDE] -= _EAGER
        missing = [name for name in known.slots if name not in words]
        return replace(tagged, logits=logits).find(missing) | dict(words)

    def compose(self, known: KnownCall, text: str, words: Mapping[str, str]) -> Composed | None:
        """The call, or the answer, for `text` with the `words` of its slots, as they stand in `as_said(text)`.

        None where an answer lacks some.
        """
        if known.says:
            if not all(name in words for name in known.slots):
                return None
            return Composed(answer=PLACE.sub(lambda place: _as_said(place[1], words[place[1]]), known.says))
        try:
            arguments = self._arguments(known, words, text)
        except HalfOfDayError as error:
            return Composed(answer=error.question)
        return Composed(call=json.dumps({"name": known.tool, "arguments": arguments}, separators=(",", ":")))

    def _arguments(self, known: KnownCall, words: Mapping[str, str], text: str) -> dict[str, Any]:
        description = load_descriptions()[known.tool]
        bare = as_said(text)
        found: dict[str, Any] = {}
        for key, value in known.arguments.items():
            if not isinstance(value, str) or not (names := PLACE.findall(value)):
                named = operation_between(words.get("left", ""), words.get("right", ""), bare)
                found[key] = named if key == "operation" and named else value
                continue
            if not all(name in words for name in names):
                continue
            if value != f"{{{names[0]}}}":
                found[key] = PLACE.sub(lambda place: _as_said(place[1], words[place[1]]), value)
                continue
            said = words[names[0]]
            listed = known.lists.get(names[0], {})
            plain = " ".join(words_of(said))
            schema = description.parameters["properties"][key]
            if plain in listed:
                found[key] = listed[plain]
            elif schema.get("type") == "string" and "enum" not in schema and key != "time":
                found[key] = self._written(key, _as_said(key, with_marks(said, text) if key in _WITH_MARKS else said))
            else:
                found |= self._read(known.tool, key, said, text) or _nearest(key, plain, listed)
        return found

    def _written(self, key: str, said: str) -> str:
        """A text value with the names in it as they are written."""
        known = self._names.get(key)
        if known is None and key in _FREE:
            # A word that the ears do not know for a name is too often a rare word: "rapport" is not Rupert.
            return re.sub(r"(?<!^)\b[A-Z][a-z]+", lambda word: self._person(word[0]), said)
        if known is None:
            return said
        if (name := known.written(said)) is not None:
            return name
        if key not in _CLOSED and self._is_word(said):
            return said
        # The wrong word is worse than none.
        return known.nearest(said, _MOST_UNLIKE if key == "word" else MOST_IN_ALL) or said

    def _person(self, word: str) -> str:
        """The first name that a word sounds like, if it is no word itself."""
        if self._is_word(word) or self._people.written(word) is not None:
            return word
        return self._people.nearest(word, _MOST_UNLIKE) or word

    def _is_word(self, text: str) -> bool:
        """Whether the sentence encoder knows it as one piece."""
        return len(self._encoder.tokenizer.encode(text, add_special_tokens=False).tokens) == 1

    @staticmethod
    def _read(tool: str, key: str, said: str, text: str) -> dict[str, Any]:
        """One argument that is no free text."""
        said = said.replace("$", " ").replace("°", " degrees ")
        # A time may have minutes in it, and is no length of time for that.
        known = {key: said} if key in ("time", "day") else {}
        try:
            value = read_answer(load_descriptions()[tool], key, said, known)
        except HalfOfDayError as error:
            at = half_of_day(text, error.at)
            if at is None:
                raise
            value = {"time": f"{at:%H:%M}"}
        return {name: one for name, one in value.items() if name == key}


def _nearest(key: str, heard: str, listed: Mapping[str, Any]) -> dict[str, Any]:
    """An argument whose value sounds like one that is listed: "fried" is Friday. Numbers are not told by that."""
    near = NamesBySound(name for name, value in listed.items() if isinstance(value, str)).nearest(heard)
    return {} if near is None else {key: listed[near]}


def _as_said(key: str, words: str) -> str:
    """A text value in the ASCII of calls, without marks around it."""
    plain = unicodedata.normalize("NFKD", words.translate(_QUOTES)).encode("ascii", "ignore").decode()
    words = " ".join(plain.split()).strip(" .,!?;:")
    return _ARTICLE.sub("", words, count=1) if key in _WITHOUT_ARTICLE and _ARTICLE.match(words) else words
