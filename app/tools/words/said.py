"""Yes, no, lengths, times and numbers in what somebody says in answer to a question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import time
from fractions import Fraction

from app.tools.words.reading import number, words_of


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_FILLERS = _set("um uh er hm hmm well so oh okay ok please just about around maybe like for thanks")
_YES = _set("yes yeah yep yup sure certainly absolutely definitely correct right affirmative aye")
_YES_PHRASES = ("go ahead", "do it", "do that", "please do", "of course", "go on", "sounds good", "you may", "i do")
_NO = _set("no nope nah never negative neither")
_NO_PHRASES = ("do not", "don't", "leave it", "keep it", "rather not", "not now", "not that", "please don't", "stop")
_GIVEN_UP = ("never mind", "nevermind", "forget it", "forget that", "forget about it", "leave it", "cancel that",
             "nothing", "stop", "no thanks", "no thank you", "not now", "don't bother", "cancel", "no")  # fmt: skip
_QUIET = ("stop", "thanks", "thank you", "dismiss", "enough", "quiet", "silence", "shut up", "shush", "cancel",
          "turn it off", "turn that off", "switch it off", "got it", "all right", "alright", "okay", "ok", "i'm up",
          "i am up")  # fmt: skip
_LATER = ("snooze", "later", "five more minutes", "not now")
# A short answer says yes or no with its first words; a long sentence says something else.
_MOST_WORDS = 8
# To something that rings nobody says more.
_MOST_TO_A_BELL = 6
_UNITS = {
    **dict.fromkeys(("second", "seconds", "sec", "secs", "s"), 1),
    **dict.fromkeys(("minute", "minutes", "min", "mins", "m"), 60),
    **dict.fromkeys(("hour", "hours", "hr", "hrs", "h"), 3600),
    **dict.fromkeys(("day", "days"), 86_400),
}
_SMALLER = {3600: 60, 60: 1}
_DAYS = ("today", "tomorrow", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_LATE, _EARLY = _set("pm afternoon evening night tonight"), _set("am morning")
_LONGEST_NUMBER = 8


@dataclass(frozen=True)
class Clock:
    """A time of day; `half` where it may be in the first or the second half of the day."""

    time: time
    half: bool = False


def yes_or_no(text: str) -> bool | None:
    """Whether a short answer agrees; None where it says neither."""
    words = _plain(text)
    said = " ".join(words)
    if not words or len(words) > _MOST_WORDS:
        return None
    if words[0] in _NO or said.startswith(_NO_PHRASES):
        return False
    if words[0] in _YES or said == "do" or said.startswith(_YES_PHRASES):
        return True
    return True if _only_fillers(text, "okay", "ok", "please") else None


def gives_up(text: str) -> bool:
    """Whether the whole text takes back what was asked for."""
    return " ".join(_plain(text)).removesuffix(" please").removesuffix(" then") in _GIVEN_UP


def wants_quiet(text: str) -> bool:
    """Whether this is said to something that rings, so that it stops."""
    return _names_one(text, _QUIET)


def wants_later(text: str) -> bool:
    """Whether this is said to something that rings, so that it rings later."""
    return _names_one(text, _LATER)


def _names_one(text: str, phrases: tuple[str, ...]) -> bool:
    words = words_of(text.replace("’", "'"))
    said = f" {' '.join(words)} "
    return len(words) <= _MOST_TO_A_BELL and any(f" {phrase} " in said for phrase in phrases)


def words_but(words: Sequence[str], others: frozenset[str]) -> list[str]:
    """`words` without `others`."""
    return [word for word in words if word not in others]


def numbers_in(text: str) -> list[int | Fraction]:
    """The numbers in `text`, in their order."""
    words, found, at = words_of(text.replace("%", " ")), list[int | Fraction](), 0
    while at < len(words):
        for end in range(min(len(words), at + _LONGEST_NUMBER), at, -1):
            value = number(" ".join(words[at:end]))
            if value is not None:
                found.append(value)
                at = end
                break
        else:
            at += 1
    return found


def seconds_in(text: str) -> int | None:
    """A length of time; a bare number is minutes. None where there is none, or nothing above zero."""
    words = words_of(re.sub(r"(\d)\s*(?=[a-z])", r"\1 ", text.lower()))
    total, start, unit = Fraction(0), 0, 0
    for at, word in enumerate(words):
        if word in _UNITS:
            unit = _UNITS[word]
            total += (_amount(words[start:at]) or 0) * unit
            start = at + 1
    rest = [word for word in words[start:] if word not in _FILLERS]
    if not unit:
        many = number(" ".join(rest))
        total = Fraction(many or 0) * 60
    elif rest[:2] == ["and", "a"] and number(rest[-1]) in (Fraction(1, 2), Fraction(1, 4)):
        total += Fraction(number(rest[-1]) or 0) * unit
    elif rest and unit in _SMALLER:
        total += Fraction(number(" ".join(words_but(rest, frozenset({"and"})))) or 0) * _SMALLER[unit]
    return round(total) if total >= 1 else None


def time_in(text: str) -> Clock | None:
    """A time of day, as "half past six in the evening", "seven thirty", "18:05" or "noon"."""
    text = re.sub(r"\b([ap])\.?\s?m\b\.?", r"\1m", text.lower().replace("o'clock", " ").replace("oclock", " "))
    words = words_of(re.sub(r"(\d)(am|pm)\b", r"\1 \2", text))
    # The vowel of "am" is lost on the ears more often than the consonant of "pm".
    words = [*words[:1], *("am" if word in ("m", "em", "mm") else word for word in words[1:])]
    late, early = bool(_LATE & set(words)), bool(_EARLY & set(words))
    for at, word in enumerate(words):
        if word in ("noon", "midday", "midnight"):
            hour = 12 * (word != "midnight")
            if at and words[at - 1] in ("past", "to"):
                # "Ten to midnight" is a time of the clock like any other.
                return _beside(words[:at], hour)
            return Clock(time(hour))
    for at in range(len(words)):
        found = _clock_at(words, at)
        if found is not None:
            hour, minute, sure = found
            if hour == 12 and {"night", "tonight"} & set(words):
                return Clock(time(0, minute))
            if early or late:
                return Clock(time(hour % 12 + 12 * late if hour <= 12 else hour, minute))
            return Clock(time(hour, minute), half=1 <= hour < 12 and not sure)
    return None


def _beside(words: Sequence[str], hour: int) -> Clock | None:
    """So many minutes past or to noon or midnight."""
    found = (_clock_at([*words[at:], "twelve"], 0) for at in range(len(words) - 1))
    minutes = next((60 * (one[0] % 12) + one[1] for one in found if one is not None), None)
    if minutes is None:
        return None
    late = (minutes < 12 * 30) == (hour == 12)
    return Clock(time(minutes // 60 + 12 * late, minutes % 60))


def half_of_day(text: str, at: time) -> time | None:
    """`at` in the half of the day that `text` says; None where it says none."""
    words = set(words_of(re.sub(r"\b([ap])\.?\s?m\b\.?", r"\1m", text.lower())))
    late, early = bool(_LATE & words), bool(_EARLY & words)
    return at.replace(hour=at.hour % 12 + 12 * late) if late != early else None


def day_in(text: str) -> str | None:
    """ "today", "tomorrow" or a weekday."""
    words = words_of(text)
    if "tonight" in words:
        return "today"
    return next((word for word in words if word in _DAYS), None)


def _amount(words: Sequence[str]) -> Fraction | None:
    """How many of the unit that follows: "half an", "a", "three quarters of an", "ten"; the last words count."""
    words = list(words)
    if words[-2:] in (["of", "an"], ["of", "a"]):
        words = words[:-2]
    elif len(words) > 1 and words[-1] in ("a", "an") and words[-2] in ("half", "quarter"):
        words = words[:-1]
    if not words or words[-1] in ("a", "an", "and"):
        return Fraction(1)
    for start in range(max(0, len(words) - _LONGEST_NUMBER), len(words)):
        value = number(" ".join(words[start:]))
        if value is not None:
            return Fraction(value)
    return None


def _clock_at(words: Sequence[str], at: int) -> tuple[int, int, bool] | None:
    """Hour, minute and whether the half of the day is clear, of the time that begins at word `at`."""
    rest = words[at:]
    if match := re.fullmatch(r"(\d{1,2})[:.h](\d{2})", rest[0]):
        return _valid(int(match[1]), int(match[2]), sure=match[1].startswith("0"))
    if match := re.fullmatch(r"(\d{1,2})(\d{2})", rest[0]):
        return _valid(int(match[1]), int(match[2]), sure=match[1].startswith("0"))
    for length in (1, 2, 3):
        if len(rest) > length + 1 and rest[length] in ("past", "to"):
            part = words_but(rest[:length], frozenset({"minutes", "minute", "a"}))
            minutes = number(" ".join(part))
            if minutes in (Fraction(1, 2), Fraction(1, 4)):
                minutes = int(minutes * 60)
            hour = _hour(rest[length + 1 :])
            if isinstance(minutes, int) and 0 < minutes < 60 and hour is not None:
                if rest[length] == "past":
                    return _valid(hour[0], minutes)
                return _valid((hour[0] - 1) % 12 or 12 if hour[0] <= 12 else hour[0] - 1, 60 - minutes)
    hour = _hour(rest)
    if hour is None:
        return None
    after = list(rest[hour[1] :])
    if len(after) > 1 and after[0] in ("oh", "o", "zero"):
        minute = number(after[1])
        return _valid(hour[0], minute) if isinstance(minute, int) and minute < 10 else None
    for length in (2, 1):
        minute = number(" ".join(after[:length])) if len(after) >= length else None
        if isinstance(minute, int) and 10 <= minute < 60:
            return _valid(hour[0], minute)
    return _valid(hour[0], 0)


def _hour(words: Sequence[str]) -> tuple[int, int] | None:
    """An hour at the beginning of `words`, and how many of them it takes."""
    for length in (2, 1):
        value = number(" ".join(words[:length])) if len(words) >= length else None
        if isinstance(value, int) and 0 <= value <= 23:
            return value, length
    return None


def _valid(hour: int, minute: int, sure: bool = False) -> tuple[int, int, bool] | None:
    return (hour, minute, sure) if 0 <= hour <= 23 and 0 <= minute <= 59 else None


def _plain(text: str) -> list[str]:
    """Lower-case words without what people say before they answer."""
    words = words_of(text.replace("’", "'"))
    while len(words) > 1 and words[0] in _FILLERS:
        words = words[1:]
    return words


def _only_fillers(text: str, *wanted: str) -> bool:
    words = words_of(text)
    return bool(set(wanted) & set(words)) and not words_but(words, _FILLERS)
