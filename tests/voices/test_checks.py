"""The coach and the choice of the best stretch, on speech of the bundled model that is spoilt in one way at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.audiofile import AudioFileError
from app.voices.checks import Aspect, Verdict, check, usable
from app.voices.choose import TARGET_DB, best_start, cut, prepare
from app.voices.clip import RATE, Clip, listen, read_clip
from tests.voices.conftest import Samples

Speak = Callable[[str], Samples]


def noise(count: int, level_db: float) -> Samples:
    drawn = np.random.default_rng(1).standard_normal(count)
    return (10 ** (level_db / 20) * drawn).astype(np.float32)


def silence(seconds: float) -> Samples:
    return np.zeros(round(seconds * RATE), np.float32)


def verdicts(clip: Clip) -> dict[Aspect, Verdict]:
    checks = check(clip)
    for one in checks:
        sentence = one.sentence()
        assert sentence.endswith(".") and sentence.count(".") <= 2 and "{" not in sentence
    return {one.aspect: one.verdict for one in checks}


def test_good_speech_is_praised_throughout(spoken: Speak) -> None:
    for voice in ("ava", "george"):
        found = verdicts(listen(spoken(voice)))
        assert set(found) == set(Aspect)
        assert set(found.values()) == {Verdict.GOOD}, voice


def test_each_fault_is_found(spoken: Speak) -> None:
    speech = spoken("ava")
    peak = float(np.abs(speech).max())
    cases: dict[Aspect, Samples] = {
        Aspect.LENGTH: speech[:RATE],
        Aspect.LEVEL: speech * np.float32(0.02),
        Aspect.CLIPPING: np.clip(speech * np.float32(6 / peak), -1, 1),
        Aspect.NOISE: speech + noise(len(speech), -28.0),
        Aspect.SILENCE: np.concatenate((silence(6), speech, silence(8))),
        Aspect.SPEAKERS: np.concatenate((speech[: 4 * RATE], spoken("george")[: 4 * RATE])),
    }
    for aspect, samples in cases.items():
        found = verdicts(listen(samples))
        assert found[aspect] != Verdict.GOOD, aspect
        assert found[Aspect.LENGTH] == Verdict.GOOD or aspect == Aspect.LENGTH


def test_without_speech_there_is_nothing_to_make_a_voice_from(spoken: Speak) -> None:
    for samples in (noise(4 * RATE, -30.0), spoken("ava")[:RATE]):
        assert not usable(check(listen(samples)))
    assert usable(check(listen(spoken("ava"))))


def test_the_best_stretch_is_speech_that_is_whole(spoken: Speak) -> None:
    good = spoken("ava")[: 4 * RATE]
    bad = np.clip(spoken("ava")[: 4 * RATE] * np.float32(8), -1, 1) * np.float32(0.9)
    clip = listen(np.concatenate((silence(3), bad, silence(1), good, silence(3))))
    start = best_start(clip)
    assert 8.0 - 0.2 <= start <= 9.1 + 0.2, "the stretch is in the part that is not overdriven"
    assert len(cut(clip, start)) == 3 * RATE
    assert best_start(listen(spoken("ava")[: 2 * RATE])) == 0.0


def test_a_stretch_is_made_even_in_level_and_moved_inside_the_clip(spoken: Speak) -> None:
    clip = listen(spoken("ava") * np.float32(0.1))
    piece = prepare(clip, clip.seconds)
    assert len(piece) == 3 * RATE and np.isfinite(piece).all() and np.abs(piece).max() <= 0.951
    assert piece[0] == 0.0 and piece[-1] == 0.0
    voiced = listen(piece)
    level = 10 * np.log10(np.mean(10 ** (voiced.level_db[voiced.speech] / 10)))
    assert abs(level - TARGET_DB) < 2.0


@pytest.mark.parametrize("ending", ["wav", "flac", "ogg", "mp3"])
def test_clips_are_read_from_the_usual_files(spoken: Speak, tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"clip.{ending}"
    stereo = np.stack([spoken("ava"), spoken("ava")], axis=1)
    soundfile.write(file, stereo, RATE)
    clip = read_clip(file)
    assert abs(clip.seconds - len(stereo) / RATE) < 0.2 and clip.speech_s > 3


def test_a_clip_that_is_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "notes.wav"
    file.write_text("Dear diary")
    with pytest.raises(AudioFileError, match="not a sound file"):
        read_clip(file)
