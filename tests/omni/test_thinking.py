"""Thoughts: neither shown nor spoken, and ended where the model does not end them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.omni.config import OmniConfig
from app.omni.engine import OmniEngine
from app.omni.generate import GenerationConfig
from app.omni.turn import AudioPiece, StopReason, TextPiece, TurnRequest, TurnStats
from tests.omni.scripted_text import ScriptedText
from tests.omni.tiny import tiny_folder

Load = Callable[..., OmniEngine]


@pytest.fixture(scope="module")
def engine(load: Load, tmp_path_factory: pytest.TempPathFactory) -> OmniEngine:
    return load(tiny_folder(tmp_path_factory.mktemp("model")))


def thinking(engine: OmniEngine, script: list[int], **settings: object) -> tuple[str, int, TurnStats, ScriptedText]:
    """What is shown, how many frames are spoken, the figures and the network, with `script` as the model's words."""
    parts = engine._parts
    values = {"temperature": 0.0, "open_thinking": True, "max_new_tokens": 100, **settings}
    network = ScriptedText(parts.network, script, parts.config.vocab_size)
    generation = replace(parts.generation, **values)  # type: ignore[arg-type]
    twin = OmniEngine(replace(parts, network=network, generation=generation))
    pieces = list(twin.run(TurnRequest(text="Why?", seed=3), lambda: False))
    stats = pieces[-1]
    assert isinstance(stats, TurnStats)
    shown = "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))
    return shown, sum(isinstance(piece, AudioPiece) for piece in pieces), stats, network


def ids(engine: OmniEngine, text: str) -> list[int]:
    return engine._parts.tokenizer.encode(text)


def test_the_prompt_leaves_the_thoughts_open_and_they_are_not_part_of_the_answer(engine: OmniEngine) -> None:
    script = [*ids(engine, "Light is scattered.\n</think>\n\nBlue."), 2]
    shown, frames, stats, network = thinking(engine, script)
    prompt = engine._parts.tokenizer.decode(network.prompts[0])
    assert prompt.endswith("<think>\n") and "</think>" not in prompt
    assert shown.strip() == stats.reply == "Blue."
    assert frames == stats.frames > 0 and stats.stop_reason is not StopReason.ERROR
    # While it thinks, nothing is asked of the Talker.
    thoughts = len(ids(engine, "Light is scattered.\n</think>\n\n"))
    assert not any(network.audio_wanted[: thoughts - 1]) and network.audio_wanted[thoughts + 1]


def test_thoughts_that_never_end_are_cut_and_an_answer_follows(engine: OmniEngine) -> None:
    hum = ids(engine, "m")
    shown, frames, stats, _ = thinking(engine, hum, max_thinking_tokens=20)
    assert set(shown.strip()) == {"m"} and len(shown.strip()) <= 100 - 20 - 3
    assert frames > 0 and stats.stop_reason is not StopReason.ERROR


def test_thoughts_leave_room_for_an_answer_whatever_their_own_limit_is(engine: OmniEngine) -> None:
    shown, frames, _, _ = thinking(engine, ids(engine, "m"), max_new_tokens=60, max_thinking_tokens=500)
    assert 0 < len(shown.strip()) <= 60 - 30 - 3 and frames > 0


def test_thoughts_end_without_the_line_breaks_that_belong_behind_them(engine: OmniEngine) -> None:
    shown, frames, _, _ = thinking(engine, [*ids(engine, "Hm.</think>??Blue."), 2], max_thinking_tokens=90)
    # The two line breaks take the place of what was drawn for them.
    assert shown.strip() == "Blue." and frames > 0


def test_the_end_of_the_answer_is_no_end_of_thoughts(engine: OmniEngine) -> None:
    shown, frames, stats, _ = thinking(engine, [*ids(engine, "Hm."), 2, *ids(engine, "\n</think>\n\nBlue."), 2])
    assert stats.reply == shown.strip() == "Blue." and frames > 0


def test_a_call_of_a_tool_in_thoughts_is_a_thought(engine: OmniEngine) -> None:
    call = '<tool_call>{"name": "coin"}</tool_call>'
    shown, _, stats, _ = thinking(engine, [*ids(engine, call + "\n</think>\n\nBlue."), 2])
    assert shown.strip() == "Blue." and stats.stop_reason is not StopReason.TOOL_CALL


def test_given_words_are_said_without_thoughts(engine: OmniEngine) -> None:
    parts = engine._parts
    twin = OmniEngine(replace(parts, generation=replace(parts.generation, open_thinking=True)))
    pieces = list(twin.run(TurnRequest(text="Why?", say="Because.", seed=3), lambda: False))
    assert "".join(piece.text for piece in pieces if isinstance(piece, TextPiece)).strip() == "Because."


def test_it_is_a_setting_of_the_model() -> None:
    assert GenerationConfig.from_dict({"open_thinking": True}).open_thinking
    assert not GenerationConfig().open_thinking


def test_config_json_of_a_model_switches_it_on(load: Load, tmp_path: Path) -> None:
    config = OmniConfig.load(tiny_folder(tmp_path))
    section = config.banter | {"generation": config.banter["generation"] | {"open_thinking": True}}
    replace(config, banter=section).save(tmp_path)
    assert load(tmp_path)._parts.generation.open_thinking
