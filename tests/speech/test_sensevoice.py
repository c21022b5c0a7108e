"""The full-size model's ears read their published files; the words and tags of the CTC head."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sentencepiece
import torch
from torch import Tensor

from app.speech import registry
from app.speech.errors import DamagedModelError
from app.speech.interfaces import GivenUpError, Transcriber
from app.speech.rich_text import PieceList, SentencePieces, transcript
from app.speech.sensevoice import SenseVoice, read_sizes
from tests.support.published import sentence_pieces, write_sensevoice


def speech(seconds: float = 1.5) -> np.ndarray:
    n = np.arange(round(seconds * 16_000))
    return (0.2 * np.sin(n / 9) * np.sin(n / 900) + 0.01 * np.sin(n * n / 5e4)).astype(np.float32)


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    write_sensevoice(folder)
    return folder


@pytest.fixture(scope="module")
def ears(model_folder: Path) -> SenseVoice:
    encoder = registry.load_encoder("sensevoice", model_folder)
    assert isinstance(encoder, SenseVoice) and isinstance(encoder, Transcriber)
    return encoder


def test_features_and_words_take_a_pass_each(ears: SenseVoice) -> None:
    heard = ears.encode(speech())
    assert heard.features.shape == (25, 512) and heard.features.dtype == torch.float32 and heard.text == ""
    assert torch.equal(ears.encode(speech()).features, heard.features)
    with torch.inference_mode():
        assert torch.equal(ears.encoder(ears.front_end(speech())), heard.features)
    asked, plain = ears.transcribe(speech()), ears.transcribe(speech(), queries=False)
    assert asked.text and plain.text and asked.text != plain.text
    assert asked.certainty < 0


def test_a_clip_of_any_length_is_heard_up_to_half_a_minute(ears: SenseVoice) -> None:
    assert len(ears.encode(np.zeros(0, np.float32)).features) == 1
    assert len(ears.encode(speech(0.02)).features) == 1
    assert len(ears.front_end(speech(31.0))) == len(ears.front_end(speech(30.0))) == 500


def test_reading_is_given_up_between_two_blocks(ears: SenseVoice) -> None:
    calls = itertools.count()
    with pytest.raises(GivenUpError):
        ears.transcribe(speech(), lambda: next(calls) == 2)
    assert next(calls) == 3


@pytest.mark.parametrize("options", [{"wrapped": True}, {"pieces": False}])
def test_every_published_form_gives_the_same(ears: SenseVoice, tmp_path: Path, options: dict[str, bool]) -> None:
    write_sensevoice(tmp_path, **options)
    other = SenseVoice.load(tmp_path)
    assert torch.equal(other.encode(speech()).features, ears.encode(speech()).features)
    assert other.transcribe(speech()) == ears.transcribe(speech())


def test_the_files_may_lie_in_the_model_folder_itself(model_folder: Path, ears: SenseVoice, tmp_path: Path) -> None:
    for file in (model_folder / "sensevoice").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    assert torch.equal(SenseVoice.load(tmp_path).encode(speech()).features, ears.encode(speech()).features)


def test_sizes_are_those_of_the_encoder_section(model_folder: Path, tmp_path: Path) -> None:
    sizes = read_sizes(model_folder / "sensevoice" / "config.yaml")
    assert (sizes.blocks, sizes.tp_blocks, sizes.width) == (3, 2, 512)
    assert read_sizes(tmp_path / "none.yaml").blocks == 50


class Trap:
    """Something in a pickle that runs when it is unpickled."""

    sprung = False

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return setattr, (Trap, "sprung", True)


def _change(home: Path, change: Callable[[dict[str, Tensor]], object]) -> None:
    state = torch.load(home / "model.pt", weights_only=True)
    change(state)
    torch.save(state, home / "model.pt")


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100_000])


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "no weights": (lambda home: (home / "model.pt").unlink(), "sensevoice.*is missing.*model.pt"),
    "no normalisation": (lambda home: (home / "am.mvn").unlink(), "am.mvn is missing"),
    "half a normalisation": (lambda home: (home / "am.mvn").write_text("<AddShift> 2 2 <x> [ 1 2 ]"), "AddShift"),
    "no vocabulary": (lambda home: next(home.glob("*.bpe.model")).unlink(), "lacks its vocabulary"),
    "a foreign vocabulary": (lambda home: next(home.glob("*.bpe.model")).write_bytes(b"no"), "bpe.model is missing or"),
    "a cut file": (lambda home: _cut(home / "model.pt"), "model.pt is incomplete"),
    "a missing tensor": (
        lambda home: _change(home, lambda state: state.pop("encoder.encoders.1.norm2.bias")),
        "lacks 1 tensors.*'encoder.encoders.1.norm2.bias'",
    ),
    "a wrong shape": (
        lambda home: _change(home, lambda state: state.update({"embed.weight": torch.zeros(15, 560)})),
        r"'embed.weight' with shape \(15, 560\) instead of \(16, 560\)",
    ),
    "code in it": (lambda home: (home / "model.pt").write_bytes(pickle.dumps({"a": Trap()})), "cannot be read"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_and_nothing_is_run(tmp_path: Path, damage: tuple[Callable[[Path], object], str]) -> None:
    spoil, sentence = damage
    spoil(write_sensevoice(tmp_path))
    with pytest.raises(DamagedModelError, match=sentence):
        SenseVoice.load(tmp_path)
    assert not Trap.sprung


def _frames(pieces: list[str], names: list[str], probability: float = 0.9) -> Tensor:
    """Log-probabilities of frames in which these pieces, "" for the blank, are the likeliest."""
    probabilities = torch.full((len(pieces), len(names)), (1 - probability) / (len(names) - 1))
    for frame, piece in enumerate(pieces):
        probabilities[frame, names.index(piece) if piece else 0] = probability
    return probabilities.log()


def test_greedy_reading_and_tags() -> None:
    names = ["<blank>", "▁the", "▁sk", "y", "天", "空", "!"]
    names += ["<|en|>", "<|HAPPY|>", "<|Speech|>", "<|Laughter|>", "<|withitn|>", "<|EMO_UNKNOWN|>"]
    tags = ["<|en|>", "<|HAPPY|>", "<|Speech|>", "<|withitn|>"]
    spoken = [*tags, "", "▁the", "▁the", "", "▁sk", "y", "", "y", "<|Laughter|>", "", "天", "空", "空"]
    read = transcript(_frames(spoken, names), PieceList(names))
    assert read.text == "the skyy天空" and read.language == "en" and read.emotion == "happy"
    assert read.events == ("Laughter",) and read.certainty == pytest.approx(np.log(0.9), abs=1e-5)
    nothing = transcript(_frames(["<|EMO_UNKNOWN|>", "", ""], names), PieceList(names))
    assert nothing == ("", 0.0, "", "", ())


def test_both_vocabularies_make_the_same_words(tmp_path: Path) -> None:
    path = tmp_path / "words.bpe.model"
    path.write_bytes(sentence_pieces())
    reader = sentencepiece.SentencePieceProcessor(model_file=str(path))
    names = [reader.id_to_piece(number) for number in range(reader.get_piece_size())]
    for words in ("why is the sky blue", "为什么天空是蓝色的 sky"):
        ids = reader.encode(words)
        spoken = ["<|zh|>", *(names[number] for number in ids)]
        for vocabulary in (SentencePieces(path), PieceList(names)):
            read = transcript(_frames(spoken, names), vocabulary)
            assert read.text == words and read.language == "zh"
