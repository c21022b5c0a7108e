"""Write trained parts into a model folder: `python -m app.training export`."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import save_file

from app.omni.checkpoint import save_weights as save_network
from app.speech.codec_parts import CodecConfig
from app.speech.starter_codec import StarterCodec
from app.speech.weights import read_tensors, save_weights
from app.training.corpus import load_intents
from app.training.development import INTENTS_FILE
from app.training.model import load_tokenizer, starter_config, think_end
from app.training.synthesize import VOICES
from app.training.talker import PACE
from app.training.tool_corpus import load_tools

#: Text is learnt answers, so the likeliest word is the right one.
GENERATION = {
    "temperature": 0.0,
    "max_new_tokens": 400,
    # The answers it learnt begin with a moment of silence, so silence is not a fault at the start; and what is learnt
    # by heart repeats codes where the recording did, so that a penalty would only lead it astray.
    "pace": dataclasses.asdict(PACE),
    "talker": {"temperature": 0.1, "top_k": 30, "repetition_penalty": 1.0, "silence_ban_frames": 0},
}

#: Known questions come after two earlier exchanges at most.
HISTORY_TURNS = 2


def export_codec(checkpoint: Path, out: Path) -> None:
    """`codec.json` and `codec.safetensors` from a codec checkpoint."""
    state = torch.load(checkpoint, weights_only=True)["codec"]
    codec = StarterCodec(CodecConfig(speaker_size=state["speaker.inner.weight"].shape[1]))
    codec.load_state_dict(state)
    out.mkdir(parents=True, exist_ok=True)
    (out / "codec.json").write_text(json.dumps(dataclasses.asdict(codec.config), indent=2) + "\n")
    save_weights(codec.state_dict(), out / "codec.safetensors", "int8")


def share_embedding(out: Path) -> None:
    """Take their own feature rows from the ears: they read the Thinker's embedding beside them."""
    path = out / "encoder.safetensors"
    state = read_tensors(path)
    if state.pop("rows.weight", None) is not None:
        save_weights(state, path, "int8")


def export_omni(checkpoint: Path, out: Path, voices: Sequence[str]) -> None:
    """Network, the ears' rows, `voices`, `config.json` and the list of intents; `out` already holds the ears."""
    config = dataclasses.replace(
        starter_config(think_end(load_tokenizer(out))),
        banter={
            "name": "Banter starter",
            "encoder": "starter",
            "codec": "starter",
            "speaker": "starter",
            "speaker_clip_s": 6.0,
            "history_turns": HISTORY_TURNS,
            "weights": "int8",
            "languages": ["en"],
            "generation": GENERATION,
        },
    )
    config.save(out)
    network = torch.load(checkpoint, weights_only=True)["model"]
    save_network(network, out / "model.safetensors", "int8")
    share_embedding(out)
    save_file(
        {f"{name}.spk_emb": VOICES[name].vector() for name in voices},
        out / "voices.safetensors",
        {"order": ",".join(voices)},
    )
    write_intents(out)


def write_intents(out: Path) -> None:
    """The list of everything in the corpus: ids, and answers or tools."""
    rows = [(intent.id, intent.spoken_answer) for intent in load_intents()]
    rows += [(tool.id, tool.row["tool"]["name"] if tool.row["tool"] else tool.spoken_answer) for tool in load_tools()]
    (out / INTENTS_FILE).write_text("".join(f"{name}\t{answer}\n" for name, answer in rows), encoding="utf-8")


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training export`."""
    parser = argparse.ArgumentParser(prog="app.training export", description=__doc__)
    parser.add_argument("--codec", type=Path, help="codec checkpoint")
    parser.add_argument("--omni", type=Path, help="checkpoint of the stage `talker`")
    parser.add_argument("--voices", nargs="+", choices=VOICES, default=tuple(VOICES), help="voices to offer")
    parser.add_argument("--out", type=Path, required=True, help="model folder")
    args = parser.parse_args(argv)
    if args.codec:
        export_codec(args.codec, args.out)
    if args.omni:
        export_omni(args.omni, args.out, args.voices)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
