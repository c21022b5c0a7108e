"""The network and the argmax loop against the public conformance vectors, dense and mixture of experts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from app.omni import stepper as stepper_module
from app.omni.generate import Generation, GenerationConfig, TextControl
from app.omni.model import OmniModel
from app.omni.prompt import Prompt, build_prompt
from app.omni.sampler import TalkerConfig
from app.omni.stepper import Logits, Stepper
from app.omni.voice import Voice
from tests.omni.synthetic import (
    PROMPT_IMAGE,
    PROMPT_T1,
    PROMPT_T4,
    assert_logits,
    goldens,
    random_normal,
    synthetic_model,
    voice_columns,
)


@pytest.fixture(scope="module", params=["dense", "moe"])
def golden(request: pytest.FixtureRequest) -> Iterator[tuple[OmniModel, Stepper, dict[str, Any]]]:
    vectors = goldens()["omni"][request.param]
    model = synthetic_model(request.param == "moe")
    yield model, Stepper(model), vectors


Golden = tuple[OmniModel, Stepper, dict[str, Any]]


def prompts(model: OmniModel) -> dict[str, Prompt]:
    columns, speaker = voice_columns()
    voice = Voice("golden", speaker, columns[:, 8:])
    config = model.config
    return {
        "A_text_prefill": build_prompt(config, PROMPT_T1),
        "C_voice_prefill": build_prompt(config, PROMPT_T1, voice),
        "D_audio_prefill": build_prompt(config, PROMPT_T4, audio_features=random_normal(102, 3, 512)),
        "E_image_prefill": build_prompt(config, PROMPT_IMAGE, image_features=random_normal(103, 64, 768)),
    }


def prefill(network: Stepper, prompt: Prompt) -> Logits:
    return network.prefill(prompt, prompt.length + 4, lambda: False)


def assert_step(vectors: dict[str, Any], logits: Logits) -> None:
    assert logits.text is not None and logits.audio is not None
    assert_logits(vectors, torch.from_numpy(logits.text), torch.from_numpy(logits.audio))


def test_weights_follow_the_rule(golden: Golden) -> None:
    model, _, vectors = golden
    state = model.state_dict()
    assert len(state) == (315 if model.config.use_moe else 195)
    total = sum(p.numel() for p in model.parameters())
    assert total == (314_887_938 if model.config.use_moe else 113_131_266)
    for name, value in vectors["weight_sums"].items():
        assert float(state[name].double().sum()) == pytest.approx(value, abs=1e-3)


def test_training_forward(golden: Golden) -> None:
    model, _, vectors = golden
    with torch.no_grad():
        for name, prompt in prompts(model).items():
            out = model(
                prompt.text_ids[None],
                prompt.audio_ids[None],
                spk_emb=None if prompt.spk_emb is None else prompt.spk_emb[None],
                audio_features=None if prompt.audio_features is None else prompt.audio_features[None],
                image_features=None if prompt.image_features is None else prompt.image_features[None],
            )
            assert_logits(vectors[name], out.text_logits[0, -1], out.audio_logits[0, :, -1])


@pytest.mark.parametrize("chunk", [128, 7])
def test_prefill(golden: Golden, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stepper_module, "PREFILL_CHUNK", chunk)
    model, network, vectors = golden
    for name, prompt in prompts(model).items():
        assert_step(vectors[name], prefill(network, prompt))


def test_voice_columns(golden: Golden) -> None:
    columns, _ = voice_columns()
    assert torch.equal(prompts(golden[0])["C_voice_prefill"].audio_ids, columns)


def test_cached_step(golden: Golden) -> None:
    model, network, vectors = golden
    prefill(network, prompts(model)["A_text_prefill"])
    codes = np.arange(11, 89, 11, dtype=np.int64)
    assert_step(vectors["B_cached_step"], network.step(6170, codes, need_text=True, need_audio=True))


def test_speech_does_not_depend_on_text_logits(golden: Golden) -> None:
    model, network, vectors = golden
    prefill(network, prompts(model)["A_text_prefill"])
    codes = np.arange(11, 89, 11, dtype=np.int64)
    logits = network.step(6170, codes, need_text=False, need_audio=True)
    assert logits.text is None and logits.audio is not None
    assert logits.audio[0, :6].tolist() == pytest.approx(vectors["B_cached_step"]["audio0"]["first6"], abs=2e-4)
    with pytest.raises(ValueError, match="given up"):
        network.step(6170, codes, need_text=True, need_audio=True)


def test_argmax_generation(golden: Golden) -> None:
    model, network, vectors = golden
    config = GenerationConfig.parity(
        temperature=0.0, top_p=0.85, max_new_tokens=20, talker=TalkerConfig.parity(do_sample=False)
    )
    generation = Generation(
        network,
        prompts(model)["C_voice_prefill"],
        config,
        model.config,
        TextControl.of(model.config, 234),
        has_reference=True,
    )
    frames = [step.frame.tolist() for step in generation if step.frame is not None]
    assert generation.text_ids == vectors["F_argmax_generation"]["text_ids"]
    assert frames == vectors["F_argmax_generation"]["frames"]
