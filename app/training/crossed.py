"""Answers in the rhythm of the default voice and with the sound of other people: `python -m app.training crossed`.

Half of a style vector of Kokoro says how a voice sounds, the other half when and how high it speaks. With the default
voice's second half, the recording of any voice lies on that of the default voice frame by frame; what is left is its
pitch, which is moved to that of the speaker afterwards (Praat's PSOLA; a training-time tool only). So the codec's
decoder can learn to say the same codes in fifty voices and mixtures of them. Writes `crossed/<intent>.<voice>.flac`,
laid out frame by frame as the codes are, and beside each its pitch and voiceprint; resumes by file.
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

from app.speech.codec_parts import SAMPLE_RATE
from app.speech.starter_speaker import StarterSpeaker
from app.speech.voiceprint import Voiceprint
from app.training.change_pitch import change_pitch
from app.training.choices import Choice, load_choices, prepare
from app.training.corpus import load_intents
from app.training.kokoro import RESERVED_VOICES, Kokoro
from app.training.likeness import load_resemblyzer
from app.training.synthesize import DEFAULT_SOURCE, DEFAULT_VOICE, SOURCES, plan_answers

Floats = NDArray[np.float32]
#: Voices in which every answer is spoken; how often such a voice is one of the menu, and another one a mixture of two.
VOICES_PER_ANSWER, MENU_SHARE, MIXED_SHARE = 2, 0.5, 0.4
PROBE = "The sky looks blue because air scatters blue light more than red light, in every direction."
_ENVELOPE_HOP = 48
_SAME_PITCH = 0.04


@dataclass(frozen=True)
class Person:
    """A voice of Kokoro or a mixture of two, by their shares."""

    mix: tuple[tuple[str, float], ...]

    @property
    def name(self) -> str:
        """Fit for a file name."""
        return "+".join(voice for voice, _ in self.mix)


def people(folder: Path) -> list[str]:
    """Kokoro's voices that training may use."""
    return sorted(path.stem for path in folder.glob("*.bin") if path.stem not in RESERVED_VOICES)


def draw_person(voices: list[str], rng: np.random.Generator) -> Person:
    """Somebody at random."""
    if rng.random() < MENU_SHARE:
        return Person(((str(rng.choice([*SOURCES.values()][1:])), 1.0),))
    first, second = (str(name) for name in rng.choice(voices, 2, replace=False))
    if rng.random() >= MIXED_SHARE:
        return Person(((first, 1.0),))
    share = float(rng.uniform(0.3, 0.7))
    return Person(((first, share), (second, 1 - share)))


def envelope(audio: Floats) -> Floats:
    """Loudness in steps of 2 ms, its mean taken off."""
    steps = np.sqrt(np.square(audio[: len(audio) // _ENVELOPE_HOP * _ENVELOPE_HOP]).reshape(-1, _ENVELOPE_HOP).mean(1))
    return np.asarray(steps / (steps.std() + 1e-9) - steps.mean() / (steps.std() + 1e-9), np.float32)


def cut_like(audio: Floats, recording: Floats) -> Floats:
    """The part of `audio`, which begins and ends with more silence, that lies on `recording` best."""
    ours, theirs = envelope(audio), envelope(recording)
    room = max(len(ours) - len(theirs), 0)
    fits = [float(ours[late : late + len(theirs)] @ theirs[: len(ours)]) for late in range(room + 1)]
    first = int(np.argmax(fits)) * _ENVELOPE_HOP
    cut = audio[first : first + len(recording)]
    return np.pad(cut, (0, len(recording) - len(cut)))


class Crossing:
    """Speaks answers with two halves of style."""

    def __init__(self, kokoro: Kokoro, work: Path, voiceprint: Voiceprint) -> None:
        self._kokoro, self._work, self._print, self._measure = kokoro, work, voiceprint, StarterSpeaker()
        self._octaves: dict[Person, float] = {}

    def octaves(self, person: Person) -> float:
        """How high the person speaks, measured in a sentence of their own."""
        if person not in self._octaves:
            own = self._kokoro.speak(PROBE, dict(person.mix))
            self._octaves[person] = self._measure.traits(np.asarray(own, np.float32)).pitch
        return self._octaves[person]

    def speak(self, text: str, speed: float, recording: Floats, person: Person) -> tuple[Floats, float]:
        """`text` in that person's voice on the frames of the default voice's `recording`, and its pitch in octaves."""
        spoken = self._kokoro.speak(text, dict(person.mix), speed, prosody={DEFAULT_SOURCE: 1.0})
        octaves, audio = self.octaves(person), cut_like(np.asarray(spoken, np.float32), recording)
        # PSOLA costs a little clarity: not for what nobody hears.
        if abs(octaves) > _SAME_PITCH:
            audio = change_pitch(audio, SAMPLE_RATE, octaves)
        return audio, octaves

    def row(self, audio: Floats, octaves: float) -> dict[str, object]:
        """What the decoder is told about the voice."""
        return {"pitch": octaves, "print": [round(x, 5) for x in self._print.of(audio).tolist()]}


def cross(work: Path, crossing: Crossing, voices: list[str]) -> Iterator[Path]:
    """Make what is missing in `work/crossed`; yields every finished file."""
    out = work / "crossed"
    out.mkdir(exist_ok=True)
    plan = {utterance.name: utterance for utterance in plan_answers()}
    chosen = load_choices(work)
    for intent in load_intents():
        choice: Choice | None = chosen.get(intent.id)
        if choice is None or choice.file not in plan:
            continue
        recording = sf.read(work / "answers" / f"{choice.file}.flac", dtype="float32")[0]
        utterance = plan[choice.file]
        own = out / f"{intent.id}.{DEFAULT_VOICE}.flac"
        if not own.with_suffix(".json").exists():
            _write(own, prepare(recording, choice.shift), intent.id, DEFAULT_VOICE, crossing.row(recording, 0.0))
        rng = np.random.default_rng(list(intent.id.encode()))
        for person in (draw_person(voices, rng) for _ in range(VOICES_PER_ANSWER)):
            path = out / f"{intent.id}.{person.name}.flac"
            if path.with_suffix(".json").exists():
                continue
            audio, octaves = crossing.speak(utterance.text, utterance.speed, recording, person)
            row = crossing.row(audio, octaves)
            _write(path, prepare(audio, choice.shift), intent.id, person.name, row)
            yield path


def _write(path: Path, audio: Floats, intent: str, voice: str, row: dict[str, object]) -> None:
    sf.write(path, audio, SAMPLE_RATE, subtype="PCM_16")
    path.with_suffix(".json").write_text(json.dumps({"intent": intent, "voice": voice, **row}))


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training crossed`."""
    parser = argparse.ArgumentParser(prog="app.training crossed", description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    crossing = Crossing(Kokoro(args.work, args.threads), args.work, load_resemblyzer(args.work))
    for done, _ in enumerate(cross(args.work, crossing, people(args.work / "voices")), 1):
        if done % 25 == 0:
            print(f"crossed: {done}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
