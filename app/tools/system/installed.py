"""The applications of this computer, and how each system opens one."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from app.tools.system.applications import Application
from app.tools.system.commands import CommandError, outer_environment, output_of
from app.tools.system.desktop_entries import DesktopEntry, default_for, entries

# A program that ends with an error within this time has not opened. Short, so that nobody has to be told to wait.
WATCH_S = 0.2
# Kinds, by category of the .desktop files, and the type whose chosen application comes first.
_KINDS = {
    "web browser": ("WebBrowser", "x-scheme-handler/http"),
    "browser": ("WebBrowser", "x-scheme-handler/http"),
    "file manager": ("FileManager", "inode/directory"),
    "terminal": ("TerminalEmulator", ""),
    "text editor": ("TextEditor", "text/plain"),
    "calculator": ("Calculator", ""),
    "calendar": ("Calendar", "text/calendar"),
    "email": ("Email", "x-scheme-handler/mailto"),
    "music player": ("Audio", "audio/mpeg"),
    "video player": ("Video", "video/mp4"),
    "photo viewer": ("Viewer", "image/jpeg"),
    "camera": ("Camera", ""),
    "system settings": ("Settings", ""),
    "task manager": ("Monitor", ""),
}
_WINDOWS_KINDS = {
    "web browser": "http://",
    "file manager": "explorer.exe",
    "terminal": "cmd.exe",
    "text editor": "notepad.exe",
    "calculator": "calculator:",
    "calendar": "outlookcal:",
    "email": "mailto:",
    "camera": "microsoft.windows.camera:",
    "photo viewer": "ms-photos:",
    "system settings": "ms-settings:",
    "task manager": "taskmgr.exe",
}
_MAC_KINDS = {
    "web browser": "Safari",
    "file manager": "Finder",
    "terminal": "Terminal",
    "text editor": "TextEdit",
    "calculator": "Calculator",
    "calendar": "Calendar",
    "email": "Mail",
    "music player": "Music",
    "photo viewer": "Photos",
    "camera": "Photo Booth",
    "system settings": "System Settings",
    "task manager": "Activity Monitor",
}


def installed_applications() -> list[Application]:
    """What can be opened on this computer now."""
    if sys.platform == "win32":
        return windows_applications()
    if sys.platform == "darwin":
        return mac_applications()
    return linux_applications()


# --- Linux


def linux_applications(environment: Mapping[str, str] = os.environ) -> list[Application]:
    """Those of the desktop's menu."""
    found = entries(environment)
    kinds: dict[str, set[str]] = {entry.id: set() for entry in found}
    for kind, (category, mime) in _KINDS.items():
        chosen = default_for(mime, environment) if mime else ""
        fitting = [entry.id for entry in found if category in entry.categories]
        first = chosen if chosen in kinds else next(iter(fitting), "")
        if first:
            kinds[first].add(kind)
    return [Application(entry.name, entry.names, partial(_start, entry), frozenset(kinds[entry.id])) for entry in found]


def _start(entry: DesktopEntry) -> None:
    """Start it so that it lives on without Banter. Raises OSError."""
    process = subprocess.Popen(
        entry.command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=entry.folder or Path.home(),
        env=outer_environment(),
        start_new_session=True,
    )
    # Somebody has to wait for it, or it stays as a zombie when it ends.
    threading.Thread(target=process.wait, name="opened application", daemon=True).start()
    try:
        code = process.wait(WATCH_S)
    except subprocess.TimeoutExpired:
        return
    if code:
        raise OSError(f"{entry.command[0]} ended with {code}")


# --- macOS


def mac_applications(folders: Sequence[Path] | None = None) -> list[Application]:
    """The bundles in the folders for applications."""
    if folders is None:
        roots = [Path.home() / "Applications", Path("/Applications"), Path("/System/Applications")]
        folders = [*roots, *(root / "Utilities" for root in roots), Path("/System/Library/CoreServices")]
    return [
        Application(bundle.stem, (bundle.stem,), partial(_open_bundle, bundle), _kinds_of(bundle.stem))
        for folder in folders
        if folder.is_dir()
        for bundle in sorted(folder.glob("*.app"))
        # Of the system's services only one is for people.
        if folder.name != "CoreServices" or bundle.stem == "Finder"
    ]


def _kinds_of(name: str) -> frozenset[str]:
    return frozenset(kind for kind, known in _MAC_KINDS.items() if known == name)


def _open_bundle(bundle: Path) -> None:
    try:
        output_of("open", "-a", str(bundle))
    except CommandError as error:
        raise OSError(str(error)) from error


# --- Windows


def windows_applications(folders: Sequence[Path] | None = None) -> list[Application]:
    """The shortcuts of the start menu, and what Windows brings itself."""
    if folders is None:
        roots = [os.environ.get("APPDATA", ""), os.environ.get("PROGRAMDATA", "")]
        folders = [Path(root) / "Microsoft/Windows/Start Menu/Programs" for root in roots if root]
    found = []
    for folder in folders:
        if not folder.is_dir():
            continue
        for shortcut in sorted(folder.rglob("*.lnk")):
            if "uninstall" not in shortcut.stem.lower():
                found.append(Application(shortcut.stem, (shortcut.stem,), _starter(str(shortcut))))
    for kind, target in _WINDOWS_KINDS.items():
        found.append(Application(f"the {kind}", (kind,), _starter(target), frozenset({kind})))
    return found


def _starter(target: str) -> Callable[[], None]:
    # Only Windows has it. `target` is a shortcut that was found, or one of the names above.
    return lambda: os.startfile(target)  # type: ignore[attr-defined,unused-ignore]
