"""Choosing the form of a network's weights when it is loaded: the fastest on this CPU that does not change answers."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from app.omni.forms import timings
from app.omni.model import OmniModel
from app.omni.prompt import build_prompt
from app.omni.stepper import Stepper

log = logging.getLogger(__name__)

#: How many of the text's arg-maxes must be those of float32.
LEAST_AGREEMENT = 0.99
#: "Hello." and the header of an answer, in the ids of the public tokenizer.
_PROMPT = (1, 832, 311, 234, 1968, 2, 234, 1, 1388, 570, 811, 234, 25, 234, 234, 26, 234, 234)
_STEPS = 32


class Agreement(NamedTuple):
    """Shares of arg-maxes that are the same: of the text, and of all eight codebooks."""

    text: float
    audio: float


def agreement(
    reference: Stepper, candidate: Stepper, prompt_ids: Sequence[int] = _PROMPT, steps: int = _STEPS
) -> Agreement:
    """Both fed with what `reference` finds most likely, step by step."""
    config = reference.config
    prompt = build_prompt(config, list(prompt_ids))
    expected, got = (n.prefill(prompt, prompt.length + steps, lambda: False) for n in (reference, candidate))
    text, audio = [], []
    for step in range(steps):
        assert expected.text is not None and expected.audio is not None and got.text is not None
        text.append(expected.text.argmax() == got.text.argmax())
        codes = expected.audio[:, : config.code_count].argmax(1)
        assert got.audio is not None
        audio.append(codes == got.audio[:, : config.code_count].argmax(1))
        if step < steps - 1:
            text_id = int(expected.text.argmax())
            expected, got = (n.step(text_id, codes, need_text=True, need_audio=True) for n in (reference, candidate))
    return Agreement(float(np.mean(text)), float(np.mean(audio)))


def choose(model: OmniModel) -> Stepper:
    """A stepper with the fastest form whose text agrees with float32's; takes some seconds for a large network."""
    times = timings()
    exact = Stepper(model)
    if max(_PROMPT) >= model.config.vocab_size:
        return exact
    for form in sorted(times, key=times.__getitem__):
        if form == "float32":
            break
        try:
            candidate = Stepper(model, form=form)
        except ValueError as error:
            log.info("weights in %s are not used: %s", form, error)
            continue
        found = agreement(exact, candidate)
        log.info("weights in %s: %.1f %% of the text and %.1f %% of the codes agree", form, *(100 * s for s in found))
        if found.text >= LEAST_AGREEMENT:
            return candidate
    return exact
