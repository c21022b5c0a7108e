"""Phonemes in, the codec's vectors out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from torch import Tensor

from app.speech.errors import DamagedModelError
from app.speech.pronunciation import Pronouncer
from app.speech.reader import CONFIG, LEAD, STEPS_PER_FRAME, TAIL, WEIGHTS, Reader, ReaderConfig, numbers
from app.speech.text_reader import TextReader
from app.speech.weights import save_weights

SMALL = ReaderConfig(sound_width=16, sound_layers=2, width=16, layers=2, heads=2)
ENTRIES = {"one": {"": "wˈʌn"}, "two": {"": "tˈu"}, "three": {"": "θɹˈi"}}


@pytest.fixture
def reader() -> Reader:
    torch.manual_seed(0)
    return Reader(SMALL).eval().requires_grad_(False)


def even(reader: Reader, steps: float) -> Reader:
    """The reader, in which everything lasts `steps`."""
    reader.duration.weight.zero_()
    reader.duration.bias.fill_(float(torch.tensor(steps).log()))
    return reader


def test_a_text_is_as_long_as_its_phonemes(reader: Reader) -> None:
    vectors, begins = even(reader, 4.0).read("wˈʌn tˈu.")
    assert vectors.shape == (int(-(-(LEAD + 9 * 4 + TAIL) // STEPS_PER_FRAME)), SMALL.code_width)
    assert begins == pytest.approx([(LEAD + 4 * place) / STEPS_PER_FRAME for place in range(9)])


def test_padding_changes_nothing(reader: Reader) -> None:
    short, long = numbers("tˈu"), numbers("wˈʌn tˈu θɹˈi")
    both = torch.nn.utils.rnn.pad_sequence([short, long], batch_first=True)
    there = torch.arange(both.shape[1]) < torch.tensor([[len(short)], [len(long)]])
    alone = reader.hear(short[None], torch.ones(1, len(short), dtype=torch.bool))
    among = reader.hear(both, there)
    assert torch.allclose(alone[0], among[0, : len(short)], atol=1e-5)
    steps = torch.tensor([[2.0, 3.0, 3.0, 2.0, 4.0]])[:, : len(short)]
    padded = torch.zeros(2, both.shape[1])
    padded[0, : len(short)] = steps[0]
    padded[1, : len(long)] = 2.0
    frames = int(steps.sum() / STEPS_PER_FRAME)
    heard = torch.arange(frames + 5) < torch.tensor([[frames], [frames + 5]])
    one = reader.vectors(alone, steps, frames, torch.ones(1, frames, dtype=torch.bool))
    other = reader.vectors(among, padded, frames + 5, heard)
    assert torch.allclose(one[0], other[0, :frames], atol=1e-5)


def test_a_frame_hears_the_phoneme_of_its_own_time(reader: Reader) -> None:
    """Without layers over the frames, what changes in the last phoneme changes only the frames it lasts."""
    reader.frames = torch.nn.ModuleList()
    sounds = torch.randn(1, 4, SMALL.sound_width)
    steps = torch.tensor([[3.2, 6.4, 6.4, 3.2]])
    there = torch.ones(1, 6, dtype=torch.bool)
    before = reader.vectors(sounds, steps, 6, there)
    sounds[0, 2] += 1
    changed = (reader.vectors(sounds, steps, 6, there) - before).abs().sum(-1)[0] > 1e-6
    assert changed.tolist() == [False, False, False, True, True, False]


def test_nothing_to_read_is_refused(reader: Reader) -> None:
    with pytest.raises(ValueError, match="no phonemes"):
        reader.read(" ")


def test_it_is_kept_in_a_folder(reader: Reader, tmp_path: Path) -> None:
    save_weights(reader.state_dict(), tmp_path / WEIGHTS, "float32")
    (tmp_path / CONFIG).write_text(json.dumps(reader.fields()))
    assert torch.equal(Reader.load(tmp_path).read("tˈu")[0], reader.read("tˈu")[0])
    (tmp_path / CONFIG).write_text(json.dumps({**reader.fields(), "colour": 3}))
    with pytest.raises(DamagedModelError, match="unknown fields"):
        Reader.load(tmp_path)


def test_words_have_their_codes(reader: Reader) -> None:
    def count(vectors: Tensor) -> Tensor:
        return torch.arange(len(vectors)).expand(8, -1)

    even(reader, 4.0)
    words = TextReader(Pronouncer(ENTRIES), reader, count).read("One two, three")
    assert [word.text for word in words] == ["One ", "two, ", "three"]
    assert torch.cat([word.codes for word in words], 1)[0].tolist() == [*range(len(reader.read("wˈʌn tˈu, θɹˈi.")[0]))]
    begins = reader.read("wˈʌn tˈu, θɹˈi.")[1]
    assert [int(word.codes[0, 0]) for word in words] == [0, int(begins[5]), int(begins[10])]
    assert TextReader(Pronouncer(ENTRIES), reader, count).read("12") == []


def test_a_folder_without_a_lexicon_has_no_reader(tmp_path: Path) -> None:
    assert TextReader.load(tmp_path, lambda vectors: vectors) is None
