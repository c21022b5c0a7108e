"""The engine end to end on a tiny model: real network, tokenizer, generation and streaming."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.omni.chat import Message
from app.omni.engine import OmniEngine
from app.omni.errors import DamagedModelError, TurnTooLongError
from app.omni.silence import is_quiet, silence_codes, soft_limit
from app.omni.turn import (
    AudioPiece,
    Exchange,
    Heard,
    StopReason,
    TextPiece,
    TurnPiece,
    TurnRequest,
    TurnStats,
)
from app.omni.voice import UnknownVoiceError
from tests.omni.tiny import ToneCodec, tiny_folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_folder(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def engine(load: Callable[..., OmniEngine], folder: Path) -> OmniEngine:
    return load(folder)


def question() -> np.ndarray:
    return (0.3 * np.sin(np.arange(16_000) / 7)).astype(np.float32)


def run(engine: OmniEngine, request: TurnRequest) -> tuple[list[TurnPiece], TurnStats]:
    pieces = list(engine.run(request, lambda: False))
    stats = pieces[-1]
    assert isinstance(stats, TurnStats)
    return pieces, stats


def frames_of(pieces: list[TurnPiece]) -> list[AudioPiece]:
    return [p for p in pieces if isinstance(p, AudioPiece)]


def test_load_reports_progress_and_describes_the_model(load: Callable[..., OmniEngine], folder: Path) -> None:
    seen: list[tuple[str, float]] = []
    info = load(folder, progress=lambda stage, fraction: seen.append((stage, fraction))).info
    fractions = [fraction for _, fraction in seen]
    assert fractions == sorted(fractions) and fractions[0] == 0 and fractions[-1] == 1
    assert info.name == "Tiny" and info.languages == ("en", "de") and info.voices == ("Zoe", "Adam", "Both")
    assert info.parameters > 10_000 and info.folder == str(folder)


def test_spoken_turn(engine: OmniEngine) -> None:
    pieces, stats = run(engine, TurnRequest(audio=question(), seed=4))
    assert pieces[0] == Heard("16 rows")
    audio = frames_of(pieces)
    assert [p.index for p in audio] == list(range(stats.frames)) and stats.frames >= 2
    assert all(p.samples.shape == (1920,) and p.samples.dtype == np.float32 for p in audio)
    assert "".join(p.text for p in pieces if isinstance(p, TextPiece)).strip() == stats.reply
    assert stats.heard == "16 rows" and stats.voice == "Zoe" and stats.seed == 4
    assert stats.audio_seconds == pytest.approx(stats.frames * 0.08)
    assert stats.rtf > 0 and stats.encode_ms > 0 and stats.prefill_ms > 0
    assert 0 < stats.step_ms_median <= stats.step_ms_p95
    assert stats.first_audio_ms > stats.encode_ms + stats.prefill_ms


def test_typed_turn(engine: OmniEngine) -> None:
    pieces, stats = run(engine, TurnRequest(text="Why?", seed=4))
    assert not any(isinstance(p, Heard) for p in pieces)
    assert stats.heard == "Why?" and stats.encode_ms == 0 and stats.frames > 0


def samples(pieces: list[TurnPiece]) -> np.ndarray:
    return np.concatenate([p.samples for p in frames_of(pieces)])


def test_seed_voice_and_history_decide_the_answer(engine: OmniEngine) -> None:
    base = TurnRequest(audio=question(), seed=4)
    expected = samples(run(engine, base)[0])
    assert np.array_equal(samples(run(engine, base)[0]), expected)
    history = (Exchange("Hi", "Hello"),)
    for other in (
        TurnRequest(audio=question(), seed=5),
        TurnRequest(audio=question(), seed=4, voice="Adam"),
        TurnRequest(audio=question(), seed=4, voice="Both"),
        TurnRequest(audio=question(), seed=4, history=history),
        TurnRequest(audio=question() ** 2, seed=4),
    ):
        assert not np.array_equal(samples(run(engine, other)[0])[:5000], expected[:5000])


@pytest.mark.parametrize("voice", ["Zoe", "Both"])
def test_the_system_prompt_comes_before_everything_else(
    engine: OmniEngine, monkeypatch: pytest.MonkeyPatch, voice: str
) -> None:
    """For a voice with reference codes, which may need a longer prompt, too."""
    prompts: list[list[Message]] = []
    encode = engine._chat.encode

    def noted(messages: Sequence[Message], **options: object) -> list[int]:
        prompts.append(list(messages))
        return encode(messages, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(engine._chat, "encode", noted)
    history = (Exchange("Hi", "Hello"),)
    run(engine, TurnRequest(text="Why?", system=" Be brief.\n", history=history, voice=voice, seed=1))
    assert [message.role for message in prompts[-1]] == ["system", "user", "assistant", "user"]
    assert prompts[-1][0].content.startswith("Be brief.")
    prompts.clear()
    run(engine, TurnRequest(text="Why?", seed=1))
    assert [message.role for message in prompts[0]] == ["user"]


def test_without_a_seed_each_turn_draws_its_own(engine: OmniEngine) -> None:
    seeds = {run(engine, TurnRequest(text="Hi"))[1].seed for _ in range(3)}
    assert len(seeds) == 3


def test_the_temperature_of_the_words_may_be_chosen(engine: OmniEngine) -> None:
    def reply(temperature: float | None, seed: int) -> str:
        return run(engine, TurnRequest(text="Hi", seed=seed, temperature=temperature))[1].reply

    assert len({reply(0.0, seed) for seed in range(4)}) == 1, "the likeliest words leave nothing to chance"
    assert len({reply(1.5, seed) for seed in range(4)}) > 1
    assert reply(None, 4) == reply(engine._parts.generation.temperature, 4)


def test_silent_question_still_answers(engine: OmniEngine) -> None:
    _, stats = run(engine, TurnRequest(audio=np.zeros(10, dtype=np.float32), seed=1))
    assert stats.heard == "1 rows" and stats.frames > 0


def test_cancel_within_one_step(engine: OmniEngine) -> None:
    heard: list[TurnPiece] = []
    for piece in engine.run(TurnRequest(audio=question(), seed=4), lambda: len(frames_of(heard)) >= 3):
        heard.append(piece)
    stats = heard[-1]
    assert isinstance(stats, TurnStats)
    assert stats.stop_reason is StopReason.CANCELLED and stats.frames == 3


def test_unknown_voice_lists_those_there_are(engine: OmniEngine) -> None:
    with pytest.raises(UnknownVoiceError, match=r"'Bob'.*Zoe, Adam, Both"):
        run(engine, TurnRequest(text="Hi", voice="Bob"))


def test_exactly_one_kind_of_question(engine: OmniEngine) -> None:
    for request in (TurnRequest(), TurnRequest(text="Hi", audio=question())):
        with pytest.raises(ValueError, match="either audio or text"):
            run(engine, request)


def test_old_history_makes_room_and_long_questions_are_refused(engine: OmniEngine) -> None:
    history = tuple(Exchange(f"question {i}", "an answer") for i in range(40))

    def answer(kept: tuple[Exchange, ...]) -> np.ndarray:
        return samples(run(engine, TurnRequest(text="Hi", seed=4, history=kept))[0])

    trimmed = answer(history)
    assert any(np.array_equal(trimmed, answer(history[-count:])) for count in range(1, 9))
    with pytest.raises(TurnTooLongError, match="fewer words"):
        run(engine, TurnRequest(text="why " * 300))


def test_a_model_may_want_little_history(load: Callable[..., OmniEngine], engine: OmniEngine, tmp_path: Path) -> None:
    config = tiny_folder(tmp_path) / "config.json"
    values = json.loads(config.read_text())
    values["banter"]["history_turns"] = 1
    config.write_text(json.dumps(values))
    history = tuple(Exchange(f"question {i}", "an answer") for i in range(3))
    turn = TurnRequest(text="Hi", seed=4, history=history)
    limited = samples(run(load(tmp_path), turn)[0])
    assert np.array_equal(limited, samples(run(engine, replace(turn, history=history[-1:]))[0]))
    assert not np.array_equal(limited, samples(run(engine, turn)[0]))


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_damaged_folders_are_one_clear_error(load: Callable[..., OmniEngine], tmp_path: Path, name: str) -> None:
    tiny_folder(tmp_path)
    path = tmp_path / name
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(DamagedModelError, match=name):
        load(tmp_path)
    path.unlink()
    with pytest.raises(DamagedModelError):
        load(tmp_path)


def test_folder_without_voices_has_the_models_own(load: Callable[..., OmniEngine], tmp_path: Path) -> None:
    tiny_folder(tmp_path)
    (tmp_path / "voices.safetensors").unlink()
    plain = load(tmp_path)
    assert plain.info.voices == ("default",)
    assert run(plain, TurnRequest(text="Hi", seed=1))[1].voice == "default"


def test_silence_codes_come_from_the_codec() -> None:
    assert silence_codes(ToneCodec()) == frozenset({0})


def test_quiet_and_limit() -> None:
    assert is_quiet(np.full(1920, 5e-4, dtype=np.float32)) and not is_quiet(np.full(1920, 0.01, dtype=np.float32))
    loud = np.array([0.5, -0.9, 1.3, -4.0], dtype=np.float32)
    limited = soft_limit(loud)
    assert limited[:2].tolist() == loud[:2].tolist()
    assert np.abs(limited).max() <= 1 and 0.9 < limited[2] < 1 and -1 <= limited[3] < -0.9
