"""Text as phonemes."""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.speech.errors import DamagedModelError
from app.speech.pronunciation import SIGNS, Entry, Pronouncer, read_lexicon, write_lexicon

ENTRIES: dict[str, Entry] = {
    "cat": {"": "kˈæt"},
    "house": {"": "hˈWs"},
    "apple": {"": "ˈæpᵊl"},
    "wait": {"": "wˈAt"},
    "stop": {"": "stˈɑp"},
    "carry": {"": "kˈæɹi"},
    "record": {"": "ɹˈɛkəɹd", "VERB": "ɹəkˈɔɹd"},
    "i": {"": "ˈI"},
    "want": {"": "wˈɑnt"},
}


@pytest.fixture
def pronouncer() -> Pronouncer:
    return Pronouncer(ENTRIES)


def test_words_and_marks(pronouncer: Pronouncer) -> None:
    assert pronouncer.phonemes("Cat, house! cat?") == "kˈæt, hˈWs! kˈæt?"


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("cats", "kˈæts"), ("houses", "hˈWsᵻz"), ("apples", "ˈæpᵊlz"), ("apple's", "ˈæpᵊlz"), ("waited", "wˈAɾᵻd"),
        ("waiting", "wˈAɾɪŋ"), ("stopped", "stˈɑpt"), ("stopping", "stˈɑpɪŋ"), ("carries", "kˈæɹiz"),
        ("carried", "kˈæɹid"), ("cat'll", "kˈætᵊl"), ("apple'd", "ˈæpᵊld"),
    ],
)  # fmt: skip
def test_endings(pronouncer: Pronouncer, word: str, said: str) -> None:
    assert pronouncer.phonemes(word) == said


def test_little_words_depend_on_what_follows(pronouncer: Pronouncer) -> None:
    assert pronouncer.phonemes("the cat the apple") == "ðə kˈæt ði ˈæpᵊl"
    assert pronouncer.phonemes("to cat to apple to, cat") == "tə kˈæt tʊ ˈæpᵊl tu, kˈæt"
    assert pronouncer.phonemes("a cat an apple") == "ɐ kˈæt ɐn ˈæpᵊl"


def test_words_that_are_said_in_two_ways(pronouncer: Pronouncer) -> None:
    assert pronouncer.phonemes("I want a record") == "ˈI wˈɑnt ɐ ɹˈɛkəɹd"
    assert pronouncer.phonemes("I want to record cats") == "ˈI wˈɑnt tə ɹəkˈɔɹd kˈæts"


def test_letters_have_names_and_a_and_i_only_among_letters(pronouncer: Pronouncer) -> None:
    assert pronouncer.phonemes("U S B") == "jˈu ˈɛs bˈi"
    assert pronouncer.phonemes("B A I") == "bˈi ˈA ˈI"
    assert pronouncer.phonemes("a B") == "ˈA bˈi"


def test_the_rest_is_guessed_at_once_or_left_out() -> None:
    asked: list[Sequence[str]] = []

    def guess(words: Sequence[str]) -> list[str]:
        asked.append(words)
        return ["zˈʌ"] * len(words)

    assert Pronouncer(ENTRIES, guess).phonemes("Zork the cat, blip zork") == "zˈʌ ðə kˈæt, zˈʌ zˈʌ"
    assert asked == [["blip", "zork"]]
    assert Pronouncer(ENTRIES).phonemes("Zork the cat") == "ðə kˈæt"
    assert Pronouncer(ENTRIES).phonemes("zork blip") == "" == Pronouncer(ENTRIES).phonemes("12 ...")


@given(st.text(alphabet="catCATzæ '-.,?!\n\"1", max_size=40))
def test_the_texts_of_the_words_are_the_text(text: str) -> None:
    words = Pronouncer(ENTRIES, lambda unknown: ["zˈʌ"] * len(unknown)).words(text)
    assert not words or "".join(word.text for word in words) == text
    assert all(word.phonemes.strip(".,?!") and set(word.phonemes) <= set(SIGNS) for word in words)


def test_a_lexicon_is_kept(tmp_path: Path) -> None:
    write_lexicon(tmp_path / "lexicon.xz", ENTRIES)
    assert read_lexicon(tmp_path / "lexicon.xz") == ENTRIES


@pytest.mark.parametrize("content", [b"no archive", lzma.compress(b"one-column"), lzma.compress(b"a b c")])
def test_what_is_no_lexicon_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "lexicon.xz").write_bytes(content)
    with pytest.raises(DamagedModelError, match="not a lexicon"):
        read_lexicon(tmp_path / "lexicon.xz")
    with pytest.raises(DamagedModelError, match="not a lexicon"):
        read_lexicon(tmp_path / "missing.xz")
