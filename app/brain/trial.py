"""Whether a larger model can be asked: what the settings tell about it."""

from __future__ import annotations

import time

from app.brain.address import Address, BrainError
from app.brain.brain import spoken_answer
from app.brain.prompt import messages
from app.brain.request import USUAL, Bounds, Request

NO_MODEL = "No larger model is chosen yet: choose one in the settings, or type its name there."
_QUESTION = "Please say hello to me!"


def listed(address: Address, bounds: Bounds = USUAL) -> list[str]:
    """The models at `address`. Raises BrainError; may take some seconds."""
    names = Request(address, bounds).models()
    if not names:
        raise BrainError(f"The program at {address.name} has no model yet: load one there.")
    return names


def try_out(address: Address, model: str, bounds: Bounds = USUAL) -> str:
    """Ask `model` something; returns a sentence about its answer. Raises BrainError; may take a while."""
    if not model:
        raise BrainError(NO_MODEL)
    request = Request(address, bounds)
    begun = time.monotonic()
    first, seconds = "", 0.0
    for sentence in spoken_answer(request, model, messages(_QUESTION, ())):
        first, seconds = sentence, time.monotonic() - begun
        break
    request.cut()
    return f"{model} answered after {seconds:.1f} s: {first}"
