"""What the reader learns from."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf
import torch

from app.speech.codec_parts import FRAME, CodecConfig
from app.speech.pronunciation import SIGNS, Entry, Pronouncer
from app.speech.reader import STEPS_PER_FRAME, Reader, ReaderConfig, numbers
from app.speech.starter_codec import StarterCodec
from app.training.kokoro import STEP
from app.training.lexicon import load_misaki, without_regular
from app.training.onnx_outputs import with_output
from app.training.reader import Batches, Clip, analyse, losses
from app.training.readings import sentences
from app.training.recorded import fit, plain_signs

SMALL = ReaderConfig(sound_width=16, sound_layers=1, width=16, layers=1, heads=2, code_width=4)


def clip(frames: int, signs: int = 5) -> Clip:
    steps = torch.full((signs,), frames * STEPS_PER_FRAME / signs)
    return Clip(torch.arange(signs) % 7, steps, torch.randn(frames, 4).half())


def test_a_lexicon_of_common_words_and_names(tmp_path: Path) -> None:
    rows = {
        "Rose": "ɹˈOz", "rose": "ɹˈOs", "Anna": "ˈænə", "NATO": "nˈAtO", "ice-cream": "ˈIs kɹˈim", "odd": "ˈødd",
        "record": {"DEFAULT": "ɹˈɛkəɹd", "VERB": "ɹəkˈɔɹd", "NOUN": None, "ADJ": "x"},
        "close": {"DEFAULT": "klˈOz", "VERB": "klˈOz", "NOUN": "klˈOs"},
    }  # fmt: skip
    (tmp_path / "us_gold.json").write_text(json.dumps(rows))
    assert load_misaki(tmp_path, "gold") == {
        "rose": {"": "ɹˈOs"},
        "anna": {"": "ˈænə"},
        "record": {"": "ɹˈɛkəɹd", "VERB": "ɹəkˈɔɹd"},
        "close": {"": "klˈOz", "NOUN": "klˈOs"},
    }


def test_regular_forms_need_no_entry() -> None:
    entries: dict[str, Entry] = {"cat": {"": "kˈæt"}, "cats": {"": "kˈæts"}, "dog": {"": "dˈɔɡ"}, "dogs": {"": "dˈɑɡz"}}
    kept = without_regular(entries)
    assert kept.keys() == {"cat", "dog", "dogs"}
    assert {word: Pronouncer(kept).known(word) for word in entries} == entries


def test_sentences_are_varied_and_the_same_each_time() -> None:
    common, rare = ["river", "table", "seven"], ["zeugma"]
    made = [text for text, _ in zip(sentences(common, rare, 3), range(200), strict=False)]
    assert made == [text for text, _ in zip(sentences(common, rare, 3), range(200), strict=False)]
    assert len({*made}) > 150 and all(text[-1] in ".?!" for text in made)
    assert sum("zeugma" in text for text in made) > 20


def test_signs_of_espeak_lose_their_length_but_not_their_time() -> None:
    assert plain_signs("tˈuː ɹ", [14, 2, 1, 3, 4, 5, 6, 7]) == ("tˈu ɹ", [14.0, 2.0, 1.0, 7.0, 5.0, 6.0, 7.0])
    assert all(sign in SIGNS for sign in plain_signs("ɡɹˈiːn", [0, 1, 1, 1, 1, 1, 1, 0])[0])


def test_a_recording_is_analysed_at_several_places(tmp_path: Path) -> None:
    torch.manual_seed(0)
    codec = StarterCodec(CodecConfig(width=16, encoder_blocks=1, decoder_blocks=1, context_width=12, heads=2)).eval()
    folder = tmp_path / "readings"
    folder.mkdir()
    steps = [10, 2, 1, 3, 4]
    sf.write(folder / "a.flac", np.random.default_rng(0).normal(0, 0.1, sum(steps) * STEP).astype(np.float32), 24_000)
    (folder / "a.json").write_text(json.dumps({"phonemes": "tˈu", "steps": steps}))
    found = analyse(folder / "a.json", codec, 3)
    assert len({float(one.steps[0]) for one in found}) == 3
    for one in found:
        assert one.steps[1:-1].tolist() == steps[1:-1] and 0.8 <= float(one.steps[0]) <= 4.0
        assert float(one.steps.sum()) == pytest.approx(len(one.vectors) * STEPS_PER_FRAME, abs=1e-3)
        assert len(one.vectors) * FRAME >= sum(steps[1:]) * STEP
    (folder / "a.json").write_text(json.dumps({"phonemes": "tˈuːɹ", "steps": steps}))
    with pytest.raises(KeyError):
        analyse(folder / "a.json", codec, 1)


def test_the_lead_of_a_recording_is_found() -> None:
    torch.manual_seed(1)
    reader = Reader(SMALL).eval().requires_grad_(False)
    signs, steps = numbers("wˈʌn tˈu."), torch.tensor([0.0, *[3.0] * 9, 4.0])
    for lead in (0.5, 2.0, 3.25):
        lasting = steps.clone()
        lasting[0] = lead
        frames = int(lasting.sum() / STEPS_PER_FRAME)
        lasting[-1] += frames * STEPS_PER_FRAME - lasting.sum()
        there = torch.ones(1, frames, dtype=torch.bool)
        sounds = reader.hear(signs[None], torch.ones(1, len(signs), dtype=torch.bool))
        vectors = reader.vectors(sounds, lasting[None], frames, there)[0]
        found, error = fit(reader, vectors, signs, steps)
        assert found == lead and error < 1e-6


def test_the_reader_learns(tmp_path: Path) -> None:
    torch.manual_seed(0)
    clips = [clip(frames, signs) for frames, signs in ((6, 5), (9, 7), (7, 6))]
    reader = Reader(SMALL)
    optimiser = torch.optim.Adam(reader.parameters(), 3e-3)
    first = [part.item() for part in losses(reader, clips)]
    for _ in range(150):
        optimiser.zero_grad()
        torch.stack(losses(reader, clips)).sum().backward()
        optimiser.step()
    last = [part.item() for part in losses(reader, clips)]
    assert last[0] < 0.5 * first[0] and last[1] < 0.5 * first[1]


def test_batches_hold_clips_of_like_length() -> None:
    batches = Batches([clip(frames) for frames in range(5, 205)], 8, np.random.default_rng(0))
    for _ in range(20):
        lengths = [len(one.vectors) for one in batches.draw()]
        assert len(lengths) == len({*lengths}) == 8 and max(lengths) - min(lengths) < 32


def _field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2, len(content)]) + content


def test_a_graph_hands_out_what_it_computes_on_the_way() -> None:
    ort = pytest.importorskip("onnxruntime")

    def value(name: str) -> bytes:
        return _field(1, name.encode()) + _field(2, _field(1, bytes([8, 1])))

    def node(kind: str, source: str, target: str) -> bytes:
        return _field(1, _field(1, source.encode()) + _field(2, target.encode()) + _field(4, kind.encode()))

    graph = node("Neg", "x", "middle") + node("Exp", "middle", "y") + _field(2, b"g")
    graph += _field(11, value("x")) + _field(12, value("y"))
    model = bytes([8, 8]) + _field(7, graph) + _field(8, bytes([16, 13]))
    given = {"x": np.array(2, np.float32)}
    both = ort.InferenceSession(with_output(model, "middle")).run(None, given)
    assert [float(one) for one in both] == pytest.approx([float(np.exp(-2)), -2.0])
    session = ort.InferenceSession(with_output(model, "middle", alone=True))
    assert [output.name for output in session.get_outputs()] == ["middle"]
    assert [float(one) for one in session.run(None, given)] == [-2.0]
    # Without the node that is not needed.
    assert len(with_output(model, "middle", alone=True)) < len(model)
