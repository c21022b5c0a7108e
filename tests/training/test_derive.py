"""Voices made from a recording, and what the decoder learns them from."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf
import torch
from safetensors.torch import save_file

from app.speech.codec_parts import FRAME
from app.speech.speaker_traits import Traits
from app.speech.starter_codec import StarterCodec
from app.speech.starter_speaker import DEFAULT_PITCH, FORMANT_RANGE, PITCH_RANGE, StarterSpeaker
from app.training.decoder import SEGMENT_FRAMES, Clips, Segments
from app.training.derive import change_voice, draw_traits
from app.training.synthesize import VOICES
from tests.speech.test_starter_speaker import voice


def test_drawn_voices_are_those_a_clip_can_ask_for() -> None:
    drawn = [draw_traits(np.random.default_rng(seed)) for seed in range(200)]
    for traits in (*drawn, *VOICES.values()):
        assert PITCH_RANGE[0] <= traits.pitch <= PITCH_RANGE[1]
        assert FORMANT_RANGE[0] <= traits.formants <= FORMANT_RANGE[1]
    assert np.ptp([traits.pitch for traits in drawn]) > 1.3


def test_a_changed_voice_has_the_traits_it_was_given() -> None:
    pytest.importorskip("parselmouth", reason="Praat serves training alone")
    spoken = voice(DEFAULT_PITCH, 1.0)
    changed = change_voice(spoken, 24_000, Traits(-0.7, -0.2))
    assert len(changed) == len(spoken)
    before, after = StarterSpeaker().traits(spoken), StarterSpeaker().traits(changed)
    assert after.pitch - before.pitch == pytest.approx(-0.7, abs=0.1)
    assert after.formants < before.formants - 0.05


def test_segments_pair_codes_with_the_voice_they_should_have(tmp_path: Path) -> None:
    codec = StarterCodec().eval().requires_grad_(False)
    codec.quantiser.codebooks.normal_()
    frames = 30
    codes = torch.randint(0, 1024, (8, frames))
    save_file({"greeting|ava": codes.to(torch.int16)}, tmp_path / "codes.safetensors")
    (tmp_path / "voiced").mkdir()
    speakers = {name: traits.vector().tolist() for name, traits in VOICES.items()} | {"drawn": [1.0, -0.3, 0.0]}
    for number, (name, vector) in enumerate(speakers.items(), 1):
        # Every voice is a steady level, every frame counts in it, so that both can be read off a segment.
        sound = np.repeat(np.linspace(0.1, 0.2, frames), FRAME) + 0.1 * number
        sf.write(tmp_path / "voiced" / f"greeting.{name}.flac", sound, 24_000, subtype="PCM_16")
        row = {"intent": "greeting", "voice": name, "speaker": vector}
        (tmp_path / "voiced" / f"greeting.{name}.json").write_text(json.dumps(row))
    clips = Clips(tmp_path / "voiced", 0, 1)
    assert clips.refresh() == len(speakers)
    segments = Segments(clips, codec, tmp_path, 8, 0)
    vectors = codec.quantiser.decode(codes.T)
    known = torch.tensor(list(speakers.values()))
    seen = set()
    for _ in range(10):
        for some, speaker, audio in zip(*next(segments), strict=True):
            if not speaker.any():
                continue  # coded itself
            place = (vectors - some[0]).square().sum(1).argmin().item()
            torch.testing.assert_close(some, vectors[place : place + SEGMENT_FRAMES])
            number = (known - speaker).abs().sum(1).argmin().item()
            seen.add(number)
            expected = 0.1 + 0.1 * place / (frames - 1) + 0.1 * (number + 1)
            assert audio[0].item() == pytest.approx(expected, abs=1e-3)
    assert seen == set(range(len(speakers)))
