"""Names that were heard, as they are written."""

from __future__ import annotations

import pytest

from app.speech.names_by_sound import MOST_UNLIKE, NamesBySound, name_list, sound, unlike


@pytest.mark.parametrize(
    ("kind", "heard", "name"),
    [
        ("city", "Edinborough", "Edinburgh"),
        ("city", "manchister", "Manchester"),
        ("city", "sin Gapore", "Singapore"),
        ("city", "Lisben", "Lisbon"),
        ("person", "katarina", "Katrina"),
        ("application", "ink scape", "Inkscape"),
        ("application", "awdacity", "Audacity"),
        # It is in the list itself.
        ("city", "music", None),
        ("city", "Brodania", None),
        ("application", "calculator", None),
        ("person", "it", None),
    ],
)
def test_nearest(kind: str, heard: str, name: str | None) -> None:
    assert NamesBySound(name_list(kind)).nearest(heard) == name


def test_spaces_and_capitals_do_not_matter() -> None:
    cities = NamesBySound(["New York", "Newcastle"])
    assert cities.written("new castle") == "Newcastle" and cities.written("NEW YORK") == "New York"
    assert cities.written("Newcastel") is None


def test_the_first_of_two_names_that_sound_alike() -> None:
    assert NamesBySound(["Sara", "Sarah"]).nearest("Sera") == "Sara"


def test_vowels_count_less_than_consonants() -> None:
    assert sound("Knight") == sound("nite") == "nat"
    assert unlike(sound("Berlin"), sound("Barlin")) == 0
    assert 0 < unlike(sound("Berlin"), sound("Berlina")) <= MOST_UNLIKE < unlike(sound("Berlin"), sound("Belsin"))
    # What the ears confuse differs less.
    assert unlike("pat", "bat") < unlike("pat", "sat")
