"""Training sequences are what the engine will build: same template, same ids."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from app.omni.chat import ChatTemplate, Message
from app.omni.config import OmniConfig
from app.omni.prompt import build_prompt
from app.omni.tokenizer import OmniTokenizer
from app.omni.voice import load_voices
from app.training.batch import code_streams
from app.training.corpus import load_intents
from app.training.examples import EMPTY_THOUGHT, OPENING, Question, Sources, assemble, block, imagined
from app.training.model import load_tokenizer

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


def test_typed_and_heard_questions_are_the_engines() -> None:
    chat, tokenizer = ChatTemplate(OmniTokenizer.load(STARTER), OmniConfig.load(STARTER)), load_tokenizer(STARTER)
    sources = Sources(load_intents(), tokenizer, torch.ones(tokenizer.get_vocab_size(), 384))
    typed = assemble(sources, "", Question("Who are you?"), "I am Banter.")
    assert typed.text[: typed.start] == chat.encode([Message("user", "Who are you?", audio_rows=1)])
    heard = imagined("Who are you?", sources, np.random.default_rng(0))
    assert heard.pieces is not None
    spoken = assemble(sources, "", heard, "I am Banter.")
    rows = spoken.features(torch.zeros(384))
    assert spoken.text[: spoken.start] == chat.encode([Message("user", audio_rows=len(rows))])


def test_speaker_slot_is_where_training_puts_it(config: OmniConfig) -> None:
    voice = next(iter(load_voices(STARTER / "voices.safetensors", config).values()))
    ids = list(range(40, 60))
    prompt = build_prompt(config, ids, voice)
    streams, _ = code_streams(torch.zeros(8, 3, dtype=torch.long), len(ids), config)
    assert torch.equal(prompt.audio_ids, streams[:, : len(ids)])
