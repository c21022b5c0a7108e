"""Give a finished starter the voices of `decoder`: `python -m app.training voices`.

The menu's voices are those of `crossed`: their mean voiceprint and their pitch. Writes the codec, the voices and the
encoder of voiceprints into the model folder. The Talker, which says the same codes for all of them, is told that it is
the default voice.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import Tensor

from app.omni.checkpoint import load_config
from app.omni.checkpoint import save_weights as save_network
from app.speech.starter_codec import StarterCodec
from app.speech.voiceprint import WEIGHTS as VOICEPRINT
from app.speech.voiceprint_speaker import KIND, SIZE, speaker_vector
from app.speech.weights import read_tensors, save_weights
from app.training.export import export_codec
from app.training.likeness import load_resemblyzer
from app.training.synthesize import DEFAULT_VOICE, SOURCES

_TOLD = "talker.spk_proj.weight"


def menu(crossed: Path) -> dict[str, Tensor]:
    """Speaker vectors [258] of the menu's voices, of all their clips."""
    names = {DEFAULT_VOICE: DEFAULT_VOICE} | {source: name for name, source in SOURCES.items() if name != DEFAULT_VOICE}
    rows: dict[str, list[dict[str, object]]] = {name: [] for name in SOURCES}
    for path in sorted(crossed.glob("*.json")):
        row = json.loads(path.read_text(encoding="utf-8"))
        if row["voice"] in names:
            rows[names[row["voice"]]].append(row)
    return {
        name: speaker_vector(
            float(np.median([row["pitch"] for row in found])),
            F.normalize(torch.tensor([row["print"] for row in found]).mean(0), dim=0),
        )
        for name, found in rows.items()
    }


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training voices`."""
    parser = argparse.ArgumentParser(prog="app.training voices", description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="model folder")
    args = parser.parse_args(argv)
    folder: Path = args.model
    export_codec(args.work / "decoder" / "last.pt", folder)
    assert StarterCodec.load(folder).config.speaker_size == SIZE
    save_weights(load_resemblyzer(args.work).state_dict(), folder / VOICEPRINT, "int8")
    vectors = menu(args.work / "crossed")
    order = {"order": ",".join(vectors)}
    save_file({f"{name}.spk_emb": vector for name, vector in vectors.items()}, folder / "voices.safetensors", order)
    network = read_tensors(folder / "model.safetensors")
    told = torch.zeros(len(network[_TOLD]), SIZE)
    told[:, 0] = network[_TOLD][:, 0]
    save_network({**network, _TOLD: told}, folder / "model.safetensors", "int8")
    config = load_config(folder)
    replace(config, spk_emb_size=SIZE, banter={**config.banter, "speaker": KIND}).save(folder)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
