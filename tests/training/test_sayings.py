"""Sentences that are read aloud: what there is of them, and how they are laid out for the Talker."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch

from app.paths import starter_model
from app.training.corpus import load_intents
from app.training.examples import EOS, Sources
from app.training.model import load_tokenizer
from app.training.sayings import held_out, plan_sayings
from app.training.talker import dealt

STARTER = starter_model()
SENTENCE = "Timer set for twenty five minutes, starting now."


@pytest.fixture(scope="module")
def sources() -> Sources:
    codes = {SENTENCE: torch.zeros(8, 40, dtype=torch.long)}
    return Sources(load_intents(), load_tokenizer(STARTER), torch.zeros(0, 384), codes)


def test_sayings_are_sentences_in_plain_words() -> None:
    sayings = plan_sayings()
    assert len(sayings) > 1_000 and len({*sayings}) == len(sayings)
    for sentence in sayings:
        assert re.fullmatch(r"[A-Z][A-Za-z.,?!':; -]+[.?!]", sentence), sentence
        assert not held_out(sentence)


def test_sayings_are_always_the_same() -> None:
    assert plan_sayings() == plan_sayings()


def test_a_saying_is_dealt_out_over_its_recording(sources: Sources) -> None:
    rng = np.random.default_rng(0)
    example = dealt(sources, SENTENCE, SENTENCE, rng)
    after = example.text[example.start :]
    pieces = [one for one in after if one]
    assert sources.tokenizer.decode(pieces[: -len(sources.ids("\n")) - 1]) == SENTENCE
    last = after.index(EOS) - 1
    # The last piece comes some frames before its sound, which ends with the recording.
    assert 25 <= last <= 40
