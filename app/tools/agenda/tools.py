"""The tools that set, list and cancel what is in the agenda."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from datetime import date, time, timedelta

from app.tools.agenda import speech
from app.tools.agenda.alarm_clock import ENTRIES_MOST, AlarmClock, FullError
from app.tools.agenda.choosing import Choice, bare_label, meant
from app.tools.agenda.records import Kind, Repeat, WallTime
from app.tools.agenda.schedule import DAY, WEEKDAYS, PassedError, resolve
from app.tools.agenda.store import StoreError
from app.tools.registry import load_descriptions
from app.tools.tool import Arguments, MissingArgument, Result, Run, Tool, ToolFailure
from app.tools.words.clock import spoken_time
from app.tools.words.durations import spoken_duration
from app.tools.words.lists import spoken_list
from app.tools.words.numbers import cardinal
from app.tools.words.plain import plain

# When a reminder for a day comes that names no time; the second one for today, once the first has gone by.
MORNING = time(9, 0)
EVENING = time(18, 0)
LATER = timedelta(hours=1)
# More than these are not offered one by one.
CHOICES_MOST = 4
# Characters of the line on a card.
CARD_MOST = 120


def agenda_tools(alarms: AlarmClock) -> list[Tool]:
    """Timers, alarms and reminders by voice."""
    agenda = _Agenda(alarms)
    runs = {
        "set_timer": agenda.set_timer,
        "list_timers": agenda.list_timers,
        "cancel_timer": agenda.cancel_timer,
        "set_alarm": agenda.set_alarm,
        "add_reminder": agenda.add_reminder,
        "list_reminders": agenda.list_reminders,
    }
    descriptions = load_descriptions()
    return [Tool(descriptions[name], speaking_of_the_file(run)) for name, run in runs.items()]


def speaking_of_the_file(run: Run) -> Run:
    """`run`, with what is wrong with the file as a failure of the tool."""

    def guarded(arguments: Arguments) -> Result:
        try:
            return run(arguments)
        except StoreError as error:
            raise ToolFailure(plain(str(error))) from error
        except FullError as error:
            raise ToolFailure(f"You have {cardinal(ENTRIES_MOST)} of them, so please cancel some first.") from error

    return guarded


class _Agenda:
    def __init__(self, alarms: AlarmClock) -> None:
        self._alarms = alarms

    # --- timers

    def set_timer(self, arguments: Arguments) -> Result:
        seconds = int(arguments["seconds"])
        label = bare_label(arguments.get("label", ""))
        self._alarms.add_timer(seconds, label)
        data = {"seconds": seconds, "spoken_duration": spoken_duration(seconds)}
        if label:
            data["label"] = plain(label)
        return Result(data, ", ".join(filter(None, (short_duration(seconds), label))))

    def list_timers(self, arguments: Arguments) -> Result:
        label = bare_label(arguments.get("label", ""))
        entries = self._alarms.listing(Kind.TIMER)
        ringing = [one for one in self._alarms.ringing() if one.kind is Kind.TIMER]
        if label:
            wanted = {one.id for one in meant(label, self._choices())}
            entries = [one for one in entries if one.id in wanted]
            ringing = [one for one in ringing if one.id in wanted]
        now = self._alarms.now()
        data = {
            "count": len(entries) + len(ringing),
            "spoken_summary": speech.timers(entries, ringing, now, label),
        }
        lines = [f"{one.label or short_duration(one.seconds or 0)} at {one.due:%H:%M:%S}" for one in entries]
        return Result(data, card_line(*lines))

    def cancel_timer(self, arguments: Arguments) -> Result:
        label = bare_label(arguments.get("label", ""))
        choices = self._choices()
        if not choices:
            raise ToolFailure("There is no timer running.")
        found = meant(label, choices) if label else choices
        if not found:
            raise ToolFailure(f"I found no {plain(label)} timer to cancel.")
        if not arguments.get("all", False):
            found = _one_of(found, named=bool(label))
        count = self._alarms.cancel(one.id for one in found)
        if not count:
            # It rang and was dismissed this very moment.
            raise ToolFailure("That timer has just ended.")
        spoken = _cancelled(found, everything=len(found) == len(choices))
        return Result({"cancelled": count, "spoken_cancelled": spoken}, card_line(*(one.name for one in found)))

    def _choices(self) -> list[Choice]:
        waiting = [Choice(one.id, one.label, one.seconds, False) for one in self._alarms.listing(Kind.TIMER)]
        ringing = [one for one in self._alarms.ringing() if one.kind is Kind.TIMER]
        return [*(Choice(one.id, one.label, one.seconds, True) for one in ringing), *waiting]

    # --- alarms and reminders

    def set_alarm(self, arguments: Arguments) -> Result:
        at, repeat = time.fromisoformat(arguments["time"]), Repeat(arguments.get("repeat", ""))
        wall = self._resolve(at, arguments.get("day"), repeat)
        self._alarms.add_alarm(wall, repeat)
        today = self._alarms.now().date()
        day = speech.spoken_day(wall.day, today) if repeat is Repeat.NEVER else speech.spoken_repeat(repeat)
        data = {"time": f"{at:%H:%M}", "spoken_time": spoken_time(at), "spoken_day": day}
        if repeat is not Repeat.NEVER:
            data["repeat"] = str(repeat)
        return Result(data, f"{at:%H:%M}, {day if repeat else f'{wall.day:%a} {wall.day.day} {wall.day:%b}'}")

    def add_reminder(self, arguments: Arguments) -> Result:
        task = arguments["task"].strip()
        task = task.removeprefix("to ") or task
        entry = self._alarms.add_reminder(task, self._when(arguments))
        data = {
            "task": task,
            "spoken_task": speech.spoken_task(task),
            "spoken_when": f"in {spoken_duration(arguments['in_seconds'])}"
            if "in_seconds" in arguments
            else speech.spoken_when(entry, self._alarms.now()),
        }
        return Result(data, card_line(f"{entry.due:%a %H:%M} {task}"))

    def list_reminders(self, arguments: Arguments) -> Result:
        now = self._alarms.now()
        day = _day_called(arguments["day"], now.date()) if "day" in arguments else None
        entries = [one for one in self._alarms.listing(Kind.REMINDER) if day in (None, one.due.date())]
        data = {"count": len(entries), "spoken_summary": speech.reminders(entries, now, day)}
        return Result(data, card_line(*(f"{one.due:%a %H:%M} {one.label}" for one in entries)))

    def _when(self, arguments: Arguments) -> WallTime | timedelta:
        """Where and when do not contradict each other, the moment of a reminder."""
        day, at = arguments.get("day"), arguments.get("time")
        if "in_seconds" in arguments:
            if day or at:
                raise MissingArgument("time", "You gave me two times. When shall I remind you?")
            return timedelta(seconds=int(arguments["in_seconds"]))
        if at:
            return self._resolve(time.fromisoformat(at), day)
        if day != "today":
            return self._resolve(MORNING, day)
        for usual in (MORNING, EVENING):
            try:
                return resolve(self._alarms.now(), usual, day)
            except PassedError:
                continue
        return LATER

    def _resolve(self, at: time, day: str | None, repeat: Repeat = Repeat.NEVER) -> WallTime:
        try:
            return resolve(self._alarms.now(), at, day, repeat)
        except PassedError:
            question = f"Today, {spoken_time(at)} has gone by. Which day shall I take?"
            raise MissingArgument("day", question) from None


def _one_of(found: Sequence[Choice], named: bool) -> list[Choice]:
    """The one timer that is meant. Raises MissingArgument where it could be several."""
    if len(found) == 1:
        return list(found)
    ringing = [one for one in found if one.rings]
    if len(ringing) == 1:
        # "Stop the timer", while one makes a noise.
        return ringing
    names = list(dict.fromkeys(one.name for one in found))
    if len(names) == 1:
        whole = "both" if len(found) == 2 else "all of them"
        raise MissingArgument("all", f"There are {cardinal(len(found))} {names[0]}s. Shall I cancel {whole}?")
    if len(names) > CHOICES_MOST:
        timers = f"{cardinal(len(found))} timers" + (" by that name" if named else "")
        raise MissingArgument("label", f"There are {timers}. Which one shall I cancel?")
    choice = ", ".join(f"the {name}" for name in names[:-1])
    raise MissingArgument("label", f"Which one shall I cancel, {choice} or the {names[-1]}?")


def _cancelled(found: Sequence[Choice], everything: bool) -> str:
    if len(found) == 1:
        return f"the {found[0].name}"
    one_name = len({one.name for one in found}) == 1
    if everything or one_name:
        many = "both" if len(found) == 2 else f"all {cardinal(len(found))}"
        return f"{many} {found[0].name if one_name else 'timer'}s"
    return spoken_list([f"the {one.name}" for one in found])


def _day_called(day: str, today: date) -> date:
    if day in ("today", "tomorrow"):
        return today + DAY * (day == "tomorrow")
    return today + DAY * ((WEEKDAYS.index(day) - today.weekday()) % 7)


def card_line(*parts: str) -> str:
    """One short line for the card in the transcript."""
    return textwrap.shorten("; ".join(parts), CARD_MOST, placeholder="…")


def short_duration(seconds: int) -> str:
    """For the eye: "1 h 10 min"."""
    parts = []
    for size, unit in ((3600, "h"), (60, "min"), (1, "s")):
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {unit}")
    return " ".join(parts) or "0 s"
