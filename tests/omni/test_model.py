"""The training form of the network: batching, selection, gradients; and stepping against it."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from app.omni.prompt import build_prompt
from app.omni.stepper import READ_AHEAD, READ_SINGLY, Cancelled, Stepper
from app.omni.voice import Voice
from tests.omni.tiny import tiny_config, tiny_model


def batch(length: int = 14) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    text = torch.randint(20, 250, (2, length), generator=generator)
    return text, torch.randint(0, 64, (2, 8, length), generator=generator)


@pytest.mark.parametrize("use_moe", [False, True])
def test_right_padding_and_batching_change_nothing(use_moe: bool) -> None:
    model = tiny_model(use_moe=use_moe)
    text, audio = batch()
    marker = model.config.audio_ids[0]
    text[0, 3:6] = marker
    audio[:, :, 7] = model.config.audio_spk_token
    features, speakers = torch.randn(2, 5, 6), torch.randn(2, 8)
    with torch.no_grad():
        both = model(
            text,
            audio,
            spk_emb=speakers,
            spk_mask=torch.tensor([True, False]),
            audio_features=features,
            audio_lengths=torch.tensor([2, 0]),
        )
        first = model(text[:1, :10], audio[:1, :, :10], spk_emb=speakers[:1], audio_features=features[:1, :2])
        second = model(text[1:], audio[1:])
    assert torch.allclose(both.text_logits[0, :10], first.text_logits[0], atol=1e-4)
    assert torch.allclose(both.audio_logits[0, :, :10], first.audio_logits[0], atol=1e-4)
    assert torch.allclose(both.text_logits[1], second.text_logits[0], atol=1e-4)
    assert torch.allclose(both.audio_logits[1], second.audio_logits[0], atol=1e-4)


def test_selected_positions() -> None:
    model = tiny_model()
    text, audio = batch()
    chosen = torch.zeros(2, 14, dtype=torch.bool)
    chosen[0, 4:9] = chosen[1, 2] = True
    with torch.no_grad():
        full = model(text, audio)
        part = model(text, audio, text_positions=chosen, audio_positions=chosen)
    assert torch.allclose(part.text_logits, full.text_logits[chosen], atol=1e-4)
    assert torch.allclose(part.audio_logits, full.audio_logits.transpose(0, 1)[:, chosen], atol=1e-4)


@pytest.mark.parametrize("use_moe", [False, True])
def test_every_weight_learns(use_moe: bool) -> None:
    model = tiny_model(use_moe=use_moe).train()
    text, audio = batch()
    text[:, 3:6] = model.config.audio_ids[0]
    audio[:, :, 2] = model.config.audio_spk_token
    with torch.autocast("cpu", torch.bfloat16):
        out = model(text, audio, spk_emb=torch.randn(2, 8), audio_features=torch.randn(2, 3, 6))
    loss = out.text_logits.float().square().mean() + out.audio_logits.float().square().mean()
    (loss + model.auxiliary_loss()).backward()
    missing = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert [name for name in missing if "experts" not in name] == []
    assert (model.auxiliary_loss() > 0) == use_moe


def test_only_the_first_run_of_markers_hears() -> None:
    model = tiny_model()
    text, _ = batch()
    marker = model.config.audio_ids[0]
    text[0, 2:4] = text[0, 8:10] = marker
    features = torch.randn(1, 5, 6)
    with torch.no_grad():
        plain, heard = model.embed(text[:1]), model.embed(text[:1], features)
    changed = (plain != heard).any(dim=-1)[0]
    assert changed.nonzero().flatten().tolist() == [2, 3]


def test_images_fill_their_runs_and_must_fit() -> None:
    model = tiny_model(image_ids=[12], image_hidden_size=5)
    text, _ = batch()
    text[0, 2:4] = text[0, 8:10] = 12
    images = torch.randn(1, 2, 3, 5)
    with torch.no_grad():
        both = model.embed(text[:1], image_features=images)
        one = model.embed(text[:1], image_features=images[:, 0])
        assert model.vision_proj is not None
        assert torch.allclose(both[0, 8:10], model.vision_proj(images[0, 1, :2]), atol=1e-6)
    same = torch.isclose(both, one, atol=1e-5).all(dim=-1)[0]
    assert (~same).nonzero().flatten().tolist() == [8, 9]
    text[0, 2:8] = 12
    with pytest.raises(ValueError, match="longer"):
        model.embed(text[:1], image_features=images)
    with pytest.raises(ValueError, match="no such input"):
        tiny_model().embed(text[:1], image_features=images)


def test_too_long_for_the_rotary_table() -> None:
    model = tiny_model(max_position_embeddings=12)
    with pytest.raises(ValueError, match="shorten"):
        model(*batch())


@pytest.mark.parametrize("use_moe", [False, True])
@pytest.mark.parametrize("scaling", [False, True])
def test_stepping_equals_the_full_forward(use_moe: bool, scaling: bool) -> None:
    model = tiny_model(use_moe=use_moe, inference_rope_scaling=scaling, bridge_layer=3)
    text, audio = batch(24)
    speaker = torch.randn(8)
    prompt = build_prompt(model.config, text[0, :9].tolist(), Voice("v", speaker))
    whole = audio[:1].clone()
    whole[0, :, :9] = prompt.audio_ids
    with torch.no_grad():
        full = model(text[:1], whole, spk_emb=speaker[None])
    network = Stepper(model)
    logits = [network.prefill(prompt, 24, lambda: False)]
    for position in range(9, 24):
        codes = whole[0, :, position].numpy()
        need = position < 18
        logits.append(network.step(int(text[0, position]), codes, need_text=need, need_audio=True))
    for offset, step in enumerate(logits):
        assert step.audio is not None
        assert np.allclose(step.audio, full.audio_logits[0, :, 8 + offset], atol=1e-4)
        if step.text is not None:
            assert np.allclose(step.text, full.text_logits[0, 8 + offset], atol=1e-4)
    with pytest.raises(ValueError, match="cache holds"):
        network.step(30, whole[0, :, 0].numpy(), need_text=False, need_audio=True)


@pytest.mark.parametrize("use_moe", [False, True])
def test_reading_padding_ahead_changes_nothing(use_moe: bool) -> None:
    """Padding for longer than is read at once, broken by another id in the middle of what was read ahead."""
    start, length = 6, 6 + 2 * READ_AHEAD + READ_SINGLY + 9
    model = tiny_model(use_moe=use_moe, max_position_embeddings=length + 1)
    text = torch.full((1, length), model.config.pad_token_id)
    text[0, : start + 3] = torch.arange(30, 30 + start + 3)
    text[0, start + 3 + READ_SINGLY + READ_AHEAD // 2] = 41
    audio = torch.randint(0, model.config.code_count, (1, 8, length))
    prompt = build_prompt(model.config, text[0, :start].tolist())
    audio[0, :, :start] = prompt.audio_ids
    with torch.no_grad():
        full = model(text, audio)
    network = Stepper(model)
    network.prefill(prompt, length, lambda: False)
    for position in range(start, length):
        need = position < start + 2
        step = network.step(
            int(text[0, position]), audio[0, :, position].numpy(), need_text=need, need_audio=position % 3 > 0
        )
        if step.audio is not None:
            assert np.allclose(step.audio, full.audio_logits[0, :, position], atol=1e-4), position
    with pytest.raises(ValueError, match="cache holds"):
        network.step(model.config.pad_token_id, audio[0, :, 0].numpy(), need_text=False, need_audio=True)


def test_eight_bit_steps_stay_near() -> None:
    model = tiny_model()
    text, audio = batch(16)
    prompt = build_prompt(model.config, text[0, :9].tolist())
    whole, small = Stepper(model), Stepper(model, form="int8-exact")
    whole.prefill(prompt, 16, lambda: False)
    small.prefill(prompt, 16, lambda: False)
    for position in range(9, 16):
        fed = int(text[0, position]), audio[0, :, position].numpy()
        exact = whole.step(*fed, need_text=True, need_audio=True)
        near = small.step(*fed, need_text=True, need_audio=True)
        for a, b in zip(exact, near, strict=True):
            assert a is not None and b is not None
            assert 0 < np.abs(a - b).max() < 0.1 * np.abs(a).max()


def test_prefill_limits_and_cancel() -> None:
    model = tiny_model()
    network = Stepper(model)
    prompt = build_prompt(model.config, [30] * 10)
    with pytest.raises(ValueError, match="do not fit"):
        network.prefill(prompt, 9, lambda: False)
    with pytest.raises(ValueError, match="do not fit"):
        network.prefill(prompt, tiny_config().max_position_embeddings + 1, lambda: False)
    with pytest.raises(Cancelled):
        network.prefill(prompt, 20, lambda: True)
