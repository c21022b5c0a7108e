"""Pick the recording of every answer that stays clearest as codes: `python -m app.training choose`.

A codec of one kilobit a second loses a word here and there, and which one depends on the tempo and on where the frames
fall. So every answer is tried at each recorded speed and at two positions against the frame grid, sent through the
codec, and read back by the judge; the first one that is read without an error at an easy pace wins. Answers that the
pack given with `--keep` already says that well stay as they are.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
import soundfile as sf
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from torch import Tensor

from app.judge import Judge
from app.measure import errors, faults, pace, words
from app.speech.codec_parts import FRAME
from app.speech.starter_codec import StarterCodec
from app.training.choices import Choice, load_choices, prepare
from app.training.corpus import Intent, load_intents
from app.training.synthesize import DEFAULT_VOICE, plan_answers

Floats = NDArray[np.float32]
#: Syllables a second: below the limit of `faults`, as a Talker may well be a little faster than its model.
EASY_PACE = 5.6
SHIFTS = (0, FRAME // 2)


class Chooser:
    """Tries candidates of one answer after the other."""

    def __init__(self, codec: StarterCodec, judge: Judge, answers: Path) -> None:
        self._codec, self._judge = codec, judge
        self._answers = answers
        self._files: dict[str, list[str]] = {}
        for utterance in plan_answers():
            if utterance.voice == DEFAULT_VOICE:
                self._files.setdefault(utterance.intent, []).append(utterance.name)

    def _candidates(self, intent: Intent, kept: Tensor | None) -> Iterator[tuple[str | None, int, Tensor]]:
        if kept is not None:
            yield None, 0, kept.long()
        for name in self._files[intent.id]:
            path = self._answers / f"{name}.flac"
            if path.with_suffix(".json").exists():
                speech = sf.read(path, dtype="float32")[0]
                for shift in SHIFTS:
                    yield name, shift, self._codec.encode(prepare(speech, shift))

    def choose(self, intent: Intent, kept: Tensor | None) -> Choice | None:
        """The clearest candidate; None where nothing is clear yet and recordings are still to come."""
        said, found = words(intent.spoken_answer), list[Choice]()
        for name, shift, codes in self._candidates(intent, kept):
            audio = self._codec.decode(codes)
            hasty = bool(faults(audio, intent.spoken_answer)) or pace(audio, intent.spoken_answer) > EASY_PACE
            found.append(Choice(name, shift, errors(said, words(self._judge.read(audio))), hasty))
            if not hasty and not found[-1].errors:
                return found[-1]
        if len(found) < len(self._files[intent.id]) * len(SHIFTS) + (kept is not None):
            return None
        return min(found, key=lambda choice: choice.errors + 2 * choice.hasty)


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training choose`."""
    parser = argparse.ArgumentParser(prog="app.training choose", description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="model folder with the codec")
    parser.add_argument("--keep", type=Path, help="pack of codes whose clear answers stay")
    parser.add_argument("--part", default="0/1", help="share of the work, as INDEX/COUNT")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    index, count = (int(x) for x in args.part.split("/"))
    answers: Path = args.work / "answers"
    packed = load_file(args.keep) if args.keep else {}
    chooser = Chooser(StarterCodec.load(args.model), Judge(args.work / "whisper", args.threads), answers)
    out: Path = args.work / "choices"
    out.mkdir(exist_ok=True)
    for done, intent in enumerate(load_intents()[index::count], 1):
        path = out / f"{intent.id}.json"
        if not path.exists():
            choice = chooser.choose(intent, packed.get(f"{intent.id}|{DEFAULT_VOICE}"))
            if choice is not None:
                path.write_text(json.dumps(asdict(choice)))
        if done % 50 == 0:
            made = load_choices(args.work).values()
            print(f"choose {args.part}: {done}, {len(made)} made, {sum(c.errors for c in made)} errors", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
