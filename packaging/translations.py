"""Refreshes the translations: `python packaging/translations.py [FOLDER]`, in an environment that has PySide6.

Reads the words out of the source into the `.ts` files of FOLDER, by default `assets/translations`, keeping what is
translated, then makes the `.qm` files that the program loads. Between the two, translate what is new: it is marked
as unfinished, and a test fails over it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import PySide6

ROOT = Path(__file__).resolve().parent.parent
# Where words for the windows are.
SOURCES = ("app/gui", "app/voices")


def tool(name: str) -> str:
    """The path of a tool that comes with PySide6."""
    folder = Path(PySide6.__file__).parent
    ending = ".exe" if sys.platform == "win32" else ""
    return str(next(path for path in (folder / f"{name}{ending}", folder / "Qt/libexec" / name) if path.exists()))


def main(folder: Path) -> int:
    """Refresh all tables in `folder`; returns the exit status."""
    sources = [str(path) for folder in SOURCES for path in sorted((ROOT / folder).rglob("*.py"))]
    for table in sorted(folder.glob("banter_*.ts")):
        # Without places, the file changes only with the words.
        read = [tool("lupdate"), "-locations", "none", "-no-obsolete", "-silent", *sources, "-ts", str(table)]
        compiled = [tool("lrelease"), "-silent", str(table), "-qm", str(table.with_suffix(".qm"))]
        for command in (read, compiled):
            if code := subprocess.run(command, check=False).returncode:
                return code
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "assets" / "translations"))
