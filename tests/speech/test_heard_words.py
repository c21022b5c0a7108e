"""What was heard, in the words that were said."""

from __future__ import annotations

import pytest

from app.speech.heard_words import as_said, with_marks


@pytest.mark.parametrize(
    ("heard", "said"),
    [
        ("Wake me at ten. Past six, please.", "Wake me at ten Past six please"),
        ("Wake me at quarter, pass six.", "Wake me at quarter past six"),
        ("It rings at 6.30 p.m.", "It rings at 6.30 pm"),
        ("What is 1,200.5 plus one?", "What is 1,200.5 plus one"),
        ("Milk,eggs.", "Milk,eggs"),
        # Who types sets marks on purpose.
        ("The film is long, time it", "The film is long, time it"),
        ("roll a D20", "roll a D 20"),
        ("roll two d-6", "roll two d 6"),
        ("throw three dies", "throw three dice"),
        ("when someone dies", "when someone dies"),
        ("four tea spoons in a cup", "four teaspoons in a cup"),
        ("is June 3 a Monday", "is June 3rd a Monday"),
        ("is June the 12, 2027 a Monday?", "is June the 12th 2027 a Monday"),
        ("may 3 of us come", "may 3 of us come"),
        ("the meeting of May 2027", "the meeting of May 2027"),
        ("pass the salt", "pass the salt"),
        ("list my remind us", "list my reminders"),
        ("the bells remind us of home", "the bells remind us of home"),
        ("the test that two passed", "the test that two passed"),
    ],
)
def test_what_was_said(heard: str, said: str) -> None:
    assert as_said(heard) == said


def test_words_are_found_with_their_marks() -> None:
    text = "Note that milk, eggs and bread. They are out."
    assert with_marks("milk eggs and bread They", text) == "milk, eggs and bread. They"
    assert with_marks("butter", text) == "butter"
