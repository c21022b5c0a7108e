"""The front ends and encoders of the full-size model's ears and speaker encoder against the conformance vectors."""

from __future__ import annotations

import pytest
import torch

from app.speech.campplus import CamPlus, SpeakerFeatures
from app.speech.fbank import Fbank, stack_frames
from app.speech.sanm import SanmConfig, SanmEncoder
from app.speech.weights import WithoutValues
from tests.omni.synthetic import assert_values, fill_synthetically, goldens, random_normal, tone


def test_fbank_and_stacked_frames() -> None:
    vectors = goldens()["audio"]
    frames = Fbank()(tone())
    assert_values(vectors["fbank_dither0"], frames, 2e-3)
    stacked = stack_frames(frames)
    assert_values(vectors["lfr"], stacked, 2e-3)
    torch.testing.assert_close(stacked[1, :6], torch.tensor(vectors["lfr"]["row1_first6"]), atol=2e-3, rtol=0)


def test_rows_of_a_clip() -> None:
    fbank = Fbank()
    for seconds, rows in goldens()["lfr_frames"]["seconds->audio_pad tokens"].items():
        assert len(stack_frames(fbank(torch.zeros(round(float(seconds) * 16_000))))) == rows
    for frames in range(1, 60):
        counted = torch.arange(frames, dtype=torch.float32)[:, None].expand(-1, 80)
        stacked = stack_frames(counted)
        wanted = [[min(max(6 * k - 3 + i, 0), frames - 1) for i in range(7)] for k in range(-(-frames // 6))]
        assert stacked[:, ::80].tolist() == wanted


def test_sensevoice_encoder() -> None:
    with WithoutValues():
        encoder = SanmEncoder(SanmConfig())
    assert len(encoder.state_dict()) == 914
    assert sum(p.numel() for p in encoder.parameters()) == 221_136_992
    fill_synthetically(encoder, "encoder.")
    with torch.inference_mode():
        states = encoder(random_normal(200, 8, 560))
    assert_values(goldens()["audio"]["sensevoice_encoder_synth"], states[None], 2e-4)


def test_campplus() -> None:
    vectors = goldens()["audio"]
    front_end = SpeakerFeatures()
    raw = [float(value) for value in vectors["campplus_feat"]["raw_mel_frame10_first6"]]
    assert front_end.mel(tone())[:6, 10].tolist() == pytest.approx(raw, rel=2e-3)
    features = front_end(tone())[None]
    assert_values(vectors["campplus_feat"], features, 2e-3)
    with WithoutValues():
        network = CamPlus()
    assert len(network.state_dict()) == 937
    assert sum(p.numel() for p in network.parameters()) == 6_848_544
    fill_synthetically(network)
    with torch.inference_mode():
        assert_values(vectors["campplus_synth_embedding"], network(features), 2e-4)
        assert_values(vectors["campplus_synth_embedding_431"], network(random_normal(201, 1, 431, 80)), 2e-4)
