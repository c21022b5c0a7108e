"""Forms of a network's weights, and what computes where."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from app.omni.choosing import agreement, choose
from app.omni.forms import Form, available
from app.omni.model import OmniModel
from app.omni.prompt import build_prompt
from app.omni.stepper import Stepper
from tests.omni.baseline import PlainGeneration, PlainNetwork
from tests.omni.synthetic import PROMPT_T1, assert_logits, goldens, synthetic_model
from tests.omni.tiny import tiny_model

PROMPT = [30, 31, 40, 41, 42]


@pytest.mark.parametrize("form", ["float32", "float16", "int8"])
@pytest.mark.parametrize("use_moe", [False, True])
def test_text_of_small_forms_is_that_of_float32(form: Form, use_moe: bool) -> None:
    if form not in available():
        pytest.skip(f"no {form} on this machine")
    model = tiny_model(use_moe=use_moe)
    found = agreement(Stepper(model), Stepper(model, form=form), PROMPT, steps=24)
    # The weights are random and the layers narrow: near ties, also of experts, fall the other way with eight bits.
    least = {"float32": 1.0, "float16": 0.95, "int8": 0.6}[form]
    assert found.text >= least and found.audio >= least


def test_a_model_with_another_tokenizer_stays_in_float32() -> None:
    assert choose(tiny_model()).form == "float32"


@pytest.mark.parametrize("device", ["cuda", "mps"])
def test_a_graphics_processor_agrees(device: str) -> None:
    there = torch.cuda.is_available() if device == "cuda" else torch.backends.mps.is_available()
    if not there:
        pytest.skip(f"no {device} here")
    model = tiny_model()
    exact = Stepper(model)
    found = agreement(exact, Stepper(tiny_model(), device=device), PROMPT, steps=24)
    assert found.text >= 0.9


@pytest.fixture(scope="module")
def synthetic() -> OmniModel:
    return synthetic_model(False)


def test_the_plain_implementation_is_the_network(synthetic: OmniModel) -> None:
    vectors = goldens()["omni"]["dense"]
    network = PlainNetwork(dict(synthetic.state_dict()))
    pads = torch.full((8, len(PROMPT_T1)), 2049)
    with torch.inference_mode():
        text, audio = network(torch.tensor(PROMPT_T1), pads)
        assert_logits(vectors["A_text_prefill"], text, torch.stack(audio))
        text, audio = network(torch.tensor([6170]), torch.arange(11, 89, 11)[:, None])
        assert_logits(vectors["B_cached_step"], text, torch.stack(audio))


def test_the_plain_loop_starts_codebooks_one_after_another(synthetic: OmniModel) -> None:
    pads = torch.full((8, len(PROMPT_T1)), 2049)
    loop = PlainGeneration(PlainNetwork(dict(synthetic.state_dict())), torch.tensor(PROMPT_T1), pads, 0)
    drawn = [loop.step()[1] for _ in range(4)]
    assert [sum(code != 2049 for code in codes) for codes in drawn] == [0, 1, 2, 3]


def test_float16_meets_the_gate_on_the_goldens(synthetic: OmniModel) -> None:
    if "float16" not in available():
        pytest.skip("no float16 on this machine")
    found = agreement(Stepper(synthetic), Stepper(synthetic, form="float16"), steps=32)
    assert found.text >= 0.99 and found.audio >= 0.99


def test_only_small_weights_are_held(synthetic: OmniModel) -> None:
    if "int8" not in available():
        pytest.skip("no int8 on this machine")
    from app.full_size import held_mb

    whole = sum(p.numel() for p in synthetic.parameters()) * 4 / 2**20
    assert held_mb(Stepper(synthetic, form="int8")) < 0.6 * whole


def test_prefill_of_eight_bits_alone_is_near(synthetic: OmniModel) -> None:
    if "int8" not in available():
        pytest.skip("no int8 on this machine")
    prompt = build_prompt(synthetic.config, PROMPT_T1)
    exact, small = (
        Stepper(synthetic, form=form).prefill(prompt, prompt.length, lambda: False) for form in ("float32", "int8")
    )
    assert exact.text is not None and small.text is not None
    assert np.corrcoef(exact.text, small.text)[0, 1] > 0.999
