"""What a chat model writes, as sentences that can be spoken, while it still writes."""

from __future__ import annotations

import re

from app.speech.speakable import speakable

# A sentence that does not end is spoken in pieces.
LONGEST = 400
# What models think, call or quote is not said.
_UNSAID = re.compile(
    r"<(think|thinking|thought|reasoning|analysis|tool_?calls?|tool_?response|function_?call)>|(```)", re.IGNORECASE
)
_LONGEST_TAG = 20
_END = re.compile(r"[.?!…]+[\"'”’)\]*_]*(?=\s)|[。！？]+[”’」』）]*|\n+")  # noqa: RUF001
_CLAUSE = re.compile(r"[,;:]\s|[，；：、]")  # noqa: RUF001
_SHORT = re.compile(
    r"(?:^|[\s(\"'])(?:[A-Za-z]|mrs?|ms|dr|prof|rev|gen|capt|lt|sgt|st|vs|no|vol|fig|approx|dept|est|e\.g|i\.e|cf"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|(?:[A-Za-z]\.)+[A-Za-z])\.$",
    re.IGNORECASE,
)
_NUMBER_OF_LIST = re.compile(r"(?:^|\n)\s*[*_]*\d{1,3}\.$")


class Sentences:
    """Takes pieces of text and gives whole sentences, without markup and free of what is not meant for the ear."""

    def __init__(self, *, english: bool = True) -> None:
        """`english`: the voice speaks nothing else, so numbers and signs become English words."""
        self._english = english
        # What may be the beginning of something unsaid; what ends it, where it has begun; and what can be said.
        self._raw = ""
        self._until = ""
        self._text = ""

    def take(self, piece: str) -> list[str]:
        """More text; returns the sentences that have become complete."""
        self._raw += piece
        self._sift()
        return self._whole()

    def finish(self) -> list[str]:
        """There is no more text; returns what is left."""
        if not self._until:
            self._text += self._raw
        self._raw = ""
        found = [*self._whole(), self._text]
        self._text = ""
        return self._spoken(found)

    # --- inside

    def _sift(self) -> None:
        while True:
            if self._until:
                at = self._raw.lower().find(self._until)
                if at < 0:
                    self._raw = self._raw[-len(self._until) :]
                    return
                self._raw, self._until = self._raw[at + len(self._until) :], ""
                # What stood before it and what comes after it are not one sentence.
                self._text += "\n"
            elif match := _UNSAID.search(self._raw):
                self._text += self._raw[: match.start()]
                self._until = match[2] or f"</{match[1].lower()}>"
                self._raw = self._raw[match.end() :]
            else:
                at = _open_end(self._raw)
                self._text, self._raw = self._text + self._raw[:at], self._raw[at:]
                return

    def _whole(self) -> list[str]:
        found: list[str] = []
        start = at = 0
        text = self._text
        while (end := _END.search(text, at)) is not None:
            at = end.end()
            if end[0][0] in ".?!…":
                rest = text[at:].lstrip(" \t")
                if not rest:
                    # What follows tells whether this was the end.
                    break
                before = text[start:at]
                if end[0][0] in ".…" and (rest[0].islower() or _SHORT.search(before) or _NUMBER_OF_LIST.search(before)):
                    continue
            found.append(text[start:at])
            start = at
        while len(text) - start > LONGEST:
            cut = _cut(text[start : start + LONGEST])
            found.append(text[start : start + cut])
            start += cut
        self._text = text[start:]
        return self._spoken(found)

    def _spoken(self, found: list[str]) -> list[str]:
        said = (" ".join(speakable(one, english=self._english).split()) for one in found)
        return [one for one in said if one]


def _open_end(text: str) -> int:
    """Where at its end something unsaid may begin, of which more is to come."""
    tag = text.rfind("<")
    if tag >= 0 and len(text) - tag <= _LONGEST_TAG and ">" not in text[tag:]:
        return tag
    return len(text) - (len(text) - len(text.rstrip("`")))


def _cut(text: str) -> int:
    """Where a text that is too long may be cut."""
    places = [match.end() for match in _CLAUSE.finditer(text)] or [match.end() for match in re.finditer(r"\s", text)]
    return places[-1] if places else len(text)
