"""Where the words are in the recordings that the project has as codes: `python -m app.training units`.

Whisper's word times, moved to the quietest place near by and to the grid of the codes, cut every recording into words
for `app.speech.spoken_units`. Only words that were read rightly have ends.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import soundfile as sf
import torch
from numpy.typing import NDArray

from app.judge import Judge
from app.measure import words
from app.omni.turn import FRAME_SAMPLES, OUTPUT_RATE
from app.speech import registry
from app.speech.interfaces import SpeechCodec
from app.speech.spoken_units import NO_CUT, SpokenUnits, plain_words
from app.training.corpus import load_intents
from app.training.model import answer_codes, saying_codes
from app.training.synthesize import trim

_FRAME_S = FRAME_SAMPLES / OUTPUT_RATE
#: Within so many seconds of the middle between two words the quietest place is looked for.
_NEAR_S = 0.06
_HOP = 240
#: Softer than this, beside the peak, a word recorded by itself is over; so many seconds of the edge are kept.
_AUDIBLE, _EDGE_S = 0.02, 0.02


class Heard(NamedTuple):
    """Plain words that were read as one, and their time in seconds."""

    words: tuple[str, ...]
    start: float
    end: float


def hear(judge: Judge, audio: NDArray[np.float32]) -> list[Heard]:
    """The words of float32 mono speech at 24 kHz with their times."""
    return [
        Heard(tuple(words(word) or re.findall(r"[a-z]+", word.lower())), start, end)
        for word, start, end in judge.timed(audio)
    ]


def cuts(said: list[str], heard: list[Heard], audio: NDArray[np.float32], frames: int) -> list[int]:
    """Frames at which the words of a sentence begin, and the last one's end; NO_CUT where nobody knows."""
    flat = [(word, index) for index, one in enumerate(heard) for word in one.words]
    place: dict[int, int] = {}
    spelt = [(words(word) or [word])[0] for word in said]
    matcher = difflib.SequenceMatcher(a=spelt, b=[word for word, _ in flat], autojunk=False)
    for first, second, length in matcher.get_matching_blocks():
        place |= {first + step: second + step for step in range(length)}
    level = np.array([np.sqrt(np.mean(part**2) + 1e-9) for part in np.array_split(audio, max(1, len(audio) // _HOP))])
    found = [0]
    for number in range(1, len(said)):
        before, after = place.get(number - 1), place.get(number)
        if before is None or after is None or after != before + 1 or flat[before][1] == flat[after][1]:
            found.append(NO_CUT)
            continue
        middle = (heard[flat[before][1]].end + heard[flat[after][1]].start) / 2
        at = _quietest(level, middle)
        frame = round(at / _FRAME_S)
        found.append(frame if found[-1] < frame < frames else NO_CUT)
    return [*found, frames]


def _quietest(level: NDArray[np.float32], middle: float) -> float:
    step = _HOP / OUTPUT_RATE
    first, last = (int(np.clip((middle + away) / step, 0, len(level) - 1)) for away in (-_NEAR_S, _NEAR_S))
    return (first + int(level[first : last + 1].argmin()) + 0.5) * step


def recordings(work: Path) -> Iterator[tuple[str, torch.Tensor]]:
    """Every sentence that there are codes of, sayings first."""
    yield from saying_codes(work).items()
    answers = {intent.id: intent.spoken_answer for intent in load_intents()}
    for name, codes in answer_codes(work).items():
        if name in answers:
            yield answers[name], codes


def word_codes(work: Path, codec: SpeechCodec) -> Iterator[tuple[str, torch.Tensor]]:
    """Codes of the words that were recorded by themselves, closely trimmed."""
    for path in sorted((work / "words").glob("*.json")):
        audio, _ = sf.read(path.with_suffix(".flac"), dtype="float32")
        close = trim(audio, silence=_AUDIBLE, lead_s=_EDGE_S, tail_s=_EDGE_S)
        yield json.loads(path.read_text(encoding="utf-8"))["text"], codec.encode(close)


def pack(work: Path, folder: Path) -> int:
    """Write `units.safetensors` and `units.json` of what has been cut into a model folder; the number of sentences."""
    codes = dict(recordings(work))
    lines = [line for path in sorted(work.glob("cuts-*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    found = [(str(one["text"]), list(one["cuts"]), codes[one["text"]]) for one in map(json.loads, lines)]
    alone = word_codes(work, registry.load_codec("starter", folder, int8=True))
    found += [(word, [0, part.shape[1]], part) for word, part in alone]
    found.sort(key=lambda row: row[0])
    SpokenUnits(torch.cat([part for *_, part in found], 1), [(text, ends) for text, ends, _ in found]).save(folder)
    return len(found)


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training units`: writes `cuts-INDEX.jsonl` into WORK; resumes. With `--pack`, all of them into the
    model folder."""
    parser = argparse.ArgumentParser(prog="app.training units", description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="model folder with the codec")
    parser.add_argument("--limit", type=int, default=None, help="of the sentences, the sayings first")
    parser.add_argument("--part", default="0/1", help="share of the work, as INDEX/COUNT")
    parser.add_argument("--pack", action="store_true", help="write what has been cut into the model folder")
    args = parser.parse_args(argv)
    if args.pack:
        print(f"{pack(args.work, args.model)} sentences")
        return 0
    torch.set_num_threads(1)
    index, count = map(int, args.part.split("/"))
    out = args.work / f"cuts-{index}.jsonl"
    done = {json.loads(line)["text"] for line in out.read_text().splitlines()} if out.exists() else set()
    codec, judge = registry.load_codec("starter", args.model, int8=True), Judge(args.work / "whisper", 1)
    with out.open("a", encoding="utf-8") as file:
        for text, codes in [*dict(recordings(args.work)).items()][: args.limit][index::count]:
            if text in done:
                continue
            audio = codec.decode(codes)
            found = cuts(plain_words(text), hear(judge, audio), audio, codes.shape[1])
            file.write(json.dumps({"text": text, "cuts": found}) + "\n")
            file.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
