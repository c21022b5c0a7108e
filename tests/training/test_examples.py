"""Training sequences are what the engine will build: same template, same ids."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from app.omni.chat import ChatTemplate, Message
from app.omni.config import OmniConfig
from app.omni.prompt import build_prompt
from app.omni.tokenizer import OmniTokenizer
from app.omni.voice import load_voices
from app.training.batch import code_streams
from app.training.examples import EMPTY_THOUGHT, OPENING, block

STARTER = Path(__file__).parents[2] / "models" / "starter"
pytestmark = pytest.mark.skipif(not (STARTER / "tokenizer.json").exists(), reason="no starter model")


@pytest.fixture(scope="module")
def config() -> OmniConfig:
    return OmniConfig.load(STARTER)


def test_template_is_the_engines(config: OmniConfig) -> None:
    tokenizer = OmniTokenizer.load(STARTER)
    chat = ChatTemplate(tokenizer, config)
    earlier = [Message("user", "Tell me a riddle."), Message("assistant", "What has hands but cannot clap?")]
    trained = (
        block("user", earlier[0].content)
        + block("assistant", EMPTY_THOUGHT + earlier[1].content)
        + block("user", "<|audio_pad|>" * 5)
        + OPENING
        + EMPTY_THOUGHT
    )
    assert chat.encode([*earlier, Message("user", audio_rows=5)]) == tokenizer.encode(trained)


def test_speaker_slot_is_where_training_puts_it(config: OmniConfig) -> None:
    voice = next(iter(load_voices(STARTER / "voices.safetensors", config).values()))
    ids = list(range(40, 60))
    prompt = build_prompt(config, ids, voice)
    streams, _ = code_streams(torch.zeros(8, 3, dtype=torch.long), len(ids), config)
    assert torch.equal(prompt.audio_ids, streams[:, : len(ids)])
