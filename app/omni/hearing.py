"""What the user said: features before the answer, the words at once or, where they take a pass of their own, while
the answer is being made.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import torch
from numpy.typing import NDArray

from app.omni.turn import Heard, TurnPiece, TurnRequest
from app.speech.interfaces import AudioEncoder, GivenUpError, Transcriber, Transcript

#: How much less urgent than the answer the words are, for the system's scheduler.
_NICENESS = 10


class Hearing:
    """The question of one turn. `features` float32 [T, D], None for a typed one; `text` its words as far as known."""

    def __init__(self, encoder: AudioEncoder, request: TurnRequest) -> None:
        """Encodes what was said, which took `encode_ms`."""
        self.features: torch.Tensor | None = None
        self.text = request.text or ""
        self.encode_ms = 0.0
        self._spoken = request.audio is not None
        self._reader: _Reader | None = None
        if request.audio is not None:
            begun = time.perf_counter()
            self.features, self.text, _ = encoder.encode(request.audio)
            self.encode_ms = (time.perf_counter() - begun) * 1e3
            if isinstance(encoder, Transcriber):
                self._reader = _Reader(encoder, request.audio)

    def at_once(self) -> Iterator[Heard]:
        """The words that are known before the answer."""
        if self._spoken and self._reader is None:
            yield Heard(self.text)

    def beside(self, pieces: Iterator[TurnPiece], cancelled: Callable[[], bool]) -> Iterator[TurnPiece]:
        """`pieces` of the answer, with the words among them as soon as they are read, at the latest behind them.

        They are not waited for when the turn is `cancelled`. Raises what reading them raised.
        """
        if self._reader is None:
            yield from pieces
            return
        with self._reader as reader:
            told = False
            for piece in pieces:
                if not told and (words := reader.words()) is not None:
                    self.text, told = words.text, True
                    yield Heard(self.text)
                yield piece
            if not told and not cancelled():
                self.text = reader.wait().text
                yield Heard(self.text)


class _Reader:
    """Reads the words of a clip on a thread of its own, which ends with this context."""

    def __init__(self, encoder: Transcriber, audio: NDArray[np.float32]) -> None:
        self._encoder = encoder
        self._audio = audio
        self._given_up = threading.Event()
        self._done = threading.Event()
        self._result: Transcript | Exception | None = None
        self._thread = threading.Thread(target=self._run, name="words", daemon=True)

    def __enter__(self) -> _Reader:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._given_up.set()
        self._thread.join()

    def words(self) -> Transcript | None:
        """The words, None as long as they are not there."""
        return self.wait() if self._done.is_set() else None

    def wait(self) -> Transcript:
        """The words as soon as they are there."""
        self._done.wait()
        if isinstance(self._result, Exception):
            raise self._result
        assert self._result is not None
        return self._result

    def _run(self) -> None:
        torch.set_num_threads(1)
        if sys.platform == "linux":
            # Other systems know no priority of a thread that its own process may set this way.
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
        try:
            self._result = self._encoder.transcribe(self._audio, self._given_up.is_set)
        except GivenUpError:
            return
        except Exception as error:
            self._result = error
        self._done.set()
