"""The model's tokenizer: a `tokenizer.json` of the tokenizers library, and decoding one id at a time."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import Protocol

from tokenizers import Tokenizer, decoders

from app.omni.errors import DamagedModelError


def _byte_alphabet() -> dict[str, int]:
    """The printable stand-ins of byte-level BPE: character → byte (Radford et al. 2019)."""
    plain = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in set(plain)]
    return {chr(b): b for b in plain} | {chr(256 + k): b for k, b in enumerate(hidden)}


class Detokenizer(Protocol):
    """Turns ids into text as they come; never gives out part of a character."""

    def push(self, text_id: int) -> str:
        """Text that has become certain with this id; may be empty."""
        ...

    def finish(self) -> str:
        """What is left: bytes that never became a character show as U+FFFD."""
        ...


class _ByteDetokenizer:
    """Byte-level BPE: constant work per id."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = pieces
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def push(self, text_id: int) -> str:
        return self._decoder.decode(self._pieces[text_id])

    def finish(self) -> str:
        return self._decoder.decode(b"", final=True)


class _WindowDetokenizer:
    """Any other tokenizer: decode a short window with and without the newest ids, give out the difference."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._window: list[int] = []
        self._known = 0

    def push(self, text_id: int) -> str:
        self._window.append(text_id)
        before = self._tokenizer.decode(self._window[: self._known])
        after = self._tokenizer.decode(self._window)
        if len(after) <= len(before) or after.endswith("\ufffd"):
            return ""
        self._window = self._window[self._known :]
        self._known = len(self._window)
        return after[len(before) :]

    def finish(self) -> str:
        before = self._tokenizer.decode(self._window[: self._known])
        return self._tokenizer.decode(self._window)[len(before) :]


class OmniTokenizer:
    """Text ↔ ids. Added tokens written in the text become their ids; nothing is added at either end."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        added = tokenizer.get_added_tokens_decoder()
        self.tags = sorted(
            (t.content for t in added.values() if t.content.startswith("<") and t.content.endswith(">")),
            key=len,
            reverse=True,
        )
        self._pieces = self._byte_pieces() if isinstance(tokenizer.decoder, decoders.ByteLevel) else None

    def _byte_pieces(self) -> list[bytes]:
        alphabet = _byte_alphabet()
        added = self._tokenizer.get_added_tokens_decoder()
        pieces: list[bytes] = []
        for index in range(self.vocab_size):
            token = self._tokenizer.id_to_token(index) or ""
            if index in added:
                pieces.append(b"" if added[index].special else token.encode())
            else:
                pieces.append(bytes(alphabet[c] for c in token))
        return pieces

    @classmethod
    def load(cls, path: str | Path) -> OmniTokenizer:
        """Read a `tokenizer.json`, or the one in a model folder. Raises DamagedModelError."""
        path = Path(path)
        path = path / "tokenizer.json" if path.is_dir() else path
        if not path.is_file():
            raise DamagedModelError(f"{path} is missing: download or copy the model folder again.")
        try:
            return cls(Tokenizer.from_file(str(path)))
        except Exception as error:  # the library raises bare Exception
            raise DamagedModelError(f"{path} is damaged ({error}): download or copy it again.") from error

    @property
    def vocab_size(self) -> int:
        """Number of ids, added tokens included."""
        return self._tokenizer.get_vocab_size(with_added_tokens=True)

    @property
    def newline_id(self) -> int:
        """The id of a line break. Raises DamagedModelError when it is not a single id."""
        ids = self.encode("\n")
        if len(ids) != 1:
            raise DamagedModelError("tokenizer.json has no single id for a line break; use another model folder.")
        return ids[0]

    def encode(self, text: str) -> list[int]:
        """Ids of a text."""
        return self._tokenizer.encode(text, add_special_tokens=False).ids

    def decode(self, ids: list[int]) -> str:
        """Text of ids, special tokens left out."""
        return self._tokenizer.decode(ids, skip_special_tokens=True)

    def id_of(self, token: str) -> int | None:
        """The id of one token, None when there is none."""
        return self._tokenizer.token_to_id(token)

    def without_tags(self, text: str) -> str:
        """The text without any literal control token, so that what people type stays plain text."""
        while any(tag in text for tag in self.tags):
            for tag in self.tags:
                text = text.replace(tag, "")
        return text

    def stream(self) -> Detokenizer:
        """A fresh incremental decoder."""
        return _WindowDetokenizer(self._tokenizer) if self._pieces is None else _ByteDetokenizer(self._pieces)
