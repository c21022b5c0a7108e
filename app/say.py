"""The verb `say`: a text is read aloud, through the loudspeaker or into a file."""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.ask import Answer, AskError, Model, check_seed, write_speech
from app.audio.devices import AudioDeviceError
from app.audio.playback import Playback
from app.audiofile import check_can_write
from app.omni.turn import TurnRequest

STDIN = "-"
_TURN = 1
_POLL_S = 0.1


@dataclass(frozen=True)
class Words:
    """What is to be said: `text`, or "-" for what comes from stdin. `out` None: through the loudspeaker."""

    text: str
    voice: str = ""
    seed: int | None = None
    out: Path | None = None

    def request(self) -> TurnRequest:
        """Check the words and read stdin. Raises AskError, AudioFileError."""
        check_seed(self.seed)
        if self.out is not None:
            check_can_write(self.out)
        text = self.text
        if text == STDIN:
            try:
                text = sys.stdin.buffer.read().decode("utf-8-sig")
            except UnicodeDecodeError as error:
                raise AskError("The text from stdin is not UTF-8; convert it first.") from error
        if not text.strip():
            raise AskError("The text is empty; write what is to be said.")
        return TurnRequest(voice=self.voice, seed=self.seed, say=text)


def say(words: Words, model: Model, *, as_json: bool) -> None:
    """Say the words; JSON as of `ask` to stdout. Raises AskError, AudioFileError."""
    request = words.request()
    if words.out is None:
        answer = _aloud(request, model)
    else:
        answer = model.answer(request)
        write_speech(answer, words.out)
    if as_json:
        print(answer.json_line(model.load_s))


def _aloud(request: TurnRequest, model: Model) -> Answer:
    """Say it through the system's loudspeaker, from the first frame on; returns when the last has been heard."""
    over = threading.Event()
    lost: list[str] = []

    def gone(sentence: str) -> None:
        lost.append(sentence)
        over.set()

    playback = Playback(on_finished=lambda turn: over.set(), on_lost=gone)
    try:
        playback.open()
    except AudioDeviceError as error:
        raise AskError(f"{error} Or write a file with --out.") from error

    def play(samples: NDArray[np.float32]) -> None:
        if lost:
            raise AudioDeviceError(lost[0])
        playback.write(_TURN, samples)

    try:
        model.engine()
        playback.begin(_TURN)
        answer = model.answer(request, on_audio=play)
        if len(answer.speech) == 0:
            raise AskError("Nothing was said; try another seed.")
        playback.end(_TURN)
        while not over.wait(_POLL_S):  # in pieces, so that Ctrl-C gets through
            pass
    except AskError:
        if not lost:
            raise
    finally:
        playback.close()
    if lost:
        raise AskError(lost[0])
    return answer
