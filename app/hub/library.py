"""The models on this computer.

    MODELS/minimind-3o/             the model's own files, with `banter-files.json`
    MODELS/minimind-3o/mimi/ …      its parts, each in a folder of its name
    MODELS/parts/mimi/ …            the parts once more, with their `banter-files.json`
    MODELS/.incoming/…              what is on its way; nothing of it is ever loaded

The files of a part are stored once: those in a model's folder are hard links to those below `parts`, so that two models
share 860 MB instead of having them twice. Where the file system knows no hard links, they are copies. A folder appears
in one move when all of it is here and has been checked, so a model that can be seen is whole.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from filelock import FileLock, Timeout

from app.hub import manifest
from app.hub.catalogue import Catalogue, Package
from app.hub.checks import digest_of, no_progress
from app.hub.control import Control
from app.hub.errors import HubError, disk_error
from app.hub.manifest import Manifest

PARTS = "parts"
INCOMING = ".incoming"
STARTER = "starter"
# What names a folder that is on its way out.
_GONE = "gone-"


class State(StrEnum):
    """Where a model is."""

    ABSENT = "absent"
    PARTIAL = "partial"
    HERE = "here"
    DAMAGED = "damaged"


@dataclass(frozen=True)
class Entry:
    """A model as the list shows it. `size` in bytes: on the disk with its parts, or what is still to be fetched in all
    while it is not here; `partial` of them have come. `packages`: the model and its parts, for licences; empty where
    the model was imported and is nowhere in the catalogue.
    """

    id: str
    title: str
    state: State
    folder: Path
    size: int
    partial: int = 0
    packages: tuple[Package, ...] = ()
    can_download: bool = False
    is_starter: bool = False


class Library:
    """The models below `root`, those of `catalogue` and the `starter` that ships with Banter."""

    def __init__(self, root: Path, catalogue: Catalogue, starter: Path) -> None:
        self.root = root
        self.catalogue = catalogue
        self.starter = starter

    # --- what there is

    def entries(self) -> list[Entry]:
        """The starter, the catalogue's models, and those that were imported."""
        known = [self.entry(model.id) for model in self.catalogue.models.values()]
        return [self.entry(STARTER), *known, *(self.entry(name) for name in self._imported())]

    def entry(self, id: str) -> Entry:
        """The model of this name. Raises HubError where there is none."""
        if id == STARTER:
            size = disk_use([self.starter])
            return Entry(STARTER, "Banter starter", State.HERE, self.starter, size, is_starter=True)
        model, folder = self.catalogue.models.get(id), self.root / id
        known = manifest.read(folder) if _is_name(id) else None
        packages = tuple(self.catalogue.packages(model)) if model is not None else ()
        if known is not None or folder_holds_model(folder):
            state = State.DAMAGED if known is not None and self._damaged(id, known) else State.HERE
            title = model.title if model is not None else known.title if known is not None else id
            return Entry(id, title, state, folder, disk_use([folder]), 0, packages, model is not None)
        if model is None:
            raise HubError(f"There is no model {id}: `banter models` lists those that there are.")
        wanted = [one for one in packages if one.id not in self.catalogue.parts or self.part(one.id) is None]
        partial = sum(disk_use([self.incoming(package.id)]) for package in wanted)
        state = State.PARTIAL if partial else State.ABSENT
        size = sum(package.size for package in wanted)
        return Entry(id, model.title, state, folder, size, partial, packages, True)

    def part(self, name: str) -> Manifest | None:
        """The part, where all of it is here."""
        known = manifest.read(self.part_folder(name))
        return known if known is not None and not list(manifest.missing(self.part_folder(name), known)) else None

    def part_folder(self, name: str) -> Path:
        """Where a part is stored once."""
        return self.root / PARTS / name

    def incoming(self, name: str) -> Path:
        """Where a model or part is while it is on its way."""
        return self.root / INCOMING / name

    def disk_use(self) -> int:
        """Bytes of everything here, what is on its way included."""
        return disk_use([self.root])

    def free(self) -> int:
        """Bytes that are free on the disk."""
        return shutil.disk_usage(existing(self.root)).free

    # --- what can be done

    @contextmanager
    def changing(self) -> Iterator[None]:
        """While something is changed, no other Banter changes anything. Raises HubError where one does."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.root / ".lock", timeout=0, thread_local=False)
            lock.acquire()
        except Timeout:
            raise HubError("Another Banter is busy with the models: wait until it has finished.") from None
        except OSError as error:
            raise disk_error(self.root, error) from error
        try:
            yield
        finally:
            lock.release()

    def verify(
        self, id: str, control: Control | None = None, progress: Callable[[int], None] = no_progress
    ) -> list[str]:
        """Read every file of a model once more and name those that have changed (`part/file` for a part's).

        They are noted, so that a download brings them again. Raises HubError, and Stopped.
        """
        entry = self.entry(id)
        if entry.is_starter:
            return []
        known = manifest.read(entry.folder)
        if known is None:
            raise HubError(f"{entry.title} was not brought here by Banter, so there is nothing to compare it with.")
        try:
            with self.changing():
                bad = self._check(entry.folder, known, control, progress)
                for name in known.parts:
                    folder = self.part_folder(name)
                    part = manifest.read(folder)
                    if part is None:
                        bad.append(name)
                        continue
                    bad += [f"{name}/{file}" for file in self._check(folder, part, control, progress)]
                    self._check_links(name, entry.folder, control)
        except OSError as error:
            raise disk_error(entry.folder, error) from error
        return bad

    def remove(self, id: str) -> None:
        """Delete a model, what is on its way of it, and the parts that no other model needs. Raises HubError."""
        entry = self.entry(id)
        if entry.is_starter:
            raise HubError("The starter belongs to Banter and stays.")
        try:
            with self.changing():
                self._discard(entry.folder)
                self._drop_incoming(id)
        except OSError as error:
            raise disk_error(entry.folder, error) from error

    def drop_partial(self, id: str) -> None:
        """Delete what is on its way of a model. Raises HubError."""
        try:
            with self.changing():
                self._drop_incoming(id)
        except OSError as error:
            raise disk_error(self.incoming(id), error) from error

    def settle(self, staged: Path, target: Path) -> None:
        """Put the folder `staged`, which is complete, in the place of `target`. Raises HubError."""
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            before = self.incoming(f"{_GONE}{target.name}")
            shutil.rmtree(before, ignore_errors=True)
            if target.exists():
                target.replace(before)
            staged.replace(target)
            shutil.rmtree(before, ignore_errors=True)
        except OSError as error:
            raise disk_error(target, error) from error

    def refresh_part(self, name: str) -> None:
        """A part has come anew: the models that have it get the new one. Raises HubError."""
        for model in self._models():
            if name in self._parts_of(model):
                self.link_parts((name,), self.root / model)

    def link_parts(self, names: tuple[str, ...], folder: Path) -> None:
        """Put these parts, which are here, into a model's folder. Raises HubError."""
        try:
            for name in names:
                self._link(name, folder)
        except OSError as error:
            raise disk_error(folder, error) from error

    # --- inside

    def _damaged(self, id: str, known: Manifest) -> bool:
        folder = self.root / id
        if list(manifest.missing(folder, known)):
            return True
        for name in known.parts:
            part = self.part(name)
            if part is None or list(manifest.missing(folder / name, part)):
                return True
        return False

    def _check(
        self, folder: Path, known: Manifest, control: Control | None, progress: Callable[[int], None]
    ) -> list[str]:
        bad = []
        for name, kept in known.files.items():
            path = folder / name
            if not path.is_file() or digest_of(path, "sha256", control, progress) != kept.sha256:
                bad.append(name)
        if tuple(bad) != known.damaged:
            manifest.write(folder, known.with_damage(tuple(bad)))
        return bad

    def _link(self, name: str, folder: Path) -> None:
        part, target = manifest.read(self.part_folder(name)), folder / name
        if part is None:
            return
        target.mkdir(parents=True, exist_ok=True)
        for file in part.files:
            source, link = self.part_folder(name) / file, target / file
            if not source.is_file() or (link.exists() and _is_same(source, link)):
                continue
            link.unlink(missing_ok=True)
            try:
                os.link(source, link)
            except OSError:
                shutil.copy2(source, link)

    def _check_links(self, name: str, folder: Path, control: Control | None) -> None:
        """Where the file system knows no hard links, a model's copies of a part are read too, and made anew if bad."""
        part = manifest.read(self.part_folder(name))
        for file, kept in part.files.items() if part is not None else ():
            link = folder / name / file
            if not link.is_file() or os.path.samefile(self.part_folder(name) / file, link):
                continue
            if digest_of(link, "sha256", control) != kept.sha256:
                link.unlink()
        self._link(name, folder)

    def _imported(self) -> list[str]:
        return [name for name in self._models() if name not in self.catalogue.models]

    def _models(self) -> list[str]:
        if not self.root.is_dir():
            return []
        folders = sorted(one for one in self.root.iterdir() if one.is_dir() and _is_name(one.name))
        return [one.name for one in folders if manifest.read(one) is not None or folder_holds_model(one)]

    def _parts_of(self, id: str) -> tuple[str, ...]:
        known = manifest.read(self.root / id)
        return known.parts if known is not None else ()

    def _discard(self, folder: Path) -> None:
        if not folder.exists():
            return
        # A folder that is being deleted must not be taken for a model meanwhile.
        gone = self.incoming(f"{_GONE}{folder.name}")
        gone.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(gone, ignore_errors=True)
        folder.replace(gone)
        shutil.rmtree(gone, ignore_errors=True)

    def _drop_incoming(self, id: str) -> None:
        """Forget what is on its way of a model, and the parts that neither another model nor one on its way needs."""
        shutil.rmtree(self.incoming(id), ignore_errors=True)
        on_their_way = [model for model in self.catalogue.models.values() if self.incoming(model.id).is_dir()]
        awaited = {name for model in on_their_way for name in model.parts}
        used = {name for model in self._models() for name in self._parts_of(model)}
        for name in self.catalogue.parts:
            if name not in awaited:
                shutil.rmtree(self.incoming(name), ignore_errors=True)
            if name not in awaited | used:
                self._discard(self.part_folder(name))


def folder_holds_model(folder: Path) -> bool:
    """Whether `folder` looks like a model that somebody has put there by hand."""
    return (folder / "config.json").is_file() and (folder / "tokenizer.json").is_file()


def disk_use(places: list[Path]) -> int:
    """Bytes of all files below these folders; one with several names counts once."""
    seen: dict[tuple[int, int], int] = {}
    for place in places:
        for folder, _, names in os.walk(place):
            for name in names:
                with contextlib.suppress(OSError):
                    status = os.stat(os.path.join(folder, name))
                    seen[status.st_dev, status.st_ino] = status.st_size
    return sum(seen.values())


def existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder


def _is_same(source: Path, link: Path) -> bool:
    """Whether `link` is another name of `source`, or a copy of it as it is now."""
    if os.path.samefile(source, link):
        return True
    one, other = source.stat(), link.stat()
    # Some file systems know the time to two seconds only.
    return one.st_size == other.st_size and abs(one.st_mtime - other.st_mtime) < 3.0


def _is_name(id: str) -> bool:
    return bool(id) and not id.startswith(".") and id != PARTS and Path(id).name == id
