"""Forms in which a network's weights can lie in memory while it runs, and which of them suits a CPU."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Literal, Protocol

import torch
from torch import Tensor

from app.speech.matrix import HalfMatrix, Matrix, int8_is_fast

Form = Literal["float32", "float16", "int8", "int8-exact"]
"""`int8`: eight-bit weights alone, a quarter of float32. `int8-exact`: for weights that were stored in eight bits, of
which steps lose nothing; prefills run on float32 weights beside them, which is faster for a small network.
"""

#: A layer of the full-size network is about this large.
_SHAPE = (4864, 768)
#: More than a processor's caches hold.
_COPIES = 8
_ROUNDS = 5


class Product(Protocol):
    """A product with a fixed weight [N, K]."""

    def __call__(self, x: Tensor) -> Tensor:
        """x [T, K] → [T, N]."""
        ...

    def onto(self, base: Tensor, x: Tensor) -> Tensor:
        """The same added to base [T, N]."""
        ...


Maker = Callable[..., Product]


def maker(form: Form) -> Maker:
    """What makes a `Product` of a weight [N, K] and a bias [N] or None."""
    makers: dict[Form, Maker] = {
        "float32": Matrix,
        "float16": HalfMatrix,
        "int8": partial(Matrix, int8=True, alone=True),
        "int8-exact": partial(Matrix, int8=True),
    }
    return makers[form]


def available() -> list[Form]:
    """The forms that this machine can compute with, the most exact first."""
    forms: list[Form] = ["float32"]
    try:
        HalfMatrix(torch.zeros(32, 32))(torch.zeros(1, 32))
        forms.append("float16")
    except (RuntimeError, AttributeError):
        pass
    if int8_is_fast():
        forms.append("int8")
    return forms


@torch.inference_mode()
def timings(forms: Iterable[Form] | None = None) -> dict[Form, float]:
    """Milliseconds of one product of a row with a large weight that is not in the cache, in each form; median."""
    generator = torch.Generator().manual_seed(0)
    weight, x = torch.randn(_SHAPE, generator=generator), torch.randn(1, _SHAPE[1], generator=generator)
    products = {
        form: [maker(form)(weight.clone()) for _ in range(_COPIES)]
        for form in (available() if forms is None else forms)
    }
    taken: dict[Form, list[float]] = {form: [] for form in products}
    for _ in range(_ROUNDS):
        for form, copies in products.items():
            started = time.perf_counter()
            for product in copies:
                product(x)
            taken[form].append((time.perf_counter() - started) * 1000 / _COPIES)
    return {form: statistics.median(times) for form, times in taken.items()}
