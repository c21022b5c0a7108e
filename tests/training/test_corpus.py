"""The corpus: what is learnt, what is held out, and how questions become examples."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from app.measure import errors, faults, nearest, words
from app.omni.config import OmniConfig
from app.training.batch import TextBatch, code_streams
from app.training.corpus import load_intents
from app.training.examples import Example, vary
from app.training.kokoro import RESERVED_VOICES
from app.training.model import starter_config
from app.training.synthesize import ANSWER_SPEEDS, DEFAULT_SOURCE, SOURCES, VOICES, plan_answers, plan_dev, trim
from app.training.talker import spoil
from tests.support.sentences import random_encoder


def test_every_intent_without_slots_is_learnt() -> None:
    learnt = [intent.id for intent in load_intents()]
    assert len(learnt) == len(set(learnt)) > 1_415
    assert {"smalltalk", "control", "fallback", "knowledge", "advice", "tool"} == {i.domain for i in load_intents()}


def test_development_wordings_are_never_trained_on() -> None:
    intents = load_intents()
    for intent in intents:
        assert len(intent.dev_questions) == 2 or intent.domain == "tool"
        assert intent.dev_questions and intent.train_questions
    taught = {q.lower() for intent in intents for q in intent.train_questions}
    held = [q for intent in intents for q in intent.dev_questions]
    assert sum(q.lower() in taught for q in held) <= len(held) // 100


def test_reserved_voices_only_evaluate() -> None:
    assert DEFAULT_SOURCE not in RESERVED_VOICES
    assert {u.voice for u in plan_dev()} == RESERVED_VOICES
    assert VOICES.keys() == SOURCES.keys() and len({*SOURCES.values()}) == len(VOICES) >= 8
    assert RESERVED_VOICES.isdisjoint(SOURCES.values())


def test_plan_speaks_every_answer_once_at_each_speed() -> None:
    plan = plan_answers()
    assert len(plan) == len(load_intents()) * len(ANSWER_SPEEDS)
    assert len({(u.intent, u.voice, u.speed) for u in plan}) == len(plan)


def test_vary_keeps_the_sense() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        said = set(words(vary("What's the capital of France?", rng)))
        assert len(said & {"whats", "the", "capital", "of", "france"}) >= 2


def test_trim_keeps_the_words() -> None:
    audio = np.concatenate((np.zeros(9000), np.ones(2400), np.zeros(9000)))
    cut = trim(audio)
    assert 2400 < len(cut) < 2400 + 0.3 * 24_000
    assert cut.sum() == 2400


@pytest.fixture
def config() -> OmniConfig:
    return starter_config((25, 234, 234))


def test_code_streams_follow_the_training_layout(config: OmniConfig) -> None:
    """Answer code k of codebook i stands at A + 1 + i + k, its stop after it, the speaker slot at A − 1."""
    codes = torch.arange(8 * 5).view(8, 5)
    audio, target = code_streams(codes, 10, config)
    assert audio.shape == target.shape == (8, 10 + 5 + 9)
    assert (audio[:, 9] == config.audio_spk_token).all()
    for book in range(8):
        first = 11 + book
        assert torch.equal(audio[book, first : first + 5], codes[book])
        assert torch.equal(target[book, first - 1 : first + 4], codes[book])
        assert int(target[book, first + 4]) == config.audio_stop_token
        assert (target[book] != -100).sum() == 6


def test_text_targets_are_the_answer_and_its_end(config: OmniConfig) -> None:
    whole = Example(text=[7] * 10 + [50, 51, 2, 234], start=10, answer=[50, 51], sentence="what time is it")
    begun = Example(text=[7] * 4 + [50, 51], start=4, answer=[50, 51], sentence="now", pieces=torch.ones(2, 384))
    sentences = random_encoder()
    batch = TextBatch([whole, begun], config, sentences)
    assert batch.target[0, 9:12].tolist() == [50, 51, 2]
    assert (batch.target[0] != -100).sum() == 3
    assert batch.target[1, 3:5].tolist() == [50, 51]
    assert (batch.target[1] != -100).sum() == 2
    # A typed question has one row, its meaning; a heard one has its pieces before it.
    assert batch.feature_lengths.tolist() == [1, 3]
    typed, heard = sentences.vectors(["what time is it", "now"])
    assert torch.equal(batch.features[0, 0], torch.cat((torch.zeros(384), typed)))
    assert torch.equal(batch.features[1, 2], torch.cat((torch.zeros(384), heard)))
    assert torch.equal(batch.features[1, :2], torch.cat((torch.ones(2, 384), torch.zeros(2, 384)), 1))


def test_spoiling_changes_codes_alone(config: OmniConfig) -> None:
    """Prompt, speaker slot, pads and stops stay; whatever changes is still a code."""
    rng = np.random.default_rng(0)
    torch.manual_seed(0)
    inputs, _ = code_streams(torch.randint(1024, (8, 12)), 5, config)
    foreign, _ = code_streams(torch.randint(1024, (8, 30)), 5, config)
    changed = 0
    for _ in range(60):
        spoilt = spoil(inputs, 5, foreign, config.code_count, rng)
        different = spoilt != inputs
        assert (inputs[different] < config.code_count).all()
        assert (spoilt[different] < config.code_count).all()
        changed += int(different.sum())
    assert 0.1 < changed / (60 * 8 * 12) < 0.9


def test_words_forgive_spelling_not_content() -> None:
    assert words("It's 42 colours, O.K.?") != words("It's forty two")
    assert words("The year 1969") == words("the year nineteen sixty-nine")
    assert words("On the 25th of May, 2013: 10.25 and 40%") == words(
        "on the twenty fifth of may twenty thirteen ten point two five and forty percent"
    )
    assert words("the 12th, the 20th and the 3rd") == words("the twelfth the twentieth and the third")
    assert errors(words("one two three"), words("one three")) == 1
    assert nearest(
        words("the capital of france is paris"), [words("hello there"), words("Paris is the capital of France")]
    )


def test_faults_are_found() -> None:
    rate = 24_000
    tone = 0.3 * np.sin(np.arange(rate) * 0.1).astype(np.float32)
    quiet = np.zeros(rate // 4, np.float32)
    text = "four syllables or so"
    assert faults(np.concatenate((tone, quiet)), text) == []
    assert "silent" in faults(np.zeros(rate, np.float32), text)
    assert "tail" in faults(tone, text)
    assert "gap" in faults(np.concatenate((tone, np.zeros(rate, np.float32), tone, quiet)), text * 3)
    assert "clipped" in faults(np.concatenate((np.clip(tone * 9, -1, 1), quiet)), text)
    assert "pace" in faults(np.concatenate((tone, tone, tone, tone, quiet)), "one")
