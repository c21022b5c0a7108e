"""`bench compare`: what the switches of speech generation do, over stored sentences with fixed seeds.

Every variant says the same sentences with the same seeds, so that what differs is the switch. Measured is what needs
no ear: length, silence, pace, how the speech ended, and, with a recogniser, the words that can be understood.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import soxr
from numpy.typing import NDArray

from app.ask import AskError, Model
from app.audiofile import read_speech, write_wav
from app.measure import errors, syllables, words
from app.omni.engine import OmniEngine
from app.omni.generate import GenerationConfig
from app.omni.turn import INPUT_RATE, OUTPUT_RATE, AudioPiece, TurnRequest, TurnStats
from app.speech.starter_speaker import NoVoiceError

Floats = NDArray[np.float32]

PROMPTS = Path(__file__).with_name("compare_prompts.json")
#: Syllables a second of unhurried English, for the length that a sentence should have.
_PACE = 4.0
_BLOCK = OUTPUT_RATE // 50
_SILENT = 0.01
#: From here on samples are bent, see `app.omni.silence.soft_limit`.
_LIMITED = 0.9
_SPEED_UP, _CHUNK, _FADE = 1.5, OUTPUT_RATE * 150 // 1000, OUTPUT_RATE * 25 // 1000
_CLIP_SENTENCE = "Here I am, reading a few quiet lines aloud, so that my voice can be known from no more than this."

Recogniser = Callable[[Floats], str]


@dataclass(frozen=True)
class Variant:
    """One setting of the switches: fields of `TalkerConfig`, or a clip (at 24 kHz) whose voice is to speak."""

    group: str
    name: str
    talker: dict[str, Any]
    clip: Floats | None = None


VARIANTS = (
    Variant("as delivered", "", {}),
    Variant("stop", "any codebook", {"stop_from_first": False}),
    Variant("penalty", "none", {"repetition_penalty": 1.0}),
    Variant("penalty", "window 3", {"penalty_window": 3}),
    Variant("penalty", "window 50", {"penalty_window": 50}),
    Variant("penalty", "whole reply", {"penalty_window": 0}),
    Variant("penalty", "silence too", {"penalty_exempt_silence": False}),
    Variant("temperature", "0.1", {"temperature": 0.1}),
    Variant("temperature", "0.4", {"temperature": 0.4}),
    Variant("temperature", "0.8", {"temperature": 0.8}),
    Variant("silence mask", "off", {"silence_ban_frames": 0}),
    Variant("silence mask", "3 frames", {"silence_ban_frames": 3}),
    Variant("silence mask", "6 frames", {"silence_ban_frames": 6}),
)


@dataclass(frozen=True)
class Row:
    """Means over the sentences and seeds of a variant.

    `length`: seconds spoken, over those that the sentence's syllables take at four a second. `silence`: share of 20 ms
    blocks below -40 dBFS; `lead_ms`: those before the first sound. `limited`: share of samples that had to be bent to
    stay inside ±1. `unended`: share of replies that did not end by themselves, `reasons` how they ended. `repeats`:
    three words that the recogniser heard again, a sentence; `word_errors`: over the words; both None without it.
    """

    group: str
    name: str
    replies: int
    length: float
    pace: float
    silence: float
    lead_ms: float
    limited: float
    unended: float
    reasons: dict[str, int]
    repeats: float | None
    word_errors: float | None


def compare(
    engine: OmniEngine,
    seeds: int,
    *,
    recognise: Recogniser | None = None,
    clip: Floats | None = None,
    out: Path | None = None,
    variants: Sequence[Variant] = VARIANTS,
    prompts: Sequence[str] | None = None,
    tell: Callable[[Row], None] = lambda row: None,
) -> list[Row]:
    """Say every sentence `seeds` times in every variant. `clip`: speech at 24 kHz to clone, for the speed-up's two
    rows; without it, a sentence of the engine's own. `out`: a folder for the sounds.
    """
    if prompts is None:
        prompts = [entry["text"] for entry in json.loads(PROMPTS.read_text(encoding="utf-8"))]
    # The reader knows no switches.
    engine = engine.by_talker()
    delivered = engine.generation
    rows = []
    for variant in [*variants, *_clones(engine, clip)]:
        engine.generation = _changed(delivered, variant)
        folder = None if out is None else out / f"{variant.group} {variant.name}".strip().replace(" ", "-")
        rows.append(_row(engine, variant, prompts, seeds, recognise, folder))
        tell(rows[-1])
    return rows


def run(
    model: Model, seeds: int, *, clip: Path | None, judge: Path | None, out: Path | None, as_json: bool
) -> None:  # fmt: skip
    """Compare with a model and print a table or JSON. Raises AskError, AudioFileError."""
    engine = model.engine()
    if not isinstance(engine, OmniEngine):
        raise AskError("Only a model of Banter's own engine has these switches.")
    recognise = None
    if judge is not None:
        try:
            from app.judge import Judge

            recognise = Judge(judge, 1).read
        except ImportError as error:
            raise AskError("Counting word errors needs faster-whisper: install it, or leave out --judge.") from error
        except (ValueError, RuntimeError, OSError) as error:
            raise AskError(f"The recogniser {judge} cannot be used ({error}).") from error
    speech = None if clip is None else soxr.resample(read_speech(clip), INPUT_RATE, OUTPUT_RATE).astype(np.float32)

    def tell(row: Row) -> None:
        print(f"… {row.group} {row.name}".rstrip(), file=sys.stderr, flush=True)

    rows = compare(engine, seeds, recognise=recognise, clip=speech, out=out, tell=tell)
    print(_json(rows) if as_json else table(rows))


def table(rows: Iterable[Row]) -> str:
    """The rows as text."""
    cells: list[tuple[str, ...]] = [
        ("switch", "setting", "length", "pace", "silence", "lead ms", "limited", "unended", "repeats", "WER")
    ]
    for row in rows:
        judged = ["–" if v is None else f"{v:.2f}" for v in (row.repeats, row.word_errors)]
        shares = [f"{100 * share:.1f} %" for share in (row.silence, row.limited, row.unended)]
        cells.append(
            (row.group, row.name, f"{row.length:.2f}", f"{row.pace:.2f}", shares[0], f"{row.lead_ms:.0f}", *shares[1:],
             *judged)
        )  # fmt: skip
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for line in cells:
        fitted = [
            cell.ljust(w) if i < 2 else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths, strict=True))
        ]
        lines.append("  ".join(fitted))
    return "\n".join(lines)


def _json(rows: Iterable[Row]) -> str:
    """The rows as JSON."""
    return json.dumps({"compare": [asdict(row) for row in rows]}, ensure_ascii=False)


def sped_up(audio: Floats, factor: float = _SPEED_UP) -> Floats:
    """Faster speech at the same pitch: of every 150 ms and what follows the latter is cut out, faded over 25 ms."""
    step = round(_CHUNK * factor)
    pieces = [audio[start : start + _CHUNK + _FADE] for start in range(0, len(audio), step)]
    out = np.zeros(_CHUNK * len(pieces) + _FADE, np.float32)
    rise = np.linspace(0, 1, _FADE, dtype=np.float32)
    for number, piece in enumerate(pieces):
        piece = piece.copy()
        if number and len(piece) >= _FADE:
            piece[:_FADE] *= rise
        if len(piece) == _CHUNK + _FADE:
            piece[_CHUNK:] *= rise[::-1]
        out[number * _CHUNK : number * _CHUNK + len(piece)] += piece
    return out[: (len(pieces) - 1) * _CHUNK + len(pieces[-1])]


def _changed(delivered: GenerationConfig, variant: Variant) -> GenerationConfig:
    return replace(delivered, talker=replace(delivered.talker, **variant.talker))


def _clones(engine: OmniEngine, clip: Floats | None) -> list[Variant]:
    """The voice of a clip as it is and sped up, as the public demonstration does; none where voices cannot be made."""
    if not engine.info.clip_s:
        return []
    if clip is None:
        clip = _own_clip(engine)
    if clip is None:
        return []
    return [Variant("reference", "as it is", {}, clip), Variant("reference", "1.5 × as fast", {}, sped_up(clip))]


def _own_clip(engine: OmniEngine) -> Floats | None:
    """The model's own reading in the last of its voices in which there is enough voice to clone, if in any."""
    for voice in reversed(engine.info.voices):
        clip, _ = _say(engine, _CLIP_SENTENCE, voice, 0)
        try:
            engine.make_voice(clip)
            engine.make_voice(sped_up(clip))
        except NoVoiceError:
            continue
        return clip
    return None


def _say(engine: OmniEngine, text: str, voice: str, seed: int) -> tuple[Floats, TurnStats]:
    frames: list[Floats] = []
    stats = None
    for piece in engine.run(TurnRequest(say=text, voice=voice, seed=seed), lambda: False):
        if isinstance(piece, AudioPiece):
            frames.append(piece.samples)
        elif isinstance(piece, TurnStats):
            stats = piece
    assert stats is not None
    return np.concatenate(frames) if frames else np.zeros(0, np.float32), stats


def _row(
    engine: OmniEngine, variant: Variant, prompts: Sequence[str], seeds: int, recognise: Recogniser | None,
    folder: Path | None,
) -> Row:  # fmt: skip
    found: list[tuple[float, ...]] = []
    reasons: Counter[str] = Counter()
    wrong = spoken = repeated = 0
    voice = "" if variant.clip is None else engine.make_voice(variant.clip).name
    for number, prompt in enumerate(prompts):
        for seed in range(seeds):
            audio, stats = _say(engine, prompt, voice, seed)
            reasons[str(stats.stop_reason)] += 1
            found.append(_measures(audio, prompt))
            if folder is not None and len(audio):
                folder.mkdir(parents=True, exist_ok=True)
                write_wav(folder / f"{number}-{seed}.wav", audio, OUTPUT_RATE)
            if recognise is not None:
                heard, said = words(recognise(audio)) if len(audio) else [], words(prompt)
                wrong += errors(said, heard)
                spoken += len(said)
                repeated += max(_again(heard) - _again(said), 0)
    length, pace, silence, lead, limited = np.mean(found, axis=0).tolist()
    count = len(found)
    return Row(
        variant.group, variant.name, count, round(length, 3), round(pace, 3), round(silence, 4), round(lead, 1),
        round(limited, 6), round(1 - reasons["eos"] / count, 4), dict(reasons),
        round(repeated / count, 3) if recognise else None, round(wrong / spoken, 4) if recognise else None,
    )  # fmt: skip


def _measures(audio: Floats, text: str) -> tuple[float, ...]:
    """Length, pace, silence, lead in ms and limited samples of one reply, as in `Row`."""
    seconds, expected = len(audio) / OUTPUT_RATE, max(syllables(text), 1) / _PACE
    blocks = audio[: len(audio) // _BLOCK * _BLOCK].reshape(-1, _BLOCK)
    loud = np.flatnonzero(np.sqrt(np.mean(np.square(blocks), axis=1)) > _SILENT)
    if not len(loud):
        return seconds / expected, 0.0, 1.0, seconds * 1000, 0.0
    voiced = (loud[-1] - loud[0] + 1) / 50
    limited = float(np.mean(np.abs(audio) > _LIMITED))
    return seconds / expected, syllables(text) / voiced, 1 - len(loud) / len(blocks), loud[0] * 20.0, limited


def _again(heard: Sequence[str]) -> int:
    """How many runs of three words have been there before."""
    runs = Counter(zip(heard, heard[1:], heard[2:], strict=False))
    return sum(count - 1 for count in runs.values())
