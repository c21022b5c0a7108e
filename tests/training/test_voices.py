"""The voices of a finished starter, and how well they hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from app.omni.engine import OmniEngine
from app.omni.turn import AudioPiece, TextPiece, TurnPiece, TurnRequest
from app.speech.voiceprint import Voiceprint
from app.speech.voiceprint_speaker import speaker_vector
from app.training.synthesize import SOURCES
from app.training.voice_likeness import baked
from app.training.voices import menu


def test_the_menu_has_the_mean_of_what_was_spoken(tmp_path: Path) -> None:
    prints = torch.nn.functional.normalize(torch.rand(len(SOURCES) + 2, 256), dim=1)
    voices = ["ava", *[*SOURCES.values()][1:], SOURCES["max"], "somebody_else"]
    for number, (voice, one) in enumerate(zip(voices, prints, strict=True)):
        row = {"voice": voice, "pitch": -0.1 * number, "print": one.tolist()}
        (tmp_path / f"a{number}.json").write_text(json.dumps(row))
    vectors = menu(tmp_path)
    assert [*vectors] == [*SOURCES]
    assert torch.allclose(vectors["ava"], speaker_vector(0.0, prints[0]), atol=1e-5)
    both = torch.nn.functional.normalize(prints[1] + prints[-2], dim=0)
    assert torch.allclose(vectors["max"], speaker_vector(-0.1 * (1 + len(SOURCES)) / 2, both), atol=1e-5)


class _Choir:
    """Says everything at a level of its own for each voice, and louder at the end if it drifts."""

    def __init__(self, levels: dict[str, float], drift: float) -> None:
        self.info, self._levels, self._drift = SimpleNamespace(voices=tuple(levels)), levels, drift

    def run(self, request: TurnRequest, cancelled: Callable[[], bool]) -> Iterator[TurnPiece]:
        yield TextPiece(request.say or "")
        for number in range(9):
            level = self._levels[request.voice] + self._drift * (number // 3)
            yield AudioPiece(number, np.full(1920, level, np.float32))


class _Ear:
    """Takes the level for a direction."""

    def of(self, speech: NDArray[np.float32]) -> Tensor:
        angle = torch.tensor(float(speech.mean()))
        return torch.stack((angle.cos(), angle.sin()))


def _figures(levels: dict[str, float], drift: float = 0.0) -> dict[str, Any]:
    return baked(cast(OmniEngine, _Choir(levels, drift)), cast(Voiceprint, _Ear()))[0]


def test_voices_are_compared_with_themselves_and_with_each_other() -> None:
    figures = _figures({"a": 0.0, "b": 1.0, "c": 1.2})
    assert figures["like_itself_median"] == 1.0
    assert figures["like_others_median"] == pytest.approx(np.cos(1.0), abs=1e-3)
    assert figures["like_others_most"] == ["b and c", pytest.approx(np.cos(0.2), abs=1e-3)]
    assert figures["first_to_last_third_least"] == 1.0
    assert _figures({"a": 0.0, "b": 1.0}, 0.4)["first_to_last_third_median"] == pytest.approx(np.cos(0.8), abs=1e-3)
