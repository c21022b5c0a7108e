"""Calls of tools: text that is neither shown nor spoken, in a model whose words are scripted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from app.omni.engine import OmniEngine
from app.omni.turn import AudioPiece, StopReason, TextPiece, ToolCallPiece, TurnPiece, TurnRequest, TurnStats
from app.speech import registry
from tests.omni.scripted_text import ScriptedText
from tests.omni.tiny import LevelEncoder, ToneCodec, tiny_folder

CALL = '{"name": "set_timer", "arguments": {"seconds": 120}}'

Answer = Callable[..., tuple[list[TurnPiece], TurnStats, ScriptedText]]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> OmniEngine:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "load_encoder", lambda kind, folder, int8: LevelEncoder())
        patch.setattr(registry, "load_codec", lambda kind, folder, int8: ToneCodec())
        return OmniEngine.load(tiny_folder(tmp_path_factory.mktemp("model")), threads=1)


@pytest.fixture
def answer(engine: OmniEngine) -> Answer:
    """Answer a question with words that are given as text with markers; a `|` is where `<|im_end|>` is drawn."""

    def run(script: str | Sequence[int], cancelled: Callable[[], bool] = lambda: False, **settings: object):  # type: ignore[no-untyped-def]
        parts = engine._parts
        ids = parts.tokenizer.encode(script.replace("|", "<|im_end|>")) if isinstance(script, str) else script
        network = ScriptedText(parts.network, ids, parts.config.vocab_size)
        generation = replace(parts.generation, max_new_tokens=250, **settings)  # type: ignore[arg-type]
        scripted = OmniEngine(replace(parts, network=network, generation=generation))
        pieces = list(scripted.run(TurnRequest(text="A timer, please", seed=3), cancelled))
        stats = pieces[-1]
        assert isinstance(stats, TurnStats)
        return pieces[:-1], stats, network

    return run


def test_a_call_is_neither_shown_nor_spoken(answer: Answer) -> None:
    pieces, stats, network = answer(f"<tool_call>\n{CALL}\n</tool_call>never drawn")
    assert pieces == [ToolCallPiece(f"\n{CALL}\n", True)]
    assert (stats.stop_reason, stats.frames, stats.reply) == (StopReason.TOOL_CALL, 0, "")
    assert not any(network.audio_wanted)


def test_line_breaks_before_a_call_are_no_words(answer: Answer) -> None:
    pieces, stats, _ = answer(f"\n\n<tool_call>{CALL}</tool_call>")
    assert pieces == [ToolCallPiece(CALL, True)]
    assert stats.stop_reason is StopReason.TOOL_CALL


@pytest.mark.parametrize("end", ["|", ""])
def test_a_call_that_is_not_closed_is_given_as_it_stands(answer: Answer, end: str) -> None:
    pieces, stats, _ = answer(f'<tool_call>{{"name": {end}', max_call_tokens=20)
    (call,) = pieces
    assert isinstance(call, ToolCallPiece) and not call.closed
    assert call.text.startswith('{"name": ') and len(call.text) <= 20
    assert stats.stop_reason is StopReason.TOOL_CALL


def test_words_before_a_call_are_spoken_to_their_end(answer: Answer) -> None:
    plain, said, first = answer("Let me see.|")
    pieces, stats, network = answer(f"Let me see.<tool_call>{CALL}</tool_call>")
    assert pieces[-1] == ToolCallPiece(CALL, True)
    frames = [piece.samples.tolist() for piece in pieces if isinstance(piece, AudioPiece)]
    assert frames == [piece.samples.tolist() for piece in plain if isinstance(piece, AudioPiece)] != []
    assert "".join(piece.text for piece in pieces if isinstance(piece, TextPiece)) == "Let me see."
    assert (stats.stop_reason, stats.frames, stats.reply) == (StopReason.TOOL_CALL, said.frames, "Let me see.")
    again = network.prompts[1]
    assert again[: len(first.prompts[0])] == first.prompts[0] and len(again) > len(first.prompts[0])


def test_markers_that_are_plain_text_are_words(engine: OmniEngine, answer: Answer) -> None:
    tokenizer = engine._parts.tokenizer
    letters = [i for letter in "<tool_call>x</tool_call>" for i in tokenizer.encode(letter)]
    pieces, stats, _ = answer([*letters, *tokenizer.encode("<|im_end|>")])
    assert not any(isinstance(piece, ToolCallPiece) for piece in pieces)
    assert stats.reply == "<tool_call>x</tool_call>" and stats.frames > 0


def test_as_published_a_call_is_text_like_any_other(answer: Answer) -> None:
    pieces, stats, _ = answer("<tool_call>x</tool_call>|", tool_calls=False)
    assert not any(isinstance(piece, ToolCallPiece) for piece in pieces)
    assert stats.reply == "<tool_call>x</tool_call>" and stats.frames > 0


def test_a_call_in_thoughts_is_a_thought(answer: Answer) -> None:
    pieces, stats, _ = answer("<tool_call>x</tool_call></think>\n\nHi.|", open_thinking=True)
    assert not any(isinstance(piece, ToolCallPiece) for piece in pieces)
    assert stats.reply == "Hi." and stats.frames > 0
    pieces, stats, _ = answer(f"Well.</think>\n\n<tool_call>{CALL}</tool_call>", open_thinking=True)
    assert pieces == [ToolCallPiece(CALL, True)]


def test_a_call_that_is_given_up_is_not_given_out(answer: Answer) -> None:
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > 12

    pieces, stats, _ = answer(f"<tool_call>{CALL}</tool_call>", cancelled)
    assert pieces == [] and stats.stop_reason is StopReason.CANCELLED
