"""A turn with a picture: what the network is given, and models that cannot see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from app.omni import engine as engine_module
from app.omni.engine import OmniEngine
from app.omni.errors import BlindModelError, DamagedModelError
from app.omni.eyes import load_eyes
from app.omni.prompt import Prompt
from app.omni.stepper import Logits
from app.omni.turn import AudioPiece, Exchange, Heard, TurnPiece, TurnRequest, TurnStats
from app.vision.siglip2 import TowerShape, VisionTower
from tests.omni.tiny import tiny_folder
from tests.vision.test_siglip2 import weights

Load = Callable[..., OmniEngine]
TOWER = TowerShape(width=12, layers=1, heads=2, inner=16, patch=64)


class Counting:
    """A tower that counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0
        self._tower = VisionTower(weights(TOWER), TOWER)
        self.tokens, self.width = TOWER.tokens, TOWER.width

    def encode(self, image: bytes) -> torch.Tensor:
        self.asked += 1
        return self._tower.encode(image)


@pytest.fixture
def engine(load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OmniEngine:
    """A small engine that sees with a small tower."""
    monkeypatch.setattr(engine_module, "load_eyes", lambda folder, config: Counting())
    return load(tiny_folder(tmp_path, sees=TOWER))


def picture(seed: int) -> bytes:
    return np.random.default_rng(seed).integers(0, 256, 3 * 256**2).astype(np.uint8).tobytes()


def speech() -> np.ndarray:
    return (0.3 * np.sin(np.arange(16_000) / 7)).astype(np.float32)


class Watching:
    """The engine's own network, which keeps what it is given."""

    def __init__(self, network: Any) -> None:
        self._network = network
        self.prompt: Prompt | None = None

    def prefill(self, prompt: Prompt, capacity: int, cancelled: Callable[[], bool]) -> Logits:
        self.prompt = prompt
        return self._network.prefill(prompt, capacity, cancelled)

    def step(self, *arguments: Any, **options: Any) -> Logits:
        return self._network.step(*arguments, **options)


def asked(engine: OmniEngine, request: TurnRequest) -> tuple[str, Prompt, list[TurnPiece]]:
    """The prompt in words and as it was, and all pieces."""
    parts = engine._parts
    network = Watching(parts.network)
    pieces = list(OmniEngine(replace(parts, network=network)).run(request, lambda: False))
    assert network.prompt is not None
    words = parts.tokenizer._tokenizer.decode(network.prompt.text_ids.tolist(), skip_special_tokens=False)
    return words, network.prompt, pieces


def samples(engine: OmniEngine, **request: Any) -> np.ndarray:
    pieces = engine.run(TurnRequest(seed=4, **request), lambda: False)
    return np.concatenate([piece.samples for piece in pieces if isinstance(piece, AudioPiece)])[:9_000]


def test_the_question_comes_first_and_the_picture_behind_it(engine: OmniEngine) -> None:
    assert engine.info.sees
    history = (Exchange("Hi", "Hello"),)
    words, prompt, pieces = asked(engine, TurnRequest(text="What is this?", history=history, image=picture(1)))
    marker = "<|image_pad|>"
    assert f"<|im_start|>user\nWhat is this?\n\n{marker * TOWER.tokens}<|im_end|>" in words
    assert words.count(marker) == TOWER.tokens
    assert prompt.image_features is not None and prompt.image_features.shape == (TOWER.tokens, TOWER.width)
    assert torch.equal(prompt.image_features, VisionTower(weights(TOWER), TOWER).encode(picture(1)))
    stats = pieces[-1]
    assert isinstance(stats, TurnStats) and stats.frames > 0 and stats.encode_ms > 0 and stats.heard == "What is this?"


def test_a_spoken_question_keeps_its_sound_beside_the_picture(engine: OmniEngine) -> None:
    words, prompt, pieces = asked(engine, TurnRequest(audio=speech(), image=picture(1)))
    pads = "<|audio_pad|>" * 16
    assert f"<|im_start|>user\n{pads}\n\n{'<|image_pad|>' * TOWER.tokens}<|im_end|>" in words
    assert prompt.audio_features is not None and prompt.image_features is not None
    assert pieces[0] == Heard("16 rows")


def test_the_picture_changes_the_answer(engine: OmniEngine) -> None:
    first = samples(engine, text="What is this?", image=picture(1))
    assert np.array_equal(samples(engine, text="What is this?", image=picture(1)), first)
    assert not np.array_equal(samples(engine, text="What is this?", image=picture(2)), first)
    assert not np.array_equal(samples(engine, text="What is this?"), first)


def test_a_picture_is_looked_at_once(engine: OmniEngine) -> None:
    eyes = engine._parts.eyes
    assert isinstance(eyes, Counting)
    engine.look(picture(1))
    for text in ("What is this?", "And its colour?"):
        list(engine.run(TurnRequest(text=text, image=picture(1)), lambda: True))
    assert eyes.asked == 1
    list(engine.run(TurnRequest(text="And this?", image=picture(2)), lambda: True))
    assert eyes.asked == 2


def test_a_model_that_cannot_see_says_so(load: Load, tmp_path: Path) -> None:
    blind = load(tiny_folder(tmp_path))
    assert not blind.info.sees
    blind.look(picture(1))
    with pytest.raises(BlindModelError, match="Tiny cannot see pictures: ask without one") as raised:
        list(blind.run(TurnRequest(text="What is this?", image=picture(1)), lambda: False))
    assert str(raised.value).count(".") == 1


def test_a_model_without_its_tower_says_what_is_missing(load: Load, tmp_path: Path) -> None:
    blind = load(tiny_folder(tmp_path, sees=TOWER))
    assert not blind.info.sees
    with pytest.raises(BlindModelError, match=r"lacks its vision tower \(the folder siglip2\)"):
        list(blind.run(TurnRequest(text="What is this?", image=picture(1)), lambda: False))


def test_a_tower_of_another_size_does_not_belong_to_the_model(engine: OmniEngine, tmp_path: Path) -> None:
    torch.save(weights(TowerShape()), tmp_path / "tower.bin")
    (tmp_path / "siglip2").mkdir()
    (tmp_path / "tower.bin").rename(tmp_path / "siglip2" / "pytorch_model.bin")
    with pytest.raises(DamagedModelError, match=r"64 rows of 768.*16 of 12"):
        load_eyes(tmp_path, engine._parts.config)
