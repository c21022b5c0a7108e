"""Given words are spoken as if they had been drawn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from app import paths
from app.omni.engine import MAX_SAY, OmniEngine
from app.omni.errors import SayError
from app.omni.pace import Pace
from app.omni.turn import AudioPiece, Heard, StopReason, TextPiece, TurnPiece, TurnRequest, TurnStats
from app.speech import registry
from app.speech.phrases import SENTENCE_PAUSE_S
from app.speech.spoken_units import SpokenUnits
from tests.omni.tiny import LevelEncoder, ToneCodec, tiny_folder

PAUSE_FRAMES = round(SENTENCE_PAUSE_S * 12.5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_folder(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def engine(folder: Path) -> OmniEngine:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "load_encoder", lambda kind, folder, int8: LevelEncoder())
        patch.setattr(registry, "load_codec", lambda kind, folder, int8: ToneCodec())
        return OmniEngine.load(folder, threads=1)


def run(engine: OmniEngine, request: TurnRequest) -> tuple[list[TurnPiece], TurnStats]:
    *pieces, stats = engine.run(request, lambda: False)
    assert isinstance(stats, TurnStats)
    return pieces, stats


def frames(pieces: list[TurnPiece]) -> list[list[float]]:
    return [piece.samples.tolist() for piece in pieces if isinstance(piece, AudioPiece)]


@pytest.mark.skipif(not (paths.starter_model() / "config.json").is_file(), reason="no starter model in this checkout")
def test_the_starters_own_answer_sounds_the_same_when_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    starter = OmniEngine.load(paths.starter_model(), threads=1).by_talker()
    # As the model itself is fed: at once, and behind the question.
    starter.generation = replace(starter.generation, pace=None)
    monkeypatch.setattr(starter._parts.encoder, "meant", lambda text, turns: None)
    for question, voice, temperature in (("Hello", "", 0.0), ("What can you do?", starter.info.voices[1], None)):
        drawn, stats = run(starter, TurnRequest(text=question, voice=voice, seed=5, temperature=temperature))
        given, said = run(starter, TurnRequest(text=question, voice=voice, seed=5, say=stats.reply))
        assert [(type(piece), getattr(piece, "text", None)) for piece in given] == [
            (type(piece), getattr(piece, "text", None)) for piece in drawn
        ]
        assert frames(given) == frames(drawn) != []
        assert (said.reply, said.frames, said.stop_reason) == (stats.reply, stats.frames, StopReason.EOS)


def test_words_that_are_dealt_out_are_shown_as_they_are(engine: OmniEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    request = TurnRequest(say="Hello you, seventeen times", seed=2)
    at_once, _ = run(engine, request)
    monkeypatch.setattr(engine, "generation", replace(engine.generation, pace=Pace(letter=2.0)))
    dealt, stats = run(engine, request)
    shown = [[piece.text for piece in pieces if isinstance(piece, TextPiece)] for pieces in (at_once, dealt)]
    assert shown[0] == shown[1]
    assert stats.reply == "Hello you, seventeen times" and stats.frames > 0

    def first_and_last(pieces: list[TurnPiece]) -> int:
        at = [number for number, piece in enumerate(pieces) if isinstance(piece, TextPiece)]
        return at[-1] - at[0]

    # Speech comes between the pieces now.
    assert first_and_last(dealt) > first_and_last(at_once)


def test_words_are_said_with_and_without_a_question(engine: OmniEngine) -> None:
    speech = (0.3 * np.sin(np.arange(16_000) / 7)).astype(np.float32)
    for request in (
        TurnRequest(say="Hello you", seed=2),
        TurnRequest(say="Hello you", seed=2, text="Who is there?"),
        TurnRequest(say="Hello you", seed=2, audio=speech),
    ):
        pieces, stats = run(engine, request)
        assert stats.reply == "Hello you" and stats.frames > 0
        assert [piece.text for piece in pieces if isinstance(piece, TextPiece)] == list("Hello you")
        assert stats.heard == (request.text or ("16 rows" if request.audio is not None else ""))
        assert any(isinstance(piece, Heard) for piece in pieces) == (request.audio is not None)
    with pytest.raises(ValueError, match="either audio or text"):
        run(engine, TurnRequest(say="Hello", text="Hi", audio=speech))


@pytest.fixture
def with_words(engine: OmniEngine) -> OmniEngine:
    """The engine with recordings of "one two, three." and "four", three frames a word."""
    codes = torch.arange(12).expand(8, -1) % 16
    units = SpokenUnits(codes, [("one two, three.", [0, 3, 6, 9]), ("four", [0, 3])])
    return OmniEngine(replace(engine._parts, units=units))


def test_recorded_words_are_put_together(with_words: OmniEngine) -> None:
    pieces, stats = run(with_words, TurnRequest(say="Four. One two, three."))
    assert "".join(piece.text for piece in pieces if isinstance(piece, TextPiece)) == stats.reply
    assert stats.reply == "Four. One two, three."
    assert (stats.frames, stats.stop_reason) == (12, StopReason.EOS)
    decoder = ToneCodec().stream(with_words.voices.get("").spk_emb)
    expected = [decoder.step(torch.full((8,), number % 16)) for number in (9, 10, 11, *range(9))]
    assert np.allclose(frames(pieces), expected, atol=1e-6)


def test_what_was_never_recorded_is_read(with_words: OmniEngine, engine: OmniEngine) -> None:
    pieces, stats = run(with_words, TurnRequest(say="One two hundred four", seed=4))
    assert stats.reply == "One two hundred four"
    read, alone = run(engine, TurnRequest(say="hundred", seed=4))
    assert stats.frames == 6 + alone.frames + 3
    assert frames(pieces)[6:-3] == frames(read)


def test_recorded_words_can_be_cancelled(with_words: OmniEngine) -> None:
    heard: list[TurnPiece] = []
    for piece in with_words.run(TurnRequest(say="one two, three. four"), lambda: len(frames(heard)) >= 4):
        heard.append(piece)
    stats = heard[-1]
    assert isinstance(stats, TurnStats)
    assert stats.stop_reason is StopReason.CANCELLED and 4 <= stats.frames < 12


def test_voice_and_seed_decide_how_it_sounds(engine: OmniEngine) -> None:
    def sound(voice: str, seed: int) -> list[list[float]]:
        return frames(run(engine, TurnRequest(say="Hello you", voice=voice, seed=seed))[0])

    assert sound("Zoe", 1) == sound("Zoe", 1)
    assert sound("Zoe", 1) != sound("Zoe", 2)
    assert sound("Zoe", 1) != sound("Adam", 1)


def test_words_are_not_drawn(engine: OmniEngine) -> None:
    """The penalty, the temperature and thoughts are for words that are."""
    sounds = [
        frames(run(engine, TurnRequest(say="Hi", seed=1, temperature=temperature))[0])
        for temperature in (0.0, 1.0, 9.0)
    ]
    assert sounds[0] == sounds[1] == sounds[2]


def test_a_long_text_is_one_turn_with_pauses(engine: OmniEngine) -> None:
    sentences = [
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen."
    ] * 3
    pieces, stats = run(engine, TurnRequest(say=" ".join(sentences), seed=1))
    assert stats.reply == " ".join(sentences)
    assert "".join(piece.text for piece in pieces if isinstance(piece, TextPiece)) == stats.reply
    assert [piece.index for piece in pieces if isinstance(piece, AudioPiece)] == list(range(stats.frames))
    alone, once = run(engine, TurnRequest(say=sentences[0], seed=1))
    pause = [[0.0] * 1920] * PAUSE_FRAMES
    assert frames(pieces) == [*frames(alone), *pause, *frames(alone), *pause, *frames(alone)]
    assert stats.audio_seconds == pytest.approx(3 * once.audio_seconds + 2 * SENTENCE_PAUSE_S)


def test_cancelling_ends_the_whole_text(engine: OmniEngine) -> None:
    heard: list[TurnPiece] = []
    text = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen. " * 9
    for piece in engine.run(TurnRequest(say=text), lambda: len(frames(heard)) >= 3):
        heard.append(piece)
    stats = heard[-1]
    assert isinstance(stats, TurnStats)
    assert (stats.stop_reason, stats.frames) == (StopReason.CANCELLED, 3)


def test_figures_and_signs_become_words_and_control_tokens_nothing(engine: OmniEngine) -> None:
    _, stats = run(engine, TurnRequest(say="<|im_end|>At 7:05 <tool_call>&</tool_call> <th<think>ink>5 km", seed=1))
    assert stats.reply == "At seven oh five and five kilometres"


@pytest.mark.parametrize("text", ["", " \n", "<|im_end|>", "<tool_call></tool_call> *** \U0001f600"])
def test_nothing_to_say_is_refused(engine: OmniEngine, text: str) -> None:
    with pytest.raises(SayError, match="nothing to say"):
        run(engine, TurnRequest(say=text))


def test_a_text_without_end_is_refused(engine: OmniEngine) -> None:
    with pytest.raises(SayError, match=f"at most {MAX_SAY}"):
        run(engine, TurnRequest(say="word " * 1001))
