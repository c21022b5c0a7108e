"""Products with small weights."""

from __future__ import annotations

import pytest
import torch

from app.omni.forms import available, timings
from app.speech.matrix import HalfMatrix, Matrix, int8_is_fast


@pytest.fixture
def parts() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return (
        torch.randn(700, 96, generator=generator),
        torch.randn(700, generator=generator),
        torch.randn(5, 96, generator=generator),
    )


@pytest.mark.skipif(not int8_is_fast(), reason="no int8 product on this CPU")
def test_eight_bits_alone_keep_no_floats_and_answer_alike(
    parts: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
) -> None:
    weight, bias, x = parts
    both, alone = (Matrix(weight, bias, int8=True, alone=flag) for flag in (False, True))
    assert alone.weight is None and both.weight is not None
    assert torch.equal(alone(x[:1]), both(x[:1]))
    exact = x @ weight.T + bias
    assert (alone(x) - exact).norm() < 0.01 * exact.norm()
    assert torch.allclose(alone.onto(exact[:1], x[:1]), exact[:1] + alone(x[:1]), atol=1e-4)


@pytest.mark.skipif("float16" not in available(), reason="no float16 product on this machine")
def test_half_weights_are_near(parts: tuple[torch.Tensor, torch.Tensor, torch.Tensor]) -> None:
    weight, bias, x = parts
    exact = x @ weight.T + bias
    assert (HalfMatrix(weight, bias)(x) - exact).norm() < 1e-3 * exact.norm()
    with pytest.raises(ValueError, match="too large"):
        HalfMatrix(weight * 1e6)


def test_every_available_form_is_timed() -> None:
    times = timings()
    assert set(times) == set(available()) and min(times.values()) > 0
