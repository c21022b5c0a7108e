"""Whole sentences out of pieces of text, free of what is not for the ear."""

from __future__ import annotations

import pytest

from app.brain.sentences import LONGEST, Sentences

CASES = [
    ("Yes. It is so!  Is it? It is.", ["Yes.", "It is so!", "Is it?", "It is."]),
    ("Dr. Ada met J. Smith at 5 p.m. on Monday. They left.", ["Doctor Ada met J. Smith at", "They left."]),
    ("It is about 3.14, i.e. pi. And so on.", ["It is about three point one four, that is, pi.", "And so on."]),
    ("It was 1969. Then came 1970.", None),
    ("1. Apples\n2. Pears\n\nThat is all.", None),
    ("# Title\n- one\n- two", ["Title", "one", "two"]),
    ("<think>Hm. Let me see.</think>Paris.", ["Paris."]),
    ("<THINK>Hm.</Think>\nIt is <b>Paris</b>.", ["It is Paris."]),
    ('Sure. <tool_call>{"name": "x"}</tool_call> Done.', ["Sure.", "Done."]),
    ("Look:\n```python\nprint('Hi. You.')\n```\nThat is it.", ["Look.", "That is it."]),
    ("**Bold** and `code` stay words. [A link](http://a.b/c) too.", ["Bold and code stay words.", "A link too."]),
    ("Never ends <think>and", ["Never ends"]),
    ('He said "stop." Then he left.', None),
    ("3 < 5 is true. Really.", ["three less than five is true.", "Really."]),
    ("Wait... what? No.", None),
    ("", []),
    ("😀 \n ** \n", []),
]


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(("text", "wanted"), CASES)
def test_sentences_are_the_same_however_they_come(text: str, wanted: list[str] | None, size: int) -> None:
    sentences = Sentences()
    found = [one for at in range(0, len(text), size) for one in sentences.take(text[at : at + size])]
    found += sentences.finish()
    whole = Sentences()
    assert found == [*whole.take(text), *whole.finish()]
    if wanted is not None:
        assert len(found) == len(wanted)
        assert all(one.startswith(begin) for one, begin in zip(found, wanted, strict=True)), found
    else:
        assert all(one[0].isupper() or one[0].islower() for one in found) and len(found) >= 2


def test_a_sentence_is_given_as_soon_as_the_next_one_begins() -> None:
    sentences = Sentences()
    assert sentences.take("It is warm") == []
    assert sentences.take(" today.") == []
    assert sentences.take(" It") == ["It is warm today."]


def test_a_sentence_without_an_end_is_cut_between_words() -> None:
    sentences = Sentences()
    text = "word, " * 200
    found = [*sentences.take(text), *sentences.finish()]
    assert len(found) >= 3 and all(len(one) <= LONGEST for one in found)
    assert " ".join(found).count("word") == 200


def test_other_languages_keep_their_signs() -> None:
    sentences = Sentences(english=False)
    assert [*sentences.take("蜂蜜能放很久。因为水少！"), *sentences.finish()] == ["蜂蜜能放很久。", "因为水少！"]  # noqa: RUF001
