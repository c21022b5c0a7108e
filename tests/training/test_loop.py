"""The training loop learns, saves and goes on where it stopped."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from app.training import loop
from app.training.loop import Run


def _run(folder: Path, minutes: float) -> tuple[Run, nn.Linear, list[float]]:
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    run = Run(folder, model, minutes=minutes, rate=0.05, keep=lambda: {"note": "kept"})
    seen: list[float] = []

    def losses() -> tuple[Tensor, ...]:
        x = torch.randn(16, 4)
        loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
        seen.append(loss.item())
        return loss, 0.0 * loss

    run.go(losses, lambda: {})
    return run, model, seen


def test_a_run_learns_and_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loop.fast_bf16()
    ticks = itertools.count()
    monkeypatch.setattr(loop.time, "thread_time", lambda: next(ticks) * 0.001)
    first, model, seen = _run(tmp_path, 0.005)
    assert first.step == len(seen) > 1
    assert seen[-1] < seen[0]
    again, resumed, more = _run(tmp_path, 0.005)
    assert again.resumed
    assert again.step == first.step and not more, "the time of this run is already used up"
    assert torch.equal(resumed.weight, model.weight)
    longer, _, more = _run(tmp_path, 0.008)
    assert longer.step == first.step + len(more) > first.step
    assert torch.load(tmp_path / "last.pt", weights_only=True)["note"] == "kept"
