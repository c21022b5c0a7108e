"""Train the codec's decoder to speak the same codes in every voice: `python -m app.training decoder`.

The codes stay what they are. Half of the time the decoder gets them as the Talker says them (`said`), mistakes and all,
and learns to sound like the recording all the same. Losses: spectra at four resolutions and the states of a recogniser.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import soundfile as sf
import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import Tensor

from app.speech.codec_parts import FRAME, LAG
from app.speech.starter_codec import StarterCodec
from app.speech.voiceprint import WIDTH
from app.speech.voiceprint_speaker import SIZE, speaker_vector
from app.training.codec import SpectralLoss
from app.training.loop import Run, join_group, stage_arguments
from app.training.model import answer_codes
from app.training.phonetic import PhoneticLoss
from app.training.synthesize import DEFAULT_VOICE

SEGMENT_FRAMES = 24
PHONETIC_WEIGHT = 0.5
#: How often it is the default voice; all others are as likely as they have clips.
DEFAULT_SHARE = 0.2
#: How often a voice is told by the mean of its voiceprints and not by that of the clip.
MEAN_SHARE = 0.5
#: How often codes are the Talker's, and how often a clip is coded itself and decoded without a speaker vector.
SAID_SHARE, AS_CODED_SHARE = 0.5, 0.05
#: How often a segment is the start of its answer.
OPENING_SHARE = 0.3


@dataclass(frozen=True)
class Clip:
    """One answer in one voice: int16 [frames · 1920], pitch in octaves, voiceprint [256]."""

    intent: str
    voice: str
    audio: np.ndarray
    pitch: float
    print: Tensor


class Clips:
    """The answers in all voices in `folder`; `refresh` picks up new ones."""

    def __init__(self, folder: Path, part: int, parts: int) -> None:
        self._folder, self._part, self._parts = folder, part, parts
        self._seen: set[str] = set()
        self.default: list[Clip] = []
        self.others: list[Clip] = []
        self._sums: dict[str, Tensor] = {}

    def refresh(self) -> int:
        """Number of clips."""
        for number, path in enumerate(sorted(self._folder.glob("*.json"))):
            if path.name not in self._seen and number % self._parts == self._part:
                self._seen.add(path.name)
                row = json.loads(path.read_text())
                audio = sf.read(path.with_suffix(".flac"), dtype="int16")[0]
                clip = Clip(row["intent"], row["voice"], audio, row["pitch"], torch.tensor(row["print"]))
                (self.default if clip.voice == DEFAULT_VOICE else self.others).append(clip)
                self._sums[clip.voice] = self._sums.get(clip.voice, torch.zeros(WIDTH)) + clip.print
        return len(self._seen)

    def mean_print(self, voice: str) -> Tensor:
        """The voiceprint of all clips of a voice, [256]."""
        return F.normalize(self._sums[voice], dim=0)


class Segments:
    """Endless batches of codes and what they should sound like."""

    def __init__(self, clips: Clips, codec: StarterCodec, work: Path, size: int, seed: int) -> None:
        self._clips, self._codec, self._size = clips, codec, size
        self._codes = answer_codes(work)
        self._said: dict[str, list[Tensor]] = {}
        if (said := work / "said.safetensors").exists():
            for key, value in load_file(said).items():
                self._said.setdefault(key.rsplit("|", 1)[0], []).append(value.long())
        self._silence = codec.quantiser.decode(codec.encode(np.zeros(SEGMENT_FRAMES * FRAME, np.float32)).T)
        self._rng = np.random.default_rng(seed)

    def _item(self) -> tuple[Tensor, Tensor, Tensor]:
        """Code vectors [24, 16], speaker [258], audio [24 · 1920]."""
        rng = self._rng
        clips = self._clips.default if rng.random() < DEFAULT_SHARE else self._clips.others
        clip = clips[rng.integers(len(clips))]
        mean = rng.random() < MEAN_SHARE
        speaker = speaker_vector(clip.pitch, self._clips.mean_print(clip.voice) if mean else clip.print)
        codes = self._codes[clip.intent]
        variants = self._said.get(clip.intent)
        if variants and rng.random() < SAID_SHARE:
            codes = variants[rng.integers(len(variants))]
        frames = min(codes.shape[1], len(clip.audio) // FRAME)
        last = max(0, frames - SEGMENT_FRAMES)
        first = 0 if rng.random() < OPENING_SHARE else int(rng.integers(last + 1))
        audio = torch.zeros(SEGMENT_FRAMES * FRAME)
        piece = torch.from_numpy(
            clip.audio[first * FRAME : (first + SEGMENT_FRAMES) * FRAME].astype(np.float32) / 32768
        )
        audio[: len(piece)] = piece
        if rng.random() < AS_CODED_SHARE:
            with torch.no_grad():
                own = self._codec.quantiser.encode(self._codec.analyse(self._codec.log_mel(audio[None])))
                return self._codec.quantiser.decode(own)[0], torch.zeros_like(speaker), audio
        vectors = self._codec.quantiser.decode(codes[:, first : first + SEGMENT_FRAMES].T)
        # A short answer is followed by what silence is coded as: the codec's own vector of it.
        if len(vectors) < SEGMENT_FRAMES:
            vectors = torch.cat((vectors, self._silence[: SEGMENT_FRAMES - len(vectors)]))
        return vectors, speaker, audio

    def __next__(self) -> tuple[Tensor, Tensor, Tensor]:
        vectors, speakers, audio = zip(*(self._item() for _ in range(self._size)), strict=True)
        return torch.stack(vectors), torch.stack(speakers), torch.stack(audio)


@torch.no_grad()
def with_voices(codec: StarterCodec) -> StarterCodec:
    """The codec with a decoder that takes voiceprints; one that took less goes on with what it knows of pitch."""
    if codec.config.speaker_size == SIZE:
        return codec
    made = StarterCodec(replace(codec.config, speaker_size=SIZE))
    state = codec.state_dict()
    if codec.speaker is not None:
        inner = torch.zeros(codec.speaker.inner.out_features, SIZE)
        inner[:, :2] = state["speaker.inner.weight"][:, :2]
        state["speaker.inner.weight"] = inner
    made.load_state_dict({**made.state_dict(), **state})
    return made.eval().requires_grad_(False)


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training decoder`."""
    parser = stage_arguments("decoder", __doc__, rate=6e-4, batch=12)
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    rank = join_group()
    world = torch.distributed.get_world_size() if torch.distributed.is_initialized() else 1
    torch.manual_seed(0)
    codec = StarterCodec.load(args.model)
    codec = with_voices(codec)
    assert codec.speaker is not None
    synthesis = (codec.from_code, codec.decoder_context, codec.unjoin, codec.decoder, codec.norm, codec.head)
    for part in (*synthesis, codec.speaker):
        part.requires_grad_(True)
    run = Run(
        args.work / "decoder", codec, minutes=args.minutes, rate=args.rate, keep=lambda: {"codec": codec.state_dict()}
    )
    clips = Clips(args.work / "crossed", rank, world)
    segments = Segments(clips, codec, args.work, args.batch, run.step * 8 + rank)
    spectral_of, phonetic_of = SpectralLoss(), PhoneticLoss(args.model)
    steps = 0

    def losses() -> tuple[Tensor, ...]:
        nonlocal steps
        if steps % 200 == 0:
            clips.refresh()
        steps += 1
        vectors, speakers, audio = next(segments)
        output = codec.overlap_add(codec.spectrum(vectors, speakers))
        # The first and last milliseconds have no counterpart because of the lag.
        ours, theirs = output[:, LAG:], audio[:, :-LAG]
        return spectral_of(ours, theirs), PHONETIC_WEIGHT * phonetic_of(ours, theirs)

    run.go(losses, lambda: {"clips": clips.refresh()})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
