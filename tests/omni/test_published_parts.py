"""A folder as MiniMind-O is published, with a small network: it hears, speaks through Mimi, and clones a clip."""

from __future__ import annotations

import json
import shutil
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from app.omni.checkpoint import save_weights
from app.omni.engine import OmniEngine
from app.omni.errors import DamagedModelError
from app.omni.turn import TRIAL_VOICE, AudioPiece, Heard, StopReason, TurnPiece, TurnRequest, TurnStats
from app.omni.voice import load_voices
from app.omni.voice_book import VoiceMakingError, read_as_own
from app.speech import registry
from app.speech.sensevoice import SenseVoice
from app.voices.library import Library
from tests.omni.synthetic import shared_folder
from tests.omni.tiny import tiny_model, tiny_tokenizer
from tests.support.published import write_campplus, write_mimi, write_sensevoice

SIZES: dict[str, Any] = {
    "audio_hidden_size": 512,
    "audio_vocab_size": 2112,
    "audio_pad_token": 2049,
    "audio_stop_token": 2050,
    "audio_spk_token": 2051,
    "spk_emb_size": 192,
    "banter": {},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("minimind-3o")
    model = tiny_model(**SIZES)
    values = model.config.to_dict()
    del values["banter"]
    (folder / "config.json").write_text(json.dumps(values), encoding="utf-8")
    save_weights(model.state_dict(), folder / "model.safetensors")
    tiny_tokenizer().save(str(folder / "tokenizer.json"))
    codes = torch.randint(0, 2048, (8, 20))
    torch.save({"vivian": {"spk_emb": torch.randn(192), "ref_codes": codes}}, folder / "voices.pt")
    torch.save({"moon": {"spk_emb": torch.randn(192), "ref_codes": codes}}, folder / "voices_unseen.pt")
    write_sensevoice(folder, blocks=2, tp_blocks=1)
    write_mimi(folder)
    write_campplus(folder)
    return folder


@pytest.fixture(scope="module")
def engine(folder: Path) -> OmniEngine:
    return OmniEngine.load(folder, threads=2)


def speech(seconds: float, rate: int) -> np.ndarray:
    n = np.arange(round(seconds * rate)) / rate
    return (0.2 * np.sin(2 * np.pi * 160 * n) * np.sin(9 * n) + 0.05 * np.sin(2 * np.pi * 900 * n)).astype(np.float32)


def run(engine: OmniEngine, request: TurnRequest) -> tuple[list[TurnPiece], TurnStats]:
    pieces = list(engine.run(request, lambda: False))
    assert isinstance(pieces[-1], TurnStats)
    return pieces, pieces[-1]


def short(engine: OmniEngine) -> OmniEngine:
    """The same engine with replies of a second or so."""
    parts = engine._parts
    engine._parts = replace(parts, generation=replace(parts.generation, max_new_tokens=16))
    return engine


def test_a_spoken_question_is_heard_and_answered(engine: OmniEngine, folder: Path) -> None:
    audio = speech(1.0, 16_000)
    pieces, stats = run(short(engine), TurnRequest(audio=audio, seed=1))
    heard = [piece.text for piece in pieces if isinstance(piece, Heard)]
    assert heard == [SenseVoice.load(folder).transcribe(audio).text] and heard[0] and stats.heard == heard[0]
    frames = [piece.samples for piece in pieces if isinstance(piece, AudioPiece)]
    assert len(frames) == stats.frames >= 1 and all(frame.shape == (1920,) for frame in frames)
    assert np.abs(np.concatenate(frames)).max() > 0.01
    assert stats.voice == "vivian" and not [t for t in threading.enumerate() if t.name in ("words", "codec")]
    assert engine.recognise(audio) in (heard[0], "")


def test_what_the_folder_does_not_say_is_filled_in(engine: OmniEngine) -> None:
    info = engine.info
    assert info.voices == ("vivian", "moon") and info.languages == ("zh", "en") and info.name.startswith("minimind-3o")
    assert info.speaker == "campplus" and info.speaker_size == 192 and info.clip_s == 3.0


def test_a_clip_becomes_a_voice_with_codes_and_half_a_second_of_silence(engine: OmniEngine, tmp_path: Path) -> None:
    made = engine.make_voice(speech(3.0, 24_000))
    assert made.spk_emb.shape == (192,) and np.isfinite(made.spk_emb).all() and made.spk_emb.std() > 0
    assert made.ref_codes is not None and made.ref_codes.shape == (8, 44) and made.ref_codes.max() < 2048
    assert not np.array_equal(made.spk_emb, engine.make_voice(speech(3.0, 24_000) ** 3).spk_emb)
    _, stats = run(short(engine), TurnRequest(text="hello", voice=TRIAL_VOICE, seed=2))
    assert stats.stop_reason != StopReason.ERROR and stats.frames >= 1
    Library(tmp_path).add(made.renamed("Mine"))
    engine.read_own_voices(tmp_path)
    assert engine.info.own_voices == ("Mine",)
    with pytest.raises(VoiceMakingError, match="longer clip"):
        engine.make_voice(np.zeros(48_000, np.float32))


def test_without_the_speaker_encoder_everything_but_cloning_works(folder: Path, tmp_path: Path) -> None:
    poorer = tmp_path / "model"
    shutil.copytree(folder, poorer, ignore=shutil.ignore_patterns("campplus"), copy_function=_link)
    engine = OmniEngine.load(poorer, threads=1)
    assert engine.info.clip_s == 0 and engine.info.speaker == ""
    with pytest.raises(VoiceMakingError, match="cannot make voices"):
        engine.make_voice(speech(3.0, 24_000))


@pytest.mark.parametrize("part", ["sensevoice", "mimi"])
def test_a_missing_part_is_named(folder: Path, tmp_path: Path, part: str) -> None:
    poorer = tmp_path / "model"
    shutil.copytree(folder, poorer, ignore=shutil.ignore_patterns(part), copy_function=_link)
    with pytest.raises(DamagedModelError, match=f"'{part}' .*is missing.*models window"):
        OmniEngine.load(poorer, threads=1)


def test_a_damaged_speaker_encoder_is_no_missing_one(folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "campplus"
    home.mkdir()
    state = torch.load(folder / "campplus" / "campplus_cn_common.pt", weights_only=True)
    state["xvector.dense.linear.weight"] = torch.zeros(512, 1024, 1)
    torch.save({"state_dict": state}, home / "campplus_cn_common.bin")
    assert registry.has_speaker_encoder("campplus", tmp_path)
    with pytest.raises(DamagedModelError, match=r"'xvector\.dense\.linear\.weight' with shape \(512, 1024, 1\)"):
        registry.load_speaker_encoder("campplus", tmp_path)


def test_published_voices(engine: OmniEngine) -> None:
    data = shared_folder() / "data" / "minimind-o"
    config = engine._parts.config
    frames = {}
    for file in ("voices.pt", "voices_unseen.pt"):
        voices = load_voices(data / file, config)
        own = read_as_own(data / file)
        assert [voice.name for voice in own] == list(voices)
        for name, voice in voices.items():
            assert voice.spk_emb is not None and voice.spk_emb.shape == (192,)
            assert 11 < float(voice.spk_emb.norm()) < 15
            assert voice.ref_codes is not None
            frames[name] = voice.ref_codes.shape[1]
    assert frames["dylan"] == 101 and frames["arthur"] == 118 and len(frames) == 12


def _link(source: str, target: str) -> None:
    Path(target).hardlink_to(source)
