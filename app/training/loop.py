"""The loop both stages share: a run of so many minutes, a cosine rate, checkpoints to resume from.

Under `torchrun --nproc-per-node N` the processes share the work of every step: N processes of one thread each train
faster than one process of N threads, which wait for each other at every product.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor, nn

WARM_UP_STEPS = 100
LAST_RATE = 0.03
CLIP = 1.0
SAVE_SECONDS, REPORT_SECONDS = 300, 1500
LOG_STEPS = 50


@cache
def fast_bf16() -> bool:
    """Whether bf16 products beat float32 on this CPU: several times faster with AMX or AVX-512 BF16, slower without."""
    spans = []
    for dtype in (torch.float32, torch.bfloat16):
        a = torch.randn(512, 512).to(dtype)
        a @ a
        began = time.monotonic()
        for _ in range(3):
            a @ a
        spans.append(time.monotonic() - began)
    return spans[1] < spans[0]


def autocast(device: str = "cpu") -> torch.autocast:
    """bf16 where it is faster."""
    return torch.autocast(device, torch.bfloat16, enabled=device != "cpu" or fast_bf16())


def stage_arguments(stage: str, description: str | None, *, rate: float, batch: int) -> argparse.ArgumentParser:
    """The arguments every stage of the network has."""
    parser = argparse.ArgumentParser(prog=f"app.training {stage}", description=description)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="model folder to go on with (or with a tokenizer)")
    parser.add_argument("--minutes", type=float, default=60, help="length of the run; the rate decays over it")
    parser.add_argument("--rate", type=float, default=rate)
    parser.add_argument("--batch", type=int, default=batch)
    parser.add_argument("--threads", type=int, default=2)
    return parser


def join_group() -> int:
    """Join the other processes of a `torchrun`, if any; this process's number, 0 where it is alone."""
    if int(os.environ.get("WORLD_SIZE", 1)) < 2:
        return 0
    dist.init_process_group("gloo")
    return dist.get_rank()


class Run:
    """One training run in `folder`, resumed from `folder/last.pt` where there is one.

    `trained` holds the weights that learn; `keep` gives what else belongs into the checkpoint (read with its key by
    later stages). What counts is the processor time of this thread without reports: a run that was stopped, or shared
    its cores with other work, learns no less.
    """

    def __init__(
        self,
        folder: Path,
        trained: nn.Module,
        *,
        minutes: float,
        rate: float,
        keep: Callable[[], dict[str, object]] = dict,
    ) -> None:
        self.folder, self.trained, self.rate, self.limit, self._keep = folder, trained, rate, minutes * 60, keep
        weights = [p for p in trained.parameters() if p.requires_grad]
        self._weights = weights
        self._optimiser = torch.optim.AdamW(
            [
                {"params": [p for p in weights if p.ndim >= 2], "weight_decay": 0.05},
                {"params": [p for p in weights if p.ndim < 2], "weight_decay": 0.0},
            ],
            rate,
            betas=(0.9, 0.98),
            fused=True,
        )
        self.step, self.spent = 0, 0.0
        folder.mkdir(parents=True, exist_ok=True)
        self.resumed = (folder / "last.pt").exists()
        if self.resumed:
            saved = torch.load(folder / "last.pt", weights_only=True)
            trained.load_state_dict(saved["trained"])
            self._optimiser.load_state_dict(saved["optimiser"])
            self.step, self.spent = saved["step"], saved["spent"]

    @property
    def progress(self) -> float:
        """Share of the run that is done."""
        return self.spent / self.limit

    def save(self) -> None:
        """Write the checkpoint; a kill on the way leaves the old one."""
        state = {"trained": self.trained.state_dict(), "optimiser": self._optimiser.state_dict(), **self._keep()}
        torch.save({**state, "step": self.step, "spent": self.spent}, self.folder / "next.pt")
        (self.folder / "next.pt").replace(self.folder / "last.pt")

    def _share(self, seconds: float) -> float:
        """Average gradients, and the time of a step, over all processes of the run."""
        if not dist.is_initialized():
            return seconds
        gradients = [p.grad for p in self._weights if p.grad is not None]
        flat = torch.cat([*(g.flatten() for g in gradients), torch.tensor([seconds])])
        dist.all_reduce(flat)
        flat /= dist.get_world_size()
        parts = flat[:-1].split([g.numel() for g in gradients])
        for gradient, part in zip(gradients, parts, strict=True):
            gradient.copy_(part.view_as(gradient))
        return float(flat[-1])

    def go(self, losses: Callable[[], tuple[Tensor, ...]], report: Callable[[], dict[str, float]]) -> None:
        """Minimise the sum of `losses()` until the time is up; now and then print `report()` and save.

        A SIGTERM ends the run early, with a checkpoint.
        """
        stopped: list[int] = []
        signal.signal(signal.SIGTERM, lambda number, _: stopped.append(number))
        log: list[tuple[float, ...]] = []
        first = not dist.is_initialized() or dist.get_rank() == 0
        # Counted one step late, so that all processes count the same time and stop at the same step.
        step_seconds = 0.0
        last_report = last_save = time.monotonic()
        while self.spent < self.limit and not stopped:
            began = time.thread_time()
            warm = min(1.0, (self.step + 1) / WARM_UP_STEPS)
            for group in self._optimiser.param_groups:
                group["lr"] = (
                    self.rate * warm * (LAST_RATE + (1 - LAST_RATE) * 0.5 * (1 + math.cos(math.pi * self.progress)))
                )
            with autocast():
                parts = losses()
            sum(parts[1:], start=parts[0]).backward()
            step_seconds = self._share(step_seconds)
            self.spent += step_seconds
            nn.utils.clip_grad_norm_(self._weights, CLIP)
            self._optimiser.step()
            self._optimiser.zero_grad(set_to_none=True)
            self.step += 1
            step_seconds = time.thread_time() - began
            log.append(tuple(part.item() for part in parts))
            if first and self.step % LOG_STEPS == 0:
                means = " ".join(f"{v:.3f}" for v in np.mean(log[-LOG_STEPS:], 0))
                pace = self.spent / self.step
                print(f"step {self.step} loss {means} {pace:.2f} s/step {self.spent / 60:.1f} min", flush=True)
            if first and time.monotonic() - last_report > REPORT_SECONDS:
                print(json.dumps({"step": self.step, **report()}), flush=True)
                last_report = time.monotonic()
            if first and time.monotonic() - last_save > SAVE_SECONDS:
                self.save()
                last_save = time.monotonic()
        if first:
            if not stopped:
                print(json.dumps({"step": self.step, **report()}), flush=True)
            self.save()


def network_run(args: argparse.Namespace, stage: str, trained: nn.Module, model: nn.Module) -> Run:
    """The run of a stage in which `trained` learns, a part of `model`, which the checkpoint holds whole."""
    return Run(
        args.work / stage,
        trained,
        minutes=args.minutes,
        rate=args.rate,
        keep=lambda: {"model": model.state_dict()},
    )
