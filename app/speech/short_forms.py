"""Abbreviations and letters that stand for words, in English text."""

from __future__ import annotations

import re

# With the point that ends them, which goes.
_POINTED = {
    "Mr": "Mister", "Mrs": "Missus", "Ms": "Miz", "Dr": "Doctor", "Prof": "Professor", "Rev": "Reverend",
    "Gen": "General", "Capt": "Captain", "Lt": "Lieutenant", "Sgt": "Sergeant", "Jr": "Junior", "Sr": "Senior",
    "Ltd": "Limited", "Inc": "Incorporated", "Corp": "Corporation", "Ave": "Avenue", "Rd": "Road", "Blvd": "Boulevard",
    "approx": "approximately", "dept": "department", "est": "established", "fig": "figure",
    "vol": "volume", "Jan": "January", "Feb": "February", "Mar": "March", "Apr": "April", "Jun": "June",
    "Jul": "July", "Aug": "August", "Sept": "September", "Sep": "September", "Oct": "October", "Nov": "November",
    "Dec": "December",
}  # fmt: skip
# With or without it.
_TITLES = ("Mr", "Mrs", "Ms", "Dr", "Prof")
_ANY_CASE: tuple[tuple[str, str], ...] = (
    (r"\be\.\s?g\.,?", "for example,"),
    (r"\bi\.\s?e\.,?", "that is,"),
    (r"\betc\.(?=\s*[a-z,;])", "and so on"),
    (r"\betc\b\.?", "and so on."),
    (r"\bvs\b\.?", "versus"),
    (r"(?<![\d ])\s+tbsp\b\.?", " tablespoon"),
    (r"(?<![\d ])\s+tsp\b\.?", " teaspoon"),
    (r"\bNo\.\s?(?=\d)|(?<![\w&])#\s?(?=\d)|№\s?", "number "),
    (r"\bpp?\.\s?(?=\d)", "page "),
    (r"\bSt\.(?=\s[A-Z])", "Saint"),
    (r"\bSt\.", "Street"),
    (r"\ba\.m\.(?=\s*[a-z,])|\ba\.m\b", "am"),
    (r"\bp\.m\.(?=\s*[a-z,])|\bp\.m\b", "pm"),
)
_POINTED_FORM = re.compile(rf"\b({'|'.join(_POINTED)})\.(?=\s|,|$)")
_TITLE_FORM = re.compile(rf"\b({'|'.join(_TITLES)})(?=\s[A-Z])")
_INITIALS = re.compile(r"\b(?:[A-Za-z]\.){2,}")
_CAPITALS = re.compile(r"(?<![^\W\d_])[A-Z]{2,6}(?=s?(?![^\W\d_]))")
# Those with a vowel that are spelled all the same.
_SPELLED = (
    "AI", "API", "ATM", "CEO", "CIA", "CPU", "EU", "FAQ", "FBI", "GPU", "HIV", "IBM", "ID", "IP", "IQ", "ISO", "MIT",
    "NBA", "OS", "SOS", "UFO", "UK", "UN", "UI", "URL", "USA", "USB", "UV", "VIP",
)  # fmt: skip
_CAPITAL_US = re.compile(r"\b(?<=the )US\b|\bUS(?= (?:dollar|president|government|army|state))")


def expand_short_forms(text: str) -> str:
    """The words that short forms stand for; capitals that are no word become single letters."""
    for pattern, by in _ANY_CASE:
        text = re.sub(pattern, by, text)
    text = _POINTED_FORM.sub(lambda found: _POINTED[found[1]], text)
    text = _TITLE_FORM.sub(lambda found: _POINTED[found[1]], text)
    text = _INITIALS.sub(lambda found: " ".join(found[0].replace(".", " ").split()), text)
    text = _CAPITAL_US.sub("U S", text)
    return _CAPITALS.sub(lambda found: _letters(found[0]), text)


def _letters(word: str) -> str:
    if word in _SPELLED or not re.search("[AEIOUY]", word):
        return " ".join(word)
    return word
