"""How alike voices are, by the speaker encoder of Resemblyzer: for the starter's own and for judging it."""

from __future__ import annotations

from pathlib import Path

import torch

from app.speech.voiceprint import Voiceprint

PUBLISHED = "resemblyzer.pt"


def load_resemblyzer(work: Path) -> Voiceprint:
    """The published encoder, from the folder made by `fetch`."""
    made = Voiceprint()
    state = torch.load(work / PUBLISHED, map_location="cpu", weights_only=True)["model_state"]
    made.load_state_dict({name: state[name] for name in made.state_dict()})
    return made.eval().requires_grad_(False)
