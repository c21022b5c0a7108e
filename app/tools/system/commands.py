"""Short commands of the system."""

from __future__ import annotations

import os
import subprocess
import sys

PATIENCE_S = 3.0


class CommandError(Exception):
    """The command is missing, failed, or took too long."""


def output_of(*command: str, patience_s: float = PATIENCE_S) -> str:
    """What `command` prints, in English; no shell is involved. Raises CommandError."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=patience_s,
            env=outer_environment() | {"LC_ALL": "C"},
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise CommandError(str(error)) from error
    if done.returncode:
        raise CommandError(f"{command[0]}: {done.stderr.strip()[:200]}")
    return done.stdout


def outer_environment() -> dict[str, str]:
    """The environment for other programs: without the libraries that come with a packaged Banter."""
    environment = dict(os.environ)
    if getattr(sys, "frozen", False):
        for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
            environment.pop(name, None)
            # PyInstaller keeps there what was set before it.
            before = environment.pop(f"{name}_ORIG", None)
            if before is not None:
                environment[name] = before
    return environment
