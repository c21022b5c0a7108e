"""Voice files and the folder of them: what is written comes back, and nothing bad in a file does harm."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

from app.voices import file
from app.voices.file import OwnVoice, VoiceError
from app.voices.library import Library


def voice(name: str = "Grandma", size: int = 8, **changes: object) -> OwnVoice:
    values = np.random.default_rng(len(name)).standard_normal(size).astype(np.float32)
    codes = np.arange(40, dtype=np.int64).reshape(8, 5)
    made = {"ref_codes": codes, "model": "Tiny", "speaker": "timbre", "consent": True} | changes
    return OwnVoice(name, values, **made)  # type: ignore[arg-type]


def same(one: OwnVoice, other: OwnVoice) -> bool:
    if one.ref_codes is None or other.ref_codes is None:
        codes = one.ref_codes is other.ref_codes
    else:
        codes = bool(np.array_equal(one.ref_codes, other.ref_codes))
    facts = [(v.name, v.model, v.speaker, v.created, v.consent) for v in (one, other)]
    return codes and facts[0] == facts[1] and bool(np.array_equal(one.spk_emb, other.spk_emb))


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "voices")


@pytest.mark.parametrize("name", ["Grandma", "Übel & Söhne", "小明", "a  b "])
def test_a_voice_comes_back_as_it_was(tmp_path: Path, name: str) -> None:
    for number, written in enumerate((voice(name), voice(name, ref_codes=None, consent=False, model="", speaker=""))):
        path = tmp_path / f"{number}.safetensors"
        file.write(path, written)
        assert same(file.read(path), written.renamed(name))


def test_the_voice_files_of_models_are_read_too() -> None:
    from app.paths import starter_model

    voices = file.read_all(starter_model() / "voices.safetensors")
    assert voices[0].name == "ava" and len(voices) >= 6 and not voices[0].consent


def test_damaged_and_foreign_files_are_refused_in_one_sentence(tmp_path: Path) -> None:
    good = tmp_path / "good.safetensors"
    file.write(good, voice())
    whole = good.read_bytes()
    f4 = np.zeros(8, np.float32)
    codes = np.zeros((8, 4), np.int32)
    bad: dict[str, bytes] = {
        "empty": b"",
        "text": b"Dear Sir or Madam, " * 20,
        "pickle": b"\x80\x04\x95" + bytes(60),
        "cut": whole[:-7],
        "header": whole[:20],
        "long header": (2**40).to_bytes(8, "little") + whole[8:],
        "large": whole + bytes(file.MOST_BYTES),
        "other tensors": safetensors.numpy.save({"model.weight": f4}),
        "no name": safetensors.numpy.save({".spk_emb": f4}),
        "nothing": safetensors.numpy.save({}),
        "no vector": safetensors.numpy.save({"A.ref_codes": codes}),
        "whole numbers": safetensors.numpy.save({"A.spk_emb": np.zeros(8, np.int32)}),
        "not numbers": safetensors.numpy.save({"A.spk_emb": f4 * np.nan}),
        "seven rows": safetensors.numpy.save({"A.spk_emb": f4, "A.ref_codes": codes[:7]}),
        "no frame": safetensors.numpy.save({"A.spk_emb": f4, "A.ref_codes": codes[:, :0]}),
        "negative": safetensors.numpy.save({"A.spk_emb": f4, "A.ref_codes": codes - 1}),
    }
    for case, content in bad.items():
        path = tmp_path / f"{case}.safetensors"
        path.write_bytes(content)
        with pytest.raises(VoiceError) as caught:
            file.read_all(path)
        sentence = str(caught.value)
        assert path.name in sentence and sentence.endswith(".") and "\n" not in sentence, case
    for path in (tmp_path / "gone.safetensors", tmp_path):
        with pytest.raises(VoiceError):
            file.read_all(path)
    two = tmp_path / "two.safetensors"
    two.write_bytes(safetensors.numpy.save({"A.spk_emb": f4, "B.spk_emb": f4}))
    assert [one.name for one in file.read_all(two)] == ["A", "B"]
    with pytest.raises(VoiceError, match="import it"):
        file.read(two)


def test_voices_are_added_renamed_exported_and_deleted(library: Library, tmp_path: Path) -> None:
    assert library.all() == ()
    added = library.add(voice("Grandma"))
    library.add(voice("Ben"))
    assert [kept.voice.name for kept in library.all()] == ["Ben", "Grandma"]
    renamed = library.rename("grandma", "Gran Canaria")
    assert same(renamed, added.renamed("Gran Canaria"))
    assert library.rename("Ben", "BEN").name == "BEN"
    library.export("BEN", tmp_path / "out.safetensors")
    deleted = library.delete("BEN")
    assert [kept.voice.name for kept in library.all()] == ["Gran Canaria"]
    assert same(file.read(tmp_path / "out.safetensors"), deleted.voice)
    with pytest.raises(VoiceError, match="no voice"):
        library.delete("BEN")


def test_names_are_checked_and_nothing_is_overwritten(library: Library) -> None:
    library.add(voice("Grandma"))
    before = library.get("Grandma").path.read_bytes()
    for name in ("", "   ", "grandMA", "a,b", "a/b", "a.b", "a\\b", "x" * 41, "a\x00b"):
        with pytest.raises(VoiceError):
            library.add(voice(name))
    with pytest.raises(VoiceError, match="already"):
        library.add(voice("Ava"), taken=("ava", "max"))
    library.add(voice("Ben"))
    with pytest.raises(VoiceError, match="already"):
        library.rename("Ben", "grandma")
    assert library.get("Grandma").path.read_bytes() == before and library.get("Ben")


def test_imported_voices_get_free_names(library: Library) -> None:
    library.add(voice("Grandma"))
    added = library.take_in([voice("grandma"), voice("ava"), voice("a/b"), voice("...")], taken=("ava",))
    assert [one.name for one in added] == ["grandma 2", "ava 2", "a b", "Voice"]
    assert len(library.all()) == 5


def test_a_damaged_file_hides_no_other_voice_and_stays(library: Library) -> None:
    library.add(voice("Grandma"))
    damaged = library.folder / "old.safetensors"
    damaged.write_bytes(b"what is this")
    assert [kept.voice.name for kept in library.all()] == ["Grandma"]
    assert len(library.problems) == 1 and "old.safetensors" in library.problems[0]
    assert damaged.read_bytes() == b"what is this"


def test_where_nothing_can_be_written_one_sentence_says_so(tmp_path: Path) -> None:
    (tmp_path / "voices").write_text("a file in the way")
    with pytest.raises(VoiceError, match="cannot be saved"):
        Library(tmp_path / "voices").add(voice())


def test_a_voice_fits_models_with_the_same_encoder_and_size() -> None:
    made = voice(size=8)
    assert made.fits(8, "timbre") and made.fits(8, "")
    assert not made.fits(192, "timbre") and not made.fits(8, "campplus")
    assert voice(speaker="").fits(8, "campplus")
