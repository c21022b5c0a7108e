"""The agenda in words for the ear."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime

from app.tools.agenda.records import Entry, Kind, Repeat, Ringing
from app.tools.words.clock import spoken_time
from app.tools.words.dates import spoken_date, weekday
from app.tools.words.durations import spoken_duration
from app.tools.words.lists import counted, spoken_list, with_article
from app.tools.words.numbers import cardinal
from app.tools.words.plain import plain

# More are counted, not read out; an answer is cut after 300 characters.
READ_MOST = 5
READ_MOST_CHARACTERS = 200
# Shorter times are told to the second, and reminders by how long it takes instead of by the clock.
EXACT_BELOW_S = 120
SOON_S = 3600
_REPEATS = {Repeat.DAILY: "every day", Repeat.WEEKDAYS: "on weekdays", Repeat.WEEKENDS: "on weekends"}
_TURNED = {
    "i": "you",
    "me": "you",
    "my": "your",
    "mine": "yours",
    "myself": "yourself",
    "i'm": "you're",
    "i've": "you've",
    "i'll": "you'll",
    "i'd": "you'd",
}
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_VERBS = {"am": "are", "was": "were"}


def turned_round(text: str) -> str:
    """What the user said of themselves, as it is said to them: "call my mum" becomes "call your mum"."""
    before = ""

    def turn(match: re.Match[str]) -> str:
        nonlocal before
        word = match[0].lower()
        turned = _TURNED.get(word) or (_VERBS.get(word) if before == "i" else None)
        before = word
        return turned or match[0]

    return _WORD.sub(turn, text.replace("’", "'"))


def spoken_task(task: str) -> str:
    """A task of the user's, said to them."""
    return plain(turned_round(task))


def spoken_repeat(repeat: Repeat) -> str:
    """ "every day", "on weekdays", "on weekends"."""
    return _REPEATS[repeat]


def spoken_day(day: date, today: date) -> str:
    """A day to come: "today", "tomorrow", "on Friday", "next Friday" in a week, "on the third of May"."""
    distance = (day - today).days
    if distance < 2:
        return "today" if distance < 1 else "tomorrow"
    if distance < 7:
        return f"on {weekday(day)}"
    return f"next {weekday(day)}" if distance == 7 else f"on {spoken_date(day, year=day.year != today.year)}"


def spoken_when(entry: Entry, now: datetime) -> str:
    """ "at five in the afternoon", "tomorrow at noon", or "in ten minutes" for what counts the time that passes."""
    if entry.due.date() == now.date() or _is_soon(entry, now):
        return _at(entry, now)
    return f"{spoken_day(entry.due.date(), now.date())} {_at(entry, now)}"


def _at(entry: Entry, now: datetime) -> str:
    if _is_soon(entry, now):
        return f"in {time_left(_seconds_left(entry, now))}"
    return f"at {spoken_time(entry.due if entry.snoozed else entry.time or entry.due)}"


def _is_soon(entry: Entry, now: datetime) -> bool:
    return (entry.time is None or entry.snoozed) and _seconds_left(entry, now) < SOON_S


def time_left(seconds: float) -> str:
    """What is left, to the second in the last two minutes, otherwise to the minute."""
    if seconds < EXACT_BELOW_S:
        return spoken_duration(max(1, round(seconds)))
    return spoken_duration(round(seconds / 60) * 60)


def timer_name(label: str, seconds: int | None) -> str:
    """How a timer is called: "pasta timer", or "ten minute timer" where it has no label."""
    if label:
        return f"{plain(label)} timer"
    return f"{duration_name(seconds)} timer" if seconds else "timer"


def duration_name(seconds: int) -> str:
    """A duration before a noun: "ten minute", "one hour and ten minute"."""
    return re.sub(r"(day|hour|minute|second)s\b", r"\1", spoken_duration(seconds))


def timers(entries: Sequence[Entry], ringing: Sequence[Ringing], now: datetime, label: str = "") -> str:
    """ "two timers, pasta with three minutes left and tea with one minute left"; `label` was asked for."""
    count = len(entries) + len(ringing)
    about = f"{plain(label)} timer" if label else "timer"
    if not count:
        return f"no {about} running" if label else "no timers running"
    if count == 1 and entries and (label or not entries[0].label):
        return f"one {about} with {time_left(_seconds_left(entries[0], now))} left"
    parts = [f"{_of(one)} that is ringing" for one in ringing]
    parts += [f"{_of(one)} with {time_left(_seconds_left(one, now))} left" for one in entries]
    return f"{counted(count, about)}, {read_out(parts)}"


def reminders(entries: Sequence[Entry], now: datetime, day: date | None = None) -> str:
    """ "two reminders, call your mum at noon and ..."; with `day` only those of that day are meant."""
    on = ""
    if day is not None:
        on = " for " + spoken_day(day, now.date()).removeprefix("on ")
    if not entries:
        return f"no reminders{on}"
    when = spoken_when if day is None else _at
    parts = [f"{spoken_task(one.label)} {when(one, now)}" for one in entries]
    return f"{counted(len(entries), 'reminder')}{on}, {read_out(parts)}"


def announcement(ringing: Ringing, now: datetime) -> str:
    """What to say when it rings."""
    if ringing.missed:
        return _missed(ringing, now)
    match ringing.kind:
        case Kind.TIMER:
            return f"Your {timer_name(ringing.label, ringing.seconds)} is done."
        case Kind.ALARM:
            label = f", {spoken_task(ringing.label)}" if ringing.label else ""
            return f"It is {spoken_time(now)}, and this is your alarm{label}."
        case Kind.REMINDER:
            return f"Here is your reminder, {spoken_task(ringing.label)}."


def _missed(ringing: Ringing, now: datetime) -> str:
    when = f"{_past_day(ringing.due.date(), now.date())}at {spoken_time(ringing.time or ringing.due)}"
    match ringing.kind:
        case Kind.TIMER:
            return f"Your {timer_name(ringing.label, ringing.seconds)} rang while I was away, {when}."
        case Kind.ALARM if ringing.times > 1:
            return f"Your alarm rang {cardinal(ringing.times)} times while I was away, the last time {when}."
        case Kind.ALARM:
            return f"Your alarm rang while I was away, {when}."
        case Kind.REMINDER:
            return f"A reminder was due while I was away, {when}, {spoken_task(ringing.label)}."


def _past_day(day: date, today: date) -> str:
    distance = (today - day).days
    if distance < 1:
        return ""
    if distance == 1:
        return "yesterday "
    return f"on {weekday(day)} " if distance < 7 else f"on {spoken_date(day, year=day.year != today.year)} "


def _of(timer: Entry | Ringing) -> str:
    if timer.label:
        return plain(timer.label)
    return f"{with_article(duration_name(timer.seconds))} one" if timer.seconds else "one"


def read_out(parts: Sequence[str]) -> str:
    """ "a, b and three more": as many of `parts` as an answer has room for, at least one."""
    count = 1
    while count < min(len(parts), READ_MOST) and sum(map(len, parts[: count + 1])) <= READ_MOST_CHARACTERS:
        count += 1
    rest = len(parts) - count
    return spoken_list([*parts[:count], f"{cardinal(rest)} more"] if rest > 0 else parts)


def _seconds_left(entry: Entry, now: datetime) -> float:
    # Two times of one zone are subtracted as the clock shows them, which winter repeats.
    return entry.due.timestamp() - now.timestamp()
