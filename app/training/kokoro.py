"""Kokoro-82M as the training voice: phonemes from espeak-ng, speech from ONNX Runtime.

A training-time source only (Apache-2.0 weights); nothing at run time imports this module.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from app.training.onnx_outputs import with_output

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

SAMPLE_RATE = 24_000
#: Voices that only the evaluation may use, alone or in a mix.
RESERVED_VOICES = frozenset({"af_nova", "am_liam", "bf_lily", "bm_lewis"})
#: Values of a style vector that say how a voice sounds; the rest say when and how high it speaks (StyleTTS 2).
SOUND = 128
MAX_PHONEMES = 510

# Kokoro writes diphthongs and affricates as single symbols; espeak-ng writes them as pairs.
_IPA_TO_KOKORO = (
    ("\u200d", ""),
    ("\u0361", ""),
    ("tʃ", "ʧ"),
    ("dʒ", "ʤ"),
    ("eɪ", "A"),
    ("aɪ", "I"),
    ("oʊ", "O"),
    ("əʊ", "O"),
    ("aʊ", "W"),
    ("ɔɪ", "Y"),
    ("ɚ", "əɹ"),
    ("ɝ", "ɜɹ"),
    ("r", "ɹ"),
    ("ɹɹ", "ɹ"),
)


#: Kokoro's steps: durations are counted in them.
STEP = 600
_DURATIONS = "/encoder/Round_output_0"
#: Signs of Misaki's lexicon that this version of Kokoro writes otherwise.
_MISAKI_TO_KOKORO = str.maketrans("ɾʔ", "Tt")


@lru_cache(maxsize=65_536)
def _clause_phonemes(clause: str, language: str) -> str:
    run = subprocess.run(
        ["espeak-ng", "-q", "--ipa=3", "-v", language, "--", clause],
        check=True,
        capture_output=True,
        text=True,
    )
    ipa = " ".join(run.stdout.split())
    for source, target in _IPA_TO_KOKORO:
        ipa = ipa.replace(source, target)
    return ipa


def phonemes(text: str, language: str = "en-us") -> str:
    """Kokoro's phoneme string for `text`, punctuation kept (it carries the pauses).

    `language` is an espeak-ng voice, `en-us` or `en-gb`.
    """
    parts = re.split(r"([.,?!;:]+)", text)
    spoken = []
    for index in range(0, len(parts), 2):
        clause = parts[index].strip(' -"')
        mark = parts[index + 1][0] if index + 1 < len(parts) else ""
        if clause:
            spoken.append(_clause_phonemes(clause, language) + mark)
    return " ".join(spoken)


class Kokoro:
    """Synthesiser over the int8 ONNX graph.

    `folder` holds `kokoro.onnx`, `vocab.json` and `voices/*.bin` (see `fetch.py`).
    """

    def __init__(self, folder: Path, threads: int = 1) -> None:
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # Only errors: a graph without its sound leaves many weights unused, and each is a warning.
        options.log_severity_level = 3
        # Spinning threads starve whatever trains beside the synthesis.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._graph, self._options = (folder / "kokoro.onnx").read_bytes(), options
        self._session = self._run(with_output(self._graph, _DURATIONS))
        self._timing: InferenceSession | None = None
        self._vocab: dict[str, int] = json.loads((folder / "vocab.json").read_text())["vocab"]
        self._folder = folder / "voices"
        self._tables: dict[str, np.ndarray] = {}

    def _run(self, graph: bytes) -> InferenceSession:
        import onnxruntime as ort

        return ort.InferenceSession(graph, self._options, providers=["CPUExecutionProvider"])

    def _table(self, voice: str) -> np.ndarray:
        if voice not in self._tables:
            self._tables[voice] = np.fromfile(self._folder / f"{voice}.bin", dtype="<f4").reshape(-1, 1, 256)
        return self._tables[voice]

    def style(self, mix: dict[str, float], n_tokens: int) -> np.ndarray:
        """Weighted mean of voices' style rows, float32 [1, 256]."""
        total = sum(mix.values())
        row = n_tokens - 1
        return sum(
            (self._table(name)[row] * (weight / total) for name, weight in mix.items()),
            start=np.zeros((1, 256), np.float32),
        ).astype(np.float32)

    def speak(
        self, text: str, mix: dict[str, float], speed: float = 1.0, prosody: dict[str, float] | None = None
    ) -> np.ndarray:
        """Speech for `text`: float32 mono at 24 kHz. Raises ValueError where nothing can be said.

        With `prosody`, rhythm and pitch are those of other voices: the second half of a style vector is theirs.
        """
        british = next(iter(prosody or mix)).startswith("b")
        return self.say(phonemes(text, "en-gb" if british else "en-us"), mix, speed, prosody)[0]

    def say(
        self, symbols: str, mix: dict[str, float], speed: float = 1.0, prosody: dict[str, float] | None = None
    ) -> tuple[np.ndarray, list[int]]:
        """Speech as of `speak` for phonemes (Kokoro's or Misaki's), and how many `STEP`s of samples each of them lasts:
        first the silence before them, last the one behind. Symbols that Kokoro lacks last 0."""
        known, given = self._given(symbols, mix, speed, prosody)
        audio, steps = self._session.run(None, given)
        return np.asarray(audio, np.float32).reshape(-1), _spread(known, steps)

    def durations(self, symbols: str, mix: dict[str, float], speed: float = 1.0) -> list[int]:
        """Those of `say` alone, at a tenth of the cost."""
        if self._timing is None:
            self._timing = self._run(with_output(self._graph, _DURATIONS, alone=True))
        known, given = self._given(symbols, mix, speed, None)
        return _spread(known, self._timing.run(None, given)[0])

    def _given(
        self, symbols: str, mix: dict[str, float], speed: float, prosody: dict[str, float] | None
    ) -> tuple[list[int | None], dict[str, np.ndarray]]:
        """The number of every symbol, None where Kokoro lacks it, and the inputs of the graph."""
        known = [self._vocab.get(symbol) for symbol in symbols.translate(_MISAKI_TO_KOKORO)]
        ids = [number for number in known if number is not None][:MAX_PHONEMES]
        if not ids:
            raise ValueError(f"nothing can be said of {symbols!r}")
        style = self.style(mix, len(ids))
        if prosody is not None:
            style = np.concatenate((style[:, :SOUND], self.style(prosody, len(ids))[:, SOUND:]), 1)
        tokens = np.array([[0, *ids, 0]], np.int64)
        return known, {"tokens": tokens, "style": style, "speed": np.array([speed], np.float32)}


def _spread(known: Sequence[int | None], steps: np.ndarray) -> list[int]:
    """Steps of the silence before, of every symbol, and of the silence behind."""
    first, *lasting, last = (int(step) for step in np.asarray(steps).reshape(-1))
    found = iter(lasting)
    return [first, *(next(found, 0) if number is not None else 0 for number in known), last]
