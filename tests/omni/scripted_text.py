"""A network whose words are given and whose speech is its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from app.omni.prompt import Prompt
from app.omni.stepper import Logits, StepNetwork


class ScriptedText:
    """Draws the ids of `script` one after the other, through all prompts; the last one again and again."""

    def __init__(self, network: StepNetwork, script: Sequence[int], vocabulary: int) -> None:
        self._network = network
        self._script = list(script)
        self._vocabulary = vocabulary
        self.prompts: list[list[int]] = []
        self.audio_wanted: list[bool] = []

    def prefill(self, prompt: Prompt, capacity: int, cancelled: Callable[[], bool]) -> Logits:
        self.prompts.append(prompt.text_ids.tolist())
        return Logits(self._next(), self._network.prefill(prompt, capacity, cancelled).audio)

    def step(self, text_id: int, codes: NDArray[np.int64], *, need_text: bool, need_audio: bool) -> Logits:
        self.audio_wanted.append(need_audio)
        logits = self._network.step(text_id, codes, need_text=need_text, need_audio=need_audio)
        return Logits(self._next() if need_text else None, logits.audio)

    def _next(self) -> NDArray[np.float32]:
        logits = np.zeros(self._vocabulary, np.float32)
        logits[self._script.pop(0) if len(self._script) > 1 else self._script[0]] = 1000
        return logits
