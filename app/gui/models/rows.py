"""What the list of models says about each of them, worked out from what is known. No widgets."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QCoreApplication, QLocale

from app.gui.sentences import shown
from app.hub.jobs import Job, Kind
from app.hub.library import Entry, State
from app.hub.rate import in_bytes

translate = QCoreApplication.translate


class Act(StrEnum):
    """What can be done with a model; each is a button."""

    DOWNLOAD = "download"
    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    USE = "use"
    REPAIR = "repair"
    ANSWERS = "answers"
    VERIFY = "verify"
    REMOVE = "remove"
    LICENCES = "licences"


class Use(StrEnum):
    """Whether a model answers."""

    NO = "no"
    LOADING = "loading"
    YES = "yes"


@dataclass(frozen=True)
class Row:
    """One model in the list. `fraction` 0…1 shows a bar, -1 one without an end, None none. `icon` goes with `state`."""

    id: str
    title: str
    facts: str
    state: str
    icon: str
    acts: tuple[Act, ...]
    fraction: float | None = None
    progress: str = ""
    file: str = ""
    message: str = ""
    bad: bool = False


def row(entry: Entry, job: Job | None, use: Use, *, offline: bool, message: str = "", bad: bool = False) -> Row:
    """The row of a model. `message` is what came of the last thing that was done with it."""
    state, icon = _state(entry, job, use)
    fraction, progress, file = _progress(entry, job)
    if job is not None and job.progress.waiting:
        message, bad = shown(job.progress.waiting), False
    if offline and not message and entry.state in (State.ABSENT, State.PARTIAL):
        message, bad = translate("Models", "Offline: allow the network below to download it."), False
    acts = _acts(entry, job, use, offline)
    title = translate("Models", "Banter starter") if entry.is_starter else entry.title
    return Row(entry.id, title, _facts(entry), state, icon, acts, fraction, progress, file, message, bad)


def import_row(job: Job, title: str) -> Row:
    """The row of a model that is being imported and has no name yet."""
    fraction, progress, file = _bar(job)
    state = translate("Models", "Being imported") if job.running else translate("Models", "Waiting")
    return Row(job.id, title, "", state, "import", (Act.CANCEL,), fraction, progress, file)


def _state(entry: Entry, job: Job | None, use: Use) -> tuple[str, str]:
    if job is not None:
        if not job.running:
            return translate("Models", "Waiting"), "wait"
        if job.stopping:
            return translate("Models", "Stopping…"), "wait"
        return {
            Kind.DOWNLOAD: (translate("Models", "Downloading"), "import"),
            Kind.VERIFY: (translate("Models", "Being checked"), "search"),
        }.get(job.kind, (translate("Models", "Being removed"), "wait"))
    if use == Use.LOADING:
        return translate("Models", "Being loaded"), "wait"
    if use == Use.YES:
        return translate("Models", "In use"), "good"
    return {
        State.ABSENT: (translate("Models", "Not here"), "cloud"),
        State.PARTIAL: (translate("Models", "Paused"), "pause"),
        State.HERE: (translate("Models", "Here"), "done"),
        State.DAMAGED: (translate("Models", "Damaged"), "bad"),
    }[entry.state]


def _acts(entry: Entry, job: Job | None, use: Use, offline: bool) -> tuple[Act, ...]:
    licences = (Act.LICENCES,) if entry.packages else ()
    if job is not None:
        if job.stopping or job.kind in (Kind.REMOVE, Kind.DROP):
            return licences
        return (Act.PAUSE, Act.CANCEL, *licences) if job.kind == Kind.DOWNLOAD else (Act.CANCEL, *licences)
    match entry.state:
        case State.ABSENT:
            return licences if offline else (Act.DOWNLOAD, *licences)
        case State.PARTIAL:
            return (Act.CANCEL, *licences) if offline else (Act.RESUME, Act.CANCEL, *licences)
        case State.DAMAGED:
            repair = (Act.REPAIR,) if entry.can_download and not offline else ()
            return (*repair, Act.VERIFY, *(() if use != Use.NO else (Act.REMOVE,)), *licences)
    if entry.is_starter:
        return (Act.ANSWERS,) if use != Use.NO else (Act.USE, Act.ANSWERS)
    if use != Use.NO:
        return (Act.ANSWERS, Act.VERIFY, *licences)
    return (Act.USE, Act.ANSWERS, Act.VERIFY, Act.REMOVE, *licences)


def _facts(entry: Entry) -> str:
    size = in_bytes(entry.size)
    if entry.is_starter:
        return translate("Models", "{size} · comes with Banter · English").format(size=size)
    if entry.state in (State.HERE, State.DAMAGED):
        facts = [translate("Models", "{size} on this computer").format(size=size)]
    else:
        facts = [translate("Models", "about {size} to download").format(size=size)]
    names = list(dict.fromkeys(package.licence.name for package in reversed(entry.packages)))
    return " · ".join([*facts, *names])


def _progress(entry: Entry, job: Job | None) -> tuple[float | None, str, str]:
    if job is not None:
        return _bar(job)
    if entry.state == State.PARTIAL:
        words = translate("Models", "{done} of about {total} are here")
        done, total = entry.partial, max(entry.size, entry.partial, 1)
        return done / total, words.format(done=in_bytes(done), total=in_bytes(total)), ""
    return None, "", ""


def _bar(job: Job) -> tuple[float | None, str, str]:
    now = job.progress
    if not job.running:
        return None, "", ""
    if not now.total:
        return -1.0, "", ""
    words = [
        translate("Models", "{percent} %").format(percent=int(100 * now.done / now.total)),
        translate("Models", "{done} of {total}").format(done=in_bytes(now.done), total=in_bytes(now.total)),
    ]
    if job.speed >= 1 and not now.waiting:
        speed = translate("Models", "{size} a second").format(size=in_bytes(round(job.speed)))
        words += [speed, *([left(job.seconds_left)] if job.seconds_left is not None else [])]
    file = ""
    if now.file_total:
        file = translate("Models", "{file}: {done} of {total}").format(
            file=now.file, done=in_bytes(now.file_done), total=in_bytes(now.file_total)
        )
    elif now.file:
        file = now.file
    return min(now.done / now.total, 1.0), " · ".join(words), file


def left(seconds: float) -> str:
    """How long something still takes."""
    number = QLocale()
    if seconds < 90:
        return translate("Models", "{count} s left").format(count=number.toString(max(1, round(seconds))))
    if seconds < 5_400:
        return translate("Models", "{count} min left").format(count=number.toString(round(seconds / 60)))
    return translate("Models", "{count} h left").format(count=number.toString(round(seconds / 3_600)))
