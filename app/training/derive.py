"""What every answer sounds like in every voice: `python -m app.training derive`.

The codes of an answer are one and the same for all voices; the codec's decoder gives them a voice. What it learns from
is the default voice's recording with pitch and formants moved (Praat's "Change gender": PSOLA, formants moved by
resampling; a training-time tool only), in the voices of the menu and in one more, drawn for each answer, so that the
decoder learns the whole range and not six points of it. Writes `voiced/<intent>.<voice>.flac`, laid out frame by
frame as the codes are, and the speaker vector beside each.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile as sf
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from torch import Tensor

from app.speech.codec_parts import LAG, SAMPLE_RATE
from app.speech.speaker_traits import Traits
from app.speech.starter_codec import StarterCodec
from app.speech.starter_speaker import FORMANT_RANGE, PITCH_RANGE
from app.training.choices import Choice, even_level, load_choices, prepare
from app.training.synthesize import DEFAULT_VOICE, VOICES

Floats = NDArray[np.float32]
#: Range in which the source's pitch is looked for, in hertz.
PITCH_FLOOR, PITCH_CEILING = 75, 500
#: Name of the voice that is drawn.
DRAWN = "drawn"


def draw_traits(rng: np.random.Generator) -> Traits:
    """A plausible person: a longer vocal tract goes with a lower pitch, loosely."""
    pitch = rng.uniform(*PITCH_RANGE)
    return Traits(float(pitch), float(np.clip(0.25 * pitch + rng.normal(0, 0.08), *FORMANT_RANGE)))


def change_voice(audio: Floats, rate: int, traits: Traits) -> Floats:
    """Speech of another person in the same rhythm; same length, sample rate `rate`.

    Pitch moves by a ratio: the decoder, which hears no more than the codes and the speaker vector, can follow it.
    """
    import parselmouth
    from parselmouth.praat import call

    sound = parselmouth.Sound(audio.astype(np.float64), rate)
    heights = sound.to_pitch(pitch_floor=PITCH_FLOOR, pitch_ceiling=PITCH_CEILING).selected_array["frequency"]
    voiced = heights[heights > 0]
    # Zero keeps the pitch; a clip without any voice has none to move.
    median = float(np.median(voiced)) * 2**traits.pitch if voiced.size else 0.0
    formants = 2**traits.formants
    changed = call(sound, "Change gender", PITCH_FLOOR, PITCH_CEILING, formants, median, 1.0, 1.0)
    return np.asarray(changed.values[0], np.float32)


@dataclass(frozen=True)
class Source:
    """An answer in the default voice as its codes are laid out; `recorded`: a recording, not the codes decoded."""

    audio: Floats
    recorded: bool


def source(choice: Choice, codes: Tensor, answers: Path, codec: StarterCodec) -> Source:
    """The recording that was chosen; where only the codes were kept, what the codec makes of them."""
    if choice.file is not None:
        return Source(prepare(sf.read(answers / f"{choice.file}.flac", dtype="float32")[0], choice.shift), True)
    # The decoder lags; the clip must lie on the frames as a recording does.
    late = codec.decode(codes, Traits().vector())
    return Source(np.concatenate((late[LAG:], np.zeros(LAG, np.float32))), False)


def derive(work: Path, pack: dict[str, Tensor], codec: StarterCodec) -> Iterator[Path]:
    """Make what is missing in `work/voiced`; yields every finished file."""
    out = work / "voiced"
    out.mkdir(exist_ok=True)
    for intent, choice in load_choices(work).items():
        codes = pack[f"{intent}|{DEFAULT_VOICE}"].long()
        spoken: Source | None = None
        drawn = draw_traits(np.random.default_rng(list(intent.encode())))
        for name, traits in {**VOICES, DRAWN: drawn}.items():
            path = out / f"{intent}.{name}.flac"
            if path.with_suffix(".json").exists():
                continue
            spoken = spoken or source(choice, codes, work / "answers", codec)
            if name == DEFAULT_VOICE and not spoken.recorded:
                continue
            audio = spoken.audio if name == DEFAULT_VOICE else change_voice(spoken.audio, SAMPLE_RATE, traits)
            sf.write(path, even_level(audio), SAMPLE_RATE, subtype="PCM_16")
            row = {"intent": intent, "voice": name, "speaker": traits.vector().tolist()}
            path.with_suffix(".json").write_text(json.dumps(row))
            yield path


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training derive`."""
    parser = argparse.ArgumentParser(prog="app.training derive", description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="model folder with the codec")
    parser.add_argument("--pack", type=Path, required=True, help="codes of the answers in the default voice")
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    made = sum(1 for _ in derive(args.work, load_file(args.pack), StarterCodec.load(args.model)))
    print(f"{made} new files", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
