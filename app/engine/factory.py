"""How an engine is found and loaded, for the worker process, `ask` and `bench`. Imports no torch itself."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from app.omni.turn import ModelInfo, TurnPiece, TurnRequest

OMNI_ENGINE = "app.omni.engine:OmniEngine.load"

ProgressCallback = Callable[[str, float], None]

# The model's own exceptions carry one sentence for the user. Recognised by where they are defined: importing
# them here would import torch.
_SENTENCE_PACKAGES = ("app.omni.", "app.speech.", "app.voices.")


class Engine(Protocol):
    """A loaded model."""

    @property
    def info(self) -> ModelInfo:
        """What the model can do."""
        ...

    def run(self, request: TurnRequest, cancelled: Callable[[], bool]) -> Iterator[TurnPiece]:
        """Answer one question piece by piece, `TurnStats` last; ends within one frame of `cancelled()`."""
        ...


def set_thread_environment(threads: int) -> None:
    """Variables that must be set before torch is imported.

    Threads that spin while they wait stall for seconds when another program wants the core; and
    torch.compile, which moshi uses at import, needs a C++ compiler that users do not have.
    """
    os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
    os.environ["NO_TORCH_COMPILE"] = "1"
    os.environ["OMP_NUM_THREADS"] = str(threads)


def load_engine(factory: str, folder: Path, *, threads: int, progress: ProgressCallback | None = None) -> Engine:
    """Load the model in `folder` with the callable `factory` names: `module:name` or `module:class.name`."""
    set_thread_environment(threads)
    module_name, _, attributes = factory.partition(":")
    target = importlib.import_module(module_name)
    for attribute in attributes.split("."):
        target = getattr(target, attribute)
    engine: Engine = target(folder, threads=threads, progress=progress)  # type: ignore[operator]
    return engine


def user_sentence(error: BaseException) -> str | None:
    """The error's own sentence where it was written for the user, None for an unexpected error."""
    written = type(error).__module__.startswith(_SENTENCE_PACKAGES)
    return " ".join(str(error).split()) if written else None


def failure_sentence(error: BaseException, doing: str) -> str:
    """One sentence for any error met while `doing` something ("loading the model")."""
    known = user_sentence(error)
    if known is not None:
        return known
    if isinstance(error, MemoryError):
        return f"There was not enough memory while {doing}; close other programs and try again."
    detail = " ".join(str(error).split())
    name = type(error).__name__
    what = f"{name}: {detail}" if detail else name
    return f"Something went wrong while {doing} ({what}); please try again, and report it if it comes back."
