"""Written text as words that can be spoken, and in pieces of a breath."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import paths
from app.speech.numerals import cardinal, ordinal, year
from app.speech.phrases import CLAUSE_PAUSE_S, MOST_CHARACTERS, MOST_WORDS, SENTENCE_PAUSE_S, split_phrases
from app.speech.speakable import speakable


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("15:05 on 2024-05-17", "three oh five in the afternoon on the seventeenth of May, twenty twenty four"),
        ("9:30 am to 7 p.m., or 12 pm", "nine thirty in the morning to seven in the evening, or twelve noon"),
        ("7:00, 00:00 and 23:15", "seven o'clock, midnight and eleven fifteen at night"),
        ("May 17th, 2024, or 3 March", "the seventeenth of May, twenty twenty four, or the third of March"),
        ("Dec. 2001, 31/12/1999", "December two thousand and one, the thirty first of December, nineteen ninety nine"),
        ("1:02:03 left", "one hour two minutes three seconds left"),
        ("$3.50, £1 and €0.05", "three dollars and fifty cents, one pound and five cents"),
        ("$2.5 million, 5 USD", "two point five million dollars, five dollars"),
        ("£2.01, ¥300", "two pounds and one penny, three hundred yen"),
        ("-5 °C, 1 km and 2 ft", "minus five degrees Celsius, one kilometre and two feet"),
        ("3 m² and 90 km/h", "three square metres and ninety kilometres per hour"),
        ("in 1969, 1905, 2027", "in nineteen sixty nine, nineteen oh five, twenty twenty seven"),
        ("the 1980s and the '90s", "the nineteen eighties and the nineties"),
        ("1,000,007 and 0.75", "one million and seven and zero point seven five"),
        ("007 and 1.2.3", "zero zero seven and one point two point three"),
        ("1st, 22nd, 1/2, 3/4, ½, 5-10", "first, twenty second, one half, three quarters, one half, five to ten"),
        ("+44 20 7946", "plus four four, two zero, seven nine four six"),
        ("(555) 123-4567", "five five five, one two three, four five six seven"),
        ("1914 - 1918", "nineteen fourteen to nineteen eighteen"),
        ("5 km^2, 5 kg^2", "five square kilometres, five kilograms squared"),
        ("555-1234", "five five five, one two three four"),
        ("2 + 2 = 4, 3 x 5, 50%, x²", "two plus two equals four, three times five, fifty percent, x squared"),
        ("Dr. Lee, e.g. Mr Fox vs. the BBC", "Doctor Lee, for example, Mister Fox versus the B B C"),
        ("NASA in the U.S., an MP3 and page A4", "NASA in the U S, an M P three and page A four"),
        ("See https://www.example.com/news.", "See example dot com slash news."),
        ("or ann.lee@mail.org", "or ann dot lee at mail dot org"),
        ("# Head\n\n- **bold** and `code`\n- a [link](http://x.y)", "Head\nbold and code\na link"),
        ("\u201cHello,\u201d she said (quietly)\u2014then: no\u2026 \U0001f600", "Hello, she said, quietly, then, no."),
        ("caf\u00e9 na\u00efve & more", "cafe naive and more"),
        ("It's Ann's dog, rock 'n' roll, well-known - don't!!", "It's Ann's dog, rock n roll, well-known, don't!"),
        ("<tool_call>hi</tool_call> <b>there</b> &amp; <|im_end|>here", "hi there and here"),
        ("\U0001f600 --- *** <|im_end|>", ""),
    ],
)  # fmt: skip
def test_written_and_said(written: str, said: str) -> None:
    assert speakable(written) == said


def test_numbers() -> None:
    assert [cardinal(n) for n in (0, 13, 40, 101, 1000, 1_000_001)] == [
        "zero", "thirteen", "forty", "one hundred and one", "one thousand", "one million and one",
    ]  # fmt: skip
    assert [ordinal(n) for n in (1, 2, 3, 5, 8, 9, 12, 20, 31, 100)] == [
        "first", "second", "third", "fifth", "eighth", "ninth", "twelfth", "twentieth", "thirty first", "one hundredth",
    ]  # fmt: skip
    assert [year(n) for n in (1066, 1500, 1707, 2000, 2009, 2010, 2100)] == [
        "one thousand and sixty six", "fifteen hundred", "seventeen oh seven", "two thousand", "two thousand and nine",
        "twenty ten", "twenty one hundred",
    ]  # fmt: skip
    spoken = [cardinal(n) for n in range(20_000)]
    assert len(set(spoken)) == len(spoken)


def test_long_numbers_are_read_out() -> None:
    assert speakable("9" * 5000) == " ".join(["nine"] * 5000)
    assert speakable("1.2." + "3" * 20) == "one point two point " + " ".join(["three"] * 20)


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=80) | st.from_regex(r"[-0-9$:/.,% apmkstx()<>*#]{1,30}"))
def test_what_is_said_has_no_signs(text: str) -> None:
    said = speakable(text)
    if not re.search("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]", text):
        assert all(sign.isalpha() or sign in " .,?!'-\n" for sign in said)
        assert not re.search(r"[.,?!]{2}|\s[.,?!]|  ", said)


def test_other_languages_are_freed_of_markup_alone() -> None:
    assert speakable("**你好** 2024 <tool_call>", english=True) == "你好 2024"
    assert speakable("Es kostet 3,50 € <b>hier</b>", english=False) == "Es kostet 3,50 € hier"


def starter_answers() -> list[str]:
    file = paths.starter_model() / "intents.tsv"
    if not file.is_file():
        pytest.skip("the starter model is not in this checkout")
    rows = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()]
    # Behind the id of a call stands the tool, and in a composed answer there are slots.
    return [answer for _, answer in rows if " " in answer and "{" not in answer]


def test_answers_of_the_starter_are_said_as_they_stand_in_one_breath() -> None:
    for answer in starter_answers():
        # An apostrophe behind a word may be a quotation mark, which is not said.
        assert speakable(answer).replace("A I", "AI").replace("'", "") == answer.replace("'", "")
        assert [phrase.text for phrase in split_phrases(answer)] == [answer]


def test_long_texts_are_split_where_one_breathes() -> None:
    clause = "the river runs on and on between its banks"
    sentence = f"Look, {clause}, {clause}, {clause}, {clause}."
    phrases = split_phrases(f"Short one. Another one! {sentence}\nNew paragraph")
    assert [phrase.text for phrase in phrases] == [
        "Short one. Another one!",
        f"Look, {clause}, {clause}, {clause},",
        f"{clause}.",
        "New paragraph",
    ]
    assert [phrase.pause_s for phrase in phrases] == [
        SENTENCE_PAUSE_S,
        CLAUSE_PAUSE_S,
        SENTENCE_PAUSE_S,
        SENTENCE_PAUSE_S,
    ]


@given(st.lists(st.sampled_from(["word", "a", "and,", "end.", "x" * 90, "你好", "。", "\n", "?!", "'"]), max_size=200))
def test_every_piece_is_short_and_nothing_is_lost(parts: list[str]) -> None:
    text = " ".join(parts)
    phrases = split_phrases(text)
    assert all(len(phrase.text) <= MOST_CHARACTERS + 40 for phrase in phrases)
    assert all(len(phrase.text.split()) <= MOST_WORDS for phrase in phrases)

    def letters(of: str) -> str:
        return "".join(sign for sign in of if sign.isalnum())

    assert letters(" ".join(phrase.text for phrase in phrases)) == letters(text)
