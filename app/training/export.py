"""Write trained parts into a model folder: `python -m app.training export`."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer

from app.omni.checkpoint import save_weights as save_network
from app.speech.starter_codec import CodecConfig, StarterCodec
from app.speech.weights import save_weights
from app.training.corpus import starter_intents
from app.training.omni import speaker_vectors, starter_config
from app.training.synthesize import BAKED_VOICES

#: Text is learnt answers, so the likeliest word is the right one; speech needs a little freedom.
GENERATION = {
    "temperature": 0.0,
    "max_new_tokens": 400,
    # The answers it learnt begin with a moment of silence, so silence is not a fault at the start.
    "talker": {"temperature": 0.3, "top_k": 30, "silence_ban_frames": 0},
}


def export_codec(checkpoint: Path, out: Path) -> None:
    """`codec.json` and `codec.safetensors` from a codec checkpoint."""
    codec = StarterCodec()
    codec.load_state_dict(torch.load(checkpoint, weights_only=True)["codec"])
    out.mkdir(parents=True, exist_ok=True)
    (out / "codec.json").write_text(json.dumps(dataclasses.asdict(CodecConfig()), indent=2) + "\n")
    save_weights(codec.state_dict(), out / "codec.safetensors")


def export_omni(checkpoint: Path, out: Path, voices: Sequence[str]) -> None:
    """Network, `voices`, `config.json` and the list of intents; `out` already holds `tokenizer.json`."""
    tokenizer = Tokenizer.from_file(str(out / "tokenizer.json"))
    newline = tokenizer.encode("\n", add_special_tokens=False).ids
    think_end = tokenizer.encode("</think>", add_special_tokens=False).ids
    config = dataclasses.replace(
        starter_config((*think_end, *newline, *newline)),
        banter={
            "name": "Banter starter",
            "encoder": "starter",
            "codec": "starter",
            "languages": ["en"],
            "generation": GENERATION,
        },
    )
    config.save(out)
    save_network(torch.load(checkpoint, weights_only=True)["model"], out / "model.safetensors", "int8")
    vectors = speaker_vectors()
    save_file(
        {f"{name}.spk_emb": vectors[BAKED_VOICES.index(name)].clone() for name in voices},
        out / "voices.safetensors",
        {"order": ",".join(voices)},
    )
    listing = "".join(f"{intent.id}\t{intent.spoken_answer}\n" for intent in starter_intents())
    (out / "intents.tsv").write_text(listing, encoding="utf-8")


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training export`."""
    parser = argparse.ArgumentParser(prog="app.training export", description=__doc__)
    parser.add_argument("--codec", type=Path, help="codec checkpoint")
    parser.add_argument("--omni", type=Path, help="Thinker–Talker checkpoint")
    parser.add_argument("--voices", nargs="+", choices=BAKED_VOICES, default=BAKED_VOICES, help="voices to offer")
    parser.add_argument("--out", type=Path, required=True, help="model folder")
    args = parser.parse_args(argv)
    if args.codec:
        export_codec(args.codec, args.out)
    if args.omni:
        export_omni(args.omni, args.out, args.voices)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
