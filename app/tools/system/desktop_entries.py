"""The applications of a Linux desktop: the .desktop files of the XDG data folders, and what their lines mean."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

FILE_MOST_BYTES = 256 << 10
# Codes in the command for files, names and icons: there are none of them here.
_CODES = re.compile(r"%[fFuUdDnNickvm]")
_ESCAPES = {"s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\"}


@dataclass(frozen=True)
class DesktopEntry:
    """One application. `id`: the name of its file. `names`: all it goes by. `command`: program and arguments."""

    id: str
    name: str
    names: tuple[str, ...]
    categories: frozenset[str]
    command: tuple[str, ...]
    folder: str


def entries(environment: Mapping[str, str] = os.environ) -> list[DesktopEntry]:
    """Every application that a menu would show, by the order of the folders; files that cannot be read are left out."""
    desktops = set(filter(None, environment.get("XDG_CURRENT_DESKTOP", "").split(":")))
    languages = _languages(environment)
    found: dict[str, DesktopEntry | None] = {}
    for folder in _folders(environment):
        for file in sorted(folder.rglob("*.desktop")):
            name = "-".join(file.relative_to(folder).parts)
            # A file of the user's own stands before the system's, also to hide it.
            if name not in found:
                found[name] = _entry(name, file, desktops, languages, environment.get("PATH"))
    return [entry for entry in found.values() if entry is not None]


def default_for(kind: str, environment: Mapping[str, str] = os.environ) -> str:
    """The id of the application that the user chose for a type, such as "x-scheme-handler/http"; "" for none."""
    home = environment.get("HOME", "")
    first = environment.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    others = (environment.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(":")
    folders = [*map(Path, [first, *others]), *_folders(environment)]
    for folder in folders:
        chosen = _group(folder / "mimeapps.list", "Default Applications").get(kind, "")
        for name in chosen.split(";"):
            if name.strip():
                return name.strip()
    return ""


def _folders(environment: Mapping[str, str]) -> list[Path]:
    home = environment.get("HOME", "")
    first = environment.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share")
    others = (environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share").split(":")
    # Relative paths are to be ignored.
    return [Path(one) / "applications" for one in [first, *others] if os.path.isabs(one)]


def _languages(environment: Mapping[str, str]) -> list[str]:
    """The user's language as it is written in the files: "pt_BR", then "pt"."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        language = environment.get(variable, "").partition(".")[0].partition("@")[0]
        if language:
            return [language, language.partition("_")[0]]
    return []


def _entry(name: str, file: Path, desktops: set[str], languages: list[str], path: str | None) -> DesktopEntry | None:
    keys = _group(file, "Desktop Entry")
    if keys.get("Type") != "Application" or _is_hidden(keys, desktops) or not keys.get("Name"):
        return None
    command = arguments(keys.get("Exec", ""), keys["Name"])
    if not command or shutil.which(command[0], path=path) is None:
        return None
    attempt = _unescaped(keys.get("TryExec", ""))
    if attempt and shutil.which(attempt, path=path) is None:
        return None
    title = _unescaped(keys["Name"])
    names = [title, *(_unescaped(keys[f"Name[{one}]"]) for one in languages if f"Name[{one}]" in keys)]
    program = Path(command[0]).name
    if program not in ("env", "sh", "bash", "flatpak", "snap", "python3", "java"):
        names.append(program)
    categories = frozenset(filter(None, keys.get("Categories", "").split(";")))
    folder = _unescaped(keys.get("Path", ""))
    return DesktopEntry(name, title, tuple(dict.fromkeys(names)), categories, tuple(command), folder)


def _is_hidden(keys: Mapping[str, str], desktops: set[str]) -> bool:
    if any(keys.get(key) == "true" for key in ("Hidden", "NoDisplay", "Terminal")):
        return True
    only, never = (set(filter(None, keys.get(key, "").split(";"))) for key in ("OnlyShowIn", "NotShowIn"))
    return bool(only and not only & desktops) or bool(never & desktops)


def arguments(line: str, name: str) -> list[str]:
    """The program and its arguments in an Exec line; empty where the line breaks the rules."""
    result = []
    for quoted, bare in _parts(_unescaped(line)):
        if not quoted and bare in ("%i", "%k"):
            continue
        part = bare.replace("%%", "\0").replace("%c", name)
        part = _CODES.sub("", part).replace("\0", "%")
        if part or (quoted and not bare):
            result.append(part)
        elif bare == "":
            return []
    return result


def _parts(line: str) -> Iterator[tuple[bool, str]]:
    """The words of a command, and whether each stood in quotation marks. An open mark gives an empty bare word."""
    at = 0
    while at < len(line):
        if line[at].isspace():
            at += 1
            continue
        if line[at] != '"':
            word = re.compile(r"\S+").match(line, at)
            assert word is not None
            yield False, word[0]
            at = word.end()
            continue
        quoted = re.compile(r'"((?:[^"\\]|\\.)*)"').match(line, at)
        if quoted is None:
            yield False, ""
            return
        yield True, re.sub(r"\\(.)", r"\1", quoted[1])
        at = quoted.end()


def _unescaped(value: str) -> str:
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[0]), value)


def _group(file: Path, wanted: str) -> dict[str, str]:
    """The keys of one group of a file; empty where it cannot be read."""
    try:
        if file.stat().st_size > FILE_MOST_BYTES:
            return {}
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    keys: dict[str, str] = {}
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1]
        elif group == wanted and "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            keys.setdefault(key.strip(), value.strip())
    return keys
