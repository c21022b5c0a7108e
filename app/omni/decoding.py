"""The codec beside the network: one frame is decoded while the next one is being generated."""

from __future__ import annotations

import queue
import threading

import numpy as np
import torch
from numpy.typing import NDArray

from app.speech.interfaces import StreamingDecoder

Samples = NDArray[np.float32]
#: Frames that may wait to be decoded: more would only come later.
_MOST_WAITING = 2


class FrameDecoding:
    """Decodes the frames of one utterance in order, on a thread of its own where there is a core to spare.

    Use it as a context; leaving it ends the thread.
    """

    def __init__(self, decoder: StreamingDecoder, *, beside: bool) -> None:
        """`beside`: on another thread."""
        self._decoder = decoder
        self._frames: queue.SimpleQueue[NDArray[np.int64] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[Samples | Exception] = queue.SimpleQueue()
        self._waiting = 0
        self._thread = threading.Thread(target=self._run, name="codec", daemon=True) if beside else None

    def __enter__(self) -> FrameDecoding:
        if self._thread is not None:
            self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._thread is not None:
            self._frames.put(None)
            self._thread.join()

    def put(self, frame: NDArray[np.int64]) -> None:
        """Decode this frame, int64 [8], next."""
        self._waiting += 1
        if self._thread is not None:
            self._frames.put(frame)
        else:
            self._done.put(self._decode(frame))

    def take(self, *, wait: bool = False) -> list[Samples]:
        """What has been decoded since, float32 [1920] each; all that was put in where it is to `wait`.

        Raises what the decoder raised.
        """
        taken: list[Samples] = []
        while self._waiting:
            try:
                done = self._done.get(block=wait or self._waiting > _MOST_WAITING)
            except queue.Empty:
                break
            self._waiting -= 1
            if isinstance(done, Exception):
                raise done
            taken.append(done)
        return taken

    def _decode(self, frame: NDArray[np.int64]) -> Samples:
        return self._decoder.step(torch.from_numpy(frame))

    def _run(self) -> None:
        # This thread's own setting: the network keeps its threads.
        torch.set_num_threads(1)
        while (frame := self._frames.get()) is not None:
            try:
                self._done.put(self._decode(frame))
            except Exception as error:
                self._done.put(error)
                return
