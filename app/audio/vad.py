"""Silero voice activity detection through onnxruntime, without torch."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

CHUNK = 512
_CONTEXT = 64


def model_path() -> Path:
    """Where the silero-vad package keeps its ONNX file. The package itself is not imported (that would load
    torch).

    Raises `FileNotFoundError` with one clear sentence where the package is missing.
    """
    spec = importlib.util.find_spec("silero_vad")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder) / "data" / "silero_vad.onnx"
        if path.is_file():
            return path
    raise FileNotFoundError("The speech detector is missing: pip install 'silero-vad>=6.2.3' --no-deps.")


class SileroVad:
    """Probability of speech in each 512-sample (32 ms) chunk of 16 kHz mono; keeps its state from chunk to
    chunk.

    The network takes the last 64 samples of the chunk before as context (silero-vad 6, `OnnxWrapper`).
    """

    def __init__(self, path: Path | None = None) -> None:
        """Load the network from `path`, or from the silero-vad package."""
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        # A spinning pool would burn a core that the model needs.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(
            str(path or model_path()), options, providers=["CPUExecutionProvider"]
        )
        self._rate = np.array(16_000, np.int64)
        self.reset()

    def reset(self) -> None:
        """Forget everything heard so far."""
        self._state = np.zeros((2, 1, 128), np.float32)
        self._input = np.zeros((1, _CONTEXT + CHUNK), np.float32)

    def probability(self, chunk: NDArray[np.float32]) -> float:
        """Probability 0…1 that float32 [512] at 16 kHz holds speech. `ValueError` for another length."""
        if chunk.shape != (CHUNK,):
            raise ValueError(f"The speech detector takes {CHUNK} samples at a time, not {chunk.shape}.")
        self._input[0, :_CONTEXT] = self._input[0, -_CONTEXT:]
        self._input[0, _CONTEXT:] = chunk
        output, self._state = self._session.run(None, {"input": self._input, "state": self._state, "sr": self._rate})
        return float(output[0, 0])
