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
from app.speech.codec_parts import CodecConfig, ResidualQuantiser
from app.speech.phrases import SENTENCE_PAUSE_S
from app.speech.pronunciation import Pronouncer
from app.speech.reader import Reader, ReaderConfig
from app.speech.text_reader import TextReader
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
def reading(engine: OmniEngine) -> OmniEngine:
    """The engine with a reader that knows three words, none of them well."""
    torch.manual_seed(0)
    entries = {"one": {"": "wˈʌn"}, "two": {"": "tˈu"}, "three": {"": "θɹˈi"}}
    reader = Reader(ReaderConfig(sound_width=16, sound_layers=1, width=16, layers=1, heads=2)).eval()
    codes = ResidualQuantiser(CodecConfig(codebook_size=16))
    codes.codebooks.normal_()
    return OmniEngine(
        replace(engine._parts, reader=TextReader(Pronouncer(entries), reader, lambda z: codes.encode(z).T))
    )


def test_texts_are_read(reading: OmniEngine) -> None:
    pieces, stats = run(reading, TurnRequest(say="One two, three. Two."))
    assert "".join(piece.text for piece in pieces if isinstance(piece, TextPiece)) == stats.reply
    assert (stats.reply, stats.stop_reason) == ("One two, three. Two.", StopReason.EOS)
    assert reading._parts.reader is not None
    decoder = ToneCodec().stream()
    read = reading._parts.reader.read("One two, three. Two.")
    assert np.allclose(frames(pieces), [decoder.step(frame) for word in read for frame in word.codes.T], atol=1e-6)


def test_what_nobody_can_read_is_refused_and_the_rest_is_read(reading: OmniEngine) -> None:
    with pytest.raises(SayError, match="English"):
        run(reading, TurnRequest(say="\u4f60\u597d"))
    assert run(reading, TurnRequest(say="\u4f60\u597d\ntwo"))[1].reply == "two"


def test_a_word_is_shown_when_it_begins(reading: OmniEngine) -> None:
    pieces, _ = run(reading, TurnRequest(say="One two three"))
    shown = [place for place, piece in enumerate(pieces) if isinstance(piece, TextPiece)]
    assert len(shown) == 3
    assert all(isinstance(pieces[place + 1], AudioPiece) for place in shown)


def test_reading_can_be_cancelled(reading: OmniEngine) -> None:
    heard: list[TurnPiece] = []
    for piece in reading.run(TurnRequest(say="one two, three. two"), lambda: len(frames(heard)) >= 4):
        heard.append(piece)
    stats = heard[-1]
    assert isinstance(stats, TurnStats)
    whole = run(reading, TurnRequest(say="one two, three. two"))[1].frames
    assert stats.stop_reason is StopReason.CANCELLED and 4 <= stats.frames < whole


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
