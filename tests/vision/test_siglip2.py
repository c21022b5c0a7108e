"""The vision tower: the reference's own numbers, a second formulation of it, and files that do not fit."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import Tensor, nn

from app.speech.errors import DamagedModelError
from app.vision.siglip2 import TowerShape, VisionTower, find_tower
from tests.omni.synthetic import synthetic_tensor

SMALL = TowerShape(width=16, layers=2, heads=2, inner=24, patch=8, side=32)


def weights(shape: TowerShape) -> dict[str, Tensor]:
    """Synthetic weights by their published names."""
    return {f"vision_model.{n}": synthetic_tensor(f"vision_model.{n}", s) for n, s in shape.tensors().items()}


def picture(side: int, seed: int = 300) -> bytes:
    return np.random.RandomState(seed).randint(0, 256, (side, side, 3)).astype(np.uint8).tobytes()


def test_full_size_numbers_of_the_reference() -> None:
    """The same weights and picture through `SiglipVisionModel` of transformers 4.57.6 (eager attention, float32)."""
    features = VisionTower(weights(TowerShape())).encode(picture(256))
    assert features.shape == (64, 768) and features.dtype == torch.float32
    first = [-0.228068, -0.341531, 1.000332, -0.659743, -0.036302, -2.366743]
    last = [0.204401, -0.386038, 0.784072, -1.781764, 0.581742, -0.067197]
    assert features.flatten()[:6].tolist() == pytest.approx(first, abs=1e-4)
    assert features.flatten()[-6:].tolist() == pytest.approx(last, abs=1e-4)
    assert float(features.mean()) == pytest.approx(-0.006969, abs=1e-5)
    assert float(features.std()) == pytest.approx(1.006624, abs=1e-5)


def test_published_size() -> None:
    assert sum(t.numel() for t in weights(TowerShape()).values()) == 87_465_216


def modules(given: dict[str, Tensor], shape: TowerShape, image: bytes) -> Tensor:
    """The same tower from torch's own modules."""
    given = {name.removeprefix("vision_model."): tensor for name, tensor in given.items()}
    width = shape.width
    convolution = nn.Conv2d(3, width, shape.patch, shape.patch)
    convolution.load_state_dict({n: given[f"embeddings.patch_embedding.{n}"] for n in ("weight", "bias")})
    pixels = np.frombuffer(image, np.uint8).reshape(shape.side, shape.side, 3).transpose(2, 0, 1)
    x = convolution((torch.from_numpy(pixels.astype(np.float32))[None] / 255 - 0.5) / 0.5)
    x = x.flatten(2).transpose(1, 2) + given["embeddings.position_embedding.weight"]
    for index in range(shape.layers):
        block = nn.TransformerEncoderLayer(
            width,
            shape.heads,
            shape.inner,
            dropout=0.0,
            activation=partial(F.gelu, approximate="tanh"),
            layer_norm_eps=shape.eps,
            batch_first=True,
            norm_first=True,
        )
        start = f"encoder.layers.{index}."
        names = {"norm1": "layer_norm1", "norm2": "layer_norm2", "linear1": "mlp.fc1", "linear2": "mlp.fc2"}
        names["self_attn.out_proj"] = "self_attn.out_proj"
        state = {
            f"{ours}.{n}": given[f"{start}{theirs}.{n}"] for ours, theirs in names.items() for n in ("weight", "bias")
        }
        for kind in ("weight", "bias"):
            state[f"self_attn.in_proj_{kind}"] = torch.cat([given[f"{start}self_attn.{p}_proj.{kind}"] for p in "qkv"])
        block.load_state_dict(state)
        x = block.eval()(x)
    return F.layer_norm(x, (width,), given["post_layernorm.weight"], given["post_layernorm.bias"], shape.eps)[0]


def test_it_computes_what_torchs_own_modules_do() -> None:
    for seed in (1, 2):
        image = picture(SMALL.side, seed)
        with torch.no_grad():
            expected = modules(weights(SMALL), SMALL, image)
        assert torch.allclose(VisionTower(weights(SMALL), SMALL).encode(image), expected, atol=1e-5)


def test_pictures_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match="bytes"):
        VisionTower(weights(SMALL), SMALL).encode(picture(16))


def test_names_without_the_prefix_the_pooling_head_and_half_precision() -> None:
    given = {name.removeprefix("vision_model."): tensor.half() for name, tensor in weights(SMALL).items()}
    given |= {"head.probe": torch.zeros(1, 1, 16), "text_model.final_layer_norm.weight": torch.zeros(16)}
    image = picture(SMALL.side)
    features = VisionTower(given, SMALL).encode(image)
    assert torch.allclose(features, VisionTower(weights(SMALL), SMALL).encode(image), atol=2e-2)


def test_what_does_not_fit_is_named() -> None:
    given = weights(SMALL)
    del given["vision_model.encoder.layers.1.mlp.fc2.bias"]
    with pytest.raises(DamagedModelError, match=r"lacks 'vision_model\.encoder\.layers\.1\.mlp\.fc2\.bias'"):
        VisionTower(given, SMALL)
    given = weights(SMALL) | {"vision_model.embeddings.patch_embedding.weight": torch.zeros(16, 3, 4, 4)}
    with pytest.raises(DamagedModelError, match=r"patch_embedding\.weight' with shape \(16, 3, 4, 4\)"):
        VisionTower(given, SMALL)


def test_where_the_file_is(tmp_path: Path) -> None:
    assert find_tower(tmp_path) is None
    (tmp_path / "siglip2").mkdir()
    for name in ("siglip2.safetensors", "siglip2/pytorch_model.bin", "siglip2/model.safetensors"):
        save_file({"x": torch.zeros(1)}, tmp_path / name)
        assert find_tower(tmp_path) == tmp_path / name
    with pytest.raises(DamagedModelError, match=r"siglip2.*lacks 'vision_model\.embeddings"):
        VisionTower.load(tmp_path / "siglip2" / "model.safetensors")
