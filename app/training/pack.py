"""Turn audio into what the omni training reads: `python -m app.training pack`.

Answers become codes (`codes.safetensors`, keys `intent|voice`), sayings too (`sayings.safetensors`, keys are the
sentences), questions become what the ears read (`heard.json`, transcripts by wording). All are small; with them any
machine can train.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import soundfile as sf
import soxr
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from app.speech.features import SAMPLE_RATE as EAR_RATE
from app.speech.starter_codec import StarterCodec
from app.speech.starter_encoder import StarterEncoder
from app.training.choices import load_choices, prepare
from app.training.ears_tune import roughen
from app.training.synthesize import DEFAULT_VOICE


def answer_codes(codec: StarterCodec, work: Path, kept: dict[str, Tensor]) -> dict[str, Tensor]:
    """Codes int16 [8, T] of every answer as `choose` decided; those it keeps come from `kept`."""
    codes = {}
    for intent, choice in load_choices(work).items():
        key = f"{intent}|{DEFAULT_VOICE}"
        if choice.file is None:
            codes[key] = kept[key]
        else:
            speech = sf.read(work / "answers" / f"{choice.file}.flac", dtype="float32")[0]
            codes[key] = codec.encode(prepare(speech, choice.shift)).to(torch.int16)
    return codes


def saying_codes(codec: StarterCodec, folder: Path) -> dict[str, Tensor]:
    """Codes int16 [8, T] of every recorded saying in `folder`, by its sentence."""
    codes = {}
    for path in sorted(folder.glob("*.json")):
        speech = sf.read(path.with_suffix(".flac"), dtype="float32")[0]
        codes[json.loads(path.read_text())["text"]] = codec.encode(prepare(speech, 0)).to(torch.int16)
    return codes


def transcripts(encoder: StarterEncoder, folder: Path, variants: int) -> dict[str, list[str]]:
    """What the ears read of every question, by its wording: once clean, `variants` times roughened."""
    rng = np.random.default_rng(5)
    read: dict[str, list[str]] = {}
    for path in sorted(folder.glob("*.json")):
        row = json.loads(path.read_text())
        audio, rate = sf.read(path.with_suffix(".flac"), dtype="float32")
        clip = soxr.resample(audio, rate, EAR_RATE)
        for number in range(variants + 1):
            heard = encoder.encode(clip if number == 0 else roughen(clip, rng))
            read.setdefault(row["text"], []).append(heard.text)
    return read


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training pack`."""
    parser = argparse.ArgumentParser(prog="app.training pack", description=__doc__)
    parser.add_argument("what", choices=("codes", "sayings", "heard"))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="model folder with codec and encoder")
    parser.add_argument("--keep", type=Path, help="the pack given to `choose`")
    parser.add_argument("--variants", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    if args.what == "codes":
        kept = load_file(args.keep) if args.keep else {}
        codes = answer_codes(StarterCodec.load(args.model), args.work, kept)
        save_file(codes, args.work / "codes.safetensors")
        print(f"{len(codes)} answers")
    elif args.what == "sayings":
        codes = saying_codes(StarterCodec.load(args.model), args.work / "sayings")
        save_file(codes, args.work / "sayings.safetensors")
        print(f"{len(codes)} sayings")
    else:
        read = transcripts(StarterEncoder.load(args.model), args.work / "questions", args.variants)
        (args.work / "heard.json").write_text(json.dumps(read, indent=0, ensure_ascii=False), encoding="utf-8")
        print(f"{len(read)} questions")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
