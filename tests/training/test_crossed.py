"""Many voices on the frames of one, and what the decoder is given of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf
import torch
from safetensors.torch import save_file

from app.speech.codec_parts import FRAME, CodecConfig
from app.speech.starter_codec import StarterCodec
from app.speech.starter_speaker import DEFAULT_PITCH, StarterSpeaker
from app.speech.voiceprint_speaker import SIZE, speaker_vector
from app.training.change_pitch import change_pitch
from app.training.crossed import cut_like, draw_person
from app.training.decoder import SEGMENT_FRAMES, Clips, Segments, with_voices
from tests.speech.test_starter_speaker import voice


def test_a_recording_is_found_in_one_with_more_silence() -> None:
    rng = np.random.default_rng(0)
    recording = (rng.standard_normal(24_000) * np.repeat(rng.random(100), 240)).astype(np.float32)
    louder = np.concatenate((np.zeros(3_000), 1.7 * recording, np.zeros(5_000))).astype(np.float32)
    begins = int(np.argmax(np.correlate(cut_like(louder, recording), recording, "full"))) - len(recording) + 1
    assert abs(begins) <= 48
    assert len(cut_like(recording[:20_000], recording)) == len(recording)


def test_people_are_voices_and_mixtures_of_two() -> None:
    rng = np.random.default_rng(0)
    drawn = [draw_person(["a", "b", "c"], rng) for _ in range(200)]
    assert {len(person.mix) for person in drawn} == {1, 2}
    assert all(sum(share for _, share in person.mix) == pytest.approx(1) for person in drawn)
    assert {person.name for person in drawn} >= {"a", "b", "c", "a+b", "c+a"}


def test_pitch_moves_and_length_stays() -> None:
    pytest.importorskip("parselmouth", reason="Praat serves training alone")
    spoken = voice(DEFAULT_PITCH, 1.0)
    lower = change_pitch(spoken, 24_000, -0.7)
    assert len(lower) == len(spoken)
    before, after = StarterSpeaker().traits(spoken), StarterSpeaker().traits(lower)
    assert after.pitch - before.pitch == pytest.approx(-0.7, abs=0.1)


def test_a_decoder_that_knew_pitch_alone_still_does() -> None:
    old = StarterCodec(CodecConfig(speaker_size=3)).eval()
    assert old.speaker is not None
    torch.nn.init.normal_(old.speaker.outer.weight, std=0.05)
    new = with_voices(old)
    codes, print_ = torch.randint(0, 1024, (8, 5)), torch.nn.functional.normalize(torch.rand(256), dim=0)
    same = new.decode(codes, speaker_vector(-0.4, print_)) - old.decode(codes, torch.tensor([1.0, -0.4, 0.0]))
    assert np.abs(same).max() < 1e-4
    assert with_voices(new) is new


def test_segments_pair_codes_with_the_voice_they_should_have(tmp_path: Path) -> None:
    codec = with_voices(StarterCodec().eval().requires_grad_(False))
    codec.quantiser.codebooks.normal_()
    frames = 30
    codes = torch.randint(0, 1024, (8, frames))
    save_file({"greeting|ava": codes.to(torch.int16)}, tmp_path / "codes.safetensors")
    (tmp_path / "crossed").mkdir()
    prints = torch.nn.functional.normalize(torch.rand(3, 256), dim=1)
    for number, name in enumerate(("ava", "af_sky", "af_sky+am_adam"), 1):
        # Every voice is a steady level, every frame counts in it, so that both can be read off a segment.
        sound = np.repeat(np.linspace(0.1, 0.2, frames), FRAME) + 0.1 * number
        sf.write(tmp_path / "crossed" / f"greeting.{name}.flac", sound, 24_000, subtype="PCM_16")
        row = {"intent": "greeting", "voice": name, "pitch": -0.1 * number, "print": prints[number - 1].tolist()}
        (tmp_path / "crossed" / f"greeting.{name}.json").write_text(json.dumps(row))
    clips = Clips(tmp_path / "crossed", 0, 1)
    assert clips.refresh() == 3
    segments = Segments(clips, codec, tmp_path, 8, 0)
    vectors = codec.quantiser.decode(codes.T)
    known = torch.stack([speaker_vector(-0.1 * number, prints[number - 1]) for number in (1, 2, 3)])
    seen = set()
    for _ in range(10):
        for some, speaker, audio in zip(*next(segments), strict=True):
            assert speaker.shape == (SIZE,)
            if not speaker.any():
                continue  # coded itself
            place = (vectors - some[0]).square().sum(1).argmin().item()
            torch.testing.assert_close(some, vectors[place : place + SEGMENT_FRAMES])
            number = (known - speaker).abs().sum(1).argmin().item()
            torch.testing.assert_close(known[number], speaker)
            seen.add(number)
            expected = 0.1 + 0.1 * place / (frames - 1) + 0.1 * (number + 1)
            assert audio[0].item() == pytest.approx(expected, abs=1e-3)
    assert seen == {0, 1, 2}
