"""A folder in the published layout, full size and with random weights: it hears, sees, clones and speaks."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch
from torch import Tensor

from app.ask import Question
from app.omni.checkpoint import build_model, config_of, load_model
from app.omni.config import OmniConfig
from app.omni.engine import OmniEngine
from app.omni.silence import soft_limit
from app.omni.turn import FRAME_SAMPLES, TRIAL_VOICE, AudioPiece, TurnPiece, TurnRequest, TurnStats
from app.pictures import read_picture
from app.speech.interfaces import StreamingDecoder
from tests.support.published import write_campplus, write_mimi, write_sensevoice
from tests.support.published_network import (
    network_shapes,
    random_weights,
    tower_shapes,
    write_network,
    write_siglip2,
)

PICTURE = Path(__file__).parent.parent / "assets" / "screenshots" / "welcome-light.png"


def test_the_published_key_sets() -> None:
    dense, moe, tower = network_shapes(False), network_shapes(True), tower_shapes()
    assert (len(dense), len(moe)) == (195, 315)

    def values(shapes: dict[str, tuple[int, ...]]) -> int:
        return sum(int(np.prod(shape)) for name, shape in shapes.items() if name != "lm_head.weight")

    assert (values(dense), values(moe), values(tower)) == (113_131_266, 314_887_938, 94_552_320)


@pytest.mark.parametrize("moe", [False, True])
def test_the_network_takes_exactly_these_keys(moe: bool) -> None:
    # Without values, so that a mixture of experts takes no gigabyte.
    state = {
        name: torch.empty(shape, dtype=torch.float16, device="meta") for name, shape in network_shapes(moe).items()
    }
    config = config_of(state)
    assert config.use_moe == moe
    model = build_model(config, state)
    assert {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()} == network_shapes(moe)
    assert build_model(OmniConfig(use_moe=moe), state).config.use_moe == moe


class Recorded:
    """A stream of the codec that keeps the codes."""

    def __init__(self, stream: StreamingDecoder, kept: list[Tensor]) -> None:
        self._stream, self._kept = stream, kept

    def step(self, codes: Tensor) -> np.ndarray:
        self._kept.append(codes.clone())
        return self._stream.step(codes)


def record(engine: OmniEngine, monkeypatch: pytest.MonkeyPatch) -> list[Tensor]:
    """Keep the codes, int64 [8] each, that the engine's codec is given from now on."""
    kept: list[Tensor] = []
    stream: Callable[..., StreamingDecoder] = engine._parts.codec.stream
    monkeypatch.setattr(engine._parts.codec, "stream", lambda speaker=None: Recorded(stream(speaker), kept))
    return kept


def first(engine: OmniEngine, request: TurnRequest, frames: int) -> tuple[np.ndarray, TurnStats]:
    """The first frames of the answer, and the figures of the turn, which is given up after them."""
    pieces: list[TurnPiece] = []

    def enough() -> bool:
        return sum(isinstance(piece, AudioPiece) for piece in pieces) >= frames

    for piece in engine.run(request, enough):
        pieces.append(piece)
    stats = pieces[-1]
    assert isinstance(stats, TurnStats) and stats.frames >= frames
    sound = [piece.samples for piece in pieces if isinstance(piece, AudioPiece)]
    assert {piece.shape for piece in sound} == {(FRAME_SAMPLES,)}
    return np.concatenate(sound), stats


def speech(seconds: float, rate: int) -> np.ndarray:
    """A hum that rises and falls like syllables."""
    time = np.arange(round(seconds * rate)) / rate
    tone = sum(np.sin(2 * np.pi * 140 * k * time + k) / k for k in range(1, 12))
    return (0.1 * tone * (0.55 + 0.45 * np.sin(2 * np.pi * 4 * time))).astype(np.float32)


@pytest.mark.slow
def test_a_published_folder_in_both_formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for write in (write_sensevoice, write_mimi, write_campplus, write_siglip2):
        write(tmp_path)
    state = random_weights(network_shapes(False))
    weights = write_network(tmp_path, state, "hugging_face")
    assert weights.stat().st_size == pytest.approx(226_325_163, rel=0.001)
    engine = OmniEngine.load(tmp_path, threads=1)
    assert engine.info.sees and engine.info.clip_s > 0 and engine.info.parameters == 113_131_266
    assert engine.info.languages == ("zh", "en")

    kept = record(engine, monkeypatch)
    # It answers a WAV, and Mimi is streamed: frame by frame what it decodes at once.
    soundfile.write(tmp_path / "q.wav", speech(1.5, 44_100), 44_100)
    request = Question(audio=tmp_path / "q.wav", seed=5).request()
    heard, stats = first(engine, request, 4)
    assert stats.encode_ms > 0 and np.isfinite(heard).all() and np.abs(heard).max() > 1e-4
    whole = engine._parts.codec.decode(torch.stack(kept, dim=1))
    np.testing.assert_allclose(heard, soft_limit(whole)[: len(heard)], atol=1e-3)

    # It sees a picture, with a spoken question and with a typed one.
    image = read_picture(PICTURE)
    assert not np.array_equal(
        first(engine, TurnRequest(request.audio, image=image, seed=5), 2)[0], heard[: 2 * FRAME_SAMPLES]
    )
    alone = first(engine, TurnRequest(text="What is this?", seed=5), 2)[0]
    seen = first(engine, TurnRequest(text="What is this?", seed=5, image=image), 2)[0]
    assert not np.array_equal(seen, alone)

    # It clones a clip, and speaks with that voice.
    voice = engine.make_voice(speech(4.0, 24_000))
    assert voice.spk_emb.shape == (192,) and voice.ref_codes is not None and len(voice.ref_codes) == 8
    cloned, stats = first(engine, TurnRequest(text="What is this?", seed=5, voice=TRIAL_VOICE), 2)
    assert stats.voice == TRIAL_VOICE and not np.array_equal(cloned, alone)

    # The native file alone, without config.json: the same network, rounded otherwise.
    del engine
    monkeypatch.undo()
    gc.collect()
    for name in ("pytorch_model.bin", "config.json", "generation_config.json", "model_omni.py", "model_minimind.py"):
        (tmp_path / name).unlink()
    weights = write_network(tmp_path, state, "native")
    assert weights.stat().st_size == pytest.approx(236_148_080, rel=0.001)
    loaded = load_model(tmp_path).state_dict()
    assert loaded.keys() == state.keys()
    assert all(torch.equal(loaded[name], tensor.half().float()) for name, tensor in state.items())
    del loaded
    engine = OmniEngine.load(tmp_path, threads=1)
    assert engine.info.sees and engine.info.parameters == 113_131_266
    again, _ = first(engine, request, 2)
    assert np.isfinite(again).all()
