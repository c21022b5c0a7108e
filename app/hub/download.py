"""Brings a model and the parts that it needs, all of them or none."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import httpx2

from app.hub import manifest
from app.hub.catalogue import Model, Package
from app.hub.checks import Digest, digest_of
from app.hub.control import Control
from app.hub.errors import HubError, NoSpaceError, OfflineError, disk_error
from app.hub.library import Library, existing
from app.hub.manifest import Kept, Manifest
from app.hub.rate import in_bytes
from app.hub.retry import USUAL, Busy, Patience
from app.hub.sources import Listing, RemoteFile, Source
from app.hub.transfer import client, fetch, partial_file

# What stays free on the disk.
RESERVE = 64 << 20


@dataclass(frozen=True)
class Progress:
    """How far a download is. Bytes; `file` is the one that comes now; `waiting`: why nothing moves just now."""

    done: int = 0
    total: int = 0
    file: str = ""
    file_done: int = 0
    file_total: int = 0
    waiting: str = ""


@dataclass(frozen=True)
class _Plan:
    """A package with the files that are wanted of it."""

    package: Package
    listing: Listing
    files: tuple[RemoteFile, ...]


@dataclass(frozen=True)
class Means:
    """What a download works with. `offline`: nothing may be connected to. `free` gives the free bytes at a folder."""

    source: Source
    offline: bool = False
    patience: Patience = USUAL
    free: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free


class Download:
    """One model on its way. `run` belongs to one thread; what has come stays when it is stopped or fails."""

    def __init__(
        self, library: Library, id: str, means: Means, control: Control, tell: Callable[[Progress], None]
    ) -> None:
        """Raises HubError where the catalogue has no such model."""
        if id not in library.catalogue.models:
            raise HubError(f"There is no model {id} to download: `banter models` lists those that there are.")
        self._library = library
        self._model: Model = library.catalogue.models[id]
        self._means = means
        self._control = control
        self._tell = tell
        self._chance = Random()
        self._now = Progress()

    def run(self) -> Path:
        """Bring it; returns the model's folder. Raises HubError, and Stopped where `control` says so."""
        if self._means.offline:
            raise OfflineError
        library, model = self._library, self._model
        with library.changing(), client(self._means.patience) as web:
            wanted = [p for p in library.catalogue.packages(model) if p is model or library.part(p.id) is None]
            plans = [self._plan(package, web) for package in wanted]
            self._make_room(plans)
            for plan in plans:
                self._bring(plan, web)
        return library.root / model.id

    def _plan(self, package: Package, web: httpx2.Client) -> _Plan:
        listing = self._listing(package, web)
        files = []
        for name in package.choose(listing.files):
            file, known = listing.files[name], package.sha256.get(name)
            digest = Digest("sha256", known) if known else file.digest
            files.append(RemoteFile(name, file.size, file.url, digest))
        return _Plan(package, listing, tuple(files))

    def _listing(self, package: Package, web: httpx2.Client) -> Listing:
        source, patience, failures = self._means.source, self._means.patience, 0
        while True:
            self._control.check()
            self._show(file=package.title)
            try:
                return source.listing(package, web)
            except Busy as busy:
                trouble = busy
            except httpx2.TooManyRedirects as error:
                sentence = f"{source.name} sends from one address to the next without end: choose another mirror."
                raise HubError(sentence) from error
            except (httpx2.HTTPError, httpx2.InvalidURL, OSError):
                trouble = Busy(f"{source.name} cannot be reached: check the network, or choose another mirror.")
            failures += 1
            if failures >= patience.tries:
                raise HubError(str(trouble)) from trouble
            self._show(waiting=str(trouble))
            self._control.wait(patience.wait(failures, trouble.seconds, self._chance))
            self._show(waiting="")

    def _make_room(self, plans: list[_Plan]) -> None:
        """Take stock of what is here, and refuse what the disk cannot hold."""
        total = here = 0
        for plan in plans:
            staging = self._library.incoming(plan.package.id)
            try:
                staging.mkdir(parents=True, exist_ok=True)
                _clear(staging, plan.files)
                self._take_over(plan, staging)
            except OSError as error:
                raise disk_error(staging, error) from error
            total += sum(file.size for file in plan.files)
            here += sum(_come(staging, file) for file in plan.files)
        self._show(done=here, total=total)
        free = self._means.free(existing(self._library.root))
        if total - here + RESERVE > free:
            raise NoSpaceError(space_sentence(total - here + RESERVE, free))

    def _take_over(self, plan: _Plan, staging: Path) -> None:
        """A model that is damaged keeps its good files."""
        is_part = plan.package.id in self._library.catalogue.parts
        folder = self._library.part_folder(plan.package.id) if is_part else self._library.root / plan.package.id
        known = manifest.read(folder)
        if known is None:
            return
        bad = set(manifest.missing(folder, known))
        for file in plan.files:
            kept = known.files.get(file.path)
            good = kept is not None and file.path not in bad and kept.size == file.size
            if good and not (staging / file.path).exists():
                shutil.copyfile(folder / file.path, staging / file.path)

    def _bring(self, plan: _Plan, web: httpx2.Client) -> None:
        library, package = self._library, plan.package
        staging, files = library.incoming(package.id), {}
        for file in plan.files:
            target = staging / file.path
            self._show(file=file.path, file_done=_come(staging, file), file_total=file.size)
            if target.exists() and not self._is_good(target, file):
                self._moved(-target.stat().st_size)
                target.unlink()
            if not target.exists():
                fetch(
                    web,
                    file,
                    target,
                    self._control,
                    self._means.patience,
                    moved=self._moved,
                    waiting=lambda why: self._show(waiting=why),
                    chance=self._chance,
                )
            known = file.digest if file.digest is not None and file.digest.kind == "sha256" else None
            digest = known.value if known else digest_of(target, "sha256", self._control)
            files[file.path] = Kept(file.size, digest)
        parts = package.parts if isinstance(package, Model) else ()
        source = f"{self._means.source.name}/{plan.listing.repo}"
        library.link_parts(parts, staging)
        manifest.write(staging, Manifest(package.title, source, plan.listing.commit, files, parts))
        is_part = package.id in library.catalogue.parts
        library.settle(staging, library.part_folder(package.id) if is_part else library.root / package.id)
        if is_part:
            library.refresh_part(package.id)

    def _is_good(self, target: Path, file: RemoteFile) -> bool:
        if target.stat().st_size != file.size:
            return False
        return file.digest is None or digest_of(target, file.digest.kind, self._control) == file.digest.value

    def _moved(self, count: int) -> None:
        self._show(done=self._now.done + count, file_done=self._now.file_done + count)

    def _show(self, **changes: object) -> None:
        self._now = Progress(**{**self._now.__dict__, **changes})
        self._tell(self._now)


def _clear(staging: Path, files: tuple[RemoteFile, ...]) -> None:
    """Delete what belongs to another version, or to nothing."""
    wanted = {file.path for file in files} | {partial_file(file, staging / file.path).name for file in files}
    for path in staging.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name not in wanted:
            path.unlink()


def _come(staging: Path, file: RemoteFile) -> int:
    for path in (staging / file.path, partial_file(file, staging / file.path)):
        if path.exists():
            return path.stat().st_size
    return 0


def space_sentence(needed: int, free: int) -> str:
    """That a disk with `free` bytes cannot hold `needed` more."""
    return f"{in_bytes(needed)} of free disk space is needed, and {in_bytes(free)} is there: make room and try again."
