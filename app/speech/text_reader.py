"""Texts that the Talker never learnt, read aloud: pronunciation, reader and the codec's codes in one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from torch import Tensor

from app.speech.pronunciation import LEXICON, Pronouncer, read_lexicon
from app.speech.reader import Reader
from app.speech.spelling import Spelling


class SpokenWord(NamedTuple):
    """A word with what is written behind it, and its codes int64 [8, T]; T is 0 where the next word begins at once."""

    text: str
    codes: Tensor


class TextReader:
    """Reads text aloud, in codes that are the same for every voice."""

    def __init__(self, pronouncer: Pronouncer, reader: Reader, codes: Callable[[Tensor], Tensor]) -> None:
        """`codes`: those int64 [8, T] of code vectors [T, code_width], as the codec finds them."""
        self._pronouncer, self._reader, self._codes = pronouncer, reader, codes

    @classmethod
    def load(cls, folder: Path, codes: Callable[[Tensor], Tensor]) -> TextReader | None:
        """The reader of a model folder, None where it has none. Raises DamagedModelError."""
        if not (folder / LEXICON).is_file():
            return None
        pronouncer = Pronouncer(read_lexicon(folder / LEXICON), Spelling.load(folder).guess)
        return cls(pronouncer, Reader.load(folder), codes)

    def can_read(self, text: str) -> bool:
        """Whether anything of a text can be said."""
        return self._pronouncer.can_say(text)

    def read(self, text: str) -> list[SpokenWord]:
        """The words of speakable text (`app.speech.speakable`) with their codes, one behind the other; none where
        nothing of it can be said."""
        words = self._pronouncer.words(text)
        if not words:
            return []
        phonemes = [word.phonemes for word in words]
        if phonemes[-1][-1] not in ".?!":
            phonemes[-1] = phonemes[-1].rstrip(",") + "."
        vectors, begins = self._reader.read(" ".join(phonemes))
        codes = self._codes(vectors)
        cuts, sign = [0], len(phonemes[0]) + 1
        for one in phonemes[1:]:
            cuts.append(max(cuts[-1], int(begins[sign])))
            sign += len(one) + 1
        cuts.append(codes.shape[1])
        return [SpokenWord(word.text, codes[:, a:b]) for word, (a, b) in zip(words, pairwise(cuts), strict=True)]
