"""What can be downloaded: the models, their parts, and where they are published. See `catalogue.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from app.hub.errors import HubError

SHIPPED = Path(__file__).with_name("catalogue.toml")


@dataclass(frozen=True)
class Licence:
    """A licence by its usual name, and where its text is."""

    name: str
    url: str


@dataclass(frozen=True)
class Package:
    """Something that is downloaded as a whole: a model's own network, or a part that several models share.

    `size` in bytes, before the hub has been asked. `weights` and `files` are patterns of file names, see
    `catalogue.toml`; `sha256` by file name. `huggingface` and `modelscope` are repositories, "" where there is none;
    `huggingface_revision` "" is the newest. A folder is one of it by its name (`folders`, lower case), by the
    `model_type` in its `config.json` (how it begins) or by a file in it (`marks`). `optional`: a model can do without.
    """

    id: str
    title: str
    attribution: str
    licence: Licence
    size: int
    weights: tuple[str, ...]
    files: tuple[str, ...]
    huggingface: str = ""
    huggingface_revision: str = ""
    modelscope: str = ""
    sha256: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    model_types: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    optional: bool = False

    def choose(self, names: Iterable[str]) -> list[str]:
        """Those of a repository's files that are needed. Raises HubError where something needed is missing."""
        # A name that leads elsewhere, here or on another system, is nobody's file.
        there = sorted(name for name in names if not set(name) & set("/\\:"))
        chosen: list[str] = []
        for pattern in self.files:
            found = [name for name in there if fnmatchcase(name, pattern.removesuffix("?"))]
            if not found and not pattern.endswith("?"):
                raise HubError(f"{self.title} is incomplete: there is no {pattern}.")
            chosen += found
        for pattern in self.weights:
            found = [name for name in there if fnmatchcase(name, pattern)]
            if found:
                return list(dict.fromkeys([*chosen, *found]))
        wanted = self.weights[0] if self.weights else "file"
        raise HubError(f"{self.title} is incomplete: there is no {wanted}.")


@dataclass(frozen=True)
class Model(Package):
    """A model: its own files, and the names of the parts that it needs beside them."""

    parts: tuple[str, ...] = ()
    parameters: int = 0
    languages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Catalogue:
    """Models and parts by their names."""

    models: Mapping[str, Model]
    parts: Mapping[str, Package]

    def packages(self, model: Model) -> list[Package]:
        """The model's parts and then the model itself."""
        return [*(self.parts[name] for name in model.parts), model]


def load(changes: Path | None = None, shipped: Path = SHIPPED) -> Catalogue:
    """The catalogue, with what the file `changes` says otherwise, where there is one. Raises HubError."""
    raw = _read(shipped)
    if changes is not None and changes.is_file():
        raw = _merged(raw, _read(changes))
    licences = {key: Licence(str(one["name"]), str(one["url"])) for key, one in raw.get("licences", {}).items()}
    try:
        parts = {key: Package(**_package(key, one, licences)) for key, one in raw.get("parts", {}).items()}
        models = {key: _model(key, one, licences) for key, one in raw.get("models", {}).items()}
        for model in models.values():
            if unknown := [name for name in model.parts if name not in parts]:
                raise ValueError(f"there is no part {unknown[0]}")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise HubError(f"The list of models {changes or shipped} cannot be used: {error}.") from error
    return Catalogue(models, parts)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise HubError(f"The list of models {path} cannot be used: {error}.") from error


def _merged(raw: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """`raw` with the values of `changes` in place of its own, table by table."""
    out = dict(raw)
    for key, value in changes.items():
        before = out.get(key)
        out[key] = _merged(before, value) if isinstance(before, dict) and isinstance(value, dict) else value
    return out


def _package(key: str, raw: dict[str, Any], licences: Mapping[str, Licence]) -> dict[str, Any]:
    # The name becomes that of a folder.
    if not key.replace("-", "").replace("_", "").replace(".", "").isalnum() or key.startswith("."):
        raise ValueError(f"{key} is no name of a model")
    return {
        "id": key,
        "title": str(raw.get("title", key)),
        "attribution": str(raw.get("attribution", "")),
        "licence": licences[raw["licence"]],
        "size": int(raw.get("bytes", 0)),
        "weights": tuple(map(str, raw["weights"])),
        "files": tuple(map(str, raw["files"])),
        "huggingface": str(raw.get("huggingface", "")),
        "huggingface_revision": str(raw.get("huggingface_revision", "")),
        "modelscope": str(raw.get("modelscope", "")),
        "folders": tuple(str(name).lower() for name in raw.get("folders", ())),
        "model_types": tuple(map(str, raw.get("model_types", ()))),
        "marks": tuple(map(str, raw.get("marks", ()))),
        "optional": raw.get("optional", False) is True,
        "sha256": {str(name): str(digest).lower() for name, digest in raw.get("sha256", {}).items()},
    }


def _model(key: str, raw: dict[str, Any], licences: Mapping[str, Licence]) -> Model:
    return Model(
        **_package(key, raw, licences),
        parts=tuple(map(str, raw.get("parts", ()))),
        parameters=int(raw.get("parameters", 0)),
        languages=tuple(map(str, raw.get("languages", ()))),
    )
