"""What SenseVoice's CTC head says: greedy reading, the pieces of its vocabulary, and the tags among the words."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from app.speech.errors import DamagedModelError
from app.speech.interfaces import Transcript

BLANK = 0
LANGUAGES = frozenset({"zh", "en", "yue", "ja", "ko", "nospeech"})
EMOTIONS = frozenset({"HAPPY", "SAD", "ANGRY", "NEUTRAL", "FEARFUL", "DISGUSTED", "SURPRISED", "EMO_UNKNOWN"})
#: Tags that tell nothing: how numbers are written, that a thing is unknown, that speech is speech.
_MUTE = frozenset({"withitn", "woitn", "EMO_UNKNOWN", "Event_UNK", "EVENT_UNK", "Speech", "nospeech"})
_TAG = re.compile(r"<\|([^|<>]*)\|>")
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


class Reading(NamedTuple):
    """Pieces and the log-probability of each."""

    ids: list[int]
    scores: list[float]


def read_greedily(log_probs: Tensor) -> Reading:
    """Read log-probabilities [T, V]: the likeliest piece of each frame, repeats taken once, blanks left out.

    A piece's score is the best of its frames.
    """
    scores, best = log_probs.max(1)
    ids: list[int] = []
    kept: list[float] = []
    last = BLANK
    for piece, score in zip(best.tolist(), scores.tolist(), strict=True):
        if piece != BLANK and piece == last:
            kept[-1] = max(kept[-1], score)
        elif piece != BLANK:
            ids.append(piece)
            kept.append(score)
        last = piece
    return Reading(ids, kept)


class Vocabulary(Protocol):
    """Pieces by their ids."""

    def piece(self, number: int) -> str:
        """The piece as it is stored, a space written ▁; "" for an id that is none."""
        ...

    def text(self, ids: Sequence[int]) -> str:
        """The words that pieces make."""
        ...


class PieceList:
    """A `tokens.json`: the pieces in the order of their ids."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._pieces = list(pieces)

    def piece(self, number: int) -> str:
        """See Vocabulary."""
        return self._pieces[number] if number < len(self._pieces) else ""

    def text(self, ids: Sequence[int]) -> str:
        """See Vocabulary."""
        raw = bytearray()
        for piece in map(self.piece, ids):
            byte = _BYTE.fullmatch(piece)
            raw += bytes([int(byte.group(1), 16)]) if byte else piece.encode()
        return raw.decode("utf-8", "ignore").replace("▁", " ")


class SentencePieces:
    """A sentencepiece model."""

    def __init__(self, path: Path) -> None:
        """Raises DamagedModelError."""
        import sentencepiece

        try:
            self._model = sentencepiece.SentencePieceProcessor(model_proto=path.read_bytes())
        except Exception as error:  # the library raises plain RuntimeError and OSError for every kind of damage
            raise DamagedModelError(f"{path} is missing or damaged: download or copy it again.") from error
        self._size = self._model.get_piece_size()

    def piece(self, number: int) -> str:
        """See Vocabulary."""
        return str(self._model.id_to_piece(number)) if number < self._size else ""

    def text(self, ids: Sequence[int]) -> str:
        """See Vocabulary."""
        return str(self._model.decode([number for number in ids if number < self._size]))


def read_vocabulary(path: Path) -> Vocabulary:
    """The vocabulary in a sentencepiece model or, as `.json`, in a list of pieces. Raises DamagedModelError."""
    if path.suffix != ".json":
        return SentencePieces(path)
    try:
        pieces = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DamagedModelError(f"{path} is missing or damaged: download or copy it again.") from error
    if not isinstance(pieces, list) or not all(isinstance(piece, str) for piece in pieces):
        raise DamagedModelError(f"{path} is no list of pieces: download or copy it again.")
    return PieceList(pieces)


def transcript(log_probs: Tensor, vocabulary: Vocabulary) -> Transcript:
    """Words and tags in log-probabilities [T, V] of the CTC head. The tags may stand anywhere among the words."""
    words: list[int] = []
    scores: list[float] = []
    language, emotion = "", ""
    events: list[str] = []
    for number, score in zip(*read_greedily(log_probs), strict=True):
        tag = _TAG.fullmatch(vocabulary.piece(number).lstrip("▁"))
        if tag is None:
            words.append(number)
            scores.append(score)
            continue
        name = tag.group(1)
        if name in _MUTE:
            continue
        if name in LANGUAGES:
            language = language or name
        elif name in EMOTIONS:
            emotion = emotion or name.lower()
        elif name not in events:
            events.append(name)
    text = " ".join(_TAG.sub(" ", vocabulary.text(words)).split())
    certainty = float(torch.tensor(scores).mean()) if scores else 0.0
    return Transcript(text, min(certainty, 0.0), language, emotion, tuple(events))
