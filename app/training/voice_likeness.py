"""How well voices hold: `python -m app.training evaluate --conditions speakers`.

The judge of who speaks is Resemblyzer's encoder; what it says of two recordings is the cosine of their vectors.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import soundfile as sf
import torch
from numpy.typing import NDArray
from torch import Tensor

from app.omni.engine import OmniEngine
from app.omni.turn import OUTPUT_RATE, AudioPiece, TurnRequest
from app.speech.voiceprint import Voiceprint
from app.training.likeness import load_resemblyzer

Floats = NDArray[np.float32]
#: Known answers and given texts that every voice says, and one that takes some twelve seconds.
ASKED = ("How are you?", "Why is the sky blue?", "How do bees make honey?", "What can you do?")
READ = (
    "The parcel is too big for the letter box, so it waits at the shop on the corner.",
    "Nobody expected so much snow in April, least of all the swallows.",
    "If the door sticks, lift the handle a little and push.",
    "She has played the violin since she was seven, and her brother the drums.",
)
LONG = (
    "The road followed the river for a while, then climbed between two fields of barley and reached a village with one "
    "street. An old man on a bench pointed to the church, and said that the key was kept at the bakery, as it had been "
    "for a hundred years."
)
#: Clips of one person that a voice is made of, and how often it is tried with each.
CLIPS, TRIALS = 2, 6


def _spoken(engine: OmniEngine, request: TurnRequest) -> Floats:
    pieces = [p.samples for p in engine.run(request, lambda: False) if isinstance(p, AudioPiece)]
    return np.concatenate(pieces or [np.zeros(OUTPUT_RATE, np.float32)])


def _prints(engine: OmniEngine, voice: str, judge: Voiceprint, asked: Sequence[str], read: Sequence[str]) -> Tensor:
    """Unit vectors [texts, 256] of what the voice says."""
    requests = [TurnRequest(text=text, voice=voice, seed=1) for text in asked]
    requests += [TurnRequest(say=text, voice=voice, seed=1) for text in read]
    return torch.stack([judge.of(_spoken(engine, request)) for request in requests])


def _median(cosines: Sequence[float]) -> float:
    return round(float(np.median(cosines)), 3)


def baked(engine: OmniEngine, judge: Voiceprint) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """How alike what one voice says is (every text to the mean of the others), how alike different voices are (their
    means), and the first and last third of a long text; and the voices' vectors."""
    prints = {voice: _prints(engine, voice, judge, ASKED, READ) for voice in engine.info.voices}
    means = {voice: torch.nn.functional.normalize(rows.mean(0), dim=0) for voice, rows in prints.items()}
    itself = []
    for rows in prints.values():
        others = torch.nn.functional.normalize(rows.sum(0) - rows, dim=1)
        itself += (rows * others).sum(1).tolist()
    pairs = {f"{a} and {b}": float(means[a] @ means[b]) for a, b in combinations(means, 2)}
    drift = []
    for voice in means:
        long = _spoken(engine, TurnRequest(say=LONG, voice=voice, seed=1))
        third = len(long) // 3
        drift.append(float(judge.of(long[:third]) @ judge.of(long[-third:])))
    nearest = max(pairs, key=lambda pair: pairs[pair])
    return {
        "like_itself_median": _median(itself),
        "like_others_median": _median(list(pairs.values())),
        "like_others_most": [nearest, round(pairs[nearest], 3)],
        "first_to_last_third_median": _median(drift),
        "first_to_last_third_least": round(min(drift), 3),
    }, means


def cloned(engine: OmniEngine, judge: Voiceprint, dev: Path, means: dict[str, Tensor]) -> dict[str, Any]:
    """Voices made of clips of the reserved speakers: how alike they are to other clips of theirs, and how often nearer
    to them than to any baked voice."""
    clips: dict[str, list[Floats]] = {}
    for path in sorted(dev.glob("*.json")):
        speaker = json.loads(path.read_text(encoding="utf-8"))["voice"]
        if len(clips.setdefault(speaker, [])) < CLIPS * TRIALS * 2:
            clips[speaker].append(sf.read(path.with_suffix(".flac"), dtype="float32")[0])
    cosines, nearer = [], []
    for own in clips.values():
        parts = [np.concatenate(own[first : first + CLIPS]) for first in range(0, len(own) - CLIPS + 1, CLIPS)]
        for clip, other in zip(parts[: len(parts) // 2], parts[len(parts) // 2 :], strict=False):
            voice = engine.make_voice(clip).name
            said = torch.nn.functional.normalize(_prints(engine, voice, judge, ASKED[:1], READ[:2]).mean(0), dim=0)
            cosines.append(float(said @ judge.of(other)))
            nearer.append(all(cosines[-1] > float(said @ mean) for mean in means.values()))
    return {"clone_to_speaker_median": _median(cosines), "clone_nearest_to_speaker": round(float(np.mean(nearer)), 3)}


def held(engine: OmniEngine, work: Path) -> dict[str, Any]:
    """All figures; `work` holds the judge's weights and `dev`, the reserved speakers."""
    judge = load_resemblyzer(work)
    figures, means = baked(engine, judge)
    return {**figures, **cloned(engine, judge, work / "dev", means)}
