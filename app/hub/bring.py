"""Takes a model in from a folder, for computers without a network.

What is understood: a folder as Hugging Face publishes it, with the parts in folders inside or beside it under their own
names or the published ones; a folder that holds such a folder; and a model in Banter's own format.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from app.hub import manifest
from app.hub.catalogue import Model, Package
from app.hub.checks import digest_of, has_sound_frame
from app.hub.control import Control
from app.hub.download import RESERVE, Progress, space_sentence
from app.hub.errors import HubError, NoSpaceError, disk_error
from app.hub.library import Library, State, existing, folder_holds_model
from app.hub.manifest import Kept, Manifest

_DEPTH = 2
_MOST_FOLDERS = 500
# The parts by what a config of Banter's own format calls them, besides the names that are those of the parts.
_PARTS_OF_CONFIG = {"encoder": "sensevoice", "codec": "mimi", "speaker": "campplus"}


@dataclass(frozen=True)
class Found:
    """A model in a folder: the name that it gets here, and where its parts are, None for those that are here already.

    `lacking` are parts that are neither there nor here and that it can do without.
    """

    id: str
    title: str
    folder: Path
    files: tuple[str, ...]
    parts: dict[str, Path | None]
    lacking: tuple[Package, ...] = ()


def recognise(folder: Path, library: Library) -> Found:
    """The model in `folder`. Raises HubError, which says what is missing."""
    if not folder.is_dir():
        raise HubError(f"{folder} is no folder: choose the one that holds the model.")
    try:
        inside = list(_folders(folder))
        models = [one for one in inside if folder_holds_model(one)]
        if not models:
            raise HubError(
                f"{folder} holds no model: config.json, tokenizer.json and the weights must be in one folder."
            )
        if models[0] != folder and len(models) > 1:
            names = ", ".join(one.name for one in models)
            raise HubError(f"{folder} holds several models ({names}): choose the folder of one of them.")
        return _recognised(models[0], inside, library)
    except OSError as error:
        raise HubError(f"{folder} cannot be read ({error.strerror or type(error).__name__}).") from error


def bring(
    found: Found,
    library: Library,
    control: Control,
    tell: Callable[[Progress], None],
    free: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
) -> Path:
    """Copy what was found, check the copies, and return the model's folder. Raises HubError, and Stopped."""
    catalogue = library.catalogue
    chosen = {
        name: (source, catalogue.parts[name].choose(_names(source))) for name, source in found.parts.items() if source
    }
    jobs = [*((name, source, files, True) for name, (source, files) in chosen.items())]
    jobs.append((found.id, found.folder, list(found.files), False))
    total = sum((source / file).stat().st_size for _, source, files, _ in jobs for file in files)
    room = free(existing(library.root))
    if total + RESERVE > room:
        raise NoSpaceError(space_sentence(total + RESERVE, room))
    done = 0
    with library.changing():
        for name, source, files, is_part in jobs:
            staging = library.incoming(f"import-{name}")
            try:
                shutil.rmtree(staging, ignore_errors=True)
                staging.mkdir(parents=True)
                kept = {}
                for file in files:
                    tell(Progress(done, total, file))
                    kept[file] = _copy(source / file, staging / file, control)
                    done += kept[file].size
            except OSError as error:
                raise disk_error(staging, error) from error
            title = catalogue.parts[name].title if is_part else found.title
            parts = () if is_part else tuple(found.parts)
            library.link_parts(parts, staging)
            manifest.write(staging, Manifest(title, str(source), "", kept, parts))
            library.settle(staging, library.part_folder(name) if is_part else library.root / name)
            if is_part:
                library.refresh_part(name)
    tell(Progress(total, total))
    return library.root / found.id


def _recognised(folder: Path, inside: list[Path], library: Library) -> Found:
    config = _json(folder / "config.json")
    own = config.get("banter")
    entry = _entry(folder, own, library)
    id = entry.id if entry is not None else _new_name(folder, library)
    if entry is not None and library.entry(id).state == State.HERE:
        raise HubError(f"{entry.title} is here already: remove it first to import another one.")
    title = entry.title if entry is not None else str((own or {}).get("name", folder.name))
    files = _own_files(folder, own, library)
    for name in files:
        if not has_sound_frame(folder / name):
            raise HubError(f"{folder / name} is damaged or incomplete: copy it again.")
    around = [*inside, *(one for one in sorted(folder.parent.iterdir()) if one.is_dir() and one not in inside)]
    parts: dict[str, Path | None] = {}
    lacking = []
    for part in _needed(config, own, library):
        place = next((one for one in around if one != folder and _is_part(one, part)), None)
        if place is None and any(fnmatchcase(name, mark) for mark in part.marks for name in _names(folder)):
            place = folder
        if library.part(part.id) is not None:
            parts[part.id] = None
        elif place is not None:
            for name in part.choose(_names(place)):
                if not has_sound_frame(place / name):
                    raise HubError(f"{place / name} is damaged or incomplete: copy it again.")
            parts[part.id] = place
        elif part.optional:
            lacking.append(part)
        else:
            raise HubError(f"{part.title} is missing: put its folder, named {part.folders[0]}, into {folder}.")
    return Found(id, title, folder, tuple(files), parts, tuple(lacking))


def _folders(top: Path, depth: int = _DEPTH) -> Iterator[Path]:
    """`top` and the folders below it, the nearest first."""
    level, count = [top], 0
    for _ in range(depth + 1):
        below = []
        for one in level:
            count += 1
            if count > _MOST_FOLDERS:
                return
            yield one
            below += sorted(inner for inner in one.iterdir() if inner.is_dir() and not inner.name.startswith("."))
        level = below


def _names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir() if one.is_file())


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise HubError(f"{path} cannot be read as a model's configuration: copy the model folder again.")
    return found


def _entry(folder: Path, own: Any, library: Library) -> Model | None:
    """The catalogue's model that `folder` is by its name."""
    if own is not None:
        return None
    for model in library.catalogue.models.values():
        names = {model.id, model.huggingface.rpartition("/")[2], model.modelscope.rpartition("/")[2]}
        if folder.name.lower() in {name.lower() for name in names if name}:
            return model
    return None


def _own_files(folder: Path, own: Any, library: Library) -> list[str]:
    names = _names(folder)
    if own is None:
        # Any of them tells what the published layout is.
        for model in library.catalogue.models.values():
            return Package(**{**_fields(model), "title": folder.name}).choose(names)
    return [name for name in names if not name.endswith((".py", ".part")) and name != manifest.FILE]


def _fields(model: Model) -> dict[str, Any]:
    return {name: getattr(model, name) for name in Package.__dataclass_fields__}


def _needed(config: dict[str, Any], own: Any, library: Library) -> list[Package]:
    parts = library.catalogue.parts
    if not isinstance(own, dict):
        return list(parts.values())
    names = [str(own.get(key, usual if key != "speaker" else "")) for key, usual in _PARTS_OF_CONFIG.items()]
    if config.get("image_ids", [12]):
        names.append("siglip2")
    return [parts[name] for name in names if name in parts]


def _is_part(folder: Path, part: Package) -> bool:
    try:
        names = _names(folder)
        part.choose(names)
        kind = str(_json(folder / "config.json").get("model_type", "")) if "config.json" in names else ""
    except (HubError, OSError):
        return False
    if kind and part.model_types:
        return kind.startswith(part.model_types)
    named = folder.name.lower() in part.folders
    return named or any(fnmatchcase(name, mark) for mark in part.marks for name in names)


def _new_name(folder: Path, library: Library) -> str:
    plain = re.sub(r"[^a-z0-9._-]+", "-", folder.name.lower()).strip("-._") or "model"
    taken = {entry.id for entry in library.entries()} | {"parts"}
    if plain not in taken:
        return plain
    return next(name for number in range(2, 10_000) if (name := f"{plain}-{number}") not in taken)


def _copy(source: Path, target: Path, control: Control) -> Kept:
    control.check()
    shutil.copyfile(source, target)
    wanted = digest_of(source, "sha256", control)
    if digest_of(target, "sha256", control) != wanted:
        raise HubError(f"{source} was not copied well: check the disk and try again.")
    return Kept(target.stat().st_size, wanted)
