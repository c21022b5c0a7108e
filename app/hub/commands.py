"""The verb `models`: what the models window does, from the command line. Progress goes to stderr."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from app import paths, settings
from app.hub import catalogue
from app.hub.bring import bring, recognise
from app.hub.control import Control
from app.hub.download import Download, Means, Progress
from app.hub.errors import HubError, Stopped
from app.hub.library import Entry, Library, State
from app.hub.rate import Rate, in_bytes
from app.hub.sources import source_for

_STATES = {
    State.ABSENT: "not here",
    State.PARTIAL: "begun",
    State.HERE: "here",
    State.DAMAGED: "damaged",
}
_TELL_EVERY_S = 1.0


def library() -> Library:
    """The models of this user. Raises HubError."""
    return Library(paths.models_dir(), catalogue.load(paths.catalogue_file()), paths.starter_model())


def offline(wanted: bool) -> bool:
    """Whether no network may be used, by the setting `wanted` or by the variable that other programs go by."""
    return wanted or os.environ.get("HF_HUB_OFFLINE", "").strip().lower() in ("1", "true", "yes", "on")


def run(what: str, item: str, *, as_json: bool) -> None:
    """Do `what` with the model or folder `item`. Raises HubError with one sentence."""
    shelf = library()
    if what == "list":
        if item:
            raise HubError("`banter models list` takes no name.")
        _list(shelf, as_json)
        return
    if not item:
        raise HubError(f"Say which: banter models {what} {'FOLDER' if what == 'import' else 'NAME'}.")
    match what:
        case "download":
            _download(shelf, item)
        case "import":
            _import(shelf, Path(item).expanduser())
        case "verify":
            _verify(shelf, item)
        case _:
            shelf.remove(item)
            print(f"{item} has been removed.")


def _list(shelf: Library, as_json: bool) -> None:
    entries = shelf.entries()
    if as_json:
        print(json.dumps({"models": [_row(entry) for entry in entries], "disk_bytes": shelf.disk_use()}, indent=1))
        return
    width = max(len(entry.id) for entry in entries)
    for entry in entries:
        licences = ", ".join(dict.fromkeys(package.licence.name for package in reversed(entry.packages))) or "-"
        state = _STATES[entry.state]
        print(f"{entry.id:{width}}  {in_bytes(entry.size):>8}  {state:8}  {entry.title}  ({licences})")


def _row(entry: Entry) -> dict[str, object]:
    return {
        "name": entry.id,
        "title": entry.title,
        "state": entry.state.value,
        "bytes": entry.size,
        "bytes_begun": entry.partial,
        "folder": str(entry.folder) if entry.state == State.HERE else None,
        "packages": [
            {
                "name": package.id,
                "title": package.title,
                "attribution": package.attribution,
                "licence": package.licence.name,
                "licence_url": package.licence.url,
            }
            for package in entry.packages
        ],
    }


def _download(shelf: Library, id: str) -> None:
    loaded = settings.load(paths.settings_file()).settings
    with _interruptible() as control:
        means = Means(source_for(loaded.mirror), offline(loaded.offline))
        folder = Download(shelf, id, means, control, _teller()).run()
    print(f"{id} is here: {folder}")


def _import(shelf: Library, folder: Path) -> None:
    found = recognise(folder, shelf)
    with _interruptible() as control:
        place = bring(found, shelf, control, _teller())
    print(f"{found.id} is here: {place}")
    if found.lacking:
        print(f"It came without {', '.join(part.title for part in found.lacking)}.", file=sys.stderr)


def _verify(shelf: Library, id: str) -> None:
    with _interruptible() as control:
        bad = shelf.verify(id, control)
    if bad:
        raise HubError(f"{id} is damaged ({', '.join(bad)}): download or import it again.")
    print(f"{id} is as it should be.")


def _teller() -> Callable[[Progress], None]:
    """Says on stderr how far it is, once in a while."""
    rate, told, said = Rate(), -_TELL_EVERY_S, ""

    def tell(progress: Progress) -> None:
        nonlocal told, said
        now = time.monotonic()
        rate.note(now, progress.done)
        if now - told < _TELL_EVERY_S and said == (progress.waiting or progress.file):
            return
        told, said = now, progress.waiting or progress.file
        if progress.waiting:
            print(progress.waiting, file=sys.stderr, flush=True)
        elif progress.total:
            percent = 100 * progress.done // progress.total
            amount = f"{in_bytes(progress.done)} of {in_bytes(progress.total)}"
            speed = f", {in_bytes(round(rate.speed))}/s" if rate.speed else ""
            print(f"{percent:3} %  {amount}{speed}  {progress.file}", file=sys.stderr, flush=True)

    return tell


@contextmanager
def _interruptible() -> Iterator[Control]:
    """Ctrl-C ends it at once, and what has come is kept."""
    control = Control()

    def stop(number: int, frame: FrameType | None) -> None:
        control.stop()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield control
    except Stopped:
        raise KeyboardInterrupt from None
    finally:
        signal.signal(signal.SIGINT, before)
